#include "preload/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/key.h"
#include "core/runtime/allocate.h"
#include "preload/own.h"

enum { LARGE = 1 << 20 };

bool keep_equal(const communicator *c, const shape *a, const shape *b) {
  size_t bytes = sizeof *a->displs * ((size_t)c->size + 1);
  if (!a->displs != !b->displs || (a->displs && memcmp(a->displs, b->displs, bytes))) return false;
  return a->collective == b->collective && a->root == b->root && a->count == b->count && a->elem == b->elem &&
         a->in_place == b->in_place && a->commutes == b->commutes && a->vector == b->vector;
}

shape keep_shape(const communicator *c, const shape *s) {
  shape copy = *s;
  size_t bytes = sizeof *s->displs * ((size_t)c->size + 1);
  if (s->displs) copy.displs = memcpy(runtime_allocate(bytes), s->displs, bytes);
  return copy;
}

int keep_set(const communicator *c, const shape *s) {
  if (s->count * s->elem * (size_t)c->size >= LARGE) return KEPT_SETS - 1;
  uint64_t hash = s->count * 31 + s->elem;
  hash = (hash * 31 + (uint64_t)s->root) * 31 + (uint64_t)s->collective;
  return (int)((hash * 0x9e3779b97f4a7c15u >> 32) % (KEPT_SETS - 1));
}

bool keep_bind(binding *b, const communicator *c, const shape *s, const char *key, char *name) {
  char reason[BIND_TEXT];
  *b = (binding){ .op = MPI_OP_NULL, .type = MPI_BYTE };
  b->args = (coll_args){ .size = c->size,
                         .count = s->count,
                         .elem = s->elem,
                         .root = s->root,
                         .commutes = s->commutes,
                         .in_place = s->in_place,
                         .param = b->param,
                         .place = c->place,
                         .displs = s->displs };
  const char *why = bind_key(b, key, s->collective, reason, sizeof reason);
#ifdef COLLSCOPE_NO_SEGMENTS
  if (!why && b->alg->flags & COLL_SEGMENTS) why = "ranks of a simulated program share no segments";
#endif
  if (why && !b->alg) snprintf(name, COUNTS_NAME, "%s", why); /* it names the decision */
  else if (why) snprintf(name, COUNTS_NAME, "%.64s: %s", b->alg->key, why);
  else coll_key(b->alg, b->param, name, COUNTS_NAME);
  return !why;
}

static kept *make(communicator *c, const shape *s, const char *key) {
  kept *k = runtime_allocate_zeroed(sizeof *k);
  k->shape = keep_shape(c, s);
  k->own = MPI_COMM_NULL;
  if (!keep_bind(&k->bound, c, &k->shape, key, k->name)) return k;
  if (k->bound.alg->flags & COLL_ANY_SOURCE && (k->own = own_make(c)) == MPI_COMM_NULL) {
    snprintf(k->name, sizeof k->name, "%.64s: MPI has no more communicators", k->bound.alg->key);
    return k;
  }
  k->call = coll_open(k->own == MPI_COMM_NULL ? c->own : k->own, k->bound.alg, &k->bound.args, k->bound.type,
                      k->bound.op);
  return k;
}

kept *keep_find(communicator *c, const shape *s, const char *key) {
  kept **set = c->kept[keep_set(c, s)];
  int at = 0;
  while (at < KEPT_PER_SET && set[at] && !keep_equal(c, &set[at]->shape, s)) at++;
  if (at == 0 && set[0]) return set[0];
  if (at == KEPT_PER_SET) keep_close(set[--at]), set[at] = NULL;
  kept *k = set[at] ? set[at] : make(c, s, key);
  memmove(set + 1, set, sizeof *set * (size_t)at);
  return set[0] = k;
}

void keep_close(kept *k) {
  if (!k) return;
  if (k->call) coll_close(k->call);
  if (k->own != MPI_COMM_NULL) MPI_Comm_free(&k->own);
  free(k->shape.displs);
  free(k);
}
