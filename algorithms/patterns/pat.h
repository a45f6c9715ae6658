/* PAT, parallel aggregated trees: in which steps, and over which distances, blocks travel. The offset of a block is how far on the
 * right of a rank its owner sits. The block at offset s comes from the rank that is the lowest one-bit of s away, where it is
 * known at that much less: p binomial trees, one a block, far distances first.
 *
 * With P the power of two from p on, a blocks are to travel together, D = P/a apart. First the multiples of D are fetched, as
 * Bruck would, from distance P/2 on; then for each t = 1 … D-1 the a offsets t, D + t, 2D + t, … at once, t in the order of its
 * tree walked in depth, so that few blocks are under way at any time.
 *
 *   p = 8, a = 1   offsets 4 | 6 | 7 | 5 | 2 | 3 | 1
 *   p = 8, a = 2           4 | 2 6 | 3 7 | 1 5
 *   p = 8, a = 4           4 | 2 6 | 1 3 5 7          the most: P/2
 */
#ifndef COLLSCOPE_PATTERNS_PAT_H
#define COLLSCOPE_PATTERNS_PAT_H

/* The blocks at offsets first, first + gap, … below p travel over this distance. */
typedef struct {
  int distance, first, gap;
} coll_pat_step;

/* Blocks of a step; 0: nobody sends. */
static inline int coll_pat_blocks(int p, coll_pat_step s) { return s.first < p ? (p - 1 - s.first) / s.gap + 1 : 0; }

/* Fills in the steps that move something, in order, and returns how many: p-1 at most. step NULL: counts them. a is a power of two;
 * more than P/2 is P/2. */
static inline int coll_pat_steps(int p, long a, coll_pat_step *step) {
  int n = 0, power = 1;
  while (power < p) power *= 2;
  int apart = power;
  while (apart > 2 && power / apart * 2 <= a) apart /= 2;
  for (int distance = power / 2; distance >= apart; distance /= 2) {
    coll_pat_step s = { distance, distance, 2 * distance };
    if (!coll_pat_blocks(p, s)) continue;
    if (step) step[n] = s;
    n++;
  }
  for (int t = apart / 2; t;) {
    int low = t & -t, up = t - 1;
    coll_pat_step s = { low, t, apart };
    if (coll_pat_blocks(p, s)) {
      if (step) step[n] = s;
      n++;
    }
    t = low > 1 ? t + low / 2 : up ? up - (up & -up) / 2 : 0; /* down; or to the next on the right of the one above */
  }
  return n;
}

#endif
