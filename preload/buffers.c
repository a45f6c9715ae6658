#include "preload/buffers.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "preload/layout.h"

/* Elements on a side, of all blocks. */
static size_t elements(const communicator *c, coll_amount amount, const side *s) {
  return amount == COLL_HOLDS_BLOCKS ? s->count * (size_t)c->size : s->count;
}

static size_t elements_out(const communicator *c, const program_call *p) {
  coll_amount amount = coll_facts_of(p->collective)->out.amount;
  return amount == COLL_HOLDS_BLOCKS ? call_before(p, c->size) : p->out.count;
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
  int64_t before = 0;
  for (int i = 0; per_rank_given(p->at) && i < c->size; before += (int64_t)call_block(p, i++))
    if (per_rank_at(p->at, i) != before) return true;
  return false;
}

static void *scattered_block(const program_call *p, int i) {
  MPI_Aint begin, extent;
  MPI_Type_get_extent(p->out.type, &begin, &extent);
  return (char *)p->out.buffer + per_rank_at(p->at, i) * extent;
}

/* The memory in which blocks that lie apart are collected; that of a rank in place holds its own. */
static void *collected(const communicator *c, const program_call *p, bool in_place) {
  size_t bytes = layout_size(p->out.type);
  char *memory = runtime_allocate(call_before(p, c->size) * bytes);
  if (in_place)
    layout_pack(scattered_block(p, c->rank), call_block(p, c->rank), p->out.type,
                memory + call_before(p, c->rank) * bytes);
  return memory;
}

buffers buffers_of(const communicator *c, const program_call *p, bool (*straight)(MPI_Datatype), size_t block) {
  const coll_facts *facts = coll_facts_of(p->collective);
  buffers b = { 0 };
  if (facts->in_place == COLL_IN_PLACE_ALWAYS) return of_bcast(c, p, straight(p->out.type));
  bool in = call_has_input(c, p), out = call_has_output(c, p);
  bool in_here = in && !call_in_place(&p->in), out_here = out && !call_in_place(&p->out);
  b.in_place = call_is_in_place(c, p);
  if (in_here) {
    bool as_is = straight(p->in.type);
    b.in = as_is ? p->in.buffer : (b.packed_in = packed(elements(c, facts->in.amount, &p->in), &p->in));
  }
  if (out_here) {
    bool apart = is_scattered(c, p);
    size_t n = elements_out(c, p), of_in = elements(c, facts->in.amount, &p->in);
    bool shared = in_here && !n && b.in == p->out.buffer; /* an empty result where the operand is: no call in place */
    bool as_is = straight(p->out.type) && !apart && !shared;
    if (in && !in_here && of_in > n) n = of_in; /* a smaller result stands at the start of what is combined */
    b.unpacks = !as_is;
    if (as_is) b.out = (void *)p->out.buffer;
    else if (apart) b.out = b.packed_out = collected(c, p, in && !in_here);
    else b.out = b.packed_out = !in_here && in ? packed(n, &p->out) : memory_for(n, p->out.type);
  }
  size_t own = (size_t)c->rank * block;
  if (per_rank_given(p->counts)) own = call_before(p, c->rank) * layout_size(p->out.type);
  if (in && !in_here) b.in = (char *)b.out + (facts->in_place == COLL_IN_PLACE_IN_OUT ? own : 0);
  if (out && !out_here) b.out = (char *)b.in + own;
  return b;
}

static void unpack(const communicator *c, const program_call *p, const char *packed_out) {
  size_t bytes = layout_size(p->out.type);
  if (!is_scattered(c, p)) {
    layout_unpack(packed_out, (void *)p->out.buffer, elements_out(c, p), p->out.type);
    return;
  }
  for (int i = 0; i < c->size; packed_out += call_block(p, i++) * bytes)
    layout_unpack(packed_out, scattered_block(p, i), call_block(p, i), p->out.type);
}

void buffers_settle(const communicator *c, const program_call *p, buffers *b) {
  bool written = p->collective != COLL_EXSCAN || c->rank > 0; /* MPI leaves the result of the first rank open */
  if (b->unpacks && written) unpack(c, p, b->packed_out);
  free(b->packed_in);
  free(b->packed_out);
}
