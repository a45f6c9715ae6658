/* What the files of the recorder share. Nobody else includes this: record.h is the face.
 *
 * Who calls whom: record.c → rank.c → operations.c → segments.c → memory.c → append.c, and record.c → arrival.c; what stands in
 * core/schedule is below them all. */
#ifndef COLLSCOPE_CORE_SCHEDULE_RECORDER_RECORDER_H
#define COLLSCOPE_CORE_SCHEDULE_RECORDER_RECORDER_H

#include "core/schedule/channels.h"
#include "core/schedule/pool.h"
#include "core/schedule/schedule.h"

#include <setjmp.h>
#include <signal.h>

#if UINTPTR_MAX > UINT32_MAX
#define BUFFER_BITS 40
#else
#define BUFFER_BITS 28 /* WebAssembly's addresses have 32 bits */
#endif
#define BUFFER_BYTES ((size_t)1 << BUFFER_BITS)
/* The last one holds this rank's parts of segments, PART_BYTES each. */
enum { BUFFERS = 4, SEGMENTS_MAX = 255 - REC_SEGMENT };
#define PART_BYTES (BUFFER_BYTES / 256)

enum { STOP_SUSPENDED = 1, STOP_ERROR, STOP_FAULT, STOP_LOOP };

typedef struct {
  size_t begin, end;
} range;

/* What every member of a segment must agree on, and how many have opened it. */
typedef struct {
  int label, members, nth, flags, opened, first_rank;
  size_t bytes;
  const int *world;
} group;

struct coll_seg_state {
  rec_segment seg;
  int index, label, nth;
};

typedef struct {
  int *source;
  int n, cap, at;
  bool done;
  int label, size;
  const int *world;
  bool visited;
} any_source; /* of a rank: the sources of its recv_any */

/* What plays the ranks as far as they are recorded: see arrival.c. */
typedef struct {
  bool begun;
  channels channels;
  uint32_t *link; /* [posts] of the channels' queues */
  bool *met;      /* [posts] the other side has been posted, too */
  size_t posts, link_cap, met_cap;
  int ranks, groups; /* that the arrays below are made for */
  size_t *at;        /* [ranks] the operation each rank is at */
  bool *posted;      /* [ranks] … has been posted already */
  int *arrived;      /* [ranks] messages that have been sent to it and not been received */
  uint32_t **post;   /* [ranks][op] which post a send or receive is */
  size_t *room;      /* [ranks] of post */
  uint64_t **flag;   /* [groups][members · flags] */
} player;

typedef struct {
  record record; /* first: what the caller sees */
  const coll_alg *alg;
  char *base;    /* BUFFERS ranges of addresses, one behind the other */
  bool reserved; /* nobody else in this process has them */
  int ranks;     /* that the arrays below are made for */
  /* the rank being recorded */
  rec_rank *now;
  int rank;
  const rec_layout *layout;
  range *scratch;
  int scratches, scratch_cap, scratch_last;
  int pending; /* requests not waited for */
  bool preparing;
  volatile bool inside; /* the algorithm's own code */
  const char *site;     /* where in the source it called its last operation; NULL: nowhere yet */
  bool sited;           /* sites are kept */
  size_t most;          /* operations that a rank may record */
  sigjmp_buf leave;
  void *fault;
  /* of the whole recording */
  long param[COLL_PARAMS];
  coll_place *place;
  size_t *displs; /* [displs_cap] of the call */
  size_t displs_cap;
  coll_grouping levels[COLL_LEVELS];
  coll_place *levels_place; /* what levels were made from */
  int levels_size;
  pool keep, segments;
  group *groups;
  int group_cap;
  int *segment_cap;       /* [ranks] */
  any_source *any_source; /* [ranks] */
  unsigned seed;
  player player;
} recorder;

/* ---- rank.c ---- */

recorder *rec_new(void); /* its addresses are not reserved; freed by record_free */
/* A call that is to be recorded. Then each of its ranks, whose operations may leave by s->leave. */
void rec_begin(recorder *, const coll_alg *, const coll_args *);
void rec_run_rank(recorder *, int rank);

/* ---- append.c: writing down an operation, or what is wrong with it ---- */

__attribute__((format(printf, 2, 3), noreturn, cold)) void rec_fail(recorder *, const char *format, ...);
/* The same for what is seen between operations, and comes back. */
__attribute__((format(printf, 2, 3), cold)) void rec_complain(recorder *, const char *format, ...);
__attribute__((cold)) void rec_more_room(recorder *);

static inline rec_op *rec_append(recorder *s) {
  rec_rank *k = s->now;
  if (k->n == k->cap) rec_more_room(s);
  if (s->sited) k->site[k->n] = s->site;
  return &k->op[k->n++];
}

/* The recorder behind an operation's context; called once per operation. A site belongs to one operation: a call through a pointer
 * sets no site, and that of the operation before would be wrong. */
static inline recorder *rec_of(coll_ctx *c) {
  recorder *s = c->self;
  s->site = c->site;
  c->site = NULL;
  return s;
}

/* A rank of the context's group, in the outermost group. */
static inline int rec_peer_of(recorder *s, const coll_ctx *c, int rank, const char *who) {
  if (rank < 0 || rank >= c->size) rec_fail(s, "%s names rank %d of a group of %d", who, rank, c->size);
  return c->world ? c->world[rank] : rank;
}

static inline size_t rec_bytes_of(recorder *s, const coll_ctx *c, size_t n, const char *who) {
  size_t bytes;
  if (__builtin_mul_overflow(n, c->elem, &bytes) || bytes > BUFFER_BYTES / 2)
    rec_fail(s, "%s of %zu elements: more than a buffer can hold", who, n);
  return bytes;
}

/* ---- memory.c: addresses that stand for buffers ---- */

typedef struct {
  uint8_t buf;
  uint64_t off;
} spot;

bool rec_locate(const recorder *, const void *, int *buf, int64_t *off); /* which buffer an address is in */
/* The same for an operation, which fails when it may not touch `bytes` bytes there. */
spot rec_resolve(recorder *, const void *, size_t bytes, const char *who, bool writes);
void *rec_scratch(coll_ctx *, size_t n);
void *rec_keep(coll_ctx *, size_t bytes);

/* ---- segments.c ---- */

coll_seg rec_seg_open(coll_ctx *, size_t n, int flags);
void *rec_seg_part(coll_ctx *, coll_seg);
void rec_seg_write(coll_ctx *, coll_seg, int home, size_t off, const void *src, size_t n);
void rec_seg_read(coll_ctx *, coll_seg, int home, size_t off, void *dst, size_t n);
void rec_publish(coll_ctx *, coll_seg, int home, int flag, uint64_t value);
void rec_await(coll_ctx *, coll_seg, int home, int flag, uint64_t value);

/* ---- operations.c ---- */

extern const coll_operations rec_operations;

/* ---- arrival.c ---- */

/* Gives every suspended rank that has messages to choose from one of them. Returns how many it could serve. */
int rec_choose_sources(recorder *);
void rec_player_free(player *);

#endif
