/* What an algorithm gets in place of the program's buffers: those, or memory in which elements lie in one piece. */
#ifndef COLLSCOPE_PRELOAD_BUFFERS_H
#define COLLSCOPE_PRELOAD_BUFFERS_H

#include "preload/call.h"

typedef struct {
  const void *in;
  void *out;
  bool in_place;
  void *packed_in, *packed_out; /* to be freed; NULL: the program's own */
  bool unpacks;                 /* out is to be unpacked */
} buffers;

/* straight: elements of this type need no packing. block: bytes of one, by which a block in place is found. */
buffers buffers_of(const communicator *, const program_call *, bool (*straight)(MPI_Datatype), size_t block);
/* The call is over: its result is where the program expects it, and what was allocated is freed. */
void buffers_settle(const communicator *, const program_call *, buffers *);

#endif
