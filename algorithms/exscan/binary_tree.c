/* exscan/binary_tree[s]
 * Idea     a binary tree in the order of ranks: sums of parts go up it in segments, and sums of all ranks before a part come down, in the same
 *          exchanges. A rank has at most three for a segment
 * Rounds   at most 4 h - 3 + 3 (n/s - 1) for p = 2^h - 1
 * Cost     no closed form; about (3 n/s + 4 lg p) (alpha + s (beta + gamma))          n = bytes
 * Needs    any p, any count; keeps the rank order
 * Scratch  three segments
 * Source   Sanders and Träff 2006, Parallel prefix (scan) algorithms for MPI, doi:10.1007/11846802_15: the doubly pipelined tree
 *
 *          rank 0   rank 1   rank 2   rank 3        results; one segment; rank 2 is the root, 1 and 3 are below it
 *  start   -        -        -        -
 *  1       -        a        -        -             0 → 1: a
 *  2       -        a        ab       -             1 → 2: ab
 *  3       -        a        ab       abc           2 → 3: abc
 */
#include "patterns/segment.h"
#include "primitives/prefix_tree.h"

static void run(coll_ctx *c, const coll_args *a) { coll_prefix_tree(c, a, (size_t)a->param[0], false); }

/* In place a rank's own would be gone when the sum of the ranks before has come. */
static const char *supports(const coll_args *a) { return a->in_place ? "needs two buffers" : NULL; }

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg exscan_binary_tree = {
  .key = "exscan/binary_tree",
  .collective = COLL_EXSCAN,
  .summary = "segments up and down a binary tree in the order of ranks, at the same time",
  .source = "Sanders and Träff 2006, doi:10.1007/11846802_15",
  .params = params,
  .supports = supports,
  .run = run,
};
