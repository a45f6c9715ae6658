#include "model/reader.h"

#include <errno.h>
#include <stdlib.h>

#include "core/plan/plan.h"

const reader_limits reader_seconds = { 1e-18, 1e3 }, reader_per_byte = { 1e-18, 1 }, reader_rate = { 1, 1e18 },
                    reader_amount = { 1, (double)PLAN_MAX_BYTES }, reader_traffic = { 1e-12, 1e6 },
                    reader_bound = { 1e-18, 1e3 };

bool reader_number(const reader *r, int i, const char *what, reader_limits can_be, double *value) {
  char *end;
  *value = strtod(r->word[i], &end);
  if (end != r->word[i] && !*end && (*value == 0 || (*value >= can_be.least && *value <= can_be.most))) return true;
  return line_wrong(&r->line, "%.40s: %s must be a number from %g to %g, or 0", r->word[i], what, can_be.least,
                    can_be.most);
}

bool reader_whole(const reader *r, int i, const char *what, long long min, long long max, long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(r->word[i], &end, 10);
  if (errno || end == r->word[i] || *end || *value < min || *value > max)
    return line_wrong(&r->line, "%.40s: %s must be a whole number from %lld to %lld", r->word[i], what, min, max);
  return true;
}
