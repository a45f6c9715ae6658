/* A torus over ranks 0 … p-1, numbered with the first extent running fastest. Dimensions that are not used have extent 1.
 *
 *   12 ranks, x=4: extents 4 and 3     rank 6 is at (2, 1); its neighbours are 5 and 7 in the first dimension, 2 and 10 in the second
 */
#ifndef COLLSCOPE_PATTERNS_TORUS_H
#define COLLSCOPE_PATTERNS_TORUS_H

enum { COLL_TORUS = 3 };

typedef struct {
  int p, extent[COLL_TORUS];
  int dims, dim[COLL_TORUS]; /* the dimensions with more than one rank */
} coll_torus;

/* x, y: extents of the first two dimensions, 0 where none is given. None: two dimensions, as near to a square as can be; one: the other is
 * what is left; both: what is left is a third. Returns NULL, or why it cannot be done. */
const char *coll_torus_make(coll_torus *, int p, long x, long y);

/* A rank's coordinate in dimension d, and the rank that is `by` further on in it, modulo the extent. */
int coll_torus_at(const coll_torus *, int rank, int d);
int coll_torus_moved(const coll_torus *, int rank, int d, int by);

#endif
