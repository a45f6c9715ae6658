/* model/routes.c: the links from one position to another, by the numbers that routes.h gives them, on networks small enough to draw. */
#include "model/routes.h"

#include <stdio.h>
#include <string.h>

#include "tests/model/by_hand.h"

/* The route as text: "3 9". */
static void leads(const topology *t, int from, int to, const char *expected) {
  int32_t link[TOPOLOGY_MAX_LINE];
  char text[256] = "";
  int n = topology_route(t, from, to, link);
  for (int i = 0; i < n; i++) snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %d" : "%d", link[i]);
  check(!strcmp(text, expected), "%s from %d to %d: %s, not %s", topology_names[t->kind], from, to, text, expected);
}

/* Three leaves of two nodes; a leaf's two uplinks are 2 · leaf and the next one, its downlinks the same behind all six. */
static void fat_tree(void) {
  topology t = { .kind = TOPOLOGY_FAT_TREE, .shape = { 3, 2, 2 }, .dims = 3 };
  leads(&t, 0, 1, "");
  leads(&t, 0, 3, "1 9"); /* the destination's position, which is odd, says which uplink */
  leads(&t, 1, 2, "0 8");
  leads(&t, 5, 0, "4 6");
  leads(&t, 4, 1, "5 7");
  int used[12] = { 0 };
  for (int to = 2; to < 6; to++) {
    int32_t link[2];
    topology_route(&t, 0, to, link);
    used[link[0]]++;
    used[link[1]]++;
  }
  check(used[0] == 2 && used[1] == 2, "one node that sends to all others shares its leaf's uplinks evenly: %d and %d",
        used[0], used[1]);
  check(used[8] == 1 && used[9] == 1 && used[10] == 1 && used[11] == 1, "and so they arrive");
  check(topology_links(&t) == 12 && topology_longest(&t) == 2 && topology_positions(&t) == 6, "its size");
}

/* Three times four positions: 2 · (2 · position + dimension) goes up, the next one down. */
static void torus(void) {
  topology t = { .kind = TOPOLOGY_TORUS, .shape = { 3, 4 }, .dims = 2 };
  leads(&t, 0, 0, "");
  leads(&t, 0, 3, "3");     /* down, round the end */
  leads(&t, 0, 2, "2 6");   /* as far either way: up */
  leads(&t, 5, 9, "20");    /* from one row to the next */
  leads(&t, 1, 9, "5");     /* two rows are nearer downwards, round the end */
  leads(&t, 0, 11, "1 35"); /* the first dimension first */
  leads(&t, 11, 0, "44 14");
  check(topology_links(&t) == 48 && topology_longest(&t) == 3, "its size");
}

/* Two groups of two routers of one node: links within groups are 2 · router + place in the group, those between groups behind all eight. */
static void dragonfly(void) {
  topology t = { .kind = TOPOLOGY_DRAGONFLY, .shape = { 2, 2, 1 }, .dims = 3 };
  leads(&t, 0, 1, "1");
  leads(&t, 0, 2, "9"); /* both groups have their link at their first router */
  leads(&t, 1, 3, "2 9 5");
  leads(&t, 3, 0, "6 10");
  topology wide = { .kind = TOPOLOGY_DRAGONFLY, .shape = { 3, 2, 2 }, .dims = 3 };
  leads(&wide, 0, 1, "");
  leads(&wide, 0, 11, "1 14 9"); /* groups 0 and 2 are linked at router 1 of the one, and at router 0 of the other */
  leads(&wide, 11, 0, "10 18 2");
  check(topology_links(&wide) == 21 && topology_longest(&wide) == 3, "its size");
}

int main(void) {
  fat_tree();
  torus();
  dragonfly();
  return finish();
}
