/* gather/binary_tree_chunks[s]
 * Idea     gather/binary_tree again and again, each time for the next chunk of every block; a rank starts the next
 *          chunk while its parent passes the last one on
 * Rounds   those of gather/binary_tree, and the busiest rank's two receives for each further chunk
 * Cost     no closed form: a rank sends one chunk before it receives the next
 * Needs    any p, any root, any count
 * Scratch  a chunk of each block of its subtree; at the root, too, unless one chunk is all and the root is rank 0
 * Source   Donninelli (gather_binary_tree_chunks)
 *
 *          rank 0   rank 1   rank 2        root 0, blocks of two chunks
 *  start   aA       bB       cC
 *  1       aA bc    B        C             1 → 0 and 2 → 0: first chunks, which the root moves to their places
 *  2       aAbBcC   -        -             the second chunks
 */
#include "patterns/segment.h"
#include "primitives/preorder.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t m = a->count, chunk = coll_segment(m, a->elem, (size_t)a->param[0]);
  bool root = c->rank == a->root, leaf = coll_preorder_held(c, 1, a->root) == 1, direct = chunk == m && a->root == 0;
  void *hold = root && direct ? a->out : leaf && !root ? NULL : coll_scratch(c, coll_preorder_held(c, chunk, a->root));
  for (size_t at = 0; at < m; at += chunk) {
    size_t n = m - at < chunk ? m - at : chunk;
    void *mine = hold ? hold : coll_at(c, a->in, at); /* a leaf sends from where its block lies */
    coll_copy(c, mine, coll_at(c, a->in, at), n);
    coll_preorder_gather(c, mine, n, a->root);
    if (!root || direct) continue;
    for (int v = 0; v < c->size; v++)
      coll_copy(c, coll_at(c, a->out, (size_t)((v + a->root) % c->size) * m + at), coll_at(c, hold, (size_t)v * n), n);
  }
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64L << 10), { .name = NULL } };

const coll_alg gather_binary_tree_chunks = {
  .key = "gather/binary_tree_chunks",
  .collective = COLL_GATHER,
  .summary = "binary tree in preorder, one pass for each chunk of the blocks",
  .source = "Donninelli (gather_binary_tree_chunks)",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
};
