/* How a call is given to an algorithm: as elements that lie in one piece. */
#ifndef COLLSCOPE_PRELOAD_FORM_H
#define COLLSCOPE_PRELOAD_FORM_H

#include "preload/buffers.h"

typedef struct {
  shape shape;
  MPI_Datatype type; /* of these elements */
  MPI_Op op;         /* the program's, or one that lays packed operands out for it */
  bool packs;        /* the latter: type is the form's own */
  bool (*straight)(MPI_Datatype);
} form;

form form_of(const communicator *, const program_call *);
void form_free(form *);

/* The program's buffers as the algorithm gets them. */
buffers form_buffers(const communicator *, const program_call *, const form *);

#endif
