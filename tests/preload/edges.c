/* A program that knows nothing of collscope: calls at the edge of what MPI allows. Addresses that it does not look at or that mean nothing,
 * the same data by different types, and types that the program's own functions free while a call is under way. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RANKS = 16, N = 40 };
static int rank, ranks, failures;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s, rank %d of %d\n", what, rank, ranks);
  failures++;
}

static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* ---- addresses ---------------------------------------------------------------------------------------- */

static void first_rank_of_an_exscan_has_no_result(void) {
  int mine[2] = { rank + 1, rank + 2 }, sum[2] = { 0 }, before = rank * (rank + 1) / 2;
  MPI_Request request;
  MPI_Exscan(mine, rank ? sum : NULL, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(!rank || (sum[0] == before && sum[1] == before + rank), "MPI_Exscan without a result's address");
  memset(sum, 0, sizeof sum);
  MPI_Iexscan(mine, rank ? sum : NULL, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  finish(&request);
  expect(!rank || sum[0] == before, "MPI_Iexscan without a result's address");
}

static MPI_Datatype int_at(int *place) {
  MPI_Aint address;
  MPI_Datatype at, one;
  MPI_Get_address(place, &address);
  MPI_Type_create_hindexed(1, &(int){ 1 }, &address, MPI_INT, &at);
  MPI_Type_create_resized(at, 0, sizeof(int), &one);
  MPI_Type_commit(&one);
  MPI_Type_free(&at);
  return one;
}

/* Both sides are at MPI_BOTTOM, and are not the same memory. */
static void absolute_addresses(void) {
  int mine = 100 * rank, all[MAX_RANKS];
  MPI_Datatype from = int_at(&mine), to = int_at(all);
  MPI_Request request;
  for (int begun = 0; begun < 2; begun++) {
    memset(all, -1, sizeof all);
    if (begun) {
      MPI_Iallgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Allgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, MPI_COMM_WORLD);
    }
    for (int i = 0; i < ranks; i++) expect(all[i] == 100 * i, "MPI_BOTTOM on both sides");
  }
  MPI_Type_free(&from);
  MPI_Type_free(&to);
}

/* The first rank has no result, whose address is that of what it sends. */
static void empty_result_where_the_operand_is(void) {
  int mine[2 * MAX_RANKS], sum[2], counts[MAX_RANKS];
  for (int i = 0; i < 2 * MAX_RANKS; i++) mine[i] = 100 * rank + i;
  for (int i = 0; i < ranks; i++) counts[i] = i ? 2 : 0;
  MPI_Reduce_scatter(mine, rank ? sum : mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * MAX_RANKS; i++) expect(mine[i] == 100 * rank + i, "MPI_Reduce_scatter leaves its operand");
}

/* ---- types -------------------------------------------------------------------------------------------- */

/* Odd ranks describe blocks of chars as pairs; the mean block has other bytes by one type than by the other. */
static void blocks_by_different_types(void) {
  char mine[8], all[2 * MAX_RANKS + 8];
  int counts[MAX_RANKS], at[MAX_RANKS], sum = 0, each = rank % 2 ? 2 : 1;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_CHAR, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < ranks; sum += counts[i++] * each) {
    counts[i] = (i == 0 ? 0 : i == 1 ? 6 : 2) / each;
    at[i] = sum / each;
  }
  for (int i = 0; i < 8; i++) mine[i] = (char)(7 * rank + i);
  MPI_Allgatherv(mine, counts[rank] * each, MPI_CHAR, all, counts, at, each == 2 ? pair : MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++)
    for (int k = 0; k < counts[i] * each; k++)
      expect(all[at[i] * each + k] == (char)(7 * i + k), "MPI_Allgatherv by different types");
  MPI_Type_free(&pair);
}

static int class_of(int code) {
  int of;
  MPI_Error_class(code, &of);
  return of;
}

static void types_that_are_not_committed(void) {
  int data[12] = { 0 };
  MPI_Datatype type[2];
  MPI_Type_contiguous(2, MPI_INT, &type[0]);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; i++)
    expect(class_of(MPI_Bcast(data, 2, type[i], 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE, "a type that is not committed");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_commit(&type[0]);
  expect(MPI_Bcast(data, 2, type[0], 0, MPI_COMM_WORLD) == MPI_SUCCESS, "the same type, committed");
  for (int i = 0; i < 2; i++) MPI_Type_free(&type[i]);
}

/* ---- what the program's functions free ------------------------------------------------------------------ */

/* Looks into its type, and frees what it was given of it. */
static void sum_of_pairs_of_pairs(void *in, void *inout, int *n, MPI_Datatype *type) {
  int integers[2], counts[3], combiner;
  MPI_Aint unused;
  MPI_Datatype inner;
  MPI_Type_get_envelope(*type, &counts[0], &counts[1], &counts[2], &combiner);
  if (combiner == MPI_COMBINER_CONTIGUOUS) {
    MPI_Type_get_contents(*type, counts[0], counts[1], counts[2], integers, &unused, &inner);
    MPI_Type_get_envelope(inner, &counts[0], &counts[1], &counts[2], &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&inner);
  }
  for (int i = 0; i < 4 * *n; i++) ((int *)inout)[i] += ((int *)in)[i];
}

static void operators_free_types(void) {
  int mine[N], sum[N];
  MPI_Datatype pair, four;
  MPI_Op op;
  MPI_Request request;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_contiguous(2, pair, &four);
  MPI_Type_commit(&four);
  MPI_Op_create(sum_of_pairs_of_pairs, 1, &op);
  for (int i = 0; i < N; i++) mine[i] = rank + i;
  for (int begun = 0; begun < 2; begun++) {
    memset(sum, 0, sizeof sum);
    if (begun) {
      MPI_Iallreduce(mine, sum, N / 4, four, op, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Allreduce(mine, sum, N / 4, four, op, MPI_COMM_WORLD);
    }
    for (int i = 0; i < N; i++) expect(sum[i] == ranks * i + ranks * (ranks - 1) / 2, "an operator that frees a type");
  }
  MPI_Op_free(&op);
  MPI_Type_free(&four);
  MPI_Type_free(&pair);
}

static int deleted;

static int free_other(MPI_Datatype type, int key, void *other, void *extra) {
  (void)type, (void)key, (void)extra;
  deleted++;
  return MPI_Type_free(other);
}

static void delete_functions_free_types(void) {
  int data[3] = { 1, 2, 3 }, key;
  MPI_Datatype type, other;
  MPI_Request request;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_other, &key, NULL);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_contiguous(2, MPI_INT, &other);
  MPI_Type_set_attr(type, key, &other);
  MPI_Ibcast(data, 3, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  finish(&request);
  expect(deleted == 1, "a delete function that frees another type");
  MPI_Type_free_keyval(&key);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  first_rank_of_an_exscan_has_no_result();
  absolute_addresses();
  empty_result_where_the_operand_is();
  blocks_by_different_types();
  types_that_are_not_committed();
  operators_free_types();
  delete_functions_free_types();
  MPI_Finalize();
  return failures ? 1 : 0;
}
