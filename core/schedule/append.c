/* Writing down an operation, or what is wrong with it. */
#include <stdarg.h>
#include <stdio.h>

#include "core/schedule/array.h"
#include "core/schedule/recorder.h"

void rec_fail(recorder *s, const char *format, ...) {
  char *error = s->record.error;
  size_t size = sizeof s->record.error;
  int n = snprintf(error, size, "rank %d: ", s->rank);
  va_list list;
  va_start(list, format);
  vsnprintf(error + n, size - (size_t)n, format, list);
  va_end(list);
  siglongjmp(s->leave, STOP_ERROR);
}

void rec_more_room(recorder *s) {
  static const size_t most = (size_t)1 << 27; /* of a rank: an algorithm that records more loops for ever */
  rec_rank *k = s->now;
  /* Ranks do much the same: the last one's length is a good guess. */
  size_t guess = s->rank ? s->record.rank[s->rank - 1].n + 8 : 64;
  size_t cap = k->cap ? 2 * k->cap : guess < 64 ? 64 : guess;
  if (cap > most) rec_fail(s, "records more than %zu operations; does it loop for ever?", most / 2);
  k->op = array_grow(k->op, sizeof *k->op * cap);
  k->cap = cap;
}
