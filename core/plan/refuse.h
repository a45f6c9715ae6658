/* How the prover declines a request: a line on standard error, and the exit status of a mistaken call. */
#ifndef COLLSCOPE_CORE_PLAN_REFUSE_H
#define COLLSCOPE_CORE_PLAN_REFUSE_H

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 1, 2))) static inline int refuse(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("collscope-prove: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return 2;
}

#endif
