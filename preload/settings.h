/* What the environment says: which algorithm serves which collective, and what is written down. */
#ifndef COLLSCOPE_PRELOAD_SETTINGS_H
#define COLLSCOPE_PRELOAD_SETTINGS_H

#include "core/catalogue/choice.h"

enum { SETTINGS_KEY = CHOICE_KEY, SETTINGS_ERROR = CHOICE_ERROR };

/*   COLLSCOPE_BCAST=knomial[k=4]      one variable per collective: an algorithm, with its parameters; decision/…: a decision chooses;
 *                                     builtin: the MPI library's own function
 *   COLLSCOPE_RULES=FILE              which algorithm serves which sizes, for collectives without a variable: see core/catalogue/decision_file.h
 *   COLLSCOPE_REPORT=FILE             write what ran, at MPI_Finalize
 *   COLLSCOPE_PROFILE=1               the report also says how far apart ranks arrive, from samples
 *   COLLSCOPE_PROGRESS=thread[cpu=N]  who advances non-blocking calls: calls (MPI's own, the default) or a thread of each rank, on core N, N+1
 *                                     … of its node; without [cpu=N] on any
 *   COLLSCOPE_STRICT=0                a fault in these is a warning, and the program runs without choices */
typedef struct {
  char key[COLL_COLLECTIVES][SETTINGS_KEY]; /* full keys; "": no choice */
  const char *rules;                        /* the file's path; NULL: none */
  const char *report;                       /* NULL: none */
  bool profile, strict;
  bool thread; /* advances non-blocking calls */
  int cpu;     /* of the node's first rank's; -1: any */
} settings;

/* Reads an environment, "NAME=value" strings up to NULL. False: what is wrong, and what to do, in error[SETTINGS_ERROR]; then there is no
 * choice in *s. */
bool settings_read(settings *s, char *const *environment, char *error);
bool settings_choose(const settings *s);                    /* is there a choice? */
uint64_t settings_digest(const settings *s, bool complete); /* equal on two ranks: so are their settings */

#endif
