/* What the environment says: which algorithm serves which collective, and what is written down. */
#ifndef COLLSCOPE_PRELOAD_SETTINGS_H
#define COLLSCOPE_PRELOAD_SETTINGS_H

#include "preload/rules.h"

enum { SETTINGS_KEY = CHOICE_KEY, SETTINGS_ERROR = CHOICE_ERROR };

/*   COLLSCOPE_BCAST=knomial[k=4]      one variable per collective: an algorithm, with its parameters; decision/…: a decision chooses;
 *                                     builtin: the MPI library's own function
 *   COLLSCOPE_RULES=FILE              which algorithm serves which sizes, for collectives without a variable: see preload/rules.h
 *   COLLSCOPE_REPORT=FILE             write what ran, at MPI_Finalize
 *   COLLSCOPE_PROFILE=1               the report also says how far apart ranks arrive, from samples
 *   COLLSCOPE_STRICT=0                a fault in these is a warning, and the program runs without choices */
typedef struct {
  char key[COLL_COLLECTIVES][SETTINGS_KEY]; /* full keys; "": no choice */
  bool decided[COLL_COLLECTIVES];           /* by its variable: no rule counts */
  rules rules;
  const char *report; /* NULL: none */
  bool profile, strict;
} settings;

/* Reads an environment, "NAME=value" strings up to NULL. False: what is wrong, and what to do, in error[SETTINGS_ERROR]; then there is no
 * choice in *s. */
bool settings_read(settings *s, char *const *environment, char *error);
bool settings_serves(const settings *s, coll_collective); /* is there a choice for it, for some sizes at least? */
/* The key for a call of so many bytes (see call_bytes) on so many ranks; "": MPI's own function. */
const char *settings_key(const settings *s, coll_collective, int ranks, size_t bytes);
bool settings_choose(const settings *s);                    /* is there a choice? */
uint64_t settings_digest(const settings *s, bool complete); /* equal on two ranks: so are their settings */

#endif
