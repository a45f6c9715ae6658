#include "preload/own.h"

_Thread_local bool own_advances;
static int owner = MPI_KEYVAL_INVALID;
static MPI_Errhandler note_errors;

static void note_error(MPI_Comm *own, int *code, ...) {
  communicator *c;
  int known;
  MPI_Comm_get_attr(*own, owner, &c, &known);
  if (!known) return;
  int *error = own_advances ? &c->failed : &c->error;
  if (!*error) *error = *code;
}

void own_start(void) {
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &owner, NULL);
  MPI_Comm_create_errhandler(note_error, &note_errors);
}

void own_end(void) {
  MPI_Errhandler_free(&note_errors);
  MPI_Comm_free_keyval(&owner);
}

/* Not by MPI_Comm_dup, which would call the program's functions that copy attributes. */
MPI_Comm own_make(communicator *c) {
  MPI_Group all;
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_group(c->user, &all);
  int failed = MPI_Comm_create(c->user, all, &own);
  MPI_Group_free(&all);
  if (failed || own == MPI_COMM_NULL) return MPI_COMM_NULL;
  MPI_Comm_set_errhandler(own, note_errors);
  MPI_Comm_set_attr(own, owner, c);
  return own;
}
