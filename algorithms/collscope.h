/* collscope: the text of a collective algorithm, and what it may do.
 *
 * An algorithm is a plain C function in blocking style. It talks to the rest of the world through the
 * operations of its context and through nothing else, so that the same text can be simulated (SMPI), run
 * (MPI) and recorded as a schedule (no MPI at all).
 *
 * Units: counts are elements (size_t) of a contiguous type of `elem` bytes; times are seconds.
 * Errors: operations do not return codes. A failing MPI call aborts the job with a message; a faulty
 * algorithm under the recorder marks the record, which the prover then reports.
 */
#ifndef COLLSCOPE_H
#define COLLSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  COLL_BCAST,
  COLL_REDUCE,
  COLL_SCATTER,
  COLL_GATHER,
  COLL_ALLGATHER,
  COLL_REDUCE_SCATTER,
  COLL_REDUCE_SCATTER_BLOCK,
  COLL_ALLREDUCE,
  COLL_ROTATION,
  COLL_BARRIER,
  COLL_ALLTOALL,
  COLL_SCAN,
  COLL_EXSCAN,
  COLL_GATHERV,
  COLL_SCATTERV,
  COLL_ALLGATHERV,
  COLL_ALLTOALLV,
  COLL_COLLECTIVES
} coll_collective;

/* ---- where ranks sit -------------------------------------------------------------------------------- */

/* Numbers are unique over the whole machine: two ranks share a cache if and only if `cache` is equal. */
typedef struct {
  int node, socket, cache;
} coll_place;

typedef enum { COLL_LEVEL_CACHE, COLL_LEVEL_SOCKET, COLL_LEVEL_NODE, COLL_LEVELS } coll_level;

/* The groups of one level, in the order of their lowest rank; members ascend; the leader is the lowest. */
typedef struct {
  int groups;
  int *group_of; /* [size]      the group a rank is in */
  int *first;    /* [groups+1]  group g's members are member[first[g]] … member[first[g+1]-1] */
  int *member;   /* [size] */
} coll_grouping;

/* Computes the grouping of one level. Memory comes from malloc; free with coll_grouping_free. */
void coll_grouping_make(coll_grouping *g, coll_level level, int size, const coll_place *place);
void coll_grouping_free(coll_grouping *g);

/* ---- the context ------------------------------------------------------------------------------------ */

typedef struct coll_ctx coll_ctx;
typedef int coll_req;                    /* 0 is no request */
typedef struct coll_seg_state *coll_seg; /* shared memory of a group whose ranks sit on one node */

/* What a back-end provides to the algorithm. `to`, `from` and `home` are ranks of the context's own group;
 * n is in elements. Algorithms use the coll_… wrappers below.  */
typedef struct {
  void (*send)(coll_ctx *, const void *buf, size_t n, int to);
  void (*recv)(coll_ctx *, void *buf, size_t n, int from);
  void (*sendrecv)(coll_ctx *, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from);
  int (*recv_any)(coll_ctx *, void *buf, size_t n);
  coll_req (*isend)(coll_ctx *, const void *buf, size_t n, int to);
  coll_req (*irecv)(coll_ctx *, void *buf, size_t n, int from);
  void (*waitall)(coll_ctx *, int k, coll_req *reqs);
  void (*reduce)(coll_ctx *, const void *left, void *right, size_t n);
  void (*copy)(coll_ctx *, void *dst, const void *src, size_t n);
  void *(*scratch)(coll_ctx *, size_t n);
  void *(*keep)(coll_ctx *, size_t bytes);
  coll_seg (*seg_open)(coll_ctx *, size_t n, int flags);
  void *(*seg_part)(coll_ctx *, coll_seg);
  void (*seg_write)(coll_ctx *, coll_seg, int home, size_t off, const void *src, size_t n);
  void (*seg_read)(coll_ctx *, coll_seg, int home, size_t off, void *dst, size_t n);
  void (*publish)(coll_ctx *, coll_seg, int home, int flag, uint64_t value);
  void (*await)(coll_ctx *, coll_seg, int home, int flag, uint64_t value);
} coll_operations;

struct coll_ctx {
  const coll_operations *ops;
  void *self;                  /* the back-end's own state, shared by a context and its sub-groups */
  int rank, size;              /* in this group */
  const int *world;            /* [size] rank of each member in the outermost group; NULL: the same */
  const coll_place *place;     /* [size] */
  const coll_grouping *levels; /* [COLL_LEVELS]; NULL in a sub-group */
  int label;                   /* tells the messages of sub-groups apart, 8 bits: see coll_sub */
  size_t elem;                 /* bytes of one element */
  const char *site;            /* where in the source the last operation was called: see below */
};

/* Element i of a buffer. */
static inline void *coll_at(const coll_ctx *c, const void *buf, size_t i) { return (char *)buf + i * c->elem; }

/* Blocking point to point. A send may wait for its receive: no algorithm may rely on buffering.
 * Messages between two ranks of a group arrive in the order they were sent. n = 0 sends an empty message. */
