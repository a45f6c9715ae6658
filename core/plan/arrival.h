/* Arrival patterns: by how much each rank enters a call later than the first one.
 *
 *   none                       all together
 *   linear:T                   rank r of p after T r/(p-1) seconds
 *   random:T[:SEED]            each after its own part of T, evenly distributed; the same for one seed, rank and T (seed 1)
 *   one_late:T[:RANK]          one rank after T, the others at once (the last rank)
 *   file:PATH                  one line per rank, with its seconds
 *
 * T is in seconds. Times are from the first arrival. */
#ifndef COLLSCOPE_CORE_PLAN_ARRIVAL_H
#define COLLSCOPE_CORE_PLAN_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRIVAL_PATH = 256 };
typedef enum {
  ARRIVAL_NONE,
  ARRIVAL_LINEAR,
  ARRIVAL_RANDOM,
  ARRIVAL_ONE_LATE,
  ARRIVAL_FILE,
  ARRIVAL_KINDS
} arrival_kind;
typedef struct {
  arrival_kind kind;
  double seconds;
  uint64_t seed;
  int rank; /* -1: the last one */
  char path[ARRIVAL_PATH];
} arrival;

/* Reads a pattern as above. Returns NULL, or what is wrong with it. */
const char *arrival_parse(arrival *, const char *text);
bool arrival_same(const arrival *, const arrival *);
/* Fills late_s[ranks], none of them negative and the least 0. False with what is wrong: a rank that there is not, or the file. */
bool arrival_times(const arrival *, int ranks, double *late_s, char *error, size_t size);
double arrival_last(const double *late_s, int ranks); /* the largest; late_s NULL: 0 */

#endif
