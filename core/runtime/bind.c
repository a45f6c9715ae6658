#include "core/runtime/bind.h"

#include <stdio.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"

/* Bytes of an element; 0: it has gaps, or lies elsewhere than where it begins. */
static size_t element_bytes(MPI_Datatype type) {
  MPI_Aint begins, extent;
  int bytes;
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &begins, &extent);
  return bytes > 0 && !begins && extent == bytes ? (size_t)bytes : 0;
}

const char *bind_shape(binding *b, const mpi_call *call, char *reason, size_t size) {
  int commutes = 1;
  *b = (binding){ .type = call->type, .op = call->op };
  if (call->op != MPI_OP_NULL) MPI_Op_commutative(call->op, &commutes);
  b->args = (coll_args){ .size = call->ranks,
                         .count = call->count,
                         .elem = element_bytes(call->type),
                         .root = call->root,
                         .commutes = commutes,
                         .in_place = call->in_place,
                         .param = b->param,
                         .place = call->place };
  if (!b->args.elem)
    return snprintf(reason, size,
                    "elements of this type do not lie in one piece; pack them, or use MPI's own function"),
           reason;
  if (coll_has_root(call->collective) && (call->root < 0 || call->root >= call->ranks))
    return snprintf(reason, size, "root %d is not one of the %d ranks", call->root, call->ranks), reason;
  return NULL;
}

const char *bind_key(binding *b, const char *key, coll_collective collective, char *reason, size_t size) {
  b->alg = coll_choose(key, collective, &b->args, b->param, reason, size);
  if (!b->alg) return reason;
  if (coll_is_decision(key)) coll_key(b->alg, b->param, b->chose, sizeof b->chose);
  if (b->alg->collective != collective)
    return snprintf(reason, size, "%s is not an algorithm for %s", b->alg->key, coll_collective_name(collective)),
           reason;
  return coll_unsupported(b->alg, &b->args, reason, size);
}
