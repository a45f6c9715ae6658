/* A file of rules: one per line, and the first that fits a call names its algorithm. Behind # stands a comment.
 *   bcast bytes 0..8KiB binomial
 *   bcast ranks 2..16 bytes 8KiB.. scatter_ring
 *   bcast builtin
 * Both ends of a range belong to it; one without a last number has no end. bytes are those of a call's block or vector. */
#ifndef COLLSCOPE_PRELOAD_RULES_H
#define COLLSCOPE_PRELOAD_RULES_H

#include "preload/choice.h"

enum { RULES_LINE = 400 };

typedef struct {
  uint64_t first, last;
} range;

typedef struct {
  coll_collective collective;
  range ranks, bytes;
  char key[CHOICE_KEY]; /* "": MPI's own function */
  char line[RULES_LINE];
} rule;

typedef struct {
  rule *rule;
  size_t n;
} rules;

/* False: file, line, what is wrong and what to do, in error[CHOICE_ERROR]. */
bool rules_read(rules *, const char *path, char *error);
bool rules_name(const rules *, coll_collective); /* does one name an algorithm for it? */
/* The key that serves the call; "": MPI's own function, as where no rule fits. */
const char *rules_find(const rules *, coll_collective, int ranks, size_t bytes);
void rules_free(rules *);

#endif
