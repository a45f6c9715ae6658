/* Printing what every rank holds after each round. */
#ifndef COLLSCOPE_PROVE_HOLDINGS_H
#define COLLSCOPE_PROVE_HOLDINGS_H

#include "core/catalogue/json.h"
#include "model/timing.h"
#include "prove/proof/holdings.h"

/* Memory kept from point to point; zero-initialise it. */
typedef struct {
  proof *proof;
  holdings held;
  uint32_t *round; /* of each operation, ranks in a row */
  size_t round_cap;
} holder;
void holder_free(holder *);

/* Prints the member "holdings" of a point that was timed on a machine where a message costs 1 and nothing else anything:
 *
 *   combines   sets of ranks mean something: data are combined
 *   width      bytes there are to hold; of a collective without data the ranks to hear from
 *   sets       of each number the ranks, as [first, last, first, last, …]; number 0 is nothing
 *   rounds     [round][rank]: [from, to, set, from, to, set, …]: bytes from … to-1 hold the data of that set; round 0 is the start
 *
 * or null, where that would be too much for a picture. Returns false, with the reason, when the schedule is not right. */
bool holdings_print(json *, holder *, const record *, const timing_result *rounds, proof_result *);

#endif
