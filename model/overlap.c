#include "model/overlap.h"

#include <math.h>

/* Beside a thread that has a core of its own nothing delays the computation, nor the call: a rank is through with the later of the two. One
 * that polls sees it at its next poll. */
static void compute_beside(nonblocking *b, double work_s, double poll_s) {
  b->makespan_s = 0;
  for (int r = 0; r < b->ranks; r++) {
    b->work_s[r] = poll_s > 0 ? fmax(1, ceil(b->end_s[r] / poll_s * (1 - 1e-12))) * poll_s : work_s;
    b->end_s[r] = fmax(b->end_s[r], b->work_s[r]);
    if (b->end_s[r] <= b->makespan_s) continue;
    b->makespan_s = b->end_s[r];
    b->last_rank = r;
  }
}

int overlap_run(overlap *o, nonblocking *b, const record *r, const machine *m, overlap_progress progress,
                double poll_part) {
  nonblocking_use use = { .offload = progress == OVERLAP_OFFLOAD };
  if (nonblocking_run(b, r, m, use)) return -1;
  o->pure_s = b->makespan_s;
  double poll_s = o->pure_s * poll_part;
  if (progress == OVERLAP_THREAD) compute_beside(b, o->pure_s, poll_s);
  else {
    use.poll_s = poll_s;
    use.work_s = o->pure_s;
    if (nonblocking_run(b, r, m, use)) return -1;
  }
  double worked = 0, taken = 0;
  for (int i = 0; i < b->ranks; i++) {
    worked += b->work_s[i];
    taken += b->end_s[i] * (progress == OVERLAP_THREAD ? 2 : 1);
  }
  o->total_s = b->makespan_s;
  o->work_s = b->work_s[b->last_rank];
  o->overlap = o->pure_s > 0 ? fmin(1, fmax(0, 1 - (o->total_s - o->work_s) / o->pure_s)) : NAN;
  o->available = taken > 0 ? worked / taken : NAN;
  return 0;
}

void overlap_print(json *j, const overlap *o) {
  json_real(j, "pure_s", o->pure_s);
  json_real(j, "work_s", o->work_s);
  json_real(j, "overlap", o->overlap);
  json_real(j, "available", o->available);
}
