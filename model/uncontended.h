/* One port where none is asked for twice at once: no rank has two sends, or two receives, on their way. A message then begins when both its
 * sides are posted, whatever anything costs, so a schedule is played once for several machines, without events. */
#ifndef COLLSCOPE_MODEL_UNCONTENDED_H
#define COLLSCOPE_MODEL_UNCONTENDED_H

#include "core/schedule/channels.h"

enum { UNCONTENDED_MACHINES = 6 };

/* Memory, kept from schedule to schedule; zero-initialise before the first use. */
typedef struct {
  struct uncontended_rank *rank; /* [ranks] */
  int32_t *queue;                /* [ranks] that can go on */
  size_t rank_cap, queue_cap;
} uncontended;

/* One call on each of these machines, of alpha, beta and gamma: the times of timing_run on machine_one_port. False where ports are asked
 * for twice at once, where segments are used, and where somebody waits for ever: timing_run plays those. */
bool uncontended_run(uncontended *, const record *, const matching *, const double cost[UNCONTENDED_MACHINES][3],
                     double makespan_s[UNCONTENDED_MACHINES]);
void uncontended_free(uncontended *);

#endif