static inline void coll_send(coll_ctx *c, const void *buf, size_t n, int to) { c->ops->send(c, buf, n, to); }
static inline void coll_recv(coll_ctx *c, void *buf, size_t n, int from) { c->ops->recv(c, buf, n, from); }
static inline void coll_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  c->ops->sendrecv(c, sbuf, sn, to, rbuf, rn, from);
}

/* Receives exactly n elements from whichever rank's message comes first and returns that rank. Only algorithms whose
 * descriptor says COLL_ANY_SOURCE may call it, and these hold no memory but scratch and keep. */
static inline int coll_recv_any(coll_ctx *c, void *buf, size_t n) { return c->ops->recv_any(c, buf, n); }

/* Non-blocking. The buffer must not be touched until coll_waitall has returned, which sets requests to 0. */
static inline coll_req coll_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  return c->ops->isend(c, buf, n, to);
}
static inline coll_req coll_irecv(coll_ctx *c, void *buf, size_t n, int from) { return c->ops->irecv(c, buf, n, from); }
static inline void coll_waitall(coll_ctx *c, int k, coll_req *reqs) { c->ops->waitall(c, k, reqs); }
static inline void coll_wait(coll_ctx *c, coll_req *req) { c->ops->waitall(c, 1, req); }

/* right = left op right. Lower ranks belong on the left unless the descriptor says COLL_COMMUTATIVE_ONLY. */
static inline void coll_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  c->ops->reduce(c, left, right, n);
}
/* dst = src; nothing happens, and nothing is charged, when they are the same address. */
static inline void coll_copy(coll_ctx *c, void *dst, const void *src, size_t n) { c->ops->copy(c, dst, src, n); }

/* Memory until run() returns: scratch for data (n elements), keep for the algorithm's own bookkeeping (bytes). */
static inline void *coll_scratch(coll_ctx *c, size_t n) { return c->ops->scratch(c, n); }
static inline void *coll_keep(coll_ctx *c, size_t bytes) { return c->ops->keep(c, bytes); }

/* Shared segments, opened in prepare() by all members of a group on one node, in the same order everywhere.
 * Each member is `home` of one part of n elements and of `flags` flags that start at 0 and only grow.
 * part is this rank's own one, a buffer as any other: messages, copies and combining may read and write it in place.
 * write and read move elements between private memory and a part; publish sets a flag of a part after all that this rank
 * did before; await blocks until the flag is at least `value`. Flags go on counting from one call of run() to the next:
 * an algorithm counts its calls in its prepared state and adds that to the values it publishes. */
static inline coll_seg coll_seg_open(coll_ctx *c, size_t n, int flags) { return c->ops->seg_open(c, n, flags); }
static inline void *coll_seg_part(coll_ctx *c, coll_seg s) { return c->ops->seg_part(c, s); }
static inline void coll_seg_write(coll_ctx *c, coll_seg s, int home, size_t off, const void *src, size_t n) {
  c->ops->seg_write(c, s, home, off, src, n);
}
static inline void coll_seg_read(coll_ctx *c, coll_seg s, int home, size_t off, void *dst, size_t n) {
  c->ops->seg_read(c, s, home, off, dst, n);
}
static inline void coll_publish(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  c->ops->publish(c, s, home, flag, value);
}
static inline void coll_await(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  c->ops->await(c, s, home, flag, value);
}

/* An operation leaves in the context where it was called, as "file:line": what a message about it names. */
#define COLL_TEXT_OF(x) #x
#define COLL_TEXT(x) COLL_TEXT_OF(x)
#define COLL_HERE(c) coll_here(c, __FILE__ ":" COLL_TEXT(__LINE__))
static inline coll_ctx *coll_here(coll_ctx *c, const char *site) {
  c->site = site;
  return c;
}
#define coll_send(c, ...) coll_send(COLL_HERE(c), __VA_ARGS__)
#define coll_recv(c, ...) coll_recv(COLL_HERE(c), __VA_ARGS__)
#define coll_sendrecv(c, ...) coll_sendrecv(COLL_HERE(c), __VA_ARGS__)
#define coll_recv_any(c, ...) coll_recv_any(COLL_HERE(c), __VA_ARGS__)
#define coll_isend(c, ...) coll_isend(COLL_HERE(c), __VA_ARGS__)
#define coll_irecv(c, ...) coll_irecv(COLL_HERE(c), __VA_ARGS__)
#define coll_waitall(c, ...) coll_waitall(COLL_HERE(c), __VA_ARGS__)
#define coll_wait(c, ...) coll_wait(COLL_HERE(c), __VA_ARGS__)
#define coll_reduce(c, ...) coll_reduce(COLL_HERE(c), __VA_ARGS__)
#define coll_copy(c, ...) coll_copy(COLL_HERE(c), __VA_ARGS__)
#define coll_scratch(c, ...) coll_scratch(COLL_HERE(c), __VA_ARGS__)
#define coll_keep(c, ...) coll_keep(COLL_HERE(c), __VA_ARGS__)
#define coll_seg_open(c, ...) coll_seg_open(COLL_HERE(c), __VA_ARGS__)
#define coll_seg_part(c, ...) coll_seg_part(COLL_HERE(c), __VA_ARGS__)
#define coll_seg_write(c, ...) coll_seg_write(COLL_HERE(c), __VA_ARGS__)
#define coll_seg_read(c, ...) coll_seg_read(COLL_HERE(c), __VA_ARGS__)
#define coll_publish(c, ...) coll_publish(COLL_HERE(c), __VA_ARGS__)
#define coll_await(c, ...) coll_await(COLL_HERE(c), __VA_ARGS__)

