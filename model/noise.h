/* How long messages take beyond their curve, or less: no two of a kind take the same time. What was measured of it is a function of
 * quantiles, linear between its knots, by class of link and size. A draw gives every message a time of its own, which depends on
 * nothing but the draw's number and the message's: not on what else is timed, nor on the order of events. */
#ifndef COLLSCOPE_MODEL_NOISE_H
#define COLLSCOPE_MODEL_NOISE_H

#include <stdint.h>

#include "model/reader.h"

enum { NOISE_KNOTS = 32 };

/* From `from` bytes up (until the next piece): of all messages this part takes at most so many seconds longer than the curve says. */
typedef struct {
  size_t from;
  int knots;
  double part[NOISE_KNOTS], seconds[NOISE_KNOTS];
} noise_piece;
typedef struct {
  noise_piece *piece;
  int pieces;
} noise_curve;

/* noise CLASS FROM_BYTES PART SECONDS: one knot; those of a piece follow each other, PART from 0 to 1. */
bool noise_line(const reader *, noise_curve *);
/* Whether the last piece ends with part 1. */
bool noise_finish(const noise_curve *, const file_line *);
void noise_free(noise_curve *);

/* Seconds that a message takes beyond its curve in this draw; 0 where nothing is known of its class. */
double noise_of(const noise_curve *, uint64_t bytes, uint64_t draw, int32_t message);

#endif
