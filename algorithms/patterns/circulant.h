/* The circulant graph: in round k every rank sends to the rank skip[k] further on and receives from the one skip[k] before it,
 * modulo p. skip[q] = p with q = ⌈lg p⌉, and going down each skip is half of the one above, rounded up: skip[0] = 1.
 *
 *   p = 11   skips 1 2 3 6 11        p = 16   skips 1 2 4 8 16
 *
 * A broadcast of any number of blocks goes over it in as few rounds as there can be (Träff, arXiv 2407.18004). Virtual rank
 * v = (rank - root) mod p repeats a schedule of q rounds, in which it receives block receive[k] and sends block send[k] in
 * round k; each time around all numbers are q higher. Negative numbers are blocks of the time before:
 *
 *   - what v sends in a round, v + skip[k] receives in it;
 *   - in q rounds v receives -1, -2, …, -q but for base - q, in whose place it receives base, its base block;
 *   - what v sends it has received in an earlier round of these q, or it is base - q, its base block of the time before;
 *   - the root, which receives nothing, sends 0, 1, …, q-1.
 */
#ifndef COLLSCOPE_PATTERNS_CIRCULANT_H
#define COLLSCOPE_PATTERNS_CIRCULANT_H

enum { COLL_CIRCULANT_ROUNDS = 31 };

typedef struct {
  int p, q, skip[COLL_CIRCULANT_ROUNDS + 1];
} coll_circulant;

typedef struct {
  int send[COLL_CIRCULANT_ROUNDS], receive[COLL_CIRCULANT_ROUNDS]; /* of the root, what it receives means nothing */
} coll_circulant_blocks;

coll_circulant coll_circulant_make(int p);

/* The block that comes to v along as few and as long skips as can be: the last of them when the longest that fits is taken
 * again and again. q for the root. */
int coll_circulant_base(const coll_circulant *, int v);

/* The schedule of virtual rank v, in time and memory O(lg p). */
coll_circulant_blocks coll_circulant_schedule(const coll_circulant *, int v);

/* Who v sends a block to in a round of a broadcast, and which; and the same of what it receives. Virtual ranks; block -1: no
 * message. Rounds are counted from 0 to blocks + q - 2; p >= 2. */
typedef struct {
  int to, from;
  long send, receive;
} coll_circulant_step;
coll_circulant_step coll_circulant_step_of(const coll_circulant *, const coll_circulant_blocks *, int v, long blocks,
                                           long round);

#endif
