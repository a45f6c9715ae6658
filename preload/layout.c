#include "preload/layout.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/allocate.h"

size_t layout_size(MPI_Datatype type) {
  MPI_Count bytes;
  MPI_Type_size_x(type, &bytes);
  return bytes == MPI_UNDEFINED ? SIZE_MAX : (size_t)bytes;
}

bool layout_is_one_piece(MPI_Datatype type) {
  MPI_Aint begin, extent, true_begin, true_extent;
  MPI_Count bytes;
  MPI_Type_size_x(type, &bytes);
  MPI_Type_get_extent(type, &begin, &extent);
  if (begin || extent != bytes) return false;
  MPI_Type_get_true_extent(type, &true_begin, &true_extent);
  return !true_begin && true_extent == extent;
}

/* ---- the order of parts ------------------------------------------------------------------------------ */

/* Whether a derived type is dense, kept as its attribute once it is committed: NULL is no. */
static int density = MPI_KEYVAL_INVALID;
static char yes;

MPI_Comm layout_quiet;

void layout_start(void) {
  MPI_Group self;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Comm_create(MPI_COMM_SELF, self, &layout_quiet);
  MPI_Group_free(&self);
  MPI_Comm_set_errhandler(layout_quiet, MPI_ERRORS_RETURN);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &density, NULL);
}

void layout_end(void) {
  MPI_Type_free_keyval(&density);
  MPI_Comm_free(&layout_quiet);
}

bool layout_is_named(MPI_Datatype type) {
  int n[3], combiner;
  MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

static bool in_order(MPI_Datatype type);

/* Of a struct: each part begins where the one before ends. */
static bool parts_in_order(const int *integers, const MPI_Aint *addresses, const MPI_Datatype *types) {
  MPI_Aint end = 0;
  for (int i = 0; i < integers[0]; i++) {
    if (integers[1 + i] == 0) continue;
    if (addresses[i] != end || !in_order(types[i])) return false;
    end += integers[1 + i] * (MPI_Aint)layout_size(types[i]);
  }
  return true;
}

/* Sees through the common constructors; others are taken for out of order, and packed. */
static bool derived_in_order(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  int *integer = runtime_allocate(sizeof *integer * (size_t)integers);
  MPI_Aint *address = runtime_allocate(sizeof *address * (size_t)addresses);
  MPI_Datatype *inner = runtime_allocate(sizeof *inner * (size_t)types);
  MPI_Type_get_contents(type, integers, addresses, types, integer, address, inner);
  bool ordered = false;
  if (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_RESIZED)
    ordered = in_order(inner[0]);
  else if (combiner == MPI_COMBINER_VECTOR) ordered = integer[1] == integer[2] && in_order(inner[0]);
  else if (combiner == MPI_COMBINER_STRUCT) ordered = parts_in_order(integer, address, inner);
  for (int i = 0; i < types; i++)
    if (!layout_is_named(inner[i])) MPI_Type_free(&inner[i]);
  free(integer);
  free(address);
  free(inner);
  return ordered;
}

static bool in_order(MPI_Datatype type) {
  return layout_is_one_piece(type) && (layout_is_named(type) || derived_in_order(type));
}

/* MPI does not tell; but it packs nothing of a type that is not. */
static bool is_committed(MPI_Datatype type) {
  char none;
  int end = 0;
  return !MPI_Pack(&none, 0, type, &none, 1, &end, layout_quiet);
}

bool layout_is_dense(MPI_Datatype type) {
  if (layout_is_named(type)) return layout_is_one_piece(type);
  void *kept;
  int known;
  MPI_Type_get_attr(type, density, &kept, &known);
  if (known) return kept == &yes;
  bool dense = in_order(type);
  if (is_committed(type)) MPI_Type_set_attr(type, density, dense ? &yes : NULL);
  return dense;
}

bool layout_is_committed(MPI_Datatype type) {
  void *kept;
  int known;
  if (layout_is_named(type)) return true;
  MPI_Type_get_attr(type, density, &kept, &known);
  return known || is_committed(type);
}

/* ---- packing ------------------------------------------------------------------------------------------ */

/* MPI counts packed bytes in an int. */
static size_t at_once(MPI_Datatype type) {
  size_t most = (size_t)1 << 30, bytes = layout_size(type);
  return bytes >= most ? 1 : bytes ? most / bytes : (size_t)INT_MAX;
}

static size_t of_rest(size_t left, size_t step) { return left < step ? left : step; }

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint begin, extent;
  MPI_Type_get_extent(type, &begin, &extent);
  return extent;
}

/* MPICH, for one, unpacks nothing at MPI_BOTTOM. */
static void must(int code) {
  char words[MPI_MAX_ERROR_STRING];
  int length;
  if (!code) return;
  MPI_Error_string(code, words, &length);
  fprintf(stderr, "collscope: MPI does not pack or unpack data of a collective: %s\n", words);
  runtime_give_up(MPI_COMM_WORLD);
}

void layout_pack(const void *from, size_t elements, MPI_Datatype type, void *to) {
  size_t bytes = layout_size(type), step = at_once(type);
  MPI_Aint extent = extent_of(type);
  for (size_t at = 0, n; at < elements; at += n) {
    int end = 0;
    n = of_rest(elements - at, step);
    must(MPI_Pack((const char *)from + (MPI_Aint)at * extent, (int)n, type, (char *)to + at * bytes, (int)(n * bytes),
                  &end, layout_quiet));
  }
}

void layout_unpack(const void *from, void *to, size_t elements, MPI_Datatype type) {
  size_t bytes = layout_size(type), step = at_once(type);
  MPI_Aint extent = extent_of(type);
  for (size_t at = 0, n; at < elements; at += n) {
    int end = 0;
    n = of_rest(elements - at, step);
    must(MPI_Unpack((const char *)from + at * bytes, (int)(n * bytes), &end, (char *)to + (MPI_Aint)at * extent, (int)n,
                    type, layout_quiet));
  }
}
