/* The prover's own test: wrong algorithms, each of which must be caught as what it is, and right ones that must pass.
 * One line a case.
 *
 * Every algorithm here is as small as it can be; p is the number of ranks, m the count, me the rank. */
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/schedule/record.h"
#include "patterns/block.h"
#include "prove/proof/proof.h"

typedef struct {
  const coll_alg alg;
  int p;
  size_t count;
  int root;
  bool commutes, in_place;
  proof_kind want;
  const char *says;
} test;

#define ALGORITHM(name) static void name(coll_ctx *c, const coll_args *a)
#define NAMES                                                                                                         \
  const int p = c->size, me = c->rank, root = a->root;                                                                \
  const size_t m = a->count;                                                                                          \
  (void)p;                                                                                                            \
  (void)me;                                                                                                           \
  (void)root;                                                                                                         \
  (void)m

static void *out_at(coll_ctx *c, const coll_args *a, size_t i) { return coll_at(c, a->out, i); }
static const void *in_at(coll_ctx *c, const coll_args *a, size_t i) { return coll_at(c, a->in, i); }

/* ---- wrong: messages -------------------------------------------------------------------------------- */

ALGORITHM(wrong_peer) { NAMES;                      /* rank 1 gets it twice, rank 2 never */
  if (me != root) coll_recv(c, a->out, m, root);
  else for (int i = 0; i < p; i++) if (i != root) coll_send(c, a->out, m, i == 2 ? 1 : i);
}
ALGORITHM(missing_message) { NAMES;
  if (me != root) coll_recv(c, a->out, m, root);
  else for (int i = 0; i < p - 1; i++) if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(extra_message) { NAMES;
  if (me != root) coll_recv(c, a->out, m, root);
  else for (int i = 0; i <= p; i++) if (i != root) coll_send(c, a->out, m, i % p ? i % p : 1);
}
ALGORITHM(size_mismatch) { NAMES;
  if (me != root) coll_recv(c, a->out, m - 1, root);
  else for (int i = 0; i < p; i++) if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(one_element_short) { NAMES;
  if (me != root) coll_recv(c, a->out, m - 1, root);
  else for (int i = 0; i < p; i++) if (i != root) coll_send(c, a->out, m - 1, i);
}
ALGORITHM(rank_skipped) { NAMES;
  if (me == root) for (int i = 0; i < p - 1; i++) { if (i != root) coll_send(c, a->out, m, i); }
  else if (me < p - 1) coll_recv(c, a->out, m, root);
}
ALGORITHM(wrong_root) { NAMES;
  if (me) coll_recv(c, a->out, m, 0);
  else for (int i = 1; i < p; i++) coll_send(c, a->out, m, i);
}
ALGORITHM(peer_out_of_range) { NAMES;
  if (me == p - 1) coll_send(c, a->out, m, p);
}
ALGORITHM(label_mix_up)
{
  NAMES; /* the sender speaks in the sub-group, the others listen outside it */
  int all[64] = {0};
  coll_ctx sub;
  for (int i = 0; i < p; i++) all[i] = i;
  coll_sub(c, 1, all, p, &sub);
  if (me != root) coll_recv(c, a->out, m, root);
  else for (int i = 0; i < p; i++) if (i != root) coll_send(&sub, a->out, m, i);
}

/* ---- wrong: progress -------------------------------------------------------------------------------- */

ALGORITHM(send_send_ring) { NAMES;
  coll_send(c, a->in, m, (me + p - 1) % p);
  coll_recv(c, a->out, m, (me + 1) % p);
}
ALGORITHM(recv_recv_ring) { NAMES;
  coll_recv(c, a->out, m, (me + 1) % p);
  coll_send(c, a->in, m, (me + p - 1) % p);
}
ALGORITHM(crossed_pair)
{
  NAMES; /* right but for the exchange of ranks 0 and 1, which relies on buffering */
  if (me > 1) return;
  void *other = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  coll_send(c, a->in, m, 1 - me);
  coll_recv(c, other, m, 1 - me);
  if (me) {
    coll_reduce(c, other, a->out, m);
  } else {
    coll_reduce(c, a->out, other, m);
    coll_copy(c, a->out, other, m);
  }
}
ALGORITHM(waits_too_early)
{
  NAMES; /* waits for its send before it posts the receive the other side waits for */
  coll_req r = coll_isend(c, a->in, m, (me + p - 1) % p);
  coll_wait(c, &r);
  coll_recv(c, a->out, m, (me + 1) % p);
}

/* ---- wrong: bounds and discipline ------------------------------------------------------------------- */

ALGORITHM(past_the_end_of_out) { NAMES;
  if (me != root) coll_recv(c, out_at(c, a, 1), m, root);
  else for (int i = 0; i < p; i++) if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(past_the_end_of_in) { NAMES;
  coll_sendrecv(c, in_at(c, a, 1), m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(before_the_start_of_out) { NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, (char *)a->out - 1, m, (me + 1) % p);
}
ALGORITHM(past_the_end_of_scratch) { NAMES;
  void *s = coll_scratch(c, m);
  coll_scratch(c, m);
  coll_copy(c, coll_at(c, s, 1), a->in, m);
}
ALGORITHM(writes_in) { NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
  coll_copy(c, (void *)a->in, a->out, m);
}
ALGORITHM(out_at_a_rank_without) { NAMES;
  if (me != root) coll_copy(c, a->out, a->in, m);
}
ALGORITHM(looks_at_data) { NAMES;
  if (*(const volatile char *)a->in) return;
}
ALGORITHM(touches_pending_send) { NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  coll_req r[2] = {coll_irecv(c, a->out, m, (me + 1) % p), coll_isend(c, s, m, (me + p - 1) % p)};
  coll_copy(c, s, a->in, 1);
  coll_waitall(c, 2, r);
}
ALGORITHM(reads_pending_receive) { NAMES;
  void *s = coll_scratch(c, m);
  coll_req r[2] = {coll_irecv(c, s, m, (me + 1) % p), coll_isend(c, a->in, m, (me + p - 1) % p)};
  coll_copy(c, a->out, s, m);
  coll_waitall(c, 2, r);
}
ALGORITHM(two_receives_at_one_place) { NAMES;
  if (me != root) { coll_send(c, a->in, m, root); return; }
  coll_req r[64];
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_irecv(c, out_at(c, a, i ? (size_t)(i - 1) * m : 0), m, i);
  coll_copy(c, out_at(c, a, (size_t)root * m), a->in, m);
  coll_waitall(c, p, r);
}
ALGORITHM(overlapping_sendrecv) { NAMES;            /* in place: sends and receives the same elements */
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(forgotten_wait) { NAMES;
  coll_isend(c, a->in, m, (me + p - 1) % p);
  coll_recv(c, a->out, m, (me + 1) % p);
}
ALGORITHM(waits_twice) { NAMES;
  coll_req r = coll_isend(c, a->in, m, (me + p - 1) % p), again = r;
  coll_recv(c, a->out, m, (me + 1) % p);
  coll_wait(c, &r);
  coll_wait(c, &again);
}
ALGORITHM(unwritten_scratch) { NAMES;
  void *s = coll_scratch(c, m);
  coll_sendrecv(c, s, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(recv_any_undeclared) { NAMES;
  if (me == root) coll_send(c, a->out, m, (me + 1) % p);
  else coll_recv_any(c, a->out, m);
}
ALGORITHM(recv_any_in_vain) { NAMES;
  if (me == root) for (int i = 0; i < p - 1; i++) { if (i != root) coll_send(c, a->out, m, i); }
  else coll_recv_any(c, a->out, m);
}

/* ---- wrong: data ------------------------------------------------------------------------------------ */

ALGORITHM(wrong_block) { NAMES;                     /* a ring allgather that always passes on its own block */
  coll_copy(c, out_at(c, a, (size_t)me * m), a->in, m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, out_at(c, a, (size_t)me * m), m, (me + 1) % p, out_at(c, a, (size_t)((me + p - i) % p) * m), m,
                  (me + p - 1) % p);
}
ALGORITHM(blocks_swapped) { NAMES;
  if (me != root) { coll_send(c, a->in, m, root); return; }
  for (int i = 0; i < p; i++) {
    int slot = i == 1 ? 2 : i == 2 ? 1 : i;
    if (i == root) coll_copy(c, out_at(c, a, (size_t)slot * m), a->in, m);
    else coll_recv(c, out_at(c, a, (size_t)slot * m), m, i);
  }
}
ALGORITHM(wrong_direction) { NAMES;
  coll_sendrecv(c, a->in, m, (me + 1) % p, a->out, m, (me + p - 1) % p);
}
ALGORITHM(wrong_displacement) { NAMES;              /* alltoall that sends its first block to everyone */
  coll_copy(c, out_at(c, a, (size_t)me * m), in_at(c, a, (size_t)me * m), m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, a->in, m, (me + i) % p, out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + p - i) % p);
}
ALGORITHM(sum_wrong_side) { NAMES;                  /* a chain towards rank 0 with the lower rank on the right */
  void *s = coll_scratch(c, m), *t = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  if (me < p - 1) { coll_recv(c, t, m, me + 1); coll_reduce(c, t, s, m); }
  if (me) coll_send(c, s, m, me - 1);
  else coll_copy(c, a->out, s, m);
}
/* Rank 0 adds up in the order 0, step, 2 step, … modulo p. */
static void sum_of(coll_ctx *c, const coll_args *a, int step, int skip)
{
  NAMES;
  if (me == skip) return;
  if (me) { coll_send(c, a->in, m, 0); return; }
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int i = 1; i < p; i++) {
    int from = i * step % p;
    if (from == skip) continue;
    coll_recv(c, s, m, from);
    coll_reduce(c, a->out, s, m);
    coll_copy(c, a->out, s, m);
  }
}
ALGORITHM(sum_with_a_gap) { sum_of(c, a, 2, -1); }
ALGORITHM(operand_missing) { sum_of(c, a, 1, 2); }
ALGORITHM(operand_twice)
{
  NAMES; /* doubling with distances 1, 2, 4 where 3 ranks are too few for it */
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int d = 1; d < p; d *= 2) {
    coll_sendrecv(c, a->out, m, (me + d) % p, s, m, (me + p - d) % p);
    coll_reduce(c, s, a->out, m);
  }
}
ALGORITHM(elements_shifted) { NAMES;
  if (me > 1) return;
  if (me == 1) { coll_send(c, in_at(c, a, 1), m - 1, 0); return; }
  void *s = coll_scratch(c, m);
  coll_recv(c, s, m - 1, 1);
  coll_copy(c, a->out, a->in, m);
  coll_reduce(c, s, a->out, m - 1);
}
ALGORITHM(one_rank_gets_no_sum) { NAMES;
  void *s = coll_scratch(c, m);
  if (!me) {
    coll_copy(c, a->out, a->in, m);
    for (int i = 1; i < p; i++) { coll_recv(c, s, m, i); coll_reduce(c, a->out, s, m); coll_copy(c, a->out, s, m); }
    for (int i = 1; i < p; i++) coll_send(c, i == p - 1 ? a->in : a->out, m, i);
  } else {
    coll_send(c, a->in, m, 0);
    coll_recv(c, a->out, m, 0);
  }
}
ALGORITHM(scan_with_own_twice)
{
  NAMES; /* an exclusive scan in place of an inclusive one, and its own element added to itself */
  if (me) coll_recv(c, a->out, m, me - 1);
  else coll_copy(c, a->out, a->in, m);
  if (me < p - 1) coll_send(c, a->out, m, me + 1);
}
ALGORITHM(block_left_in_the_middle) { NAMES;        /* reduce_scatter in place must leave the block at the start */
  void *s = coll_scratch(c, m), *t = coll_scratch(c, m);
  coll_copy(c, t, a->in, m);
  coll_req r[64];
  for (int i = 0; i < p; i++) r[i] = i == me ? 0 : coll_isend(c, t, m, i);
  for (int i = 0; i < p; i++) if (i != me) { coll_recv(c, s, m, i); coll_reduce(c, s, a->out, m); }
  coll_waitall(c, p, r);
}
ALGORITHM(half_a_barrier) { NAMES;                  /* all tell rank 0, which tells nobody */
  if (me) coll_send(c, NULL, 0, 0);
  else for (int i = 1; i < p; i++) coll_recv(c, NULL, 0, i);
}
ALGORITHM(scatter_spoils_in)
{
  NAMES; /* in place, the root's own block is the one it may reach, and even that must stay */
  if (me != root) { coll_recv(c, a->out, m, root); coll_send(c, a->out, m, root); return; }
  for (int i = 0; i < p; i++)
    if (i != root) {
      coll_send(c, in_at(c, a, (size_t)i * m), m, i);
      coll_recv(c, a->in_place ? a->out : (void *)a->in, m, i);
    }
}

/* ---- segments --------------------------------------------------------------------------------------- */

typedef struct { coll_seg seg; uint64_t epoch; } shared_state;

static void *open_segment(coll_ctx *c, const coll_args *a)
{
  shared_state *s = coll_keep(c, sizeof *s);
  *s = (shared_state){coll_seg_open(c, a->count, 2), 0};
  return s;
}
static void *open_different(coll_ctx *c, const coll_args *a)
{
  coll_seg_open(c, a->count + (size_t)(c->rank == 1), 2);
  return NULL;
}
static void *open_not_all(coll_ctx *c, const coll_args *a)
{
  if (c->rank) coll_seg_open(c, a->count, 2);
  return NULL;
}

enum { NO_AWAIT = 1, NO_PUBLISH = 2, EARLY_PUBLISH = 4, NO_REUSE_AWAIT = 8, SAME_VALUE = 16, TOO_FAR = 32 };

/* The root writes its part, the others read it; before it writes again they must have read. */
static void segment_bcast(coll_ctx *c, const coll_args *a, int wrong)
{
  NAMES;
  shared_state *s = a->prepared;
  uint64_t now = wrong & SAME_VALUE ? 1 : ++s->epoch;
  if (me == root) {
    if (!(wrong & NO_REUSE_AWAIT) && now > 1)
      for (int i = 0; i < p; i++) if (i != root) coll_await(c, s->seg, i, 1, now - 1);
    if (wrong & EARLY_PUBLISH) coll_publish(c, s->seg, root, 0, now);
    coll_seg_write(c, s->seg, root, wrong & TOO_FAR ? 1 : 0, a->out, m);
    if (!(wrong & (NO_PUBLISH | EARLY_PUBLISH))) coll_publish(c, s->seg, root, 0, now);
  } else {
    if (!(wrong & NO_AWAIT)) coll_await(c, s->seg, root, 0, now);
    coll_seg_read(c, s->seg, root, 0, a->out, m);
    if (!(wrong & SAME_VALUE)) coll_publish(c, s->seg, me, 1, now);
  }
}
ALGORITHM(segment_right) { segment_bcast(c, a, 0); }
ALGORITHM(segment_no_await) { segment_bcast(c, a, NO_AWAIT); }
ALGORITHM(segment_no_publish) { segment_bcast(c, a, NO_PUBLISH); }
ALGORITHM(segment_early_publish) { segment_bcast(c, a, EARLY_PUBLISH); }
ALGORITHM(segment_no_reuse_await) { segment_bcast(c, a, NO_REUSE_AWAIT); }
ALGORITHM(segment_same_value) { segment_bcast(c, a, SAME_VALUE); }
ALGORITHM(segment_too_far) { segment_bcast(c, a, TOO_FAR); }
ALGORITHM(segment_opened_late) { open_segment(c, a); }
ALGORITHM(nothing) { NAMES; }

ALGORITHM(loops_for_ever) { NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
  for (volatile int i = 0; me == 2; i = i + 1) i = i & 7;
}
ALGORITHM(computes_for_long) { NAMES;          /* less than patience lasts */
  for (volatile long i = 0; me == 1 && i < 30000000; i = i + 1) {}
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}

/* ---- right ------------------------------------------------------------------------------------------ */

ALGORITHM(linear_bcast) { NAMES;
  coll_req r[256];
  if (me != root) { coll_recv(c, a->out, m, root); return; }
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_isend(c, a->out, m, i); /* one buffer, many sends: allowed */
  coll_waitall(c, p, r);
}
/* A binomial tree whose members do not know their parents: the message says it. */
ALGORITHM(unknown_parent_bcast) { NAMES;
  int parent = me == root ? me : coll_recv_any(c, a->out, m);
  int rel = (me - root + p) % p, up = (parent - root + p) % p, top = 1;
  while (top <= rel) top *= 2;
  (void)up;
  for (int d = top; rel + d < p; d *= 2) coll_send(c, a->out, m, (me + d) % p);
}
/* Children in whatever order they come; for commuting operators. */
ALGORITHM(any_order_reduce) { NAMES;
  if (me != root) { coll_send(c, a->in, m, root); return; }
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int i = 1; i < p; i++) { coll_recv_any(c, s, m); coll_reduce(c, s, a->out, m); }
}
/* Whoever comes first gets an answer; the second message of a rank only exists once it has been answered. */
ALGORITHM(ask_and_answer) { NAMES;
  if (me != root) {
    coll_send(c, NULL, 0, root);
    coll_recv(c, a->out, m, root);
    coll_send(c, NULL, 0, root);
    return;
  }
  for (int i = 1; i < p; i++) {
    int who = coll_recv_any(c, NULL, 0);
    coll_send(c, a->out, m, who);
    coll_recv(c, NULL, 0, who);
  }
}
/* From the root to the leaders of the nodes, from them to the others of their node, each in a sub-group of its own. */
ALGORITHM(leaders_bcast) { NAMES;
  const coll_grouping *nodes = &c->levels[COLL_LEVEL_NODE];
  int *leaders = coll_keep(c, sizeof(int) * (size_t)nodes->groups), node = nodes->group_of[me],
      home = nodes->group_of[root];
  for (int g = 0; g < nodes->groups; g++) leaders[g] = g == home ? root : nodes->member[nodes->first[g]];
  coll_ctx top, low;
  if (coll_sub(c, 1, leaders, nodes->groups, &top)) {
    if (top.rank == home) { for (int g = 0; g < top.size; g++) if (g != home) coll_send(&top, a->out, m, g); }
    else coll_recv(&top, a->out, m, home);
  }
  coll_sub(c, 2, nodes->member + nodes->first[node], nodes->first[node + 1] - nodes->first[node], &low);
  int leader = 0;
  while (low.world[leader] != leaders[node]) leader++;
  if (low.rank == leader) { for (int i = 0; i < low.size; i++) if (i != leader) coll_send(&low, a->out, m, i); }
  else coll_recv(&low, a->out, m, leader);
}
ALGORITHM(ordered_sum) { sum_of(c, a, 1, -1); }
ALGORITHM(nonadjacent_sum) { sum_of(c, a, 3, -1); }  /* sets of ranks with holes */
ALGORITHM(rotation) { NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  coll_sendrecv(c, s, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(pairwise_alltoall) { NAMES;
  coll_copy(c, out_at(c, a, (size_t)me * m), in_at(c, a, (size_t)me * m), m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, in_at(c, a, (size_t)((me + i) % p) * m), m, (me + i) % p,
                  out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + p - i) % p);
}
ALGORITHM(dissemination) { NAMES;
  for (int d = 1; d < p; d *= 2) coll_sendrecv(c, NULL, 0, (me + d) % p, NULL, 0, (me + p - d) % p);
}
ALGORITHM(linear_scan) { NAMES;
  if (!me) coll_copy(c, a->out, a->in, m);
  else {
    void *s = coll_scratch(c, m);
    coll_recv(c, s, m, me - 1);
    coll_copy(c, a->out, a->in, m);
    coll_reduce(c, s, a->out, m);
  }
  if (me < p - 1) coll_send(c, a->out, m, me + 1);
}
ALGORITHM(linear_exscan) { NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  if (me) { coll_recv(c, a->out, m, me - 1); coll_reduce(c, a->out, s, m); }
  if (me < p - 1) coll_send(c, s, m, me + 1);
}
ALGORITHM(block_sums) { NAMES;                      /* reduce_scatter and reduce_scatter_block: all send all blocks */
  bool even = a->count * (size_t)p == coll_in_count(COLL_REDUCE_SCATTER_BLOCK, a, me) && a->param[0];
  coll_span mine = even ? (coll_span){(size_t)me * m, m} : coll_block(m, p, me);
  void *keep = coll_scratch(c, even ? m * (size_t)p : m), *sum = coll_scratch(c, mine.count),
       *s = coll_scratch(c, mine.count);
  coll_copy(c, keep, a->in, even ? m * (size_t)p : m);
  coll_req r[256];
  for (int i = 0; i < p; i++) {
    coll_span b = even ? (coll_span){(size_t)i * m, m} : coll_block(m, p, i);
    r[i] = coll_isend(c, coll_at(c, keep, b.first), b.count, i);
  }
  for (int i = 0; i < p; i++) {
    coll_recv(c, i ? s : sum, mine.count, i);
    if (i) { coll_reduce(c, sum, s, mine.count); coll_copy(c, sum, s, mine.count); }
  }
  coll_waitall(c, p, r);
  coll_copy(c, a->out, sum, mine.count);
}
ALGORITHM(gather_all_at_once) { NAMES;
  if (me != root) { coll_send(c, a->in, m, root); return; }
  coll_req r[256];
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_irecv(c, out_at(c, a, (size_t)i * m), m, i);
  coll_copy(c, out_at(c, a, (size_t)root * m), a->in, m);
  coll_waitall(c, p, r);
}
ALGORITHM(ring_allgather) { NAMES;
  coll_copy(c, out_at(c, a, (size_t)me * m), a->in, m);
  for (int i = 0; i < p - 1; i++)
    coll_sendrecv(c, out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + 1) % p,
                  out_at(c, a, (size_t)((me + 2 * p - i - 1) % p) * m), m, (me + p - 1) % p);
}
ALGORITHM(linear_scatter) { NAMES;
  if (me != root) { coll_recv(c, a->out, m, root); return; }
  for (int i = 0; i < p; i++)
    if (i == root) coll_copy(c, a->out, in_at(c, a, (size_t)i * m), m);
    else coll_send(c, in_at(c, a, (size_t)i * m), m, i);
}

/* ---- the table -------------------------------------------------------------------------------------- */

static const coll_param even_blocks[] = {{.name = "even", .value = 1, .min = 0, .max = 1}, {.name = NULL}};
static const coll_param uneven_blocks[] = {{.name = "even", .value = 0, .min = 0, .max = 1}, {.name = NULL}};

#define CASE(coll, fn, want_, says_, ...)                                                                             \
  {.alg = {.key = #fn, .collective = COLL_##coll, .run = fn},                                                         \
   .p = 5,                                                                                                            \
   .count = 7,                                                                                                        \
   .root = 0,                                                                                                         \
   .want = PROOF_##want_,                                                                                             \
   .says = says_,                                                                                                     \
   __VA_ARGS__}
#define SEGMENT(fn, open, want_, says_)                                                                               \
  {.alg = {.key = #fn, .collective = COLL_BCAST, .run = fn, .prepare = open, .flags = COLL_SEGMENTS},                 \
   .p = 5,                                                                                                            \
   .count = 7,                                                                                                        \
   .want = PROOF_##want_,                                                                                             \
   .says = says_}
#define ANY(coll, fn, want_, says_, ...)                                                                              \
  {.alg = {.key = #fn, .collective = COLL_##coll, .run = fn, .flags = COLL_ANY_SOURCE},                               \
   .p = 5,                                                                                                            \
   .count = 7,                                                                                                        \
   .root = 1,                                                                                                         \
   .commutes = true,                                                                                                  \
   .want = PROOF_##want_,                                                                                             \
   .says = says_,                                                                                                     \
   __VA_ARGS__}

static const test tests[] = {
    CASE(BCAST, wrong_peer, UNMATCHED, "no receive"),
    CASE(BCAST, missing_message, UNMATCHED, "rank 4: recv of 28 bytes from rank 0"),
    CASE(BCAST, extra_message, UNMATCHED, "no receive"),
    CASE(BCAST, size_mismatch, SIZE, "24 bytes"),
    CASE(BCAST, one_element_short, RESULT, "element 6 of out holds nothing, wanted the root's element 6"),
    CASE(BCAST, rank_skipped, RESULT, "rank 4: element 0 of out holds nothing"),
    CASE(BCAST, wrong_root, UNINITIALISED, "rank 0: send of 28 bytes", .root = 2),
    CASE(BCAST, peer_out_of_range, MISUSE, "rank 5 of a group of 5"),
    CASE(BCAST, label_mix_up, UNMATCHED, "label 1"),
    CASE(ROTATION, send_send_ring, DEADLOCK, "5 of 5 ranks wait for ever"),
    CASE(ROTATION, recv_recv_ring, DEADLOCK, "recv of 28 bytes"),
    CASE(ALLREDUCE, crossed_pair, DEADLOCK, "rank 0: send of 28 bytes to rank 1", .p = 2),
    CASE(ROTATION, waits_too_early, DEADLOCK, "isend of 28 bytes"),
    CASE(BCAST, past_the_end_of_out, MISUSE, "recv writes 4 bytes past the end of out"),
    CASE(ROTATION, past_the_end_of_in, MISUSE, "sendrecv reads 4 bytes past the end of in"),
    CASE(ROTATION, before_the_start_of_out, MISUSE, "writes 1 byte before the start of out"),
    CASE(ROTATION, past_the_end_of_scratch, MISUSE, "copy writes 4 bytes past the end of scratch"),
    CASE(ROTATION, writes_in, MISUSE, "copy writes into in"),
    CASE(REDUCE, out_at_a_rank_without, MISUSE, "NULL at this rank"),
    CASE(ROTATION, looks_at_data, MISUSE, "looks at the data itself (byte 0 of in)"),
    CASE(ROTATION, touches_pending_send, PENDING, "writes element 0 of scratch while the isend"),
    CASE(ROTATION, reads_pending_receive, PENDING, "reads element 0 of scratch while the irecv"),
    CASE(GATHER, two_receives_at_one_place, PENDING, "while the irecv", .root = 4),
    CASE(ROTATION, overlapping_sendrecv, PENDING, "while the isend", .in_place = true),
    CASE(ROTATION, forgotten_wait, MISUSE, "1 request that nobody has waited for"),
    CASE(ROTATION, waits_twice, MISUSE, "waits twice"),
    CASE(ROTATION, unwritten_scratch, UNINITIALISED, "reads element 0 of scratch, which holds nothing"),
    CASE(ROTATION, loops_for_ever, MISUSE, "rank 2: computes for 1 s of processor time without an operation (after 4)", .p = 4),
    CASE(BCAST, recv_any_undeclared, MISUSE, "COLL_ANY_SOURCE"),
    ANY(BCAST, recv_any_in_vain, MISUSE, "rank 4: recv_any waits for a message that nobody sends"),
    CASE(ALLGATHER, wrong_block, RESULT, "wanted rank"),
    CASE(GATHER, blocks_swapped, RESULT, "element 7 of out holds rank 2's element 0, wanted rank 1's element 0"),
    CASE(ROTATION, wrong_direction, RESULT,
         "rank 0: element 0 of out holds rank 4's element 0, wanted rank 1's element 0"),
    CASE(ALLTOALL, wrong_displacement, RESULT,
         "rank 1: element 0 of out holds rank 0's element 0, wanted rank 0's element 7"),
    CASE(REDUCE, sum_wrong_side, ORDER, "does not commute"),
    CASE(REDUCE, sum_with_a_gap, ORDER, "puts element 0 of rank 0 to the left of rank 2"),
    CASE(REDUCE, operand_missing, ORDER, "to the left of rank 3"),
    CASE(REDUCE, operand_missing, RESULT, "element 0 of ranks 0-1, 3-4, wanted element 0 of all ranks",
         .commutes = true),
    CASE(ALLREDUCE, operand_twice, TWICE, "counted twice", .p = 3, .commutes = true),
    CASE(REDUCE, elements_shifted, OPERANDS, "combines element 1 of rank 1 with element 0 of rank 0",
         .commutes = true),
    CASE(ALLREDUCE, one_rank_gets_no_sum, RESULT,
         "rank 4: element 0 of out holds element 0 of rank 0, wanted element 0 of all ranks"),
    CASE(SCAN, scan_with_own_twice, RESULT, "wanted element 0 of ranks 0-1"),
    CASE(REDUCE_SCATTER, block_left_in_the_middle, RESULT, "rank 1: element 0 of out holds element 0",
         .commutes = true, .in_place = true),
    CASE(BARRIER, half_a_barrier, RESULT, "leaves the barrier"),
    CASE(SCATTER, scatter_spoils_in, RESULT,
         "element 0 of out holds the root's element 28, wanted the root's element 0", .in_place = true),
    CASE(SCATTER, scatter_spoils_in, MISUSE, "recv writes into in", .root = 2),
    SEGMENT(segment_no_await, open_segment, RACE, "races with rank 0's seg_write"),
    SEGMENT(segment_no_publish, open_segment, DEADLOCK, "await of flag 0 = 1 at rank 0's part"),
    SEGMENT(segment_early_publish, open_segment, RACE, "races"),
    SEGMENT(segment_no_reuse_await, open_segment, RACE, "call 2"),
    SEGMENT(segment_same_value, open_segment, RACE, "flags only grow"),
    SEGMENT(segment_too_far, open_segment, MISUSE, "past the end of its part"),
    SEGMENT(segment_opened_late, NULL, MISUSE, "segments are opened in prepare()"),
    SEGMENT(nothing, open_different, MISUSE, "opens a segment of 32 bytes and 2 flags where rank 0 has 28 bytes"),
    SEGMENT(nothing, open_not_all, MISUSE, "of 5 members, 4 of which open it"),
    CASE(BCAST, nothing, RESULT, "holds nothing"),
    CASE(ALLREDUCE, nothing, RESULT, "holds nothing"),
    CASE(BARRIER, nothing, RESULT, "leaves the barrier"),
    CASE(BARRIER, half_a_barrier, RESULT, "leaves the barrier", .p = 70),

    CASE(ROTATION, computes_for_long, OK, ""),
    CASE(BCAST, nothing, OK, "", .p = 1),
    CASE(BCAST, nothing, OK, "", .count = 0),
    CASE(BCAST, linear_bcast, OK, ""),
    CASE(BCAST, linear_bcast, OK, "", .p = 100, .root = 99),
    CASE(BCAST, leaders_bcast, OK, "", .p = 13, .root = 6),
    ANY(BCAST, unknown_parent_bcast, OK, ""),
    ANY(BCAST, unknown_parent_bcast, OK, "", .p = 64, .root = 5),
    ANY(REDUCE, any_order_reduce, OK, "", .p = 9),
    ANY(BCAST, ask_and_answer, OK, "", .p = 9),
    SEGMENT(segment_right, open_segment, OK, ""),
    CASE(REDUCE, ordered_sum, OK, ""),
    CASE(REDUCE, ordered_sum, OK, "", .p = 100),
    CASE(REDUCE, ordered_sum, OK, "", .in_place = true),
    CASE(REDUCE, nonadjacent_sum, OK, "", .commutes = true),
    CASE(REDUCE, nonadjacent_sum, OK, "", .commutes = true, .p = 100),
    CASE(REDUCE, sum_with_a_gap, OK, "", .commutes = true, .p = 129),
    CASE(ROTATION, rotation, OK, ""),
    CASE(ROTATION, rotation, OK, "", .in_place = true),
    CASE(ALLTOALL, pairwise_alltoall, OK, ""),
    CASE(ALLTOALL, pairwise_alltoall, OK, "", .p = 70),
    CASE(BARRIER, dissemination, OK, ""),
    CASE(BARRIER, dissemination, OK, "", .p = 100),
    CASE(SCAN, linear_scan, OK, ""),
    CASE(SCAN, linear_scan, OK, "", .p = 100),
    CASE(EXSCAN, linear_exscan, OK, ""),
    CASE(REDUCE_SCATTER, block_sums, OK, "", .alg.params = uneven_blocks),
    CASE(REDUCE_SCATTER, block_sums, OK, "", .alg.params = uneven_blocks, .in_place = true),
    CASE(REDUCE_SCATTER_BLOCK, block_sums, OK, "", .alg.params = even_blocks),
    CASE(GATHER, gather_all_at_once, OK, "", .root = 3),
    CASE(GATHER, gather_all_at_once, OK, "", .root = 3, .in_place = true),
    CASE(ALLGATHER, ring_allgather, OK, ""),
    CASE(ALLGATHER, ring_allgather, OK, "", .in_place = true, .p = 70),
    CASE(SCATTER, linear_scatter, OK, "", .root = 2),
    CASE(SCATTER, linear_scatter, OK, "", .root = 2, .in_place = true),
};

int main(void)
{
  record *r = NULL;
  proof *e = proof_new();
  record_patience(1);
  int failed = 0, n = (int)(sizeof tests / sizeof *tests), caught = 0;
  for (int i = 0; i < n; i++) {
    const test *t = &tests[i];
    coll_place place[256];
    for (int k = 0; k < t->p; k++)
      place[k] = t->alg.flags & COLL_SEGMENTS ? (coll_place){0, k % 2, k / 2} : (coll_place){k % 3, k % 3, k};
    coll_args a = {.size = t->p,
                   .count = t->count,
                   .elem = 4,
                   .root = t->root % t->p,
                   .commutes = t->commutes,
                   .in_place = t->in_place,
                   .place = place};
    proof_result result;
    bool fine = true;
    /* Right ones in every arrival order that the seeds find. */
    for (unsigned seed = 0; seed < 8 && fine; seed++) {
      r = record_make(r, &t->alg, &a, t->alg.flags & COLL_SEGMENTS ? 2 : 1, seed);
      fine = proof_check(e, r, &result);
    }
    bool good = result.kind == t->want && strstr(result.failure, t->says) && fine == (t->want == PROOF_OK);
    printf("%s %-26s p=%-3d %-13s %s\n", good ? "ok    " : "FAILED", t->alg.key, t->p, proof_kind_name(result.kind),
           result.failure);
    if (!good) printf("       wanted %s: %s\n", proof_kind_name(t->want), t->says);
    failed += !good;
    caught += good && t->want != PROOF_OK;
  }
  printf("%d cases, %d faults caught, %d failed\n", n, caught, failed);
  record_free(r);
  proof_free(e);
  return failed != 0;
}
