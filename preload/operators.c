#include "preload/operators.h"

#include <stdlib.h>
#include <threads.h>

#include "core/runtime/allocate.h"
#include "preload/layout.h"

static mtx_t lock; /* of layout_quiet's collectives, and of what was found out by them */
static MPI_Op packed[2] = { MPI_OP_NULL, MPI_OP_NULL }; /* by whether it commutes */

/* What a packed type stands for: kept as its attribute. */
typedef struct {
  MPI_Op op;
  MPI_Datatype type;
} meaning;
static int meant = MPI_KEYVAL_INVALID;

bool operators_is_predefined(MPI_Op op) {
  return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_LAND || op == MPI_BAND ||
         op == MPI_LOR || op == MPI_BOR || op == MPI_LXOR || op == MPI_BXOR || op == MPI_MINLOC || op == MPI_MAXLOC ||
         op == MPI_REPLACE || op == MPI_NO_OP;
}

/* Pairs of predefined handles that were tried: these never stand for something else. Open addressing; a full table tries again. */
enum { TRIED = 256 };
static struct {
  MPI_Op op;
  MPI_Datatype type;
  enum { UNKNOWN, FITS, MISFITS } answer;
} tried[TRIED];

static bool try_out(MPI_Op op, MPI_Datatype type) {
  char in[64] = { 0 }, out[64];
  return !MPI_Reduce(in, out, 0, type, op, 0, layout_quiet);
}

bool operators_fit(MPI_Op op, MPI_Datatype type) {
  if (!operators_is_predefined(op)) return true;
  int n[3], combiner;
  MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
  if (combiner != MPI_COMBINER_NAMED) return false;
  static _Thread_local struct {
    MPI_Op op;
    MPI_Datatype type;
  } last;
  if (last.op == op && last.type == type) return true;
  mtx_lock(&lock);
  size_t at = ((size_t)op ^ (size_t)type >> 4) % TRIED, steps = 0;
  while (tried[at].answer && !(tried[at].op == op && tried[at].type == type) && steps++ < TRIED) at = (at + 1) % TRIED;
  bool fits = tried[at].answer && tried[at].op == op && tried[at].type == type ? tried[at].answer == FITS
                                                                               : try_out(op, type);
  tried[at].op = op;
  tried[at].type = type;
  tried[at].answer = fits ? FITS : MISFITS;
  mtx_unlock(&lock);
  if (fits) {
    last.op = op;
    last.type = type;
  }
  return fits;
}

/* Lays both operands out as the program's own operator expects them. */
static void combine_packed(void *in, void *inout, int *n, MPI_Datatype *elements) {
  MPI_Aint begin, extent, step, unused;
  meaning *m;
  int known;
  MPI_Type_get_attr(*elements, meant, &m, &known);
  MPI_Type_get_true_extent(m->type, &begin, &extent);
  MPI_Type_get_extent(m->type, &unused, &step);
  MPI_Aint span = extent + (step < 0 ? -step : step) * (*n > 0 ? *n - 1 : 0);
  MPI_Aint first = (step < 0 ? -step * (*n - 1) : 0) -
                   begin; /* from the start of the memory to the address of element 0 */
  char *left = runtime_allocate_zeroed((size_t)span), *right = runtime_allocate_zeroed((size_t)span);
  layout_unpack(in, left + first, (size_t)*n, m->type);
  layout_unpack(inout, right + first, (size_t)*n, m->type);
  MPI_Reduce_local(left + first, right + first, *n, m->type, m->op);
  layout_pack(right + first, (size_t)*n, m->type, inout);
  free(left);
  free(right);
}

static int forget(MPI_Datatype type, int key, void *value, void *extra) {
  (void)type, (void)key, (void)extra;
  free(value);
  return MPI_SUCCESS;
}

MPI_Op operators_packed(MPI_Op op, MPI_Datatype type, MPI_Datatype *elements) {
  int commutes;
  meaning *m = runtime_allocate(sizeof *m);
  *m = (meaning){ op, type };
  MPI_Type_contiguous((int)layout_size(type), MPI_BYTE, elements);
  MPI_Type_commit(elements);
  MPI_Type_set_attr(*elements, meant, m);
  MPI_Op_commutative(op, &commutes);
  return packed[commutes ? 1 : 0];
}

void operators_start(void) {
  mtx_init(&lock, mtx_plain);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &meant, NULL);
  for (int commutes = 0; commutes < 2; commutes++) MPI_Op_create(combine_packed, commutes, &packed[commutes]);
}

void operators_end(void) {
  for (int commutes = 0; commutes < 2; commutes++) MPI_Op_free(&packed[commutes]);
  MPI_Type_free_keyval(&meant);
}
