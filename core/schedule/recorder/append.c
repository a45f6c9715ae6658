/* Writing down an operation, or what is wrong with it. */
#include <stdarg.h>
#include <stdio.h>

#include "core/schedule/array.h"
#include "core/schedule/recorder/recorder.h"

static void describe(recorder *s, const char *where, const char *format, va_list list) {
  char *error = s->record.error;
  size_t size = sizeof s->record.error;
  size_t n = (size_t)snprintf(error, size, "rank %d: ", s->rank);
  n += (size_t)vsnprintf(error + n, size - n, format, list);
  if (s->site && n < size) snprintf(error + n, size - n, "; %s %s", where, s->site);
}

void rec_fail(recorder *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  describe(s, "called at", format, list);
  va_end(list);
  siglongjmp(s->leave, STOP_ERROR);
}

void rec_complain(recorder *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  describe(s, "its last operation was called at", format, list);
  va_end(list);
}

void rec_more_room(recorder *s) {
  rec_rank *k = s->now;
  /* Ranks do much the same: the last one's length is a good guess. */
  size_t guess = s->rank ? s->record.rank[s->rank - 1].n + 8 : 64;
  size_t cap = k->cap ? 2 * k->cap : guess < 64 ? 64 : guess;
  if (k->n >= s->most) {
    s->record.endless = true;
    rec_fail(s, "records more than %zu operations: it seems to loop for ever", s->most);
  }
  if (cap > s->most) cap = s->most;
  k->op = array_grow(k->op, sizeof *k->op * cap);
  if (s->sited) k->site = array_grow(k->site, sizeof *k->site * cap);
  k->cap = cap;
}
