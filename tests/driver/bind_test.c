/* core/runtime/bind: what an algorithm is given of a call of MPI, and why a key cannot serve it. */
#include "core/runtime/bind.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/types.h"

static int failures;
static const coll_place place[4];
static char reason[BIND_TEXT];

static void expect(bool holds, const char *what) {
  if (holds) return;
  printf("FAILED: %s (%s)\n", what, reason);
  failures++;
}

/* The call with this key; NULL, or why it cannot be. */
static const char *bound(binding *b, const char *key, mpi_call call) {
  call.ranks = 4;
  call.place = place;
  *reason = '\0';
  const char *why = bind_shape(b, &call, reason, sizeof reason);
  return why ? why : bind_key(b, key, call.collective, reason, sizeof reason);
}

static bool refuses(const char *key, mpi_call call, const char *expected) {
  binding b;
  const char *why = bound(&b, key, call);
  return why && strstr(why, expected);
}

static void shapes(const types *t) {
  binding b;
  mpi_call reduce = {
    .collective = COLL_REDUCE, .root = 3, .count = 7, .type = MPI_DOUBLE, .op = MPI_SUM, .in_place = true
  };
  expect(!bound(&b, "reduce/binomial", reduce), "a reduction of doubles is taken");
  const coll_args *a = &b.args;
  expect(a->size == 4 && a->root == 3 && a->count == 7 && a->elem == 8 && a->in_place && a->commutes, "its shape");
  expect(a->param == b.param && a->place == place && !a->in && !a->out,
         "its parameters and places, and no buffers yet");
  expect(!strcmp(b.alg->key, "reduce/binomial") && b.type == MPI_DOUBLE && b.op == MPI_SUM && !*b.chose,
         "its algorithm, which nobody chose");
  reduce.type = t->type[PLAN_AFFINE];
  reduce.op = t->op[PLAN_OP_AFFINE];
  bound(&b, "reduce/in_order_binary", reduce);
  expect(b.args.elem == 8 && !b.args.commutes, "a pair is one element, and its operator does not commute");
  bound(&b, "bcast/binomial", (mpi_call){ .collective = COLL_BCAST, .type = MPI_CHAR, .op = MPI_OP_NULL });
  expect(b.args.elem == 1 && b.args.commutes && b.alg->collective == COLL_BCAST, "a call without an operator");
}

static void keys(void) {
  binding b;
  mpi_call bcast = { .collective = COLL_BCAST, .count = 5, .type = MPI_INT, .op = MPI_OP_NULL };
  expect(!bound(&b, "bcast/knomial[k=3]", bcast) && b.param[0] == 3, "the key's parameter is the algorithm's");
  expect(!bound(&b, "decision/ompi_4_1", bcast) && b.alg->collective == COLL_BCAST && !strncmp(b.chose, "bcast/", 6),
         "a decision chooses, and says what");
  expect(refuses("bcast/nosuch", bcast, "nosuch"), "an algorithm that does not exist");
  expect(refuses("reduce/binomial", bcast, "reduce/binomial is not an algorithm for bcast"),
         "one of another collective");
  expect(refuses("bcast/knomial[k=1]", bcast, "k"), "a parameter out of range");
  mpi_call allgather = { .collective = COLL_ALLGATHER, .count = 5, .type = MPI_INT, .op = MPI_OP_NULL };
  expect(refuses("allgather/two_proc", allgather, "two ranks"), "an algorithm says why not");
  bcast.root = 4;
  expect(refuses("bcast/binomial", bcast, "root 4 is not one of the 4 ranks"), "a root beyond the last rank");
  bcast.root = -1;
  expect(refuses("bcast/binomial", bcast, "root -1"), "a negative root");
  bcast.ranks = bcast.root = 4;
  expect(bind_shape(&b, &bcast, reason, sizeof reason) != NULL,
         "a root beyond the last rank, where MPI's own function is called");
  bcast.collective = COLL_ALLREDUCE;
  bcast.op = MPI_MAX;
  expect(!bound(&b, "allreduce/ring", bcast), "where there is no root, any will do");
}

static void pieces(void) {
  MPI_Datatype gaps, longer, later, two;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_create_resized(MPI_INT, 0, 8, &longer);
  MPI_Type_create_resized(MPI_INT, -4, 4, &later);
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Datatype *made[] = { &gaps, &longer, &later, &two };
  for (int i = 0; i < 4; i++) {
    MPI_Type_commit(made[i]);
    mpi_call call = { .collective = COLL_BCAST, .count = 1, .type = *made[i], .op = MPI_OP_NULL };
    expect(refuses("bcast/binomial", call, "do not lie in one piece") == (made[i] != &two), "elements with gaps");
    MPI_Type_free(made[i]);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  types t;
  types_make(&t);
  shapes(&t);
  keys();
  pieces();
  types_free(&t);
  MPI_Finalize();
  return failures != 0;
}
