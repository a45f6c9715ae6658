/* The shares of all flows that hang together, found from nothing. */
#include "model/connected.h"

void connected_reach(fluid *u, int res) {
  u->reached_n = u->solved_n = 0;
  u->resource[res].stamp = u->stamp;
  PUSH(u->reached, u->reached_n, u->reached_cap, res);
  for (size_t i = 0; i < u->reached_n; i++) {
    for (int32_t at = u->resource[u->reached[i]].head; at != NONE; at = crossing_at(u, at)->next) {
      int32_t index = (int32_t)crossing_at(u, at)->flow;
      flow *f = flow_at(u, (size_t)index);
      if (f->stamp == u->stamp) continue;
      f->stamp = u->stamp;
      PUSH(u->solved, u->solved_n, u->solved_cap, index);
      for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
        if (u->resource[c->resource].stamp == u->stamp) continue;
        u->resource[c->resource].stamp = u->stamp;
        PUSH(u->reached, u->reached_n, u->reached_cap, c->resource);
      }
    }
  }
}

/* From now on the flow has this share, and what it crosses has that much less for others. */
static void flow_fix(fluid *u, flow *f, double share) {
  f->fixed = true;
  f->share = share;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    resource *r = &u->resource[c->resource];
    r->left -= c->weight * share;
    r->demand -= c->weight;
    r->open--;
  }
}

void connected_fill(fluid *u) {
  for (size_t i = 0; i < u->reached_n; i++) {
    resource *r = &u->resource[u->reached[i]];
    r->left = 1;
    r->demand = 0;
    r->open = r->flows;
  }
  bool limits = false;
  for (size_t i = 0; i < u->solved_n; i++) {
    flow *f = flow_at(u, (size_t)u->solved[i]);
    f->fixed = false;
    if (f->most < DBL_MAX) limits = true;
    for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
      u->resource[c->resource].demand += c->weight;
  }
  size_t open = u->solved_n;
  double level = 0;
  while (open) {
    double least = DBL_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < u->reached_n; i++) {
      resource *r = &u->resource[u->reached[i]];
      if (!r->open) continue;
      u->reached[kept++] = u->reached[i];
      double share = r->left / r->demand;
      if (share < least) least = share;
    }
    u->reached_n = kept;
    if (least < level) least = level; /* rounding; levels rise */
    size_t before = open;
    for (size_t i = 0; limits && i < u->solved_n; i++) {
      flow *f = flow_at(u, (size_t)u->solved[i]);
      if (f->fixed || f->most >= least) continue;
      flow_fix(u, f, f->most);
      f->bottleneck = NONE;
      open--;
    }
    if (open < before) continue;
    level = least;
    for (size_t i = 0; i < kept; i++) {
      resource *r = &u->resource[u->reached[i]];
      if (!r->open || r->left > least * (1 + 1e-12) * r->demand) continue;
      for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) {
        flow *f = flow_at(u, (size_t)crossing_at(u, at)->flow);
        if (f->fixed) continue;
        flow_fix(u, f, least);
        f->bottleneck = u->reached[i];
        open--;
      }
    }
    /* Weights so far apart that a double loses the lesser ones: who is left shares with nobody that can be told. */
    flow *f;
    for (size_t i = 0; open == before && i < u->solved_n; i++)
      if (!(f = flow_at(u, (size_t)u->solved[i]))->fixed) f->share = flow_rate_alone(f);
    if (open == before) return;
  }
}
