/* Whole numbers that somebody wrote: digits and nothing else, and never more than what is asked for can hold. */
#ifndef COLLSCOPE_CORE_CATALOGUE_NUMBER_H
#define COLLSCOPE_CORE_CATALOGUE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The number that `text` begins with, and where the text goes on after its digits. False: no digit stands there (then
 * *rest is `text`), or it is more than `most`. */
static inline bool number_begins(const char *text, uint64_t most, uint64_t *value, const char **rest) {
  uint64_t n = 0;
  bool fits = true;
  *rest = text;
  for (; **rest >= '0' && **rest <= '9'; ++*rest)
    fits &= !__builtin_mul_overflow(n, 10, &n) && !__builtin_add_overflow(n, (uint64_t)(**rest - '0'), &n);
  *value = n;
  return *rest != text && fits && n <= most;
}

/* The same of a text that holds nothing else. */
static inline bool number_whole(const char *text, uint64_t most, uint64_t *value) {
  const char *rest;
  return number_begins(text, most, value, &rest) && !*rest;
}

#endif
