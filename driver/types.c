#include "driver.h"

#include <string.h>

/* (a, b) stands for x -> a·x + b over 32-bit integers: composing is associative and does not commute. */
typedef struct { uint32_t a, b; } affine;

static affine compose(affine f, affine g) { return (affine){ f.a * g.a, f.a * g.b + f.b }; }

static void mpi_compose(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++) ((affine *)inout)[i] = compose(((affine *)in)[i], ((affine *)inout)[i]);
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

static int64_t load(plan_type type, const void *element) {
  switch (type) {
    case PLAN_FLOAT: return (int64_t)*(const float *)element;
    case PLAN_DOUBLE: return (int64_t)*(const double *)element;
    case PLAN_INT: return *(const int *)element;
    case PLAN_BYTE: return *(const unsigned char *)element;
    default: return *(const int64_t *)element;
  }
}

static void store(plan_type type, int64_t value, void *element) {
  switch (type) {
    case PLAN_FLOAT: *(float *)element = (float)value; break;
    case PLAN_DOUBLE: *(double *)element = (double)value; break;
    case PLAN_INT: *(int *)element = (int)value; break;
    case PLAN_BYTE: *(unsigned char *)element = (unsigned char)value; break;
    default: *(int64_t *)element = value; break;
  }
}

void types_apply(plan_type type, plan_op op, const void *left, void *right) {
  if (type == PLAN_AFFINE) {
    affine f, g;
    memcpy(&f, left, sizeof f);
    memcpy(&g, right, sizeof g);
    f = compose(f, g);
    memcpy(right, &f, sizeof f);
    return;
  }
  int64_t l = load(type, left), r = load(type, right);
  store(type, op == PLAN_SUM ? l + r : op == PLAN_PROD ? l * r : op == PLAN_MAX ? (l > r ? l : r) : (l < r ? l : r), right);
}

void types_value(plan_type type, plan_op op, int rank, size_t index, void *element) {
  uint64_t r = (uint64_t)rank, h = (r + 1) * 1000003u + index * 7919u + r * r * (index % 13) * 101u;
  if (type == PLAN_AFFINE) {
    affine f = { (uint32_t)(2 * h + 1), (uint32_t)(h >> 3) * 2654435761u + (uint32_t)r };
    memcpy(element, &f, sizeof f);
  } else if (op == PLAN_PROD) {
    store(type, 1 + (h % 11 == 0), element);
  } else {
    store(type, (int64_t)(h % 251), element);
  }
}
