/* allreduce/trivance
 * Idea     in each step exchange sums with the ranks 1, 3, 9, … away on both sides of a ring at once: what a rank has covers three times as
 *          many neighbours after it. With p no power of three, ranks from the largest power on leave their vectors to lower ones
 * Rounds   2 log_3 p' through one port, log_3 p' through two, p' the largest power of three up to p; up to 4 more
 * Cost     2 log_3 p (alpha + n beta + n gamma)          n = bytes; on one port; exact for p a power of three; each extra of the rank with most
 *          adds 2 (alpha + n beta) + n gamma
 * Needs    any p, any count; the operator must commute
 * Scratch  two vectors
 * Source   Jürß, Addanki and Schmid 2026, Trivance, arXiv:2602.17254: the latency-optimal version for powers of three
 *
 *          rank 0   rank 1   rank 2   rank 3        3 works for 0, too
 *  start   a        b        c        d
 *  extra   ad       b        c        .             3 → 0
 *  1       X        X        X        .             0 ↔ 1, 1 ↔ 2, 2 ↔ 0: X = abcd
 *  extra   X        X        X        X             0 → 3
 */
#include "primitives/meet.h"

/* The ranks that stay are a power of three, of two ranks one. */
static coll_radix fold(int p) {
  coll_radix r = { .king = { .k = 3, .power = 1 }, .size = p, .fold = COLL_RADIX_DEALT };
  for (; 3L * r.king.power <= p; r.king.steps++) r.king.power *= 3;
  r.extra = p - r.king.power;
  return r;
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_radix r = fold(c->size);
  int ring = r.king.power, v = coll_radix_virtual(r, c->rank);
  bool alone = ring == 1;
  void *inbox[2] = { v < 0 || c->size < 2 ? NULL : coll_scratch(c, n), v < 0 || alone ? NULL : coll_scratch(c, n) };
  if (v >= 0) coll_copy(c, a->out, a->in, n);
  coll_meet_fold(c, r, a->in, a->out, inbox[0], n);
  for (int away = 1; v >= 0 && away < ring; away *= 3) {
    int right = (v + away) % ring, left = (v + ring - away) % ring;
    coll_req request[4] = { coll_irecv(c, inbox[0], n, left), coll_irecv(c, inbox[1], n, right),
                            coll_isend(c, a->out, n, right), coll_isend(c, a->out, n, left) };
    coll_waitall(c, 4, request);
    for (int i = 0; i < 2; i++) coll_reduce(c, inbox[i], a->out, n);
  }
  coll_meet_unfold(c, r, v, a->out, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  coll_radix r = fold(a->size);
  double n = (double)(a->count * a->elem);
  return 2 * r.king.steps * (alpha + n * (beta + gamma)) + coll_meet_extras(r) * (2 * (alpha + n * beta) + n * gamma);
}

static bool exact(const coll_args *a) { return !a->count || !fold(a->size).extra; }

const coll_alg allreduce_trivance = {
  .key = "allreduce/trivance",
  .collective = COLL_ALLREDUCE,
  .summary = "exchange with the ranks 1, 3, 9, … away on both sides at once",
  .source = "Jürß, Addanki and Schmid 2026, arXiv:2602.17254",
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
