/* What is to happen comes in the order of its times, however often it has been moved; what was moved is forgotten. */
#include "model/event_queue.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 3000, MOVES = 200, TIMES = 1000 };
static event_queue queue; /* zero, as it is before its first use */
static double at[ITEMS];
static int32_t in[ITEMS];

/* A time of few, so that several items share one. */
static double draw(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return 1 + (state >> 8) % TIMES;
}

static void put(int i) {
  at[i] = draw();
  in[i] = event_queue_add(&queue, (uint64_t)i, at[i]);
}

/* Takes all out; returns how many came at their time, none before an earlier one, of one instant the smaller first. */
static int take_all(void) {
  int right = 0;
  double time, before = 0;
  while (event_queue_next(&queue, &time)) {
    moment *now = event_queue_take(&queue);
    uint64_t last = 0;
    for (size_t i = 0; i < now->n; i++) {
      uint64_t item = now->item[i];
      if (at[item] != time) continue; /* it has been moved */
      if (time <= before || item < last) printf("item %d at %g comes late\n", (int)item, time);
      else right++;
      at[item] = -1;
      last = item;
    }
    now->n = 0;
    before = time;
  }
  return right;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    event_queue_clear(&queue);
    for (int i = 0; i < ITEMS; i++) put(i);
    for (int k = 0; k < MOVES; k++)
      for (int i = 0; i < ITEMS; i++) {
        event_queue_leave(&queue, in[i]);
        put(i);
      }
    if (queue.moment_cap > 16 * ITEMS) return printf("%zu moments are kept of %d items\n", queue.moment_cap, ITEMS), 1;
    int right = take_all();
    if (right != ITEMS) return printf("%d of %d items came at their time\n", right, ITEMS), 1;
  }
  event_queue_free(&queue);
  return 0;
}
