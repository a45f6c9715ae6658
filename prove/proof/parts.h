/* What the files of the proof engine share. Nobody else includes this: proof.h is the face. */
#ifndef COLLSCOPE_PROVE_PROOF_PARTS_H
#define COLLSCOPE_PROVE_PROOF_PARTS_H

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
} actor;
#define PROOF_RUNNING SIZE_MAX /* what an actor waits for: nothing; a flag; else a message of its own */
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
  actor *actor;    /* [ranks] */
  size_t *posted;  /* [ranks] operations before this one have been posted: asked for every message */
  memory *mem;     /* [ranks][3] */
  uint32_t *queue; /* ring of ranks that can go on */
  size_t actor_cap, posted_cap, mem_cap, queue_cap;
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

/* ---- base.c ---- */

/* Sets the verdict and its text; always false, so that it can be returned. */
__attribute__((format(printf, 3, 4), cold)) bool proof_fail(proof *, proof_kind, const char *format, ...);
void proof_wake(proof *, int rank);

/* The memory of a buffer; home: of a segment, whose part. */
static inline memory *buffer_of(proof *e, int rank, int buf, int home) {
  if (buf < REC_SEGMENT) return &e->mem[3 * rank + buf];
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  return &g->parts[g->index[home]].data;
}

/* ---- text.c: what is wrong, for people ---- */

typedef struct {
  char text[256];
} phrase;
phrase op_text(const proof *, int rank, size_t op);             /* "recv of 40 bytes from rank 3 (operation 2)" */
phrase place_text(const proof *, uint64_t byte);                /* "element 3" */
phrase set_text(const proof *, uint64_t set);                   /* "ranks 0-3, 5" */
phrase value_text(const proof *, uint64_t coord, uint64_t set); /* whose element it is */
phrase buffer_text(int buf);

/* ---- sets.c: sets of ranks, each with one name ---- */

void sets_begin(proof *);
void sets_free(proof *);
uint64_t set_range(const proof *, uint64_t first, uint64_t n);
bool set_has(const proof *, uint64_t set, int rank);
uint64_t set_join(proof *, uint64_t a, uint64_t b);      /* the union; 0 when the two share a rank */
bool set_follows(const proof *, uint64_t a, uint64_t b); /* b begins with the rank after a's last; for
                                                                         unbroken ranges */

/* ---- match.c: who belongs to whom ---- */

bool proof_match(proof *);

/* ---- segments.c: shared segments and the order of events ---- */

void groups_set(proof *);
void groups_free(proof *);
size_t clock_release(proof *, int rank);
void clock_join(proof *, int rank, size_t snapshot);
/* Bytes of home's part are read or written; false: a race. */
bool segment_access(proof *, int rank, size_t op, int buf, int home, uint64_t off, uint64_t bytes, bool write);
bool segment_publish(proof *, int rank, size_t op, const rec_op *);
/* The first publish that reaches the value, or NULL: a later one would order more than the program does. */
const published *segment_reaching(proof *, int rank, const rec_op *);

/* ---- pending.c: what a message on its way reads or writes ---- */

void pending_clear(actor *);
void pending_add(actor *, size_t op, const rec_op *, bool recv);
void pending_remove(actor *, size_t op);
bool pending_clashes(proof *, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes);

/* Where bounds of a buffer are kept. */
static inline int pending_place(int buf) { return buf < REC_SEGMENT ? buf : REC_SEGMENT; }

/* May the operation touch these bytes? Else false, with the verdict set. */
static inline bool pending_allows(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes) {
  const actor *a = &e->actor[rank];
  int at = pending_place(buf);
  if (!a->pends || !bytes || off >= a->high[at] || off + bytes <= a->low[at]) return true;
  return !pending_clashes(e, rank, op, buf, off, bytes, writes);
}

/* ---- data.c: what operations do to memories ---- */

/* Where bytes come from: op of rank reads them in buf. */
typedef struct {
  int rank;
  size_t op;
  int buf;
  memory *memory;
  uint64_t off;
} origin;

bool data_move(proof *, origin, memory *to, uint64_t to_off, uint64_t bytes);
bool data_reduce(proof *, int rank, size_t op, const rec_op *);

/* ---- play.c ---- */

/* Plays the record. With `round`, of every operation, only what takes part until round 0, then 1 …; after each calls `after`. */
typedef void proof_after(void *self, proof *, uint32_t round);
bool proof_play(proof *, const record *, proof_result *, const uint32_t *round, uint32_t rounds, proof_after *,
                void *self);

/* ---- promise.c: what a collective finds and what it must leave ---- */

void call_begins(proof *, int rank);
bool call_ends(proof *, int rank);
/* Has the rank heard, directly or not, that the other one has come to this call? */
bool call_heard(const proof *, int rank, int other);

#endif
