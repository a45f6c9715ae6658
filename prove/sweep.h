/* Every registered algorithm, proven over ranks, roots, counts, operators and in place. */
#ifndef COLLSCOPE_PROVE_SWEEP_H
#define COLLSCOPE_PROVE_SWEEP_H

#include "prove/prover.h"

enum { SWEEP_KEYS = 64, SWEEP_COUNTS = 32, SWEEP_RANKS = 4096 };

typedef struct {
  const char *key[SWEEP_KEYS]; /* full keys; none: all that are registered */
  int keys;
  int rank[SWEEP_RANKS], ranks; /* numbers of ranks */
  size_t count[SWEEP_COUNTS];   /* none: 0, 1, p, p+1, 1000 */
  int counts;
  bool costs;    /* compare cost() with the critical path where exact() holds */
  bool variants; /* other parameters and places too, on fewer points */
} sweep_options;

/* Prints a table, one line per algorithm. Returns 0, 1 when something failed, 2 with error[size] when a key is not known.
 */
int sweep_main(const sweep_options *, char *error, size_t size);

enum { MODEL_DRAWS = 100000 };
/* Points of a plan, or with plan NULL the schedule of a file, timed on a model of a machine (model.c). Returns the exit status: 0, 1 failure, 2 usage. */
typedef struct {
  bool trace, holdings, explain, traffic; /* what a reply contains beside the time */
  bool write;                             /* instead: the schedule as text */
  int draws;                              /* of the machine's noise: so many times more; 0: none */
  const char *others;                     /* a file with the names of more machines; NULL: none */
  size_t bundle_after;                    /* of timing_result */
} model_request;
int model_main(const char *machine, const char *plan, const char *schedule, model_request);

/* What decision tables take for a call, which the words name=value describe. Returns the exit status. */
int decide_main(int words, char **word);

/* All rules of all decision tables. */
int rules_main(int words, char **word);

#endif
