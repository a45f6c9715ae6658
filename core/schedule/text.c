/* Saying what went wrong, and what things are called. */
#include "core/schedule/parts.h"

#include <stdarg.h>
#include <stdio.h>

const char *record_kind_name(int kind)
{
  static const char *const names[] = {"send", "recv", "isend", "irecv", "recv_any", "wait", "reduce", "copy",
                                      "seg_write", "seg_read", "publish", "await"};
  return names[kind];
}

const char *record_buffer_name(int buf, char *text, size_t size)
{
  static const char *const names[] = {"in", "out", "scratch"};
  if (buf < REC_SEGMENT) snprintf(text, size, "%s", names[buf]);
  else snprintf(text, size, "segment %d", buf - REC_SEGMENT);
  return text;
}

__attribute__((format(printf, 2, 3), noreturn)) void rec_fail(recorder *s, const char *format, ...)
{
  char *error = s->record.error;
  size_t size = sizeof s->record.error;
  int n = snprintf(error, size, "rank %d: ", s->rank);
  va_list list;
  va_start(list, format);
  vsnprintf(error + n, size - (size_t)n, format, list);
  va_end(list);
  siglongjmp(s->leave, STOP_ERROR);
}
