/* collscope-prove --schedule FILE: a schedule that somebody wrote, or that --write has written. */
#ifndef COLLSCOPE_PROVE_FILE_H
#define COLLSCOPE_PROVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/schedule/schedule.h"

/* Proves it and prints one JSON line, as points.c does of a point of a plan: algorithm is what the file says it is of, or "";
 * elem and commutes stand beside the rest of the call, and
 * one_arrival_order: a recv_any has been proven for the order of arrival in the file alone. Returns the exit status: 0, 1 when the proof failed, 2 when the file cannot be
 * read or promises nothing. */
int file_prove(const char *path, bool messages);

/* Prints what the file says of itself, as one JSON line, and proves nothing. Returns the exit status. */
int file_describe(const char *path);

/* Whether ranks share segments on one node alone, where they sit so; false, having said why. */
bool file_segments_fit(const record *, const coll_place *, const char *path);

/* Whether each message has one size at both its ends; else false, with the first that has two. One without the other end is not looked
 * at. */
bool file_sizes_agree(const record *, char *error, size_t size);

#endif
