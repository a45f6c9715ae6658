#include "primitives/rounds.h"

static coll_span given(const coll_rounds *w, int part, coll_round r) {
  return w->span(w->how, part, r.give, r.give + r.blocks);
}

static coll_span taken(const coll_rounds *w, int part, coll_round r) {
  return w->span(w->how, part, r.take, r.take + r.blocks);
}

static coll_req *requests(coll_ctx *c, const coll_rounds *w) {
  return coll_keep(c, sizeof(coll_req) * 2 * (size_t)w->parts);
}

void coll_rounds_reduce_scatter(coll_ctx *c, const coll_rounds *w, void *sum, void *inbox) {
  coll_req *request = requests(c, w);
  for (int i = 0; i < w->rounds; i++) {
    int n = 0;
    for (int part = 0; part < w->parts; part++) {
      coll_round r = w->round(w->how, part, i);
      coll_span s = taken(w, part, r);
      if (s.count) request[n++] = coll_irecv(c, coll_at(c, inbox, s.first), s.count, r.from);
    }
    for (int part = 0; part < w->parts; part++) {
      coll_round r = w->round(w->how, part, i);
      coll_span s = given(w, part, r);
      if (s.count) request[n++] = coll_isend(c, coll_at(c, sum, s.first), s.count, r.to);
    }
    coll_waitall(c, n, request);
    for (int part = 0; part < w->parts; part++) {
      coll_span s = taken(w, part, w->round(w->how, part, i));
      if (s.count) coll_reduce(c, coll_at(c, inbox, s.first), coll_at(c, sum, s.first), s.count);
    }
  }
}

void coll_rounds_allgather(coll_ctx *c, const coll_rounds *w, void *all) {
  coll_req *request = requests(c, w);
  for (int i = w->rounds - 1; i >= 0; i--) {
    int n = 0;
    for (int part = 0; part < w->parts; part++) {
      coll_round r = w->round(w->how, part, i);
      coll_span s = given(w, part, r);
      if (s.count) request[n++] = coll_irecv(c, coll_at(c, all, s.first), s.count, r.to);
    }
    for (int part = 0; part < w->parts; part++) {
      coll_round r = w->round(w->how, part, i);
      coll_span s = taken(w, part, r);
      if (s.count) request[n++] = coll_isend(c, coll_at(c, all, s.first), s.count, r.from);
    }
    coll_waitall(c, n, request);
  }
}

void coll_rounds_allreduce(coll_ctx *c, const coll_args *a, const coll_rounds *w) {
  coll_copy(c, a->out, a->in, a->count);
  if (!w->rounds || !a->count) return;
  coll_rounds_reduce_scatter(c, w, a->out, coll_scratch(c, a->count));
  coll_rounds_allgather(c, w, a->out);
}
