/* A program that knows nothing of collscope: every collective on communicators, types, operators and buffers of many kinds, and whether
 * the data is right. With LD_PRELOAD=libcollscope.so it runs the algorithms that the environment names (tests/preload/run.sh). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COUNT = 1003, HOLE = -77 };
static int failures, rank, ranks;
static MPI_Comm comm;
static const char *on;

static void expect(int holds, const char *what, int count) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s, count %d, on %s, rank %d of %d\n", what, count, on, rank, ranks);
  failures++;
}

/* ---- types -------------------------------------------------------------------------------------------- */

/* A layout of `ints` ints per element; at[i]: where, in ints from the element's address; step: from element to element. */
typedef struct {
  const char *name;
  MPI_Datatype type;
  int ints, at[3], step;
} layout;
enum { LAYOUTS = 6, SIMPLE_LAYOUTS = 3 };
static int simple; /* none but the first of both: SMPI itself packs and combines others wrongly */
static layout layouts[LAYOUTS];

static void make_layouts(void) {
  MPI_Datatype t;
  layouts[0] = (layout){ "MPI_INT", MPI_INT, 1, { 0 }, 1 };
  MPI_Type_contiguous(3, MPI_INT, &t);
  layouts[1] = (layout){ "contiguous", t, 3, { 0, 1, 2 }, 3 };
  MPI_Type_vector(2, 1, 2, MPI_INT, &t);
  MPI_Type_create_resized(t, 0, 4 * sizeof(int), &t);
  layouts[2] = (layout){ "with gaps", t, 2, { 0, 2 }, 4 };
  MPI_Type_indexed(2, (int[]){ 1, 1 }, (int[]){ 1, 0 }, MPI_INT, &t);
  layouts[3] = (layout){ "permuted", t, 2, { 1, 0 }, 2 };
  MPI_Type_indexed(2, (int[]){ 1, 1 }, (int[]){ -2, 1 }, MPI_INT, &t);
  MPI_Type_create_resized(t, -2 * (MPI_Aint)sizeof(int), 5 * sizeof(int), &t);
  layouts[4] = (layout){ "with a negative bound", t, 2, { -2, 1 }, 5 };
  MPI_Type_create_struct(2, (int[]){ 1, 2 }, (MPI_Aint[]){ 0, sizeof(int) }, (MPI_Datatype[]){ MPI_INT, MPI_INT }, &t);
  layouts[5] = (layout){ "struct", t, 3, { 0, 1, 2 }, 3 };
  for (int i = 1; i < LAYOUTS; i++) MPI_Type_commit(&layouts[i].type);
}

enum { EDGE = 16 };
typedef struct {
  int *memory, *base;
  size_t size;
} area;

static area area_of(int elements, const layout *l) {
  area a = { .size = (size_t)(elements * l->step + 2 * EDGE) };
  a.memory = malloc(a.size * sizeof(int));
  for (size_t i = 0; i < a.size; i++) a.memory[i] = HOLE;
  a.base = a.memory + EDGE;
  return a;
}

static int value(int from, int index) { return from * 100003 + index * 7 + 1; }
static int *place_of(area a, const layout *l, int i, int part) { return a.base + i * l->step + l->at[part]; }

/* Elements first … first+n-1 hold the values of `from`, counted from index0. */
static void put(area a, const layout *l, int first, int n, int from, int index0) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < l->ints; k++) *place_of(a, l, first + i, k) = value(from, (index0 + i) * l->ints + k);
}

static int holds(area a, const layout *l, int first, int n, int from, int index0) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < l->ints; k++)
      if (*place_of(a, l, first + i, k) != value(from, (index0 + i) * l->ints + k)) return 0;
  return 1;
}

/* How many ints are no longer what they were at first. */
static size_t touched(area a) {
  size_t n = 0;
  for (size_t i = 0; i < a.size; i++) n += a.memory[i] != HOLE;
  return n;
}

/* ---- data moves --------------------------------------------------------------------------------------- */

/* All ranks have the same data in layouts that differ from rank to rank, where these have as many ints. */
static const layout *other(const layout *l) {
  if (simple) return l;
  if (l->ints == 3) return &layouts[rank % 2 ? 1 : 5];
  return l->ints == 2 ? &layouts[2 + rank % 3] : l;
}

