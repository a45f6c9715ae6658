#include "preload/form.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "preload/layout.h"
#include "preload/operators.h"

/* Where each rank's block begins, of those of several lengths: in elements, each of which counts so many. */
static size_t *begins(const communicator *c, const program_call *p, size_t each) {
  size_t *displs = runtime_allocate(sizeof *displs * ((size_t)c->size + 1));
  displs[0] = 0;
  for (int i = 0; i < c->size; i++) displs[i + 1] = displs[i] + call_block(p, i) * each;
  return displs;
}

/* Data moves as bytes, in elements whose size follows from the number of bytes alone: ranks may describe the same data by different types. */
static form of_bytes(const communicator *c, const program_call *p) {
  size_t bytes = call_bytes(c, p), elem = bytes && bytes % 4 == 0 ? 4 : bytes && bytes % 2 == 0 ? 2 : 1;
  size_t *displs = per_rank_given(p->counts) ? begins(c, p, layout_size(p->out.type)) : NULL;
  for (int i = 0; i <= c->size && displs; i++)
    while (displs[i] % elem) elem /= 2;
  for (int i = 0; i <= c->size && displs; i++) displs[i] /= elem;
  return (form){ .shape = { .collective = p->collective,
                            .root = p->root,
                            .count = bytes / elem + (bytes % elem > 0),
                            .elem = elem,
                            .commutes = true,
                            .vector = per_rank_given(p->at),
                            .displs = displs },
                 .type = elem == 4   ? MPI_INT32_T
                         : elem == 2 ? MPI_INT16_T
                                     : MPI_BYTE,
                 .op = MPI_OP_NULL,
                 .straight = layout_is_dense };
}

/* Named types may have a gap behind their data, and come as they are: nobody looks at it. */
static bool combines_straight(MPI_Datatype type) {
  int n[3], combiner;
  if (layout_is_one_piece(type)) return true;
  MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

static form of_operands(const communicator *c, const program_call *p) {
  MPI_Aint begin, extent;
  int commutes;
  size_t size = layout_size(p->out.type);
  bool straight = size == 0 || combines_straight(p->out.type);
  MPI_Type_get_extent(p->out.type, &begin, &extent);
  MPI_Op_commutative(p->op, &commutes);
  form f = { .shape = { .collective = p->collective,
                        .root = p->root,
                        .count = size ? p->in.count : 0,
                        .elem = size == 0  ? 1
                                : straight ? (size_t)extent
                                           : size,
                        .commutes = commutes,
                        .displs = size && per_rank_given(p->counts) ? begins(c, p, 1) : NULL },
             .type = p->out.type,
             .op = p->op,
             .packs = !straight,
             .straight = combines_straight };
  if (!straight) f.op = operators_packed(p->op, p->out.type, &f.type);
  return f;
}

/* Whether an algorithm may support the call with two buffers and not in place: where it may, all ranks pass MPI_IN_PLACE or none does. */
static bool minds_in_place(const program_call *p) {
  return p->collective == COLL_ALLTOALL || p->collective == COLL_EXSCAN;
}

form form_of(const communicator *c, const program_call *p) {
  form f = coll_has_operator(p->collective) ? of_operands(c, p) : of_bytes(c, p);
  f.shape.in_place = minds_in_place(p) && call_in_place(&p->in);
  return f;
}

void form_free(form *f) {
  if (f->packs) MPI_Type_free(&f->type);
  free(f->shape.displs);
}

buffers form_buffers(const communicator *c, const program_call *p, const form *f) {
  if (!f->shape.count) return (buffers){ 0 };
  return buffers_of(c, p, f->straight, f->shape.count * f->shape.elem);
}
