/* Operations that the first algorithms do not use (any source, sub-groups, shared segments), over MPI with data checked; and
 * deliberately wrong algorithms, which the data check must catch. Prints one line a case and "N passed, N failed". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/mpi.h"
#include "driver/check/barrier.h"
#include "driver/check/verify.h"
#include "driver/launch.h"
#include "patterns/block.h"

/* ---- right ones ------------------------------------------------------------------------------------- */

/* Binomial tree in which nobody but the root knows where data comes from. */
static void any_source_tree(coll_ctx *c, const coll_args *a) {
  int p = c->size, me = (c->rank - a->root + p) % p, step = 1;
  if (me) coll_recv_any(c, a->out, a->count);
  while (step <= me) step *= 2;
  for (; me + step < p; step *= 2) coll_send(c, a->out, a->count, (me + step + a->root) % p);
}

/* Arrival order must not show in a sum. */
static void any_source_sum(coll_ctx *c, const coll_args *a) {
  if (c->rank != a->root) {
    coll_send(c, a->in, a->count, a->root);
    return;
  }
  coll_copy(c, a->out, a->in, a->count);
  void *theirs = coll_scratch(c, a->count);
  bool *heard = coll_keep(c, (size_t)c->size);
  memset(heard, 0, (size_t)c->size);
  for (int i = 1; i < c->size; i++) {
    int from = coll_recv_any(c, theirs, a->count);
    if (from == c->rank || heard[from]) abort();
    heard[from] = true;
    coll_reduce(c, theirs, a->out, a->count);
  }
}

/* Root → leaders of the nodes → their nodes, as two sub-groups. */
static void two_level(coll_ctx *c, const coll_args *a) {
  const coll_grouping *nodes = &c->levels[COLL_LEVEL_NODE];
  int mine = nodes->group_of[c->rank], *leader = coll_keep(c, sizeof(int) * (size_t)nodes->groups);
  for (int g = 0; g < nodes->groups; g++) leader[g] = nodes->member[nodes->first[g]];
  leader[nodes->group_of[a->root]] = a->root;
  int *member = coll_keep(c, sizeof(int) * (size_t)c->size), members = 0;
  member[members++] = leader[mine];
  for (int i = nodes->first[mine]; i < nodes->first[mine + 1]; i++)
    if (nodes->member[i] != leader[mine]) member[members++] = nodes->member[i];
  coll_ctx sub;
  if (coll_sub(c, 1, leader, nodes->groups, &sub)) {
    coll_args among = *a;
    among.root = nodes->group_of[a->root];
    any_source_tree(&sub, &among);
  }
  if (coll_sub(c, 2, member, members, &sub)) {
    coll_args within = *a;
    within.root = 0;
    any_source_tree(&sub, &within);
  }
}

/* Allgather within each node through a shared segment; nodes exchange whole by linear sends of their leaders' contents. The prepared
 * state holds the segment and how often it was used, on which flags go on counting. */
typedef struct {
  coll_seg seg;
  coll_ctx node;
  int *member;
  int members;
  uint64_t call;
} shared_state;

static void *shared_prepare(coll_ctx *c, const coll_args *a) {
  const coll_grouping *nodes = &c->levels[COLL_LEVEL_NODE];
  shared_state *s = coll_keep(c, sizeof *s);
  int mine = nodes->group_of[c->rank];
  s->call = 0;
  s->member = nodes->member + nodes->first[mine];
  s->members = nodes->first[mine + 1] - nodes->first[mine];
  coll_sub(c, 1, s->member, s->members, &s->node);
  s->seg = coll_seg_open(&s->node, a->count, 2);
  return s;
}

static void shared_allgather(coll_ctx *c, const coll_args *a) {
  enum { FULL, TAKEN };
  shared_state *s = a->prepared;
  coll_ctx *node = &s->node;
  size_t m = a->count;
  s->call++;
  if (node->rank % 2) coll_copy(node, coll_seg_part(node, s->seg), a->in, m); /* the own part is memory, too */
  else coll_seg_write(node, s->seg, node->rank, 0, a->in, m);
  coll_publish(node, s->seg, node->rank, FULL, s->call);
  for (int i = 0; i < s->members; i++) {
    coll_await(node, s->seg, i, FULL, s->call);
    coll_seg_read(node, s->seg, i, 0, coll_at(c, a->out, (size_t)s->member[i] * m), m);
  }
  /* A part may be written again only when every member has read it. */
  coll_publish(node, s->seg, node->rank, TAKEN, s->call);
  for (int i = 0; i < s->members; i++) coll_await(node, s->seg, i, TAKEN, s->call);
  for (int r = 0; r < c->size; r++) {
    if (c->place[r].node == c->place[c->rank].node) continue;
    coll_sendrecv(c, coll_at(c, a->out, (size_t)c->rank * m), m, r, coll_at(c, a->out, (size_t)r * m), m, r);
  }
}

