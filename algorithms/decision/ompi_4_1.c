/* decision/ompi_4_1: what Open MPI 4.1's coll/tuned takes when nobody tells it otherwise (as of 4.1.4). */
#include "decision/rows.h"

static const coll_rule rules[] = {
#include "decision/ompi_4_1_rows.h"
};

const coll_decision decision_ompi_4_1 = {
  .key = "decision/ompi_4_1",
  .summary = "what Open MPI 4.1 takes by default",
  .source = "Open MPI 4.1.4, coll/tuned, fixed decision functions",
  .unit = { [COLL_REDUCE_SCATTER_BLOCK] = COLL_PER_VECTOR },
  .rules = rules,
  .count = sizeof rules / sizeof *rules,
};
