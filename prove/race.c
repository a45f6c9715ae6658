#include "prove/race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/schedule/array.h"
#include "core/schedule/recorder/record.h"

/* Times that differ by less are the same: what is left out is slower by more. */
#define SAME 1e-9

/* What the point takes by its formula; INFINITY: nothing is known of it. */
static double guess(const plan_point *q, const machine *on, const coll_place *place) {
  char text[512];
  long param[COLL_PARAMS] = { 0 };
  if (coll_is_builtin(q->key) || q->ranks < 1 || (on->places && q->ranks > on->places)) return INFINITY;
  coll_args args = plan_args(q, q->ranks, param, place);
  const coll_alg *alg = coll_choose(q->key, q->collective, &args, param, text, sizeof text);
  if (!alg || !alg->cost || record_unsupported(alg, &args, text, sizeof text)) return INFINITY;
  return alg->cost(&args, on->bound_alpha_s, on->bound_beta_s_per_byte, on->bound_gamma_s_per_byte);
}

void race_order(race *r, plan *p, size_t first, const machine *on, const coll_place *place) {
  plan_point *q = &p->point[first];
  if (!(q->within > 0) || (first && q[-1].group == q->group)) return;
  for (size_t i = 0; first + i < p->points && q[i].group == q->group; i++) {
    RESERVE(r->guess_s, r->guess_cap, i + 1);
    plan_point one = q[i];
    double guess_s = strcmp(one.key, r->winner) ? guess(&one, on, place) : -INFINITY;
    size_t k = i; /* few points, and those alike stay in the plan's order */
    for (; k && r->guess_s[k - 1] > guess_s; k--) q[k] = q[k - 1], r->guess_s[k] = r->guess_s[k - 1];
    q[k] = one;
    r->guess_s[k] = guess_s;
  }
}

static void enter(race *r, const plan_point *q) {
  if (q->group && q->group == r->group) return;
  r->group = q->group;
  r->best_s = INFINITY;
}

double race_stop(race *r, const plan_point *q) {
  enter(r, q);
  double stop_s = q->stop_s > 0 ? q->stop_s : INFINITY;
  if (q->within > 0 && (1 + q->within) * r->best_s < stop_s) stop_s = (1 + q->within) * r->best_s;
  return isinf(stop_s) ? 0 : (1 + SAME) * stop_s;
}

void race_timed(race *r, const plan_point *q, double time_s) {
  enter(r, q);
  if (!(time_s < r->best_s)) return;
  r->best_s = time_s;
  snprintf(r->winner, sizeof r->winner, "%s", q->key);
}

void race_free(race *r) { free(r->guess_s); }