/* ---- wrong ones ------------------------------------------------------------------------------------- */

static void wrong_nothing(coll_ctx *c, const coll_args *a) { (void)c, (void)a; }

static void wrong_block(coll_ctx *c, const coll_args *a) { /* blocks 0 and 1 change places */
  for (int i = 0; i < c->size; i++) {
    int to = i < 2 && c->size > 1 ? 1 - i : i;
    if (c->rank == i)
      for (int r = 0; r < c->size; r++) {
        if (r != i) coll_send(c, a->in, a->count, r);
      }
    else coll_recv(c, coll_at(c, a->out, (size_t)to * a->count), a->count, i);
  }
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
}

static void wrong_skips_last_rank(coll_ctx *c, const coll_args *a) {
  if (c->rank == a->root) {
    for (int r = 0; r + 1 < c->size; r++)
      if (r != a->root) coll_send(c, a->out, a->count, r);
  } else if (c->rank + 1 < c->size) coll_recv(c, a->out, a->count, a->root);
}

static void wrong_one_element_short(coll_ctx *c, const coll_args *a) {
  if (c->rank == a->root) {
    for (int r = 0; r < c->size; r++)
      if (r != a->root) coll_send(c, a->out, a->count - 1, r);
  } else coll_recv(c, a->out, a->count - 1, a->root);
}

static void wrong_one_byte_past_the_end(coll_ctx *c, const coll_args *a) {
  if (c->rank == a->root) {
    for (int r = 0; r < c->size; r++)
      if (r != a->root) coll_send(c, a->out, a->count, r);
  } else {
    coll_recv(c, a->out, a->count, a->root);
    ((char *)a->out)[a->count * c->elem] = 0;
  }
}

static void wrong_one_byte_before_the_start(coll_ctx *c, const coll_args *a) {
  if (c->rank == a->root) {
    for (int r = 0; r < c->size; r++)
      if (r != a->root) coll_send(c, a->out, a->count, r);
  } else {
    coll_recv(c, a->out, a->count, a->root);
    ((char *)a->out)[-1] = 0;
  }
}

static void wrong_shifted(coll_ctx *c, const coll_args *a) { /* as 1: element i holds element i+1 */
  if (c->rank == a->root) {
    for (int r = 0; r < c->size; r++)
      if (r != a->root) coll_send(c, coll_at(c, a->out, 1), a->count - 1, r);
  } else coll_recv(c, a->out, a->count - 1, a->root);
}

/* Reductions at the root, in the order that `order` gives. */
static void reduce_at_root(coll_ctx *c, const coll_args *a, bool swap_operands, int skip, int twice) {
  if (c->rank != a->root) {
    coll_send(c, a->in, a->count, a->root);
    return;
  }
  void *theirs = coll_scratch(c, a->count);
  int p = c->size;
  for (int r = p; r-- > 0;) {
    void *next = theirs;
    if (r == a->root) coll_copy(c, next, a->in, a->count);
    else coll_recv(c, next, a->count, r);
    if (r == p - 1) coll_copy(c, a->out, next, a->count);
    else if (r != skip) {
      if (swap_operands) {
        coll_reduce(c, a->out, next, a->count);
        coll_copy(c, a->out, next, a->count);
      } else coll_reduce(c, next, a->out, a->count);
      if (r == twice) coll_reduce(c, next, a->out, a->count);
    }
  }
}
static void right_reduce(coll_ctx *c, const coll_args *a) { reduce_at_root(c, a, false, -1, -1); }
static void wrong_order(coll_ctx *c, const coll_args *a) { reduce_at_root(c, a, true, -1, -1); }
static void wrong_misses_one(coll_ctx *c, const coll_args *a) { reduce_at_root(c, a, false, 0, -1); }
static void wrong_one_twice(coll_ctx *c, const coll_args *a) { reduce_at_root(c, a, false, -1, 0); }
static void wrong_writes_input(coll_ctx *c, const coll_args *a) {
  reduce_at_root(c, a, false, -1, -1);
  if (c->rank != a->root) memset((void *)a->in, 0, a->count * c->elem);
}

