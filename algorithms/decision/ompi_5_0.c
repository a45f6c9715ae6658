/* decision/ompi_5_0: what Open MPI 5.0's coll/tuned takes when nobody tells it otherwise (as of 5.0.11).
 *
 * Between 4.1.4 and 5.0.11 neither the decision functions nor what the algorithms fall back to inside has changed, so
 * the rows are 4.1's. What has changed is who is asked: on several nodes 5.0 asks coll/han first (bcast, reduce,
 * allreduce, allgather, gather, scatter, barrier), which splits the call into one within and one among nodes. coll/han
 * is not in this table; it is coll/tuned's answer, as on one node or with --mca coll ^han.
 */
#include "decision/rows.h"

static const coll_rule rules[] = {
#include "decision/ompi_4_1_rows.h"
};

const coll_decision decision_ompi_5_0 = {
  .key = "decision/ompi_5_0",
  .summary = "what Open MPI 5.0's coll/tuned takes by default",
  .source = "Open MPI 5.0.11, coll/tuned, fixed decision functions",
  .unit = { [COLL_REDUCE_SCATTER_BLOCK] = COLL_PER_VECTOR },
  .rules = rules,
  .count = sizeof rules / sizeof *rules,
};
