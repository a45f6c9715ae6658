/* The text that chooses an algorithm for a collective: "knomial[k=4]", "bcast/knomial", "decision/ompi_4_1", "builtin"; not a decision
 * from a file. */
#ifndef COLLSCOPE_CORE_CATALOGUE_CHOICE_H
#define COLLSCOPE_CORE_CATALOGUE_CHOICE_H

#include "collscope.h"

enum { CHOICE_KEY = 320, CHOICE_ERROR = 640 };

/* Writes the full key to key[CHOICE_KEY], "" for builtin. False: what is wrong, behind the label, and what to do, in error[CHOICE_ERROR]. */
bool choice_read(const char *label, coll_collective, const char *text, char *key, char *error);

#endif
