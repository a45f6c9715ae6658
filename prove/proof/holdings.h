/* What every rank holds after each round: the proof's memories, read while the schedule is played a round at a time. */
#ifndef COLLSCOPE_PROVE_PROOF_HOLDINGS_H
#define COLLSCOPE_PROVE_PROOF_HOLDINGS_H

#include "prove/proof/proof.h"

/* Bytes from … to-1 of what there is to hold, and the number of the set of ranks whose data are combined there. */
typedef struct {
  uint64_t from, to;
  uint32_t set;
} held;

enum { HOLDINGS_MAX = 1 << 21 }; /* stretches: more than this is nothing for a picture */

typedef struct {
  bool fine;      /* false: there were too many stretches */
  bool combines;  /* sets mean something; else there is one, 1: what has come */
  uint64_t width; /* bytes there are to hold. Of a collective without data: the ranks to hear from */
  uint32_t rounds;
  held *list; /* what rank r holds after round k: list[first[k p + r]] … list[first[k p + r + 1] - 1] */
  size_t *first, stretches, list_cap, firsts, first_cap;
  uint64_t *set; /* [sets] the prover's names; number 0 is the empty set */
  uint32_t sets, set_cap;
  /* while it is made */
  uint32_t *slot, *size; /* numbers of sets by their hash; how many ranks each has */
  size_t slots, size_cap;
  held *piece;
  size_t piece_cap;
  uint64_t *bound;
  uint32_t *best, *found;
  size_t bound_cap, best_cap, found_cap;
} holdings;

/* Plays a record that is proven. round: of every operation, ranks in a row, the round in which it takes part, 0: any; the last is
 * `rounds`. Where each rank has a block for each other (alltoall) a rank holds what is for itself, in the order of ranks. Returns
 * false, with the reason, when the schedule does not come to its end. Zero-initialise before the first call; memory is kept. */
bool proof_holdings(proof *, const record *, const uint32_t *round, uint32_t rounds, holdings *, proof_result *);
void holdings_free(holdings *);

/* Is the rank in this set? */
bool holdings_has(const proof *, const holdings *, uint32_t set, int rank);

#endif
