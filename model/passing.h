/* Full links that some members of a bundle cross without being stuck there: others on it get more than they do, so it does not matter
 * to which of them the link belongs, and bundles are not divided by it. Of each such link a bundle has one crossing for all of these
 * members together. What makes use of it is bundles.c. */
#ifndef COLLSCOPE_MODEL_PASSING_H
#define COLLSCOPE_MODEL_PASSING_H

#include "model/flows.h"

typedef struct {
  int32_t resource; /* NONE: nothing is here */
  int32_t place;    /* of its crossing, while there are members */
  uint32_t members;
  double weight; /* of one member */
} passing;

/* Of one bundle, by link. */
typedef struct {
  passing *at; /* [size], a power of two: where one's place is taken, it is in the next that is free */
  uint32_t size, used;
} passing_table;

/* So many more members of the bundle that flow g stands for pass this link. Flows may move to other addresses. */
void passing_add(fluid *, passing_table *, int32_t g, int32_t link, double weight, uint32_t members);
/* So many fewer. */
void passing_remove(fluid *, passing_table *, int32_t link, double weight, uint32_t members);
/* Nobody passes this link any more. */
void passing_forget(fluid *, passing_table *, int32_t link);
void passing_clear(passing_table *);

#endif
