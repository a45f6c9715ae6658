/* CHECK(condition, FORMAT, …) for the tests of rank arithmetic: counts, and prints the first failures. */
#ifndef COLLSCOPE_TESTS_ALGORITHMS_CHECK_H
#define COLLSCOPE_TESTS_ALGORITHMS_CHECK_H

#include <stdio.h>

static int failed;
static long checked;

#define CHECK(what, ...)                                         \
  do {                                                           \
    checked++;                                                   \
    if (!(what) && failed++ < 20) {                              \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #what); \
      fprintf(stderr, __VA_ARGS__);                              \
      fputc('\n', stderr);                                       \
    }                                                            \
  } while (0)

#endif
