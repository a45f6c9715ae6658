#include "core/runtime/types.h"

#include "core/plan/values.h"

static void mpi_compose(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  values_apply(PLAN_AFFINE, PLAN_OP_AFFINE, in, inout, (size_t)*n);
}

void types_make(types *t) {
  t->type[PLAN_FLOAT] = MPI_FLOAT;
  t->type[PLAN_DOUBLE] = MPI_DOUBLE;
  t->type[PLAN_INT] = MPI_INT;
  t->type[PLAN_BYTE] = MPI_UNSIGNED_CHAR;
  t->type[PLAN_LONG] = MPI_INT64_T;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &t->type[PLAN_AFFINE]);
  MPI_Type_commit(&t->type[PLAN_AFFINE]);
  t->op[PLAN_SUM] = MPI_SUM;
  t->op[PLAN_PROD] = MPI_PROD;
  t->op[PLAN_MAX] = MPI_MAX;
  t->op[PLAN_MIN] = MPI_MIN;
  t->op[PLAN_NONE] = MPI_OP_NULL;
  MPI_Op_create(mpi_compose, 0, &t->op[PLAN_OP_AFFINE]);
}

void types_free(types *t) {
  MPI_Type_free(&t->type[PLAN_AFFINE]);
  MPI_Op_free(&t->op[PLAN_OP_AFFINE]);
}