static void test_bcast(const layout *l, int n) {
  const layout *mine = other(l);
  for (int root = 0; root < ranks; root += ranks > 2 ? ranks - 1 : 1) {
    area a = area_of(n, mine);
    if (rank == root) put(a, mine, 0, n, root, 0);
    MPI_Bcast(a.base, n, mine->type, root, comm);
    expect(holds(a, mine, 0, n, root, 0) && touched(a) == (size_t)(n * mine->ints), "bcast", n);
    free(a.memory);
  }
}

static void test_gather(const layout *l, int n, int in_place) {
  const layout *mine = other(l);
  int root = ranks - 1;
  area in = area_of(n, mine), out = area_of(n * ranks, l);
  put(in, mine, 0, n, rank, 0);
  in_place = in_place && rank == root;
  if (in_place) put(out, l, rank * n, n, rank, 0);
  MPI_Gather(in_place ? MPI_IN_PLACE : in.base, n, mine->type, out.base, n, l->type, root, comm);
  for (int i = 0; i < ranks && rank == root; i++) expect(holds(out, l, i * n, n, i, 0), "gather", n);
  expect(touched(out) == (rank == root ? (size_t)(n * l->ints * ranks) : 0), "gather leaves gaps alone", n);
  free(in.memory);
  free(out.memory);
}

static void test_scatter(const layout *l, int n, int in_place) {
  const layout *mine = other(l);
  int root = ranks / 2;
  area in = area_of(n * ranks, l), out = area_of(n, mine);
  for (int i = 0; i < ranks; i++) put(in, l, i * n, n, i, 3);
  in_place = in_place && rank == root;
  MPI_Scatter(in.base, n, l->type, in_place ? MPI_IN_PLACE : out.base, n, mine->type, root, comm);
  if (!in_place) expect(holds(out, mine, 0, n, rank, 3), "scatter", n);
  expect(touched(out) == (in_place ? 0 : (size_t)(n * mine->ints)), "scatter leaves gaps alone", n);
  for (int i = 0; i < ranks; i++) expect(holds(in, l, i * n, n, i, 3), "scatter keeps its input", n);
  free(in.memory);
  free(out.memory);
}

static void test_allgather(const layout *l, int n, int in_place) {
  const layout *mine = other(l);
  area in = area_of(n, mine), out = area_of(n * ranks, l);
  put(in, mine, 0, n, rank, 0);
  if (in_place) put(out, l, rank * n, n, rank, 0);
  MPI_Allgather(in_place ? MPI_IN_PLACE : in.base, n, mine->type, out.base, n, l->type, comm);
  for (int i = 0; i < ranks; i++) expect(holds(out, l, i * n, n, i, 0), "allgather", n);
  expect(touched(out) == (size_t)(n * l->ints * ranks), "allgather leaves gaps alone", n);
  free(in.memory);
  free(out.memory);
}

/* Blocks of one size or of several, which lie one behind the other or in reverse and apart. */
static void test_allgatherv(const layout *l, int n, int in_place, int reversed, int uneven) {
  const layout *mine = other(l);
  int *counts = malloc(sizeof *counts * (size_t)ranks), *at = malloc(sizeof *at * (size_t)ranks), apart = n + reversed;
  int all = 0, each = n;
  for (int i = 0; i < ranks; i++) {
    counts[i] = uneven ? (i * 7 + n) % (n + 1) : n;
    at[i] = reversed ? (ranks - 1 - i) * apart : all;
    all += counts[i];
  }
  n = counts[rank];
  area in = area_of(n, mine), out = area_of(apart * ranks, l);
  put(in, mine, 0, n, rank, 0);
  if (in_place) put(out, l, at[rank], n, rank, 0);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : in.base, n, mine->type, out.base, counts, at, l->type, comm);
  for (int i = 0; i < ranks; i++) expect(holds(out, l, at[i], counts[i], i, 0), "allgatherv", each);
  expect(touched(out) == (size_t)(all * l->ints), "allgatherv leaves gaps alone", each);
  free(in.memory);
  free(out.memory);
  free(counts);
  free(at);
}

static void test_alltoall(const layout *l, int n, int in_place) {
  const layout *mine = in_place ? l : other(l);
  area in = area_of(n * ranks, mine), out = area_of(n * ranks, l);
  for (int i = 0; i < ranks; i++) {
    put(in, mine, i * n, n, rank, i * n);
    if (in_place) put(out, l, i * n, n, rank, i * n);
  }
  MPI_Alltoall(in_place ? MPI_IN_PLACE : in.base, n, mine->type, out.base, n, l->type, comm);
  for (int i = 0; i < ranks; i++) expect(holds(out, l, i * n, n, i, rank * n), "alltoall", n);
  expect(touched(out) == (size_t)(n * l->ints * ranks), "alltoall leaves gaps alone", n);
  free(in.memory);
  free(out.memory);
}

