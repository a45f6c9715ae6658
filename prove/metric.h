/* What a point's metric asks of a timing. */
#ifndef COLLSCOPE_PROVE_METRIC_H
#define COLLSCOPE_PROVE_METRIC_H

#include "core/plan/plan.h"
#include "model/overlap.h"
#include "model/timing.h"

/* What a driver would print for it, ranks having entered as the timing says; with a barrier, as they leave it. */
double metric_time(const timing_result *, const plan_point *);
/* When ranks enter a timing, by the point's skew: *late_s, which is enlarged. False, having said why, where the skew does not fit them; path: of the plan. */
bool metric_late(timing_result *, const plan_point *, double **late_s, const char *path);
/* Why a call cannot go on while its ranks compute; NULL: it can. inside: what happens inside the call is to be told. */
const char *metric_blocks(const coll_alg *, bool inside);
/* Times a non-blocking call by itself or beside computation on a machine; 0, or -1 with an error in the player. */
int metric_nonblocking(nonblocking *player, overlap *, const plan_point *, const record *, const machine *);

#endif
