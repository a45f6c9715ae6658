#include "prove/metric.h"

#include "core/plan/refuse.h"
#include "core/schedule/array.h"

double metric_time(const timing_result *t, const plan_point *q) {
  if (q->metric == PLAN_ROOT) return t->rank_end_s[q->root];
  if (q->metric == PLAN_MAKESPAN) return t->makespan_s;
  if (q->metric == PLAN_DELAY) return t->makespan_s - arrival_last(t->late_s, t->ranks);
  double sum = 0;
  for (int r = 0; r < t->ranks; r++) sum += *q->barrier ? t->marked_s[r] / q->repetitions : t->rank_end_s[r];
  return sum / t->ranks;
}

bool metric_late(timing_result *t, const plan_point *q, double **late_s, const char *path) {
  char error[400];
  t->late_s = NULL;
  if (q->skew.kind == ARRIVAL_NONE) return true;
  *late_s = array_grow(*late_s, sizeof **late_s * (size_t)q->ranks);
  if (!arrival_times(&q->skew, q->ranks, *late_s, error, sizeof error))
    return refuse("%s:%d: skew: %s", path, q->line, error), false;
  t->late_s = *late_s;
  return true;
}

const char *metric_blocks(const coll_alg *alg, bool inside) {
  if (inside) return "traces, causes and noise are known of blocking calls; use metric makespan";
  return alg->flags & COLL_ANY_SOURCE
             ? "receives from any source, so what a rank does next is not known before; it has no non-blocking form"
             : NULL;
}

int metric_nonblocking(nonblocking *player, overlap *beside, const plan_point *q, const record *r, const machine *on) {
  static const overlap_progress by[] = { OVERLAP_CALLS, OVERLAP_THREAD, OVERLAP_OFFLOAD }; /* as plan_progress */
  if (q->metric == PLAN_NONBLOCKING)
    return nonblocking_run(player, r, on, (nonblocking_use){ .offload = q->progress == PLAN_BY_OFFLOAD });
  return overlap_run(beside, player, r, on, by[q->progress], q->polls ? PLAN_POLL_PART : 0);
}