/* Makes the context of a sub-group: arithmetic only, no communication. `members` are ranks of c, ascending or not, and are
 * copied; label is 1 … 15, and two levels of sub-groups fit. Groups that do not share a rank may share a label.
 * Returns false, and leaves *sub alone, when this rank is no member. */
bool coll_sub(coll_ctx *c, int label, const int *members, int n, coll_ctx *sub);

/* ---- the descriptor --------------------------------------------------------------------------------- */

/* One call. The first part is its shape, all that supports(), cost() and exact() may look at.
 *
 * Meaning of count, in and out (m = count, p = size; blocks in rank order):
 *   bcast                  m elements, in == out everywhere
 *   reduce, allreduce      in: m, out: m (reduce: out only at the root, NULL elsewhere)
 *   scatter                in: p·m at the root, NULL elsewhere; out: m
 *   gather                 in: m; out: p·m at the root, NULL elsewhere
 *   allgather              in: m; out: p·m
 *   reduce_scatter         in: m in all, cut by coll_block; out: this rank's block
 *   reduce_scatter_block   in: p·m; out: m
 *   rotation               in: m, out: m; rank i ends with the block of rank i+1
 *   alltoall               in: p·m, out: p·m
 *   scan, exscan           in: m, out: m
 *   gatherv, scatterv, allgatherv   as gather, scatter, allgather; but rank i's block has as many elements as displs says
 *   alltoallv              as alltoall; but rank s's block for rank d has as many elements as displs says; never in place
 *   barrier                nothing
 * In place: gather, allgather and their vector forms: in points at this rank's block inside out. scatter, scatterv: out points at
 * the root's block inside in (root only). reduce (root only), allreduce, reduce_scatter, reduce_scatter_block, rotation, alltoall, scan, exscan:
 * in == out; reduce_scatter and reduce_scatter_block leave their block at the start.
 * Except in place, buffers do not overlap, and `in` must not be written. */
typedef struct coll_args {
  int size; /* p */
  size_t count, elem;
  int root;
  bool commutes, in_place; /* commutes: the operator's order of operands is free */
  const long *param;       /* one value for each of the descriptor's parameters */
  const coll_place *place; /* [size] */
  /* Vector forms, reduce_scatter: where each rank's block begins among the blocks of all, and where the last one ends: [size + 1], in
   * elements. alltoallv: [2][size][size + 1], the same of the `in` of each rank, then of the `out` of each. NULL: blocks of one length, or
   * as coll_block cuts the vector. See patterns/rank_block.h. */
  const size_t *displs;

  const void *in;
  void *out;
  void *prepared; /* what prepare() returned */
} coll_args;

typedef struct {
  const char *name;
  long value, min, max;     /* default and range */
  const char *const *words; /* if not NULL: names for min … max, written instead of numbers */
  const char *help;
} coll_param; /* a list ends with name = NULL */

enum {                            /* what a descriptor says of itself, beside supports() */
       COLL_COMMUTATIVE_ONLY = 1, /* the operator must commute */
       COLL_ANY_SOURCE = 2,       /* control flow depends on arrival order: no static schedule */
       COLL_SEGMENTS = 4,         /* uses shared segments */
       COLL_PLACES = 8,           /* the schedule depends on where ranks sit */
       COLL_ANY_BLOCKS = 16,      /* takes displs: blocks of any lengths */
};

typedef enum { COLL_PORTS_ONE, COLL_PORTS_MANY } coll_ports;

/* Which algorithm of Open MPI's coll/tuned sends the same messages. number 0: none. */
typedef struct {
  const char *library;
  int number;
} coll_twin;

typedef struct coll_alg {
  const char *key; /* "bcast/mst": also the path of the file */
  coll_collective collective;
  const char *summary; /* one line, no full stop */
  const char *source;
  const coll_param *params; /* NULL: none */
  unsigned flags;
  coll_ports ports; /* MANY: several sends or receives outstanding at a rank */
  coll_twin twin;
  const char *(*supports)(const coll_args *); /* NULL, or a constant string: the reason why not. May be NULL itself */
  void *(*prepare)(coll_ctx *, const coll_args *); /* opens segments, makes groups; untimed. May be NULL */
  void (*run)(coll_ctx *, const coll_args *);
  double (*cost)(const coll_args *, double alpha, double beta,
                 double gamma);     /* seconds; β, γ per byte. NULL: no closed form */
  bool (*exact)(const coll_args *); /* the critical path is exactly cost() */
} coll_alg;

/* ---- the registry ----------------------------------------------------------------------------------- */

extern const coll_alg *const coll_registry[]; /* ends with NULL */

enum { COLL_PARAMS = 8 }; /* most parameters of an algorithm, or of a decision */

#endif
