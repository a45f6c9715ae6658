#include "preload/execute.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "preload/keep.h"
#include "preload/layout.h"
#include "preload/operators.h"

static bool is_in_place(const side *s) { return s->buffer == MPI_IN_PLACE; }

/* What coll_has_input and others look at. */
static coll_args roles(const communicator *c, const program_call *p) {
  return (coll_args){ .size = c->size, .root = p->root };
}

static bool has_input(const communicator *c, const program_call *p) {
  coll_args a = roles(c, p);
  return coll_has_input(p->collective, &a, c->rank);
}

static bool has_output(const communicator *c, const program_call *p) {
  coll_args a = roles(c, p);
  return coll_has_output(p->collective, &a, c->rank);
}

/* The side that says at this rank how large the call is: of one in place, the other. */
static const side *measure(const communicator *c, const program_call *p) {
  return has_output(c, p) && !is_in_place(&p->out) ? &p->out : &p->in;
}

size_t execute_bytes(const communicator *c, const program_call *p) {
  if (coll_counts_of(p->collective) == COLL_COUNTS_NOTHING) return 0;
  const side *s = coll_has_operator(p->collective) && !is_in_place(&p->in) ? &p->in : measure(c, p);
  return s->type == MPI_DATATYPE_NULL ? 0 : s->count * layout_size(s->type);
}

static bool side_is_wrong(const side *s) {
  return s->type == MPI_DATATYPE_NULL || s->count > (size_t)1 << 40 || layout_size(s->type) == SIZE_MAX ||
         (!s->buffer && s->count && layout_size(s->type) && layout_is_dense(s->type));
}

