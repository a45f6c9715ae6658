#include "preload/execute.h"

#include "preload/form.h"
#include "preload/keep.h"

static int run(communicator *c, kept *k, const buffers *b, MPI_Datatype type, MPI_Op op) {
  c->error = MPI_SUCCESS;
  coll_serve(k->call, b->in, b->out, b->in_place, type, op);
  coll_run(k->call);
  return c->error == MPI_SUCCESS ? MPI_SUCCESS : (MPI_Comm_call_errhandler(c->user, c->error), c->error);
}

int execute(communicator *c, const program_call *p, const char *key, kept **served) {
  form f = form_of(c, p);
  kept *k = *served = keep_find(c, &f.shape, key);
  int code = MPI_SUCCESS;
  if (k->call) {
    buffers b = form_buffers(c, p, &f);
    code = run(c, k, &b, f.type, f.op);
    if (f.shape.count) buffers_settle(c, p, &b);
  }
  form_free(&f);
  return code;
}
