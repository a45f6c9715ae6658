/* A heap of messages by the time of their next event; of two at once the one that was put in first comes first. */
#ifndef COLLSCOPE_MODEL_EVENTS_H
#define COLLSCOPE_MODEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  double time;
  uint32_t order;
  int32_t id;
} event;

typedef struct {
  event *heap;
  size_t n, cap;
  uint32_t *where;
  size_t where_cap; /* place of each message in the heap */
  uint32_t order;
} events;

void events_clear(events *, size_t ids); /* nothing is in it; ids to come are below `ids` */
void events_free(events *);
void events_push(events *, int32_t id, double time);
void events_move(events *, int32_t id, double time); /* put in if it is not there */
event events_pop(events *);

#endif
