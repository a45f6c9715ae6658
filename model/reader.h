/* A line of a machine file, cut into words, and the numbers in it. */
#ifndef COLLSCOPE_MODEL_READER_H
#define COLLSCOPE_MODEL_READER_H

#include "core/plan/line.h"

enum { READER_WORDS = 264 };

typedef struct {
  file_line line;
  char *word[READER_WORDS];
  int words;
} reader;

/* What a number can be besides 0: as in python/collscope/machines/plausible.py. Beyond these, times are added that a double cannot
 * tell from nothing, and shares of a link become 0 or infinite. */
typedef struct {
  double least, most;
} reader_limits;
extern const reader_limits reader_seconds, reader_per_byte, reader_rate, reader_amount, reader_traffic, reader_bound;

/* The number in word i, called `what` in a complaint; false with that. */
bool reader_number(const reader *, int i, const char *what, reader_limits, double *value);
bool reader_whole(const reader *, int i, const char *what, long long min, long long max, long long *value);

#endif
