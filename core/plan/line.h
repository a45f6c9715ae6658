/* What is wrong with a line of a file that somebody wrote: "FILE:LINE: …". */
#ifndef COLLSCOPE_CORE_PLAN_LINE_H
#define COLLSCOPE_CORE_PLAN_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  const char *path;
  int number;
  char *error;
  size_t size;
} file_line; /* the message goes to error[size] */

/* Always false, so that it can be returned. */
__attribute__((format(printf, 2, 3))) static inline bool line_wrong(const file_line *l, const char *format, ...) {
  int n = snprintf(l->error, l->size, "%s:%d: ", l->path, l->number);
  if (n >= 0 && (size_t)n < l->size) {
    va_list list;
    va_start(list, format);
    vsnprintf(l->error + n, l->size - (size_t)n, format, list);
    va_end(list);
  }
  return false;
}

#endif
