/* scan/binary_tree[s]
 * Idea     a binary tree in the order of ranks: sums of parts go up it in segments, and sums of all ranks before a part come down, in the same
 *          exchanges. A rank has at most three for a segment
 * Rounds   at most 4 h - 3 + 3 (n/s - 1) for p = 2^h - 1
 * Cost     no closed form; about (3 n/s + 4 lg p) (alpha + s (beta + gamma))          n = bytes
 * Needs    any p, any count; keeps the rank order
 * Scratch  three segments
 * Source   Sanders and Träff 2006, Parallel prefix (scan) algorithms for MPI, doi:10.1007/11846802_15: the doubly pipelined tree
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5        one segment; rank 3 is the root, 1 and 5 are below it
 *  start   a        b        c        d        e        f
 *  1       a        ab       c        d        e        ef            0 → 1, 4 → 5
 *  2       a        ab       c        d        e        ef            2 → 1: abc goes up
 *  3       a        ab       c        abcd     e        ef            1 → 3
 *  4       a        ab       abc      abcd     e        X             1 → 2: ab; 3 → 5: abcd, X = abcdef
 *  5       a        ab       abc      abcd     abcde    X             5 → 4: abcd
 */
#include "patterns/segment.h"
#include "primitives/prefix_tree.h"

static void run(coll_ctx *c, const coll_args *a) { coll_prefix_tree(c, a, (size_t)a->param[0], true); }

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg scan_binary_tree = {
  .key = "scan/binary_tree",
  .collective = COLL_SCAN,
  .summary = "segments up and down a binary tree in the order of ranks, at the same time",
  .source = "Sanders and Träff 2006, doi:10.1007/11846802_15",
  .params = params,
  .run = run,
};