/* ---- operators ---------------------------------------------------------------------------------------- */

/* Composition of x → a·x + b, pairs of unsigned: associative, not commutative. Elements lie as the type says. */
static const layout *composed;
static void compose(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  area left = { .base = in }, right = { .base = inout };
  for (int i = 0; i < *n; i++) {
    unsigned a = (unsigned)*place_of(left, composed, i, 0), b = (unsigned)*place_of(left, composed, i, 1);
    unsigned c = (unsigned)*place_of(right, composed, i, 0), d = (unsigned)*place_of(right, composed, i, 1);
    *place_of(right, composed, i, 0) = (int)(a * c);
    *place_of(right, composed, i, 1) = (int)(b * c + d);
  }
}

typedef struct {
  const layout *l;
  MPI_Op op;
} combination;

static void put_operands(const combination *k, area a, int first, int n, int of, int index0) {
  for (int i = 0; i < n; i++) {
    *place_of(a, k->l, first + i, 0) = 2 * ((of * 31 + index0 + i) % 50) + 3;
    if (k->l->ints > 1) *place_of(a, k->l, first + i, 1) = of + index0 + i;
  }
}

/* What ranks 0 … last make of elements index0 …. */
static int is_result(const combination *k, area a, int first, int n, int last, int index0) {
  area sum = area_of(n, k->l), next = area_of(n, k->l);
  put_operands(k, sum, 0, n, 0, index0);
  for (int of = 1; of <= last; of++) {
    put_operands(k, next, 0, n, of, index0);
    if (k->op == MPI_SUM)
      for (int i = 0; i < n; i++) next.base[i] += sum.base[i];
    else compose(sum.base, next.base, &n, NULL);
    area swap = sum;
    sum = next;
    next = swap;
  }
  int right = 1;
  for (int i = 0; i < n; i++)
    for (int p = 0; p < k->l->ints; p++) right &= *place_of(a, k->l, first + i, p) == *place_of(sum, k->l, i, p);
  free(sum.memory);
  free(next.memory);
  return right;
}

enum { REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER, UNEVEN_REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, REDUCTIONS };
static const char *const reductions[] = {
  "reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter of several counts", "reduce_scatter_block"
};

static void test_reduction(const combination *k, int which, int n, int in_place) {
  int root = ranks - 1, all = which == REDUCE_SCATTER_BLOCK ? n * ranks : n, first = 0, mine = n;
  int *counts = malloc(sizeof *counts * (size_t)ranks);
  for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
    counts[i] = n / ranks + (i < n % ranks);
    if (which == UNEVEN_REDUCE_SCATTER) counts[i] = i == 0 ? n - n / 2 * (ranks > 1) : i == ranks - 1 ? n / 2 : 0;
    if (i == rank && (which == REDUCE_SCATTER || which == UNEVEN_REDUCE_SCATTER)) first = at, mine = counts[i];
  }
  if (which == REDUCE_SCATTER_BLOCK) first = rank * n;
  area in = area_of(all, k->l), out = area_of(all, k->l);
  composed = k->l;
  in_place = in_place && !(which == REDUCE && rank != root);
  put_operands(k, in, 0, all, rank, 0);
  if (in_place) put_operands(k, out, 0, all, rank, 0);
  void *from = in_place ? MPI_IN_PLACE : in.base;
  MPI_Datatype t = k->l->type;
  switch (which) {
    case REDUCE: MPI_Reduce(from, out.base, n, t, k->op, root, comm); break;
    case ALLREDUCE: MPI_Allreduce(from, out.base, n, t, k->op, comm); break;
    case SCAN: MPI_Scan(from, out.base, n, t, k->op, comm); break;
    case EXSCAN: MPI_Exscan(from, out.base, n, t, k->op, comm); break;
    case REDUCE_SCATTER:
    case UNEVEN_REDUCE_SCATTER: MPI_Reduce_scatter(from, out.base, counts, t, k->op, comm); break;
    default: MPI_Reduce_scatter_block(from, out.base, n, t, k->op, comm);
  }
  int last = which == SCAN ? rank : which == EXSCAN ? rank - 1 : ranks - 1;
  if ((which != REDUCE || rank == root) && last >= 0)
    expect(is_result(k, out, 0, mine, last, first), reductions[which], n);
  if (!in_place) expect(touched(out) <= (size_t)(all * k->l->ints), "a reduction leaves gaps alone", n);
  free(in.memory);
  free(out.memory);
  free(counts);
}