static void wrong_one_byte_past_the_input(coll_ctx *c, const coll_args *a) {
  reduce_at_root(c, a, false, -1, -1);
  if (c->rank != a->root) ((char *)a->in)[a->count * c->elem] = 0;
}

static void right_barrier(coll_ctx *c, const coll_args *a) {
  for (int d = 1; d < c->size; d *= 2)
    coll_sendrecv(c, NULL, 0, (c->rank + d) % c->size, NULL, 0, (c->rank + c->size - d) % c->size);
}

/* What a run takes comes again in the next one: an open call does not grow. */
static void barrier_in_the_same_memory(coll_ctx *c, const coll_args *a) {
  static const void *before_of[64][2]; /* simulated ranks may share it */
  const void **before = before_of[c->rank];
  const void *taken[] = { coll_keep(c, 64), coll_scratch(c, 16) };
  for (int i = 0; i < 2; i++) {
    if (before[i] && before[i] != taken[i]) abort();
    before[i] = taken[i];
  }
  right_barrier(c, a);
}

/* Everybody tells rank 0, which tells everybody but waits for none but rank 1. */
static void wrong_barrier_waits_for_one(coll_ctx *c, const coll_args *a) {
  coll_req *r = coll_keep(c, sizeof *r * (size_t)c->size);
  for (int i = 0; i < c->size; i++) r[i] = 0;
  if (c->rank) {
    coll_req reported = coll_isend(c, NULL, 0, 0);
    coll_recv(c, NULL, 0, 0);
    coll_wait(c, &reported);
    return;
  }
  for (int i = 1; i < c->size; i++) r[i] = coll_irecv(c, NULL, 0, i);
  coll_wait(c, &r[1]);
  for (int i = 1; i < c->size; i++) coll_send(c, NULL, 0, i);
  coll_waitall(c, c->size, r);
}

/* A dissemination that ends one round too early: all but a few have heard of each other. */
static void wrong_barrier_one_round_short(coll_ctx *c, const coll_args *a) {
  for (int d = 1; 2 * d < c->size; d *= 2)
    coll_sendrecv(c, NULL, 0, (c->rank + d) % c->size, NULL, 0, (c->rank + c->size - d) % c->size);
}

/* ---- the cases -------------------------------------------------------------------------------------- */

typedef struct {
  coll_alg alg;
  bool wrong;
  plan_type type;
  plan_op op;
} sample;

