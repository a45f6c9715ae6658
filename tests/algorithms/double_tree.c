/* double_tree: the two binary trees of patterns/double_tree.h, for every p up to 300, in both forms. */
#include <stdbool.h>
#include <stdio.h>

#include "patterns/double_tree.h"
#include "patterns/lg.h"
#include "tests/algorithms/check.h"

enum { MAX_SIZE = 300 };

static void trees(coll_double_tree_form form, int p, int root) {
  static coll_double_tree place[2][MAX_SIZE];
  int in_both = 0;
  for (int side = 0; side < 2; side++) {
    bool nccl = form == COLL_DOUBLE_TREE_NCCL, mirrored = p % 2 == 0;
    int top = nccl ? !side ? 0 : mirrored ? p - 1 : 1 % p : root, edges = 0;
    for (int r = 0; r < p; r++) place[side][r] = coll_double_tree_place(form, side, p, root, r);
    for (int r = 0; r < p; r++) {
      const coll_double_tree *t = &place[side][r];
      CHECK((t->parent < 0) == (r == top), "p=%d root=%d tree %d rank %d", p, root, side, r);
      for (int i = 0; i < t->children; i++)
        CHECK(place[side][t->child[i]].parent == r, "p=%d root=%d tree %d rank %d", p, root, side, r);
      edges += t->children;
      int depth = 0;
      for (int at = r; place[side][at].parent >= 0 && depth <= p; depth++) at = place[side][at].parent;
      CHECK(depth <= coll_lg_up(p), "p=%d root=%d tree %d rank %d is at depth %d", p, root, side, r, depth);
    }
    CHECK(edges == p - 1 && place[side][top].children <= 1, "p=%d root=%d tree %d: %d edges", p, root, side, edges);
  }
  for (int r = 0; r < p; r++) in_both += place[0][r].children && place[1][r].children;
  CHECK(in_both <= (p == 3 && form == COLL_DOUBLE_TREE_NCCL ? 2 : 1),
        "p=%d root=%d: %d ranks have children in both trees", p, root, in_both);

  /* Steps: a parent has the segment before, and no rank has two of its edges busy in one step on the same side. */
  static int step[2 * MAX_SIZE];
  coll_double_tree_steps(form, p, root, step);
  for (int r = 0; r < p; r++) {
    int parity[2][2] = { { 0 } };
    for (int side = 0; side < 2; side++) {
      const coll_double_tree *t = &place[side][r];
      int own = step[side * p + r];
      CHECK(t->parent < 0 ? own == -1 : own >= 0 && own <= 2 * coll_lg_up(p) + 1, "p=%d tree %d rank %d: %d", p, side,
            r, own);
      if (t->parent >= 0) parity[0][own % 2]++;
      for (int i = 0; i < t->children; i++) {
        int next = step[side * p + t->child[i]];
        CHECK(next > own, "p=%d root=%d tree %d: %d to %d", p, root, side, r, t->child[i]);
        parity[1][next & 1]++;
      }
    }
    for (int i = 0; i < 2; i++)
      for (int odd = 0; odd < 2; odd++)
        CHECK(parity[i][odd] <= 1, "p=%d root=%d rank %d: two edges in one step", p, root, r);
  }
}

int main(void) {
  for (int p = 1; p <= MAX_SIZE; p++) {
    trees(COLL_DOUBLE_TREE_NCCL, p, 0);
    for (int root = 0; root < p; root += 1 + p / 10) trees(COLL_DOUBLE_TREE_ROOTED, p, root);
  }
  printf("%ld checks, %d failed\n", checked, failed);
  return failed != 0;
}
