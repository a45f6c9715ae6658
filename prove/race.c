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

enum { MAX_OPERATIONS = 1 << 27 };     /* of a point that may be left out: some gigabytes */
static const double first_steps = 4e6; /* some seconds: what needs more waits for the others */

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

/* Puts the points of the group that begins with the next one in order. */
static void order(race *r, plan *p, const machine *on, const coll_place *place) {
  plan_point *q = &p->point[r->next];
  for (size_t i = 0; r->next + i < p->points && q[i].group == q->group; i++) {
    RESERVE(r->guess_s, r->guess_cap, i + 1);
    plan_point one = q[i];
    double guess_s = strcmp(one.key, r->winner) ? guess(&one, on, place) : -INFINITY;
    size_t k = i; /* few points, and those alike stay in the plan's order */
    for (; k && r->guess_s[k - 1] > guess_s; k--) q[k] = q[k - 1], r->guess_s[k] = r->guess_s[k - 1];
    q[k] = one;
    r->guess_s[k] = guess_s;
  }
}

const plan_point *race_next(race *r, plan *p, const machine *on, const coll_place *(*place)(void *user, int ranks),
                            void *user) {
  bool ends = r->next == p->points || !r->next || p->point[r->next].group != p->point[r->next - 1].group;
  r->is_last_try = ends && r->later_done < r->later_n;
  if (r->is_last_try) return &p->point[r->later[r->later_done++]];
  if (r->next == p->points) return NULL;
  if (ends) r->later_n = r->later_done = 0;
  const plan_point *q = &p->point[r->next];
  if (ends && q->within > 0) order(r, p, on, place(user, q->ranks));
  r->next++;
  return q;
}

static void enter(race *r, const plan_point *q) {
  if (q->group && q->group == r->group) return;
  r->group = q->group;
  r->best_s = INFINITY;
}

void race_limits(race *r, const plan_point *q, bool more, timing_result *t) {
  enter(r, q);
  double stop_s = q->stop_s > 0 ? q->stop_s : INFINITY;
  if (q->within > 0 && (1 + q->within) * r->best_s < stop_s) stop_s = (1 + q->within) * r->best_s;
  t->stop_s = more || isinf(stop_s) ? 0 : (1 + SAME) * stop_s;
  t->max_operations = t->stop_s > 0 ? MAX_OPERATIONS : 0;
  t->max_steps = more || r->is_last_try || !(q->within > 0) ? 0 : first_steps;
}

void race_postpone(race *r, const plan *p, const plan_point *q) {
  PUSH(r->later, r->later_n, r->later_cap, (size_t)(q - p->point));
}

void race_timed(race *r, const plan_point *q, double time_s) {
  enter(r, q);
  if (!(time_s < r->best_s)) return;
  r->best_s = time_s;
  snprintf(r->winner, sizeof r->winner, "%s", q->key);
}

void race_free(race *r) {
  free(r->guess_s);
  free(r->later);
}
