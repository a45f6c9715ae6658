#include "preload/call.h"

#include <limits.h>

#include "core/catalogue/collective.h"
#include "preload/layout.h"
#include "preload/operators.h"

bool call_in_place(const side *s) { return s->buffer == MPI_IN_PLACE; }

/* What coll_has_input and others look at. */
static coll_args roles(const communicator *c, const program_call *p) {
  return (coll_args){ .size = c->size, .root = p->root };
}

bool call_has_input(const communicator *c, const program_call *p) {
  coll_args a = roles(c, p);
  return coll_has_input(p->collective, &a, c->rank);
}

bool call_has_output(const communicator *c, const program_call *p) {
  coll_args a = roles(c, p);
  return coll_has_output(p->collective, &a, c->rank);
}

bool call_is_in_place(const communicator *c, const program_call *p) {
  if (coll_facts_of(p->collective)->in_place == COLL_IN_PLACE_ALWAYS) return true;
  bool in = call_has_input(c, p), out = call_has_output(c, p);
  return (in && call_in_place(&p->in)) || (out && call_in_place(&p->out)) ||
         (in && out && p->in.buffer == p->out.buffer && p->in.buffer != MPI_BOTTOM && p->out.count);
}

/* MPI does not look at where the first rank wants the result of an exscan. */
static bool needs_no_result(const communicator *c, const program_call *p) {
  return p->collective == COLL_EXSCAN && c->rank == 0 && !call_in_place(&p->in);
}

/* The side that says at this rank how large the call is: of one in place, the other. */
static const side *measure(const communicator *c, const program_call *p) {
  return call_has_output(c, p) && !call_in_place(&p->out) ? &p->out : &p->in;
}

size_t call_bytes(const communicator *c, const program_call *p) {
  if (coll_counts_of(p->collective) == COLL_COUNTS_NOTHING) return 0;
  if (per_rank_given(p->counts) && !coll_has_operator(p->collective) && p->out.type != MPI_DATATYPE_NULL) {
    /* The mean block, of bytes and not of elements: ranks may describe the same data by different types. */
    size_t all = call_before(p, c->size) * layout_size(p->out.type), ranks = (size_t)c->size;
    return (all + ranks - 1) / ranks;
  }
  const side *s = coll_has_operator(p->collective) && !call_in_place(&p->in) ? &p->in : measure(c, p);
  return s->type == MPI_DATATYPE_NULL ? 0 : s->count * layout_size(s->type);
}

/* Or, of an element that would have to be packed, more bytes than MPI packs at once. */
static bool side_is_wrong(const side *s) {
  if (s->type == MPI_DATATYPE_NULL || s->count > (size_t)1 << 40 || !layout_is_committed(s->type)) return true;
  size_t bytes = layout_size(s->type);
  bool dense = layout_is_dense(s->type);
  return bytes == SIZE_MAX || (bytes > INT_MAX && !dense) || (!s->buffer && s->count && bytes && dense);
}

const char *call_refuses(const communicator *c, const program_call *p) {
  static const char wrong[] = "arguments that MPI refuses";
  const coll_facts *facts = coll_facts_of(p->collective);
  if (facts->root && (p->root < 0 || p->root >= c->size)) return wrong;
  if (coll_counts_of(p->collective) == COLL_COUNTS_NOTHING) return NULL;
  bool out_may = facts->in_place == COLL_IN_PLACE_OUT_IN && c->rank == p->root;
  if (call_has_input(c, p) && !call_in_place(&p->in) && side_is_wrong(&p->in)) return wrong;
  if (call_has_output(c, p) && !needs_no_result(c, p) && !(out_may && call_in_place(&p->out)) &&
      (call_in_place(&p->out) || side_is_wrong(&p->out)))
    return wrong;
  bool in_may = coll_has_in_place(p->collective) && facts->in_place != COLL_IN_PLACE_OUT_IN &&
                (!facts->root || c->rank == p->root);
  if (call_has_input(c, p) && call_in_place(&p->in) && !in_may) return wrong;
  if (facts->op && (p->op == MPI_OP_NULL || !operators_fit(p->op, p->out.type))) return wrong;
  return NULL;
}

size_t call_before(const program_call *p, int i) {
  size_t sum = 0;
  if (!per_rank_given(p->counts)) return (size_t)i * p->out.count;
  while (i-- > 0) sum += call_block(p, i);
  return sum;
}

int call_neighbours(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank, n = 0, from, weighted;
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    MPI_Cartdim_get(comm, &n);
    return 2 * n;
  }
  if (kind == MPI_GRAPH) {
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &n);
  } else if (kind == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, &from, &n, &weighted);
  }
  return n;
}
