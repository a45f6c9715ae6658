#include "driver.h"

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

/* One loop for each type and operator, so that the compiler can make them fast. */
#define COMBINE(T) do { \
    const T *l = left; \
    T *r = right; \
    switch (op) { \
      case PLAN_SUM: for (size_t i = 0; i < n; i++) r[i] = (T)(l[i] + r[i]); break; \
      case PLAN_PROD: for (size_t i = 0; i < n; i++) r[i] = (T)(l[i] * r[i]); break; \
      case PLAN_MAX: for (size_t i = 0; i < n; i++) r[i] = l[i] > r[i] ? l[i] : r[i]; break; \
      default: for (size_t i = 0; i < n; i++) r[i] = l[i] < r[i] ? l[i] : r[i]; break; \
    } \
  } while (0)

void types_apply(plan_type type, plan_op op, const void *left, void *right, size_t n) {
  switch (type) {
    case PLAN_FLOAT: COMBINE(float); break;
    case PLAN_DOUBLE: COMBINE(double); break;
    case PLAN_INT: COMBINE(int); break;
    case PLAN_BYTE: COMBINE(unsigned char); break;
    case PLAN_LONG: COMBINE(int64_t); break;
    default:
      for (size_t i = 0; i < n; i++) ((affine *)right)[i] = compose(((const affine *)left)[i], ((affine *)right)[i]);
  }
}

void types_values(plan_type type, plan_op op, int rank, size_t first, size_t n, void *elements) {
  uint64_t r = (uint64_t)rank;
  for (size_t i = 0; i < n; i++) {
    uint64_t h = (r + 1) * 1000003u + (first + i) * 7919u + r * r * ((first + i) % 13) * 101u;
    unsigned v = op == PLAN_PROD ? 1 + (h % 11 == 0) : (unsigned)(h % 251);
    switch (type) {
      case PLAN_FLOAT: ((float *)elements)[i] = (float)v; break;
      case PLAN_DOUBLE: ((double *)elements)[i] = v; break;
      case PLAN_INT: ((int *)elements)[i] = (int)v; break;
      case PLAN_BYTE: ((unsigned char *)elements)[i] = (unsigned char)v; break;
      case PLAN_LONG: ((int64_t *)elements)[i] = v; break;
      default:
        ((affine *)elements)[i] = (affine){ (uint32_t)(2 * h + 1), (uint32_t)(h >> 3) * 2654435761u + (uint32_t)r };
    }
  }
}
