/* decision/ompi_4_1_acknowledged: Open MPI 4.1's barriers as the ranks of a benchmark's loop feel them. With ranks that are no power of two
 * its recursive doubling sets the last ranks free by synchronous sends: those ranks' partners leave only once the library's
 * acknowledgement is back. It is no message of MPI's, so decision/ompi_4_1 has none; here it is one. */
#include "decision/rows.h"

static const coll_rule rules[] = {
  ROW(BARRIER, 1, 3, ANY, 0, 0, "barrier/recursive_doubling_acknowledged"),
  ROW(BARRIER, 4, 7, ANY, 0, 0, "barrier/linear"),
  ROW(BARRIER, 8, 63, ANY, 0, 0, "barrier/recursive_doubling_acknowledged"),
  ROW(BARRIER, 64, 255, ANY, 0, 0, "barrier/dissemination"),
  ROW(BARRIER, 256, 511, ANY, 0, 0, "barrier/tree"),
  ROW(BARRIER, 512, 1023, ANY, 0, 0, "barrier/dissemination"),
  ROW(BARRIER, 1024, 4095, ANY, 0, 0, "barrier/tree"),
  ROW(BARRIER, 4096, 0, ANY, 0, 0, "barrier/dissemination"),
};

const coll_decision decision_ompi_4_1_acknowledged = {
  .key = "decision/ompi_4_1_acknowledged",
  .summary = "Open MPI 4.1's barriers, with the acknowledgement of synchronous sends",
  .source = "Open MPI 4.1.4, coll/tuned and coll/base",
  .rules = rules,
  .count = sizeof rules / sizeof *rules,
};
