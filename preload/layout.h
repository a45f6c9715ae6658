/* Where the elements of a datatype lie, and how they get into one piece and back. */
#ifndef COLLSCOPE_PRELOAD_LAYOUT_H
#define COLLSCOPE_PRELOAD_LAYOUT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

void layout_start(void);
void layout_end(void);

/* Of this process alone, whose errors are returned. */
extern MPI_Comm layout_quiet;

/* Bytes of data in one element; SIZE_MAX: MPI has no number for it. */
size_t layout_size(MPI_Datatype);
bool layout_is_committed(MPI_Datatype);
/* Do elements lie one behind the other without gaps, and their parts in the order in which they are sent? */
bool layout_is_dense(MPI_Datatype);
/* The same but for that order: enough where all ranks have the same type. */
bool layout_is_one_piece(MPI_Datatype);

bool layout_is_named(MPI_Datatype); /* MPI's own */

void layout_pack(const void *from, size_t elements, MPI_Datatype, void *to);
void layout_unpack(const void *from, void *to, size_t elements, MPI_Datatype);

#endif
