/* Two rings through all ranks of a torus of `columns` × p/columns, over links alone, and no link in both.
 *
 * There are such where the rows are a multiple of the columns and have no divisor in common with columns - 1 (Bae and Bose 2003). Place s
 * is in row s / columns, one column further back in each; or the two coordinates change their parts.
 *
 *   3 × 3      one: 0 1 2 5 3 4 7 8 6            other: 0 3 6 7 1 4 5 8 2
 */
#ifndef COLLSCOPE_PATTERNS_HAMILTONIAN_H
#define COLLSCOPE_PATTERNS_HAMILTONIAN_H

/* The columns: x, or where that is 0 as many as can be. 0: there are no such rings. */
int coll_hamiltonian_columns(int p, long x);

/* The rank at a place, 0 … p-1, of ring 0 or 1. */
int coll_hamiltonian_rank(int p, int columns, int ring, int place);

#endif
