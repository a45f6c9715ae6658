/* What is to happen, by time. Schedules are regular, so many things happen at the same instant: a heap of the different
 * times, and a list for each. An item is a number; of one instant the smaller come first. */
#ifndef COLLSCOPE_MODEL_EVENT_QUEUE_H
#define COLLSCOPE_MODEL_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  double time;
  uint64_t *item;
  size_t n, cap;
  size_t left; /* items that have not been moved to another time */
} moment;

/* A moment in the heap of those that are to come. */
typedef struct {
  double time;
  int32_t moment;
} due_moment;

enum { RECENT_BITS = 10, RECENT = 1 << RECENT_BITS };
typedef struct {
  moment *moment;
  size_t moments, moment_cap;
  int32_t *idle;
  size_t idle_n, idle_cap; /* moments that are over */
  due_moment *due;
  size_t due_n, due_cap;  /* a heap of moments by time */
  size_t left_n;          /* of these, moments whose items have all been moved */
  int32_t recent[RECENT]; /* moments lately added to, by a hash of their time */
} event_queue;

void event_queue_clear(event_queue *); /* nothing is to happen; before the first use, too */
int32_t event_queue_add(event_queue *, uint64_t item, double time); /* returns the moment */
/* One of its items counts no more. */
static inline void event_queue_leave(event_queue *m, int32_t at) {
  if (!--m->moment[at].left) m->left_n++;
}
bool event_queue_next(event_queue *, double *time); /* when the next item happens; false: nothing is left */
/* All items of that time, those that have left among them: good until something is added. Set n to 0 when they are done. */
moment *event_queue_take(event_queue *);
void event_queue_free(event_queue *);

#endif
