#include "composite/part.h"

#include <string.h>

extern const coll_alg reduce_binomial, reduce_linear, reduce_pipeline, reduce_binary, reduce_in_order_binary,
    reduce_rabenseifner;
extern const coll_alg bcast_binomial, bcast_linear, bcast_pipeline, bcast_binary, bcast_split_binary, bcast_knomial,
    bcast_scatter_recursive_doubling;
extern const coll_alg scatter_binomial, scatter_linear, scatter_linear_nb;
extern const coll_alg gather_binomial, gather_linear, gather_linear_sync;

const char *const coll_reduce_words[] = {
  "binomial", "linear", "pipeline", "binary", "in_order_binary", "rabenseifner"
};
const coll_part coll_reduce_parts[] = {
  { &reduce_binomial, true }, { &reduce_linear, false },         { &reduce_pipeline, true },
  { &reduce_binary, true },   { &reduce_in_order_binary, true }, { &reduce_rabenseifner, false },
};

const char *const coll_bcast_words[] = {
  "binomial", "linear", "pipeline", "binary", "split_binary", "knomial", "scatter_recursive_doubling",
};
const coll_part coll_bcast_parts[] = {
  { &bcast_binomial, true },
  { &bcast_linear, false },
  { &bcast_pipeline, true },
  { &bcast_binary, true },
  { &bcast_split_binary, true },
  { &bcast_knomial, true },
  { &bcast_scatter_recursive_doubling, false },
};

const char *const coll_scatter_words[] = { "binomial", "linear", "linear_nb" };
const coll_part coll_scatter_parts[] = {
  { &scatter_binomial, false },
  { &scatter_linear, false },
  { &scatter_linear_nb, false },
};

const char *const coll_gather_words[] = { "binomial", "linear", "linear_sync" };
const coll_part coll_gather_parts[] = {
  { &gather_binomial, false },
  { &gather_linear, false },
  { &gather_linear_sync, true },
};

/* The part's own view of the call: root 0, its parameters, its buffers. */
static coll_args part_args(const coll_args *a, coll_part part, long s, long *param) {
  const coll_param *list = part.alg->params;
  for (int i = 0; list && list[i].name; i++) {
    bool segment = part.segmented && (!strcmp(list[i].name, "s") || !strcmp(list[i].name, "first"));
    param[i] = segment ? s : list[i].value;
  }
  coll_args mine = *a;
  mine.root = 0;
  mine.param = param;
  mine.displs = NULL; /* the parts move whole vectors, or equal blocks */
  return mine;
}

coll_args coll_part_whole(const coll_args *a) {
  coll_args whole = *a;
  whole.count *= (size_t)a->size;
  return whole;
}

void coll_part_run(coll_ctx *c, const coll_args *a, coll_part part, long s, const void *in, void *out) {
  long param[COLL_PARAMS];
  coll_args mine = part_args(a, part, s, param);
  mine.in = in;
  mine.out = out;
  mine.in_place = in == out;
  part.alg->run(c, &mine);
}

const char *coll_part_supports(const coll_args *a, coll_part part, long s) {
  long param[COLL_PARAMS];
  coll_args mine = part_args(a, part, s, param);
  bool ordered = !(part.alg->flags & COLL_COMMUTATIVE_ONLY);
  if (!ordered && !a->commutes) return "its reduce part needs an operator that commutes";
  return part.alg->supports ? part.alg->supports(&mine) : NULL;
}
