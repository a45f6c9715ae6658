/* What the files of the proof engine share. Nobody else includes this: proof.h is the face. */
#ifndef COLLSCOPE_PROVE_PROOF_PARTS_H
#define COLLSCOPE_PROVE_PROOF_PARTS_H

#include "prove/proof/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROOF_NONE UINT32_MAX
#define PROOF_MOVED ((uint64_t)1)     /* the set of a value in a collective that only moves data */

/* A stretch of memory whose values are one stretch of coordinates: byte x holds coordinate x + delta. set 0: never
 * written. */
typedef struct { uint64_t at, delta, set; } run;
typedef struct { run *run; uint32_t n, cap, hint; uint64_t size; } memory;  /* runs cover 0 … size without gaps */
typedef struct {
  uint64_t rel, coord, set;
} piece; /* of one operation's bytes, from its byte rel on */

typedef struct { uint64_t begin, end; uint32_t index; uint8_t buf; bool recv; } pending;

typedef struct {
  const rec_op *op;
  size_t n, at;               /* operations, and the one it is at */
  size_t posted;              /* operations before this one have been posted */
  size_t base;                /* of this rank's operations among all */
  size_t waiting;             /* for this message of its own; or one of the two below */
  int call;
  pending *pend;
  int pends, pend_cap;
  uint64_t low[REC_SCRATCH + 1], high[REC_SCRATCH + 1];  /* bounds of what is pending */
  bool queued;
} actor;
#define PROOF_RUNNING SIZE_MAX        /* what an actor waits for: nothing; a flag; else a message of its own */
#define PROOF_AWAITING (SIZE_MAX - 1)

typedef struct { uint64_t key; uint32_t epoch, first, last; bool sends; } channel;   /* what is unmatched, linked */

typedef struct { uint64_t begin, end; size_t op; int rank; uint32_t stamp; bool write; } access;
typedef struct { uint64_t value; size_t clock; int rank; uint32_t stamp; } published;
typedef struct { published *list; size_t n, cap; } flag;
typedef struct { memory data; access *list; size_t n, cap; } part;
typedef struct {
  const rec_segment *seg;
  int *index;
  part *parts;
  flag *flags;
  int cap_parts, cap_flags, cap_index;
} shared;

struct proof {
  const record *r;
  proof_result *result;
  int p, ranks;                /* ranks now, and room for so many */
  uint64_t elem;
  bool reduces, ordered, clocked;
  bool each;                   /* data only moves, and each rank brings its own */
  int worst_rank;              /* lowest rank with a wrong result, or p; and what is wrong there */
  proof_result worst;
  actor *actor;                /* [ranks] */
  memory *mem;                 /* [ranks][3] */
  uint32_t *queue;             /* ring of ranks that can go on */
  uint32_t queue_at, queue_n;
  uint32_t *partner;              /* by operation: its partner in the peer's list; of one that has none yet, the next of
                                  its channel, among all */
  size_t ops_cap;
  channel *channels;
  size_t channel_slots, channels_used;
  uint32_t epoch;
  /* pieces of an operation */
  piece *left, *right, *out;
  size_t left_cap, right_cap, out_cap;
  /* sets of more than 64 ranks */
  uint64_t *words;             /* [sets][width] */
  size_t sets, sets_cap, width;
  uint32_t *table;
  size_t table_slots;
  struct { uint64_t a, b, result; } memo[1024];
  /* clocks. A barrier alone needs less: only whether a rank has heard of another at all, so a row is a set of bits. */
  bool heard_only;
  size_t row;                  /* words of what a rank knows of the others: p, or p bits */
  uint32_t *clock;             /* [ranks][row] */
  uint32_t *entered;           /* [calls][p] */
  size_t *snapshot;            /* by operation: the sender's clock when it was posted */
  size_t snapshot_cap;
  uint32_t *pool;
  size_t pool_n, pool_cap;
  size_t clock_cap, entered_cap;
  shared *group;
  int groups, group_cap;
};

void *proof_grow(void *old, size_t bytes);   /* realloc that ends the program when memory is out */

/* Room for n of something in an array that only ever grows. */
#define ROOM(array, cap, n) do { if ((size_t)(cap) < (size_t)(n)) { \
    size_t room_ = 2 * (size_t)(cap) < (size_t)(n) ? (size_t)(n) : 2 * (size_t)(cap); \
    (array) = proof_grow((array), sizeof *(array) * room_); (cap) = (__typeof__(cap))room_; } } while (0)


static inline bool is_send(int kind) { return kind == REC_SEND || kind == REC_ISEND; }

/* ---- text.c: what is wrong, for people ---- */

/* Sets the verdict and its text; always false, so that it can be returned. */
__attribute__((format(printf, 3, 4), cold)) bool proof_fail(proof *, proof_kind, const char *format, ...);

typedef struct { char text[200]; } phrase;
phrase op_text(const proof *, int rank, size_t op);                   /* "recv of 40 bytes from rank 3 (operation 2)" */
phrase place_text(const proof *, uint64_t byte);                      /* "element 3" */
phrase set_text(const proof *, uint64_t set);                         /* "ranks 0-3, 5" */
phrase value_text(const proof *, uint64_t coord, uint64_t set);       /* whose element it is */
phrase buffer_text(int buf);

/* ---- sets.c: sets of ranks, each with one name ---- */

uint64_t set_range(const proof *, uint64_t first, uint64_t n);
bool set_has(const proof *, uint64_t set, int rank);
uint64_t set_join(proof *, uint64_t a, uint64_t b);                   /* the union; 0 when the two share a rank */
bool set_follows(const proof *, uint64_t a, uint64_t b);              /* b begins with the rank after a's last; for
                                                                         unbroken ranges */

/* ---- memory.c: symbolic memory ---- */

void memory_set(memory *, uint64_t size);                             /* nothing is written in it */
uint32_t memory_search(memory *, uint64_t at);
void memory_assign(memory *, uint64_t off, uint64_t len, const piece *, size_t n);
/* What bytes off … off+len hold, cut where it changes. Returns the number of pieces; 0 when something was never
 * written. */
size_t memory_read(memory *, uint64_t off, uint64_t len, piece **list, size_t *cap);
uint64_t memory_unwritten(memory *, uint64_t off); /* the first byte from off on that was never written */

static inline uint64_t run_end(const memory *m, uint32_t i) { return i + 1 < m->n ? m->run[i + 1].at : m->size; }

/* The run that byte `at` is in: most often that of the last time. */
static inline uint32_t memory_find(memory *m, uint64_t at)
{
  uint32_t i = m->hint;
  if (i < m->n && m->run[i].at <= at) {
    if (at < run_end(m, i)) return i;
    if (i + 1 < m->n && at < run_end(m, i + 1)) return m->hint = i + 1;
  }
  return memory_search(m, at);
}

/* ---- match.c: who belongs to whom ---- */

bool proof_match(proof *);

/* ---- segments.c: shared segments and the order of events ---- */

void groups_set(proof *);
size_t clock_release(proof *, int rank);
void clock_join(proof *, int rank, size_t snapshot);
bool segment_access(proof *, int rank, size_t op, const rec_op *, uint64_t off, bool write);   /* false: a race */
bool segment_publish(proof *, int rank, size_t op, const rec_op *);
/* The first publish that reaches the value, or NULL: a later one would order more than the program does. */
const published *segment_reaching(proof *, int rank, const rec_op *);

/* ---- proof.c ---- */

void proof_wake(proof *, int rank);

#endif
