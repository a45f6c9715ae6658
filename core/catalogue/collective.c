#include "core/catalogue/collective.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "patterns/rank_block.h"

/* clang-format off: a table */
#define NONE { COLL_NO_RANK, COLL_HOLDS_NOTHING }
#define AT(w, a) { COLL_##w, COLL_HOLDS_##a }
#define ROUNDS(times, sent, combined) { false, times, COLL_SHARE_##sent, COLL_SHARE_##combined }

/* Bounds: Chan et al. 2007, table I; Bird, tables I and III-B. */
static const coll_facts table[COLL_COLLECTIVES] = {
  /* name, MPI's, root, operator, uneven blocks, in, out, in place, bound: times, sent, combined */
  [COLL_BCAST] = { "bcast", "MPI_Bcast", true, false, false, AT(ROOT, VECTOR), AT(EVERY_RANK, VECTOR),
                   COLL_IN_PLACE_ALWAYS, ROUNDS(1, WHOLE, NONE) },
  [COLL_REDUCE] = { "reduce", "MPI_Reduce", true, true, false, AT(EVERY_RANK, VECTOR), AT(ROOT, VECTOR),
                    COLL_IN_PLACE_SAME, ROUNDS(1, WHOLE, OTHERS) },
  [COLL_SCATTER] = { "scatter", "MPI_Scatter", true, false, false, AT(ROOT, BLOCKS), AT(EVERY_RANK, BLOCK),
                     COLL_IN_PLACE_OUT_IN, ROUNDS(1, OTHERS, NONE) },
  [COLL_GATHER] = { "gather", "MPI_Gather", true, false, false, AT(EVERY_RANK, BLOCK), AT(ROOT, BLOCKS),
                    COLL_IN_PLACE_IN_OUT, ROUNDS(1, OTHERS, NONE) },
  [COLL_ALLGATHER] = { "allgather", "MPI_Allgather", false, false, false, AT(EVERY_RANK, BLOCK), AT(EVERY_RANK, BLOCKS),
                       COLL_IN_PLACE_IN_OUT, ROUNDS(1, OTHERS, NONE) },
  [COLL_REDUCE_SCATTER] = { "reduce_scatter", "MPI_Reduce_scatter", false, true, true, AT(EVERY_RANK, VECTOR),
                            AT(EVERY_RANK, PART), COLL_IN_PLACE_SAME, ROUNDS(1, OTHERS, OTHERS) },
  [COLL_REDUCE_SCATTER_BLOCK] = { "reduce_scatter_block", "MPI_Reduce_scatter_block", false, true, false,
                                  AT(EVERY_RANK, BLOCKS), AT(EVERY_RANK, BLOCK), COLL_IN_PLACE_SAME,
                                  ROUNDS(1, OTHERS, OTHERS) },
  [COLL_ALLREDUCE] = { "allreduce", "MPI_Allreduce", false, true, false, AT(EVERY_RANK, VECTOR), AT(EVERY_RANK, VECTOR),
                       COLL_IN_PLACE_SAME, ROUNDS(2, OTHERS, OTHERS) },
  [COLL_ROTATION] = { "rotation",
                      NULL,
                      false,
                      false,
                      false,
                      AT(EVERY_RANK, BLOCK),
                      AT(EVERY_RANK, BLOCK),
                      COLL_IN_PLACE_SAME,
                      { true, 1, COLL_SHARE_BLOCK, COLL_SHARE_NONE } },
  [COLL_BARRIER] = { "barrier", "MPI_Barrier", false, false, false, NONE, NONE, COLL_IN_PLACE_NEVER,
                     ROUNDS(0, NONE, NONE) },
  [COLL_ALLTOALL] = { "alltoall", "MPI_Alltoall", false, false, false, AT(EVERY_RANK, BLOCKS), AT(EVERY_RANK, BLOCKS),
                      COLL_IN_PLACE_SAME, ROUNDS(1, OTHERS, NONE) },
  [COLL_SCAN] = { "scan", "MPI_Scan", false, true, false, AT(EVERY_RANK, VECTOR), AT(EVERY_RANK, VECTOR),
                  COLL_IN_PLACE_SAME, ROUNDS(1, WHOLE, WHOLE) },
  [COLL_EXSCAN] = { "exscan", "MPI_Exscan", false, true, false, AT(EVERY_RANK, VECTOR), AT(EVERY_RANK, VECTOR),
                    COLL_IN_PLACE_SAME, ROUNDS(1, WHOLE, WHOLE) },
  [COLL_GATHERV] = { "gatherv", "MPI_Gatherv", true, false, true, AT(EVERY_RANK, BLOCK), AT(ROOT, BLOCKS),
                     COLL_IN_PLACE_IN_OUT, ROUNDS(1, OTHERS, NONE) },
  [COLL_SCATTERV] = { "scatterv", "MPI_Scatterv", true, false, true, AT(ROOT, BLOCKS), AT(EVERY_RANK, BLOCK),
                      COLL_IN_PLACE_OUT_IN, ROUNDS(1, OTHERS, NONE) },
  [COLL_ALLGATHERV] = { "allgatherv", "MPI_Allgatherv", false, false, true, AT(EVERY_RANK, BLOCK),
                        AT(EVERY_RANK, BLOCKS), COLL_IN_PLACE_IN_OUT, ROUNDS(1, OTHERS, NONE) },
  [COLL_ALLTOALLV] = { "alltoallv", "MPI_Alltoallv", false, false, true, AT(EVERY_RANK, BLOCKS), AT(EVERY_RANK, BLOCKS),
                       COLL_IN_PLACE_NEVER, ROUNDS(1, OTHERS, NONE) },
};
/* clang-format on */

