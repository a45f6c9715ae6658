#include "preload/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"

static const char several[] = "several";

const char counts_root_alone[] = "a vector form: the root alone knows whether blocks are equal";
const char counts_own_alone[] = "a vector form: each rank knows its own blocks alone";
const char counts_neighbours[] = "a collective of neighbours, of which the catalogue has none";

const char *counts_collective_name(int k) {
  static const char *const beyond[] = { "alltoallw",         "neighbor_allgather", "neighbor_allgatherv",
                                        "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw" };
  static const char *const forms[] = { "%s", "i%s", "%s_init" };
  static _Thread_local char name[40];
  int of = k % COUNTS_NONBLOCKING;
  snprintf(name, sizeof name, forms[k / COUNTS_NONBLOCKING],
           of < COLL_COLLECTIVES ? coll_collective_name((coll_collective)of) : beyond[of - COLL_COLLECTIVES]);
  return name;
}

int counts_size_class(size_t bytes) { return bytes ? 64 - __builtin_clzll(bytes) : 0; }

static row *find(tally *c, int collective, int size_class, const char *name, bool passed) {
  for (row *r = c->rows; r < c->rows + c->n; r++)
    if (r->collective == collective && r->size_class == size_class && r->passed == passed && !strcmp(r->name, name))
      return r;
  if (c->n == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 8;
    c->rows = runtime_reallocate(c->rows, sizeof *c->rows * (size_t)c->capacity);
  }
  row *r = &c->rows[c->n++];
  *r = (row){ .collective = collective, .size_class = size_class, .passed = passed, .root = -1 };
  strncpy(r->name, name, sizeof r->name - 1);
  return r;
}

row *counts_numbered(tally *c, int *number, int collective, size_t bytes, const char *name, bool passed) {
  if (*number) return &c->rows[*number - 1];
  row *r = find(c, collective, counts_size_class(bytes), name, passed);
  *number = (int)(r - c->rows) + 1;
  return r;
}

row *counts_row(tally *c, int collective, size_t bytes, const char *name, bool passed) {
  if (!c->found) c->found = runtime_allocate_zeroed(sizeof *c->found * COUNTS_COLLECTIVES * COUNTS_CLASSES);
  counts_found *f = &c->found[collective * COUNTS_CLASSES + counts_size_class(bytes)];
  if (f->name != name) *f = (counts_found){ .name = name };
  return counts_numbered(c, &f->row, collective, bytes, name, passed);
}

void counts_uneven(row *r, uint64_t fewest, uint64_t most) {
  if (!r->uneven || fewest < r->fewest) r->fewest = fewest;
  if (!r->uneven || most > r->most) r->most = most;
  r->uneven = true;
}

void counts_type(row *r, MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length;
  if (r->calls && r->last == type) return;
  r->last = type;
  if (!strcmp(r->type, several)) return;
  if (type == MPI_DATATYPE_NULL) return;
  MPI_Type_get_name(type, name, &length);
  if (!*name) strcpy(name, "derived");
  if (*r->type && strcmp(r->type, name)) strcpy(r->type, several);
  else strcpy(r->type, name);
}

void counts_root(row *r, int root) { r->root = r->calls == 0 || r->root == root ? root : -2; }

void counts_add(tally *into, const row *r) {
  row *to = find(into, r->collective, r->size_class, r->name, r->passed);
  if (!to->calls) {
    to->root = r->root;
    memcpy(to->type, r->type, sizeof to->type);
  }
  if (to->root != r->root) to->root = -2;
  if (strcmp(to->type, r->type)) strcpy(to->type, several);
  if (r->uneven) counts_uneven(to, r->fewest, r->most);
  to->calls += r->calls;
  to->bytes += r->bytes;
  to->in_place += r->in_place;
  to->seconds += r->seconds;
  to->over += r->over;
  to->over_s += r->over_s;
  to->samples += r->samples;
  to->skew_s += r->skew_s;
  to->waited_s += r->waited_s;
  to->sampling_s += r->sampling_s;
  if (r->max_skew_s > to->max_skew_s) to->max_skew_s = r->max_skew_s;
}

void counts_free(tally *c) {
  free(c->rows);
  free(c->found);
  *c = (tally){ 0 };
}
