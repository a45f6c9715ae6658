/* What is wrong with something that somebody wrote. */
#ifndef COLLSCOPE_CORE_CATALOGUE_TEXT_H
#define COLLSCOPE_CORE_CATALOGUE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the reason to error[size]; always false, so that it can be returned. What is quoted may hold control characters, which would
 * reach a terminal: they become "?". Quote with a precision ("%.40s"), so that what comes behind is still there. */
__attribute__((format(printf, 3, 4))) static inline bool say(char *error, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error, size, format, list);
  va_end(list);
  for (char *c = error; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
  return false;
}

#endif