const coll_facts *coll_facts_of(coll_collective k) { return &table[k]; }
const char *coll_collective_name(coll_collective k) { return table[k].name; }
bool coll_has_root(coll_collective k) { return table[k].root; }
bool coll_has_operator(coll_collective k) { return table[k].op; }
bool coll_may_be_uneven(coll_collective k) { return table[k].uneven; }
size_t coll_displs(coll_collective k, int size) {
  size_t row = (size_t)size + 1;
  return k == COLL_ALLTOALLV ? 2 * (size_t)size * row : row;
}

void coll_displs_receive(size_t *displs, size_t p) {
  for (size_t to = 0; to < p; to++) {
    size_t *row = displs + (p + to) * (p + 1);
    row[0] = 0;
    for (size_t s = 0; s < p; s++) {
      const size_t *sent = displs + s * (p + 1) + to;
      row[s + 1] = row[s] + sent[1] - sent[0];
    }
  }
}

coll_collective coll_collective_find(const char *name, size_t length) {
  int k = 0;
  while (k < COLL_COLLECTIVES && !(strlen(table[k].name) == length && !strncmp(table[k].name, name, length))) k++;
  return (coll_collective)k;
}

/* Where there is data there is some in `in`, somewhere. */
coll_counts coll_counts_of(coll_collective k) {
  switch (table[k].in.amount) {
    case COLL_HOLDS_NOTHING: return COLL_COUNTS_NOTHING;
    case COLL_HOLDS_BLOCK:
    case COLL_HOLDS_BLOCKS: return COLL_COUNTS_BLOCK;
    default: return COLL_COUNTS_VECTOR;
  }
}

/* ---- buffers ---------------------------------------------------------------------------------------- */

static bool at(coll_side side, const coll_args *a, int rank) {
  return side.who == COLL_EVERY_RANK || (side.who == COLL_ROOT && rank == a->root);
}

/* All blocks of a rank: of alltoallv those that it sends, or those that it receives. */
static size_t all_blocks(coll_collective k, bool out, const coll_args *a, int rank) {
  if (k != COLL_ALLTOALLV || !a->displs) return coll_all_blocks(a);
  coll_span last = out ? coll_received_block(a, rank, a->size - 1) : coll_sent_block(a, rank, a->size - 1);
  return last.first + last.count;
}

static size_t amount(coll_collective k, bool out, const coll_args *a, int rank) {
  coll_side side = out ? table[k].out : table[k].in;
  switch (at(side, a, rank) ? side.amount : COLL_HOLDS_NOTHING) {
    case COLL_HOLDS_NOTHING: return 0;
    case COLL_HOLDS_BLOCK: return coll_rank_block(a, rank).count;
    case COLL_HOLDS_BLOCKS: return all_blocks(k, out, a, rank);
    case COLL_HOLDS_PART: return coll_rank_part(a, rank).count;
    default: return a->count;
  }
}

bool coll_has_in_place(coll_collective k) {
  return table[k].in_place != COLL_IN_PLACE_NEVER && table[k].in_place != COLL_IN_PLACE_ALWAYS;
}

/* Only the root of a rooted collective works in place: the others have one buffer anyway. */
bool coll_shares_buffer(coll_collective k, const coll_args *a, int rank) {
  if (!coll_has_in_place(k)) return table[k].in_place == COLL_IN_PLACE_ALWAYS;
  return a->in_place && (!table[k].root || rank == a->root);
}

bool coll_has_input(coll_collective k, const coll_args *a, int rank) { return at(table[k].in, a, rank); }
bool coll_has_output(coll_collective k, const coll_args *a, int rank) { return at(table[k].out, a, rank); }

size_t coll_in_count(coll_collective k, const coll_args *a, int rank) {
  return amount(k, table[k].in_place == COLL_IN_PLACE_ALWAYS, a, rank);
}

size_t coll_result_count(coll_collective k, const coll_args *a, int rank) { return amount(k, true, a, rank); }

