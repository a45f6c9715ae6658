/* A schedule: every rank's operations, one after the other. Program order is the only dependency; isend and irecv go on
 * until the WAIT that names them; sendrecv is ISEND, IRECV and a WAIT for each.
 *
 * An operation names its buffers by number and offset, so a schedule can be replayed on other buffers.
 */
#ifndef COLLSCOPE_CORE_SCHEDULE_SCHEDULE_H
#define COLLSCOPE_CORE_SCHEDULE_SCHEDULE_H

#include "collscope.h"

typedef enum {
  REC_SEND,
  REC_RECV,
  REC_ISEND,
  REC_IRECV,
  REC_RECV_ANY,
  REC_WAIT,
  REC_REDUCE,
  REC_COPY,
  REC_WRITE,
  REC_READ,
  REC_PUBLISH,
  REC_AWAIT,
  REC_MARK,
  REC_CALC
} rec_kind;

/* Buffers: 0 in, 1 out, 2 scratch, 3+k the k-th segment this rank has opened: of a message, a copy or a combining its own part. */
enum { REC_IN, REC_OUT, REC_SCRATCH, REC_SEGMENT };

typedef struct {
  uint8_t kind; /* rec_kind */
  /* SEND, ISEND, RECV…: the message; REDUCE: left; COPY, WRITE: source; READ, PUBLISH, AWAIT: segment. */
  uint8_t buf;
  /* REDUCE: right; COPY, READ: destination; WRITE: segment. */
  uint8_t buf2;
  uint8_t label; /* of the context: messages match by source, destination, label, in order */
  /* Rank in the outermost group: destination, source (RECV_ANY: the source it was given), home of a segment's part; WAIT: index, in this
   * rank's list, of the ISEND or IRECV. */
  int32_t peer;
  uint64_t off; /* bytes into buf; PUBLISH, AWAIT: the flag's number */
  /* Bytes into buf2; PUBLISH, AWAIT: the value; ISEND, IRECV: index, in this rank's list, of their WAIT. */
  uint64_t off2;
  /* MARK: 0 where a timed part begins, 1 where it ends. 0 for PUBLISH, AWAIT; WAIT: how many more waits of the same call follow. An empty
   * message, with bytes 0, has no buffer: buf and off mean nothing. */
  uint64_t bytes;
} rec_op;

/* Scratch that run() asked for: bytes into REC_SCRATCH. */
typedef struct {
  size_t begin, bytes;
} rec_piece;

enum { REC_CALLS = 4 }; /* most consecutive calls that a record holds */

typedef struct {
  rec_op *op;
  const char **site; /* [n] where in the source each was called; NULL unless record_sites was asked */
  size_t n, cap;
  size_t scratch;   /* bytes of scratch used */
  rec_piece *piece; /* [pieces] of it, in the order of asking; what prepare() asked for is not among them */
  size_t pieces, piece_cap;
  size_t start[REC_CALLS + 1];       /* call k is op[start[k]] … op[start[k+1]-1]; every call has scratch of its own: */
  size_t piece_start[REC_CALLS + 1]; /* piece[piece_start[k]] … */
} rec_rank;

typedef struct {
  int group;    /* segments that belong together have the same number at all members: 0, 1, … */
  int members;  /* ranks of the group */
  size_t bytes; /* of one part */
  int flags;    /* of one part */
  int *world;   /* [members] outermost ranks, in the group's order */
} rec_segment;

/* Where `in` and `out` lie at one rank. In place both are in the same buffer: in REC_OUT, or, for scatter's root, in
 * REC_IN. */
typedef struct {
  bool has_in, has_out; /* false: the algorithm is handed NULL */
  bool in_place;        /* both lie in one buffer; for bcast too */
  int in_buf, out_buf;
  size_t in_off, out_off; /* bytes into the buffer */
  size_t in_bytes, out_bytes;
  size_t size[2]; /* bytes of REC_IN and REC_OUT */
} rec_layout;

typedef struct record {
  coll_collective collective; /* what it promises */
  uint64_t serial;            /* no other recording of the process has the same; 0: made by hand */
  /* Of every rank but for in, out; of these nobody needs more than the shape: param, place and displs are the recorder's. */
  coll_args args;
  int calls;             /* how many consecutive calls of run() were recorded */
  rec_rank *rank;        /* [args.size] */
  rec_layout *layout;    /* [args.size] */
  rec_segment **segment; /* [args.size][k]: what rank opened as its k-th; lists of segments[rank] */
  int *segments;         /* [args.size] */
  int segment_groups;    /* how many different segments there are */
  bool chose;            /* a recv_any had a choice of messages: other seeds may record other orders */
  bool endless;          /* error says that the algorithm goes on for ever */
  bool cut_short;        /* whoever was shown its ranks had seen enough: the others were not recorded */
  char error[500];       /* empty, or what the algorithm did wrong, at which rank, and where in the source */
} record;

/* Where `in` and `out` lie at a rank in this call. */
rec_layout rec_layout_of(coll_collective, const coll_args *, int rank);

/* Who is shown the ranks of a schedule, one after the other, ascending. False: that is enough. */
typedef struct {
  bool (*see)(void *user, const record *, int rank);
  void *user;
} record_viewer;

static inline bool rec_sends(int kind) { return kind == REC_SEND || kind == REC_ISEND; }
static inline bool rec_receives(int kind) { return kind == REC_RECV || kind == REC_IRECV || kind == REC_RECV_ANY; }

/* True when both hold the same operations, buffers and segments: what is proven of one then holds for the other, as
 * far as it does not depend on the shape of the call. */
bool record_same(const record *, const record *);

/* "scratch", "segment 1" … into text[size]. */
const char *record_buffer_name(int buf, char *text, size_t size);
const char *record_kind_name(int kind);

#endif
