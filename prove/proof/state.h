/* The state of a proof, which the files of the proof engine share. Nobody else includes this, or the headers of these files: proof.h is the
 * face. */
#ifndef COLLSCOPE_PROVE_PROOF_STATE_H
#define COLLSCOPE_PROVE_PROOF_STATE_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"
#include "core/schedule/channels.h"
#include "prove/proof/memory.h"
#include "prove/proof/proof.h"

#define PROOF_MOVED ((uint64_t)1) /* the set of a value in a collective that only moves data */

typedef struct {
  uint64_t begin, end;
  uint32_t index;
  uint8_t buf;
  bool recv;
} pending;

typedef struct {
  const rec_op *op;
  size_t n, at;   /* operations, and the one it is at */
  size_t base;    /* of this rank's operations among all */
  size_t waiting; /* for this message of its own; or one of the two below */
  int call;
  pending *pend;
  int pends, pend_cap;
  uint64_t low[REC_SEGMENT + 1], high[REC_SEGMENT + 1]; /* bounds of what is pending; of all segments in one */
  bool queued;
} rank_state;
#define PROOF_RUNNING SIZE_MAX /* what a rank waits for: nothing; a flag; else a message of its own */
#define PROOF_AWAITING (SIZE_MAX - 1)

typedef struct {
  uint64_t begin, end;
  size_t op;
  int rank;
  uint32_t stamp;
  bool write;
} access;
typedef struct {
  uint64_t value;
  size_t clock;
  int rank;
  uint32_t stamp;
} published;
typedef struct {
  published *list;
  size_t n, cap;
} flag;
typedef struct {
  memory data;
  access *list;
  size_t n, cap;
} part;
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
  int p; /* ranks */
  uint64_t elem;
  bool reduces, ordered, clocked;
  bool each;      /* data only moves, and each rank brings its own */
  int worst_rank; /* lowest rank with a wrong result, or p; and what is wrong there */
  proof_result worst;
  rank_state *state; /* [ranks] */
  size_t *posted;    /* [ranks] operations before this one have been posted: asked for every message */
  memory *mem;       /* [ranks][3] */
  uint32_t *queue;   /* ring of ranks that can go on */
  size_t state_cap, posted_cap, mem_cap, queue_cap;
  uint32_t queue_at, queue_n;
  matching match;
  const uint32_t *round; /* by operation: takes part from this round on; NULL: all take part at once */
  uint32_t until;        /* the round that is played */
  /* pieces of an operation */
  piece *left, *right, *out;
  size_t left_cap, right_cap, out_cap;
  /* sets of more than 64 ranks */
  uint64_t *words; /* [sets][width] */
  size_t sets, sets_cap, width;
  uint32_t *table;
  size_t table_slots;
  struct {
    uint64_t a, b, result;
  } memo[1024];
  /* clocks. A barrier alone needs less: only whether a rank has heard of another at all, so a row is a set of bits. */
  bool heard_only;
  size_t row;        /* words of what a rank knows of the others: p, or p bits */
  uint32_t *clock;   /* [ranks][row] */
  uint32_t *entered; /* [calls][p] */
  size_t *snapshot;  /* by operation: the sender's clock when it was posted */
  size_t snapshot_cap;
  uint32_t *pool;
  size_t pool_n, pool_cap;
  size_t clock_cap, entered_cap;
  shared *group;
  int groups, group_cap;
};

/* Sets the verdict and its text; always false, so that it can be returned. */
__attribute__((format(printf, 3, 4), cold)) bool proof_fail(proof *, proof_kind, const char *format, ...);
void proof_wake(proof *, int rank);

/* The memory of a buffer; home: of a segment, whose part. */
static inline memory *buffer_of(proof *e, int rank, int buf, int home) {
  if (buf < REC_SEGMENT) return &e->mem[3 * rank + buf];
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  return &g->parts[g->index[home]].data;
}

#endif
