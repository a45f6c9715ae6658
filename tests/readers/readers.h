/* The readers, one interface for all: a file of some kind, and what is said of it. */
#ifndef COLLSCOPE_TESTS_READERS_READERS_H
#define COLLSCOPE_TESTS_READERS_READERS_H

#include <stdbool.h>
#include <stddef.h>

enum { READER_ERROR = 512 };

/* Reads the file as "plan", "key", "machine", "places", "shape" or "recorded", and goes on with what it says as a program would.
 * False, with the reason, when it is refused. Ends the program when there is no such kind. */
bool reader_takes(const char *kind, const char *path, char error[READER_ERROR]);

/* Calls `take` with every file of corpus/KIND, in the order of their names; ends the program where it is empty. */
void corpus_each(const char *corpus, const char *kind, void (*take)(const char *path, void *self), void *self);

extern const char *const reader_kinds[]; /* ends with NULL */

#endif
