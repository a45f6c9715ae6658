#include "preload/operation.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "preload/handle.h"

/* Ranks begin non-blocking calls and make persistent ones in the same order; they start the latter in any. So these keep one number. */
static uint64_t number(communicator *c, plans_kind kind) { return 2 * c->begun++ + (kind == PLANS_PERSISTENT); }

/* A copy: MPI asks programs to leave the array alone until the call is over, but libraries read it when the call begins, and programs
 * (mpi4py among them) free it then. */
static per_rank copy_of(per_rank at, int ranks) {
  if (!per_rank_given(at)) return at;
  size_t bytes = at.each * (size_t)ranks;
  return (per_rank){ memcpy(runtime_allocate(bytes), at.array, bytes), at.each };
}

operation *operation_make(communicator *c, const program_call *p, const form *f, planned *plan, plans_kind kind) {
  operation *o = runtime_allocate_zeroed(sizeof *o);
  *o = (operation){ .c = c, .call = *p, .form = *f, .planned = plan, .kind = kind, .request = MPI_REQUEST_NULL };
  o->call.at = copy_of(p->at, c->size);
  o->call.counts = copy_of(p->counts, c->size);
  o->sequence = number(c, kind);
  c->operations++;
  plan->users++;
  return o;
}

/* A call that is over and had the same type and operator goes again: it has its memory. */
static void play(operation *o, coll_engine *engine) {
  planned *p = o->planned;
  const form *f = &o->form;
  if (!o->playing && p->idle && !f->packs && p->type == f->type && p->op == f->op) {
    o->playing = p->idle;
    p->idle = NULL;
  }
  if (o->playing) coll_restart(o->playing, o->buffers.in, o->buffers.out, o->sequence);
  else o->playing = coll_start(engine, o->c->own, p->plan, o->buffers.in, o->buffers.out, f->type, f->op, o->sequence);
}

void operation_begin(operation *o, coll_engine *engine) {
  o->active = true;
  o->buffers = form_buffers(o->c, &o->call, &o->form);
  play(o, engine);
}

static void put_aside(operation *o) {
  planned *p = o->planned;
  if (o->kind == PLANS_PERSISTENT) return;
  if (p->idle || o->form.packs) {
    coll_finish(o->playing);
  } else {
    p->idle = o->playing;
    p->type = o->form.type;
    p->op = o->form.op;
  }
  o->playing = NULL;
}

/* An error is the first of the communicator's calls' that ends after it. */
static bool has_failed(communicator *c) {
  int code = c->failed;
  if (!code) return false;
  c->failed = MPI_SUCCESS;
  MPI_Comm_call_errhandler(c->user == MPI_COMM_NULL ? MPI_COMM_WORLD : c->user, code);
  return true;
}

bool operation_end(operation *o) {
  if (!coll_done(o->playing)) return false;
  put_aside(o);
  if (o->form.shape.count) buffers_settle(o->c, &o->call, &o->buffers);
  o->active = false;
  o->failed = has_failed(o->c);
  handle_complete(o->tag, o->failed);
  return true;
}

void operation_free(operation *o) {
  if (o->playing) coll_finish(o->playing);
  form_free(&o->form);
  free((void *)o->call.at.array);
  free((void *)o->call.counts.array);
  plans_leave(o->c, o->planned);
  communicator_leave(o->c);
  free(o);
}

bool operation_uses_type(const operation *o, MPI_Datatype type) {
  return o->call.in.type == type || o->call.out.type == type;
}
