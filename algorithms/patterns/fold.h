/* Folding p ranks to the largest power of two below: the first 2·extra ranks form pairs (0,1) (2,3) …, of which one
 * stays. Those who stay get virtual ranks 0 … power-1 in order.
 *
 *   p = 6, power 4, extra 2    rank            0  1  2  3  4  5
 *                              the odd stays   -  0  -  1  2  3
 *                              the even stays  0  -  1  -  2  3
 */
#ifndef COLLSCOPE_PATTERNS_FOLD_H
#define COLLSCOPE_PATTERNS_FOLD_H

typedef enum { COLL_FOLD_EVEN, COLL_FOLD_ODD } coll_fold_stays;

typedef struct {
  int power, lg, extra;
  coll_fold_stays stays;
} coll_fold;

static inline coll_fold coll_fold_make(int p, coll_fold_stays stays) {
  coll_fold f = { 1, 0, 0, stays };
  while (f.power * 2 <= p) {
    f.power *= 2;
    f.lg++;
  }
  f.extra = p - f.power;
  return f;
}

/* Virtual rank; -1 for those who do not stay. */
static inline int coll_fold_virtual(coll_fold f, int rank) {
  if (rank >= 2 * f.extra) return rank - f.extra;
  return rank % 2 == (int)f.stays ? rank / 2 : -1;
}

static inline int coll_fold_real(coll_fold f, int v) { return v < f.extra ? 2 * v + (int)f.stays : v + f.extra; }

/* The first of the real ranks behind virtual rank v: a pair or one. v = power is allowed. */
static inline int coll_fold_first(coll_fold f, int v) { return v < f.extra ? 2 * v : v + f.extra; }

#endif