const char *execute_refuses(const communicator *c, const program_call *p) {
  static const char wrong[] = "arguments that MPI refuses";
  const coll_facts *facts = coll_facts_of(p->collective);
  if (facts->root && (p->root < 0 || p->root >= c->size)) return wrong;
  if (coll_counts_of(p->collective) == COLL_COUNTS_NOTHING) return NULL;
  bool out_may = facts->in_place == COLL_IN_PLACE_OUT_IN && c->rank == p->root;
  if (has_input(c, p) && !is_in_place(&p->in) && side_is_wrong(&p->in)) return wrong;
  if (has_output(c, p) && !(out_may && is_in_place(&p->out)) && (is_in_place(&p->out) || side_is_wrong(&p->out)))
    return wrong;
  bool in_may = coll_has_in_place(p->collective) && facts->in_place != COLL_IN_PLACE_OUT_IN &&
                (!facts->root || c->rank == p->root);
  if (has_input(c, p) && is_in_place(&p->in) && !in_may) return wrong;
  if (facts->op && (p->op == MPI_OP_NULL || !operators_fit(p->op, p->out.type))) return wrong;
  return NULL;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

/* What the algorithm gets in place of the program's buffers: those, or memory in which elements lie in one piece. */
typedef struct {
  const void *in;
  void *out;
  bool in_place;
  void *packed_in, *packed_out; /* to be freed; NULL: the program's own */
  bool unpacks;                 /* out is to be unpacked */
} buffers;

/* Elements on a side, of all blocks. */
static size_t elements(const communicator *c, coll_amount amount, const side *s) {
  return amount == COLL_HOLDS_BLOCKS ? s->count * (size_t)c->size : s->count;
}

static void *memory_for(size_t elements, MPI_Datatype type) { return runtime_allocate(elements * layout_size(type)); }

static void *packed(size_t n, const side *s) {
  void *memory = memory_for(n, s->type);
  layout_pack(s->buffer, n, s->type, memory);
  return memory;
}

/* bcast: the root's data becomes everybody's. */
static buffers of_bcast(const communicator *c, const program_call *p, bool straight) {
  buffers b = { .in = p->out.buffer, .out = (void *)p->out.buffer, .in_place = true };
  if (straight) return b;
  bool root = c->rank == p->root;
  b.packed_out = root ? packed(p->out.count, &p->out) : memory_for(p->out.count, p->out.type);
  b.in = b.out = b.packed_out;
  b.unpacks = !root;
  return b;
}

static bool is_scattered(const communicator *c, const program_call *p) {
  for (int i = 0; p->at && i < c->size; i++)
    if (p->at[i] != i * (long)p->out.count) return true;
  return false;
}

static void *scattered_block(const program_call *p, int i) {
  MPI_Aint begin, extent;
  MPI_Type_get_extent(p->out.type, &begin, &extent);
  return (char *)p->out.buffer + p->at[i] * extent;
}

/* The memory in which blocks that lie apart are collected; that of a rank in place holds its own. */
static void *collected(const communicator *c, const program_call *p, bool in_place, size_t block) {
  char *memory = runtime_allocate(block * (size_t)c->size);
  if (in_place) layout_pack(scattered_block(p, c->rank), p->out.count, p->out.type, memory + (size_t)c->rank * block);
  return memory;
}

/* straight: elements of this type need no packing. block: bytes of one, by which a block in place is found. */
static buffers buffers_of(const communicator *c, const program_call *p, bool (*straight)(MPI_Datatype), size_t block) {
  const coll_facts *facts = coll_facts_of(p->collective);
  buffers b = { 0 };
  if (facts->in_place == COLL_IN_PLACE_ALWAYS) return of_bcast(c, p, straight(p->out.type));
  bool in = has_input(c, p), out = has_output(c, p);
  bool in_here = in && !is_in_place(&p->in), out_here = out && !is_in_place(&p->out);
  b.in_place = (in && !in_here) || (out && !out_here) || (in && out && p->in.buffer == p->out.buffer);
  if (in_here) {
    bool as_is = straight(p->in.type);
    b.in = as_is ? p->in.buffer : (b.packed_in = packed(elements(c, facts->in.amount, &p->in), &p->in));
  }
  if (out_here) {
    bool apart = is_scattered(c, p), as_is = straight(p->out.type) && !apart;
    size_t n = elements(c, facts->out.amount, &p->out), of_in = elements(c, facts->in.amount, &p->in);
    if (in && !in_here && of_in > n) n = of_in; /* a smaller result stands at the start of what is combined */
    b.unpacks = !as_is;
    if (as_is) b.out = (void *)p->out.buffer;
    else if (apart) b.out = b.packed_out = collected(c, p, in && !in_here, block);
    else b.out = b.packed_out = !in_here && in ? packed(n, &p->out) : memory_for(n, p->out.type);
  }
  size_t own = (size_t)c->rank * block;
  if (in && !in_here) b.in = (char *)b.out + (facts->in_place == COLL_IN_PLACE_IN_OUT ? own : 0);
  if (out && !out_here) b.out = (char *)b.in + own;
  return b;
}

static void unpack(const communicator *c, const program_call *p, const char *packed_out) {
  size_t block = p->out.count * layout_size(p->out.type);
  coll_amount amount = coll_facts_of(p->collective)->out.amount;
  if (!is_scattered(c, p)) {
    layout_unpack(packed_out, (void *)p->out.buffer, elements(c, amount, &p->out), p->out.type);
    return;
  }
  for (int i = 0; i < c->size; i++)
    layout_unpack(packed_out + (size_t)i * block, scattered_block(p, i), p->out.count, p->out.type);
}

static void settle(const communicator *c, const program_call *p, buffers *b) {
  bool written = p->collective != COLL_EXSCAN || c->rank > 0; /* MPI leaves the result of the first rank open */
  if (b->unpacks && written) unpack(c, p, b->packed_out);
  free(b->packed_in);
  free(b->packed_out);
}

/* ---- shapes ------------------------------------------------------------------------------------------- */

/* Data moves as bytes, in elements whose size follows from the number of bytes alone: ranks may describe the same data by different types. */
static shape of_bytes(const program_call *p, size_t bytes) {
  size_t elem = bytes && bytes % 4 == 0 ? 4 : bytes && bytes % 2 == 0 ? 2 : 1;
  return (shape){ .collective = p->collective,
                  .root = p->root,
                  .count = bytes / elem,
                  .elem = elem,
                  .in_place = p->collective == COLL_ALLTOALL && is_in_place(&p->in),
                  .commutes = true };
}

static int run(communicator *c, kept *k, const buffers *b, MPI_Datatype type, MPI_Op op) {
  c->error = MPI_SUCCESS;
  coll_serve(k->call, b->in, b->out, b->in_place, type, op);
  coll_run(k->call);
  return c->error == MPI_SUCCESS ? MPI_SUCCESS : (MPI_Comm_call_errhandler(c->user, c->error), c->error);
}

static int move(communicator *c, const program_call *p, const char *key, kept **served) {
  size_t bytes = execute_bytes(c, p);
  shape s = of_bytes(p, bytes);
  kept *k = *served = keep_find(c, &s, key);
  if (!k->call) return MPI_SUCCESS;
  MPI_Datatype type = s.elem == 4 ? MPI_INT32_T : s.elem == 2 ? MPI_INT16_T : MPI_BYTE;
  buffers b = { 0 };
  if (bytes) b = buffers_of(c, p, layout_is_dense, bytes);
  int code = run(c, k, &b, type, MPI_OP_NULL);
  if (bytes) settle(c, p, &b);
  return code;
}

/* Named types may have a gap behind their data, and come as they are: nobody looks at it. */
static bool combines_straight(MPI_Datatype type) {
  int n[3], combiner;
  if (layout_is_one_piece(type)) return true;
  MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

static int combine(communicator *c, const program_call *p, const char *key, kept **served) {
  MPI_Aint begin, extent;
  int commutes;
  MPI_Datatype type = p->out.type, bytes = MPI_DATATYPE_NULL;
  size_t size = layout_size(type);
  bool straight = size == 0 || combines_straight(type);
  MPI_Type_get_extent(type, &begin, &extent);
  MPI_Op_commutative(p->op, &commutes);
  shape s = { .collective = p->collective,
              .root = p->root,
              .count = size ? p->in.count : 0,
              .elem = size == 0  ? 1
                      : straight ? (size_t)extent
                                 : size,
              .commutes = commutes };
  kept *k = *served = keep_find(c, &s, key);
  if (!k->call) return MPI_SUCCESS;
  buffers b = { 0 };
  if (s.count) b = buffers_of(c, p, combines_straight, s.count * s.elem);
  MPI_Op op = p->op;
  if (!straight) {
    MPI_Type_contiguous((int)size, MPI_BYTE, &bytes);
    MPI_Type_commit(&bytes);
    op = operators_packed(p->op, type);
  }
  int code = run(c, k, &b, straight ? type : bytes, op);
  if (s.count) settle(c, p, &b);
  if (!straight) MPI_Type_free(&bytes);
  return code;
}

int execute(communicator *c, const program_call *p, const char *key, kept **served) {
  return (coll_has_operator(p->collective) ? combine : move)(c, p, key, served);
}
