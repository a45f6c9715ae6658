#include "preload/freed.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"

static struct freed {
  MPI_Datatype type;
  MPI_Op op;
  struct freed *next;
} *first;

void freed_add(MPI_Datatype type, MPI_Op op) {
  struct freed *f = runtime_allocate(sizeof *f);
  *f = (struct freed){ type, op, first };
  first = f;
}

void freed_sweep(bool (*none_uses)(MPI_Datatype, MPI_Op)) {
  for (struct freed **at = &first; *at;) {
    struct freed *f = *at;
    if (!none_uses(f->type, f->op)) {
      at = &f->next;
      continue;
    }
    *at = f->next;
    if (f->type != MPI_DATATYPE_NULL) MPI_Type_free(&f->type);
    else MPI_Op_free(&f->op);
    free(f);
  }
}
