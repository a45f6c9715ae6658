#include "core/plan/values.h"

/* (a, b) stands for x -> a·x + b over 32-bit integers: composing is associative and does not commute. */
typedef struct {
  uint32_t a, b;
} affine;

static affine compose(affine f, affine g) { return (affine){ f.a * g.a, f.a * g.b + f.b }; }

/* One loop for each type and operator, so that the compiler can make them fast. */
#define COMBINE(T)                                                       \
  do {                                                                   \
    const T *l = left;                                                   \
    T *r = right;                                                        \
    switch (op) {                                                        \
      case PLAN_SUM:                                                     \
        for (size_t i = 0; i < n; i++) r[i] = (T)(l[i] + r[i]);          \
        break;                                                           \
      case PLAN_PROD:                                                    \
        for (size_t i = 0; i < n; i++) r[i] = (T)(l[i] * r[i]);          \
        break;                                                           \
      case PLAN_MAX:                                                     \
        for (size_t i = 0; i < n; i++) r[i] = l[i] > r[i] ? l[i] : r[i]; \
        break;                                                           \
      default:                                                           \
        for (size_t i = 0; i < n; i++) r[i] = l[i] < r[i] ? l[i] : r[i]; \
        break;                                                           \
    }                                                                    \
  } while (0)

void values_apply(plan_type type, plan_op op, const void *left, void *right, size_t n) {
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

enum { BYTE = 255 };

/* A rank's part of a sum of bytes; of more than 255 ranks, 255 have a one at each place. */
static unsigned addend(int ranks, uint64_t rank, uint64_t place, uint64_t h) {
  if (ranks <= BYTE) return (unsigned)(h % (BYTE / (unsigned)ranks + 1));
  return (rank + place) % (unsigned)ranks < BYTE;
}

void values_make(plan_type type, plan_op op, int ranks, int rank, size_t first, size_t n, void *elements) {
  uint64_t r = (uint64_t)rank;
  for (size_t i = 0; i < n; i++) {
    uint64_t h = (r + 1) * 1000003u + (first + i) * 7919u + r * r * ((first + i) % 13) * 101u;
    unsigned v = op == PLAN_PROD ? 1 + (h % 11 == 0) : (unsigned)(h % 251);
    if (type == PLAN_BYTE && op == PLAN_SUM) v = addend(ranks, r, first + i, h);
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