static void test_maxloc(int n) {
  struct {
    double value;
    int at;
  } *in = calloc((size_t)n + 1, sizeof *in), *out = calloc((size_t)n + 1, sizeof *out);
  for (int i = 0; i < n; i++) {
    in[i].value = (rank + i) % ranks;
    in[i].at = rank;
  }
  MPI_Allreduce(in, out, n, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  for (int i = 0; i < n; i++)
    expect(out[i].value == ranks - 1 && out[i].at == ((ranks - 1 - i) % ranks + ranks) % ranks, "maxloc", n);
  free(in);
  free(out);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void test_communicator(MPI_Comm which, const char *name, const int *counts, int n) {
  MPI_Op composing;
  comm = which;
  on = name;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Op_create(compose, 0, &composing);
  for (int i = 0; i < n; i++) {
    MPI_Barrier(comm);
    for (int in_place = 0; in_place < 2; in_place++) {
      for (int l = 0; l < (simple ? SIMPLE_LAYOUTS : LAYOUTS); l++) {
        if (!in_place) test_bcast(&layouts[l], counts[i]);
        test_gather(&layouts[l], counts[i], in_place);
        test_scatter(&layouts[l], counts[i], in_place);
        test_allgather(&layouts[l], counts[i], in_place);
        for (int kind = 0; kind < 4; kind++) test_allgatherv(&layouts[l], counts[i], in_place, kind % 2, kind / 2);
        test_alltoall(&layouts[l], counts[i], in_place);
      }
      const combination made[] = {
        { &layouts[0], MPI_SUM }, { &layouts[2], composing }, { &layouts[3], composing }, { &layouts[4], composing }
      };
      for (int m = 0; m < (simple ? 1 : 4); m++)
        for (int which_one = 0; which_one < REDUCTIONS; which_one++)
          test_reduction(&made[m], which_one, counts[i], in_place);
    }
    test_maxloc(counts[i]);
  }
  MPI_Op_free(&composing);
}

/* Errors are the communicator's, and calls that MPI refuses do not end the program. */
static void test_errors(void) {
  MPI_Comm returning;
  int x = 1, class = MPI_SUCCESS;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  int code = MPI_Bcast(&x, 1, MPI_INT, 1 << 20, returning);
  if (code) MPI_Error_class(code, &class);
  expect(class == MPI_ERR_ROOT, "a root beyond the ranks is MPI_ERR_ROOT", class);
  code = MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_BAND, returning);
  if (code) MPI_Error_class(code, &class);
  expect(class == MPI_ERR_OP, "an operator that the type has not is MPI_ERR_OP", class);
  MPI_Comm_free(&returning);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  if (rank < 2 && ranks > 1) { /* rank 0 sends more than rank 1 takes */
    int many[64] = { 0 };
    code = MPI_Bcast(many, rank ? 4 : 64, MPI_INT, 0, returning);
    MPI_Error_class(code, &class);
    if (rank == 1) expect(class == MPI_ERR_TRUNCATE, "too much data is MPI_ERR_TRUNCATE", class);
  }
  MPI_Comm_free(&returning);
}

int main(int argc, char **argv) {
  static const int all[] = { 0, 1, 3, 64, MAX_COUNT }, few[] = { 1, 5 };
  MPI_Comm part, turned;
  MPI_Init(&argc, &argv);
  if (argc > 1 && !strcmp(argv[1], "abort")) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  simple = argc > 1 && !strcmp(argv[argc - 1], "simple");
  int quick = argc > 1 && !strcmp(argv[1], "quick");
  make_layouts();
  test_communicator(MPI_COMM_WORLD, "MPI_COMM_WORLD", all, quick ? 3 : 5);
  int me = rank, truncates = argc > 1 && !strcmp(argv[argc - 1], "errors");
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &part);
  test_communicator(part, "odd or even ranks, in reverse", few, 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &turned);
  test_communicator(turned, "a duplicate", few, 2);
  test_communicator(part, "odd or even ranks, once more", few, 2);
  MPI_Comm_free(&part);
  MPI_Comm_free(&turned);
  test_communicator(MPI_COMM_SELF, "MPI_COMM_SELF", few, 2);
  test_communicator(MPI_COMM_WORLD, "MPI_COMM_WORLD again", few, 1);
  if (truncates) test_errors();
  for (int i = 1; i < LAYOUTS; i++) MPI_Type_free(&layouts[i].type);
  int total;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d wrong\n", total);
  MPI_Finalize();
  return total != 0;
}