#define SAMPLE(function, kind, is_wrong, type_, op_)                                            \
  { .alg = { .key = #function, .collective = kind, .flags = COLL_ANY_SOURCE, .run = function }, \
    .wrong = is_wrong,                                                                          \
    .type = type_,                                                                              \
    .op = op_ }

static const sample samples[] = {
  SAMPLE(any_source_tree, COLL_BCAST, false, PLAN_INT, PLAN_NONE),
  SAMPLE(any_source_sum, COLL_REDUCE, false, PLAN_FLOAT, PLAN_SUM),
  SAMPLE(two_level, COLL_BCAST, false, PLAN_DOUBLE, PLAN_NONE),
  { .alg = { .key = "shared_allgather",
             .collective = COLL_ALLGATHER,
             .prepare = shared_prepare,
             .run = shared_allgather },
    .type = PLAN_INT,
    .op = PLAN_NONE },
  SAMPLE(right_reduce, COLL_REDUCE, false, PLAN_AFFINE, PLAN_OP_AFFINE),
  SAMPLE(wrong_nothing, COLL_BCAST, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_REDUCE, true, PLAN_FLOAT, PLAN_SUM),
  SAMPLE(wrong_nothing, COLL_ROTATION, true, PLAN_FLOAT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_SCATTER, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_GATHER, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_ALLGATHER, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_ALLTOALL, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_REDUCE_SCATTER, true, PLAN_INT, PLAN_SUM),
  SAMPLE(wrong_nothing, COLL_REDUCE_SCATTER_BLOCK, true, PLAN_INT, PLAN_SUM),
  SAMPLE(wrong_nothing, COLL_SCAN, true, PLAN_INT, PLAN_SUM),
  SAMPLE(wrong_nothing, COLL_EXSCAN, true, PLAN_INT, PLAN_SUM),
  SAMPLE(wrong_nothing, COLL_ALLREDUCE, true, PLAN_BYTE, PLAN_SUM),
  SAMPLE(wrong_block, COLL_ALLGATHER, true, PLAN_FLOAT, PLAN_NONE),
  SAMPLE(wrong_skips_last_rank, COLL_BCAST, true, PLAN_FLOAT, PLAN_NONE),
  SAMPLE(wrong_one_element_short, COLL_BCAST, true, PLAN_BYTE, PLAN_NONE),
  SAMPLE(wrong_shifted, COLL_BCAST, true, PLAN_BYTE, PLAN_NONE),
  SAMPLE(wrong_one_byte_past_the_end, COLL_BCAST, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_one_byte_before_the_start, COLL_BCAST, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_order, COLL_REDUCE, true, PLAN_AFFINE, PLAN_OP_AFFINE),
  SAMPLE(wrong_misses_one, COLL_REDUCE, true, PLAN_INT, PLAN_SUM),
  SAMPLE(wrong_misses_one, COLL_REDUCE, true, PLAN_LONG, PLAN_PROD),
  SAMPLE(wrong_one_twice, COLL_REDUCE, true, PLAN_DOUBLE, PLAN_SUM),
  SAMPLE(wrong_writes_input, COLL_REDUCE, true, PLAN_INT, PLAN_MAX),
  SAMPLE(wrong_one_byte_past_the_input, COLL_REDUCE, true, PLAN_INT, PLAN_SUM),
  SAMPLE(right_barrier, COLL_BARRIER, false, PLAN_INT, PLAN_NONE),
  SAMPLE(barrier_in_the_same_memory, COLL_BARRIER, false, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_barrier_waits_for_one, COLL_BARRIER, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_barrier_one_round_short, COLL_BARRIER, true, PLAN_INT, PLAN_NONE),
  SAMPLE(wrong_nothing, COLL_BARRIER, true, PLAN_INT, PLAN_NONE),
};

/* Wrong elements over all ranks, of several calls on one plan. */
static long wrong_elements(launch *l, const sample *s, coll_args a) {
  const char *what = s->wrong ? NULL : s->alg.key;
  long found = 0;
  buffers b;
  buffers_make(&b, s->alg.collective, &a, l->rank);
  a.in = b.in;
  a.out = b.out;
  coll_call *call = coll_open(l->world, &s->alg, &a, l->types.type[s->type], l->types.op[s->op]);
  for (int run = 0; run < 3; run++) {
    buffers_fill(&b, s->alg.collective, &a, l->rank, s->type, s->op);
    coll_run(call);
    found += (long)buffers_check(&b, s->alg.collective, &a, l->rank, s->type, s->op, what);
  }
  if (s->alg.collective == COLL_BARRIER) found += (long)barrier_check(l->world, call, what);
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_LONG, MPI_SUM, l->world);
  coll_close(call);
  buffers_free(&b);
  return found;
}

/* Times say what is wrong with a barrier, and on a busy machine a rank may come too late to leave too early. */
enum { TURNS = 100 };

/* A wrong algorithm must be caught at every root, a right one at none. */
static bool as_expected(launch *l, const sample *s) {
  coll_args a = { .size = l->size,
                  .elem = plan_type_bytes(s->type),
                  .count = 129,
                  .commutes = plan_op_commutes(s->op),
                  .place = l->place };
  bool expected = true;
  int roots = coll_has_root(s->alg.collective) ? l->size : 1;
  for (a.root = 0; a.root < roots; a.root++) {
    /* The last rank cannot be skipped when it is the root. */
    if (s->wrong && a.root == l->size - 1 && roots > 1) continue;
    long found = wrong_elements(l, s, a);
    for (int turn = 1; turn < TURNS && s->wrong && s->alg.collective == COLL_BARRIER && !found; turn++)
      found = wrong_elements(l, s, a);
    if (s->wrong == !found) expected = false;
  }
  return expected;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  launch l;
  launch_open(&l);
  int passed = 0, failed = 0;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    const sample *s = &samples[i];
    bool good = as_expected(&l, s);
    if (good) passed++;
    else failed++;
    if (l.rank == 0)
      printf("%s %s of %s: %s\n", good ? "ok    " : "FAILED", s->alg.key, coll_collective_name(s->alg.collective),
             s->wrong ? (good ? "caught" : "not caught") : (good ? "right data" : "wrong data"));
  }
  if (l.rank == 0) printf("%d passed, %d failed\n", passed, failed);
  launch_close(&l);
  MPI_Finalize();
  return failed ? 1 : 0;
}