size_t coll_out_count(coll_collective k, const coll_args *a, int rank) {
  size_t in = amount(k, false, a, rank), out = amount(k, true, a, rank);
  return table[k].in_place == COLL_IN_PLACE_SAME && coll_shares_buffer(k, a, rank) && in > out ? in : out;
}

static size_t own_block(coll_collective k, coll_in_place which, const coll_args *a, int rank) {
  return table[k].in_place == which && coll_shares_buffer(k, a, rank) ? coll_rank_block(a, rank).first : 0;
}

size_t coll_in_offset(coll_collective k, const coll_args *a, int rank) {
  return own_block(k, COLL_IN_PLACE_IN_OUT, a, rank);
}

size_t coll_out_offset(coll_collective k, const coll_args *a, int rank) {
  return own_block(k, COLL_IN_PLACE_OUT_IN, a, rank);
}

/* ---- printed bounds --------------------------------------------------------------------------------- */

/* Of a vector of `blocks` blocks of n bytes. Products are taken in the order in which the formulas are printed: times are
 * compared to the last digit. */
static double share(coll_share s, double blocks, double n, double p) {
  switch (s) {
    case COLL_SHARE_WHOLE: return blocks * n;
    case COLL_SHARE_OTHERS: return (p - 1) / p * blocks * n;
    case COLL_SHARE_BLOCK: return blocks * n / p;
    default: return 0;
  }
}

/* Of blocks of any lengths. Half as many can be reached or heard of in a round less: of gatherv and scatterv those who have data. What a
 * rank has to take or give passes its port: all but the root's block, or all but the shortest one. */
static double uneven_alltoall_bound(const coll_args *a, double alpha, double beta) {
  size_t through = 0;
  int meets = 0;
  for (int r = 0; r < a->size; r++)
    for (int out = 0; out < 2; out++) {
      size_t moved = 0;
      int others = 0;
      for (int i = 0; i < a->size; i++) {
        size_t n = i == r ? 0 : (out ? coll_received_block(a, r, i) : coll_sent_block(a, r, i)).count;
        moved += n;
        others += n > 0;
      }
      if (moved > through) through = moved;
      if (others > meets) meets = others;
    }
  return ceil(log2(meets + 1)) * alpha + (double)(through * a->elem) * beta;
}

static double uneven_bound(coll_collective k, const coll_args *a, double alpha, double beta, double gamma) {
  if (k == COLL_ALLTOALLV) return uneven_alltoall_bound(a, alpha, beta);
  size_t all = a->displs[a->size], least = all;
  for (int i = 0; i < a->size; i++) {
    size_t n = coll_rank_block(a, i).count;
    if (n < least) least = n;
  }
  if (!all) return 0;
  bool root = table[k].root;
  size_t through = all - (root ? coll_rank_block(a, a->root).count : least);
  double meets = root ? coll_rank_blocks_filled(a, a->root) : a->size - 1, n = (double)(all * a->elem);
  double combined = table[k].op ? (a->size - 1.0) / a->size * n : 0;
  return ceil(log2(meets + 1)) * alpha + (double)(through * a->elem) * beta + combined * gamma;
}

double coll_bound(coll_collective k, const coll_args *a, double alpha, double beta, double gamma) {
  coll_counts counts = coll_counts_of(k);
  if (a->size < 2) return 0;
  if (a->displs) return uneven_bound(k, a, alpha, beta, gamma);
  if (a->count == 0 && counts != COLL_COUNTS_NOTHING) return 0;  // a call without data sends nothing
  const coll_facts *facts = &table[k];
  double p = a->size, n = (double)(a->count * a->elem), blocks = counts == COLL_COUNTS_BLOCK ? p : 1;
  double sent = share(facts->bound.sent, blocks, n, p), combined = share(facts->bound.combined, blocks, n, p);
  double rounds = facts->bound.one_round ? 1 : ceil(log2(p));
  if (facts->bound.sent == COLL_SHARE_OTHERS && facts->bound.combined == COLL_SHARE_OTHERS)
    return rounds * alpha + sent * (facts->bound.times * beta + gamma);
  return rounds * alpha + sent * (facts->bound.times * beta) + combined * gamma;
}

/* ---- support ---------------------------------------------------------------------------------------- */

const char *coll_unsupported(const coll_alg *alg, const coll_args *a, char *reason, size_t size) {
  if (coll_has_root(alg->collective) && (a->root < 0 || a->root >= a->size))
    return snprintf(reason, size, "root %d is not one of the %d ranks", a->root, a->size), reason;
  if ((alg->flags & COLL_COMMUTATIVE_ONLY) && !a->commutes)
    return snprintf(reason, size, "needs an operator that commutes"), reason;
  if (a->displs && !(alg->flags & COLL_ANY_BLOCKS))
    return snprintf(reason, size, "needs blocks of one length, or an even cut of the vector (--counts uniform)"),
           reason;
  const char *why = alg->supports ? alg->supports(a) : NULL;
  return why ? (snprintf(reason, size, "%s", why), reason) : NULL;
}
