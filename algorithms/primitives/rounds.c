#include "primitives/rounds.h"

/* A round of a part: with whom, and what goes and comes, as elements of the vector. */
typedef struct {
  int to, from;
  coll_span give, take;
} step;

static step step_of(const coll_rounds *w, int part, int i) {
  coll_round r = w->round(w->how, part, i);
  return (step){ r.to, r.from, w->span(w->how, part, r.give, r.give + r.blocks),
                 w->span(w->how, part, r.take, r.take + r.blocks) };
}

/* The steps of all parts, and room for their messages. */
typedef struct {
  step *step;
  coll_req *request;
} state;

static state make(coll_ctx *c, const coll_rounds *w) {
  size_t parts = (size_t)w->parts;
  return (state){ coll_keep(c, sizeof(step) * parts), coll_keep(c, sizeof(coll_req) * 2 * parts) };
}

void coll_rounds_reduce_scatter(coll_ctx *c, const coll_rounds *w, void *sum, void *inbox) {
  state s = make(c, w);
  for (int i = 0; i < w->rounds; i++) {
    int n = 0;
    for (int part = 0; part < w->parts; part++) {
      step *now = &s.step[part];
      *now = step_of(w, part, i);
      if (now->take.count)
        s.request[n++] = coll_irecv(c, coll_at(c, inbox, now->take.first), now->take.count, now->from);
    }
    for (const step *now = s.step; now < s.step + w->parts; now++)
      if (now->give.count) s.request[n++] = coll_isend(c, coll_at(c, sum, now->give.first), now->give.count, now->to);
    coll_waitall(c, n, s.request);
    for (const step *now = s.step; now < s.step + w->parts; now++)
      if (now->take.count)
        coll_reduce(c, coll_at(c, inbox, now->take.first), coll_at(c, sum, now->take.first), now->take.count);
  }
}

void coll_rounds_allgather(coll_ctx *c, const coll_rounds *w, void *all) {
  state s = make(c, w);
  for (int i = w->rounds - 1; i >= 0; i--) {
    int n = 0;
    for (int part = 0; part < w->parts; part++) {
      step *now = &s.step[part];
      *now = step_of(w, part, i);
      if (now->give.count) s.request[n++] = coll_irecv(c, coll_at(c, all, now->give.first), now->give.count, now->to);
    }
    for (const step *now = s.step; now < s.step + w->parts; now++)
      if (now->take.count) s.request[n++] = coll_isend(c, coll_at(c, all, now->take.first), now->take.count, now->from);
    coll_waitall(c, n, s.request);
  }
}

void coll_rounds_allreduce(coll_ctx *c, const coll_args *a, const coll_rounds *w) {
  coll_copy(c, a->out, a->in, a->count);
  if (!w->rounds || !a->count) return;
  coll_rounds_reduce_scatter(c, w, a->out, coll_scratch(c, a->count));
  coll_rounds_allgather(c, w, a->out);
}
