/* collscope-prove --plan FILE: proving the points of a plan. */
#ifndef COLLSCOPE_PROVE_POINTS_H
#define COLLSCOPE_PROVE_POINTS_H

#include <stdbool.h>

typedef struct {
  bool costs, schedule;
} points_wanted;

/* Prints a JSON line a point; places: the file that says where ranks sit, or NULL. Returns the exit status: 0, 1 when a proof
 * failed, 2 when the request makes no sense. */
int points_main(const char *plan, const char *places, points_wanted);

#endif
