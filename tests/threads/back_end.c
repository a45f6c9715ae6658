#include "tests/threads/back_end.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/port_memory.h"
#include "driver/port_caches.h"
#include "core/plan/values.h"
#include "tests/threads/world.h"

/* ---- memory and local work -------------------------------------------------------------------------- */

void *port_alloc(size_t bytes) { return threads_allocate(bytes); }
void port_release(void *buffer) { free(buffer); }
void port_renew(void *buffer, size_t bytes) { (void)buffer, (void)bytes; }

static void *op_scratch(coll_ctx *c, size_t n) { return threads_keep(c->self, n * c->elem); }
static void *op_keep(coll_ctx *c, size_t bytes) { return threads_keep(c->self, bytes); }

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  threads_call *s = threads_shaken(c);
  values_apply(s->type, s->op, left, right, n);
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  if (dst != src && n) memcpy(dst, src, n * c->elem);
}

const coll_operations threads_operations = {
  .send = threads_op_send,
  .recv = threads_op_recv,
  .sendrecv = threads_op_sendrecv,
  .recv_any = threads_op_recv_any,
  .isend = threads_op_isend,
  .irecv = threads_op_irecv,
  .waitall = threads_op_waitall,
  .reduce = op_reduce,
  .copy = op_copy,
  .scratch = op_scratch,
  .keep = op_keep,
  .seg_open = threads_op_seg_open,
  .seg_part = threads_op_seg_part,
  .seg_write = threads_op_seg_write,
  .seg_read = threads_op_seg_read,
  .publish = threads_op_publish,
  .await = threads_op_await,
};

/* ---- calls ------------------------------------------------------------------------------------------ */

threads_call *threads_open(threads_world *w, int rank, const coll_operations *ops, const coll_alg *alg,
                           const coll_args *args, plan_type type, plan_op op) {
  threads_call *s = threads_allocate(sizeof *s);
  *s = (threads_call){ .w = w,
                       .alg = alg,
                       .args = *args,
                       .type = type,
                       .op = op,
                       .random = (w->seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)rank * 0xBF58476D1CE4E5B9u };
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_make(&s->levels[l], (coll_level)l, args->size, args->place);
  s->ctx = (coll_ctx){ .ops = ops,
                       .self = s,
                       .rank = rank,
                       .size = args->size,
                       .place = args->place,
                       .levels = s->levels,
                       .elem = args->elem };
  if (alg->prepare) s->args.prepared = alg->prepare(&s->ctx, &s->args);
  return s;
}

void threads_run(threads_call *s) {
  int kept = s->blocks.blocks;
  s->alg->run(&s->ctx, &s->args);
  s->epoch++;
  threads_release(s, kept);
  for (int i = 0; i < s->requests; i++)
    if (s->request[i]) threads_give_up(s, "a request was not waited for");
}

/* Nothing may be left on its way, and nobody uses a segment any more. */
void threads_close(threads_call *s) {
  threads_world *w = s->w;
  threads_meet(w);
  int rank = s->ctx.rank;
  if (w->sent[rank].first || w->posted[rank].first)
    threads_give_up(s, "a message was not received, or a receive got none");
  if (rank == 0)
    while (w->segments) {
      segment *g = w->segments;
      w->segments = g->next;
      free(g->has);
      free(g->block);
      free(g);
    }
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_free(&s->levels[l]);
  threads_release(s, 0);
  free(s->blocks.block);
  free(s->request);
  free(s);
  threads_meet(w);
}
