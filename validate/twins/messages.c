/* messages PLAN OUT: what Open MPI hands to its point-to-point layer in collective calls, in order, at every rank.
 *
 * A line of the plan is one of
 *   set NAME VALUE                                      an MCA variable, from here on: 3, 1024, …
 *   reset                                               all variables as they were at first
 *   comm                                                a new communicator, which reads the variables that matter
 *   call ID COLLECTIVE COUNT ROOT COMMUTES IN_PLACE     MPI's call, of floats, without what the communicator did before
 * Rank r writes to OUT.r a line for each call: the ID, and for each message S (send) or R (receive), the other rank
 * (-1: any source), a colon and the bytes; and `refused` if MPI returned an error.
 *
 * coll/tuned reads its forced algorithms when a communicator is made, so one launch does for all of them. The layer below,
 * the PML, is a table of functions: those that the collectives call are replaced by ones that write and pass on.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/variables.h"
#include "validate/twins/calls.h"

/* The beginning of Open MPI's table (ompi/mca/pml/pml.h): its order, not its text. 5.0 has put `revoke_comm` before. */
#if OMPI_MAJOR_VERSION == 4
enum { BEFORE = 6 };
#elif OMPI_MAJOR_VERSION == 5
enum { BEFORE = 7 };
#else
#error "the order of this Open MPI's PML functions is not known: compare its ompi/mca/pml/pml.h"
#endif
typedef struct {
  void *before[BEFORE];
  void *irecv_init, *irecv, *recv, *isend_init, *isend, *send;
} pml_functions;
extern pml_functions mca_pml;

typedef int receive(void *, size_t, MPI_Datatype, int, int, MPI_Comm, void *);
typedef int transmit(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, void *);
typedef int blocking(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);

static pml_functions pml; /* the library's own */
static FILE *out;         /* NULL: not recording */

static void note(char what, size_t n, MPI_Datatype type, int peer) {
  int size;
  PMPI_Type_size(type, &size);
  if (out) fprintf(out, " %c%d:%zu", what, peer, n * (size_t)size);
}

#define RECEIVE(name)                                                                                          \
  static int my_##name(void *buf, size_t n, MPI_Datatype type, int from, int tag, MPI_Comm comm, void *last) { \
    note('R', n, type, from);                                                                                  \
    return ((receive *)pml.name)(buf, n, type, from, tag, comm, last);                                         \
  }
#define TRANSMIT(name)                                                                                         \
  static int my_##name(const void *buf, size_t n, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm, \
                       void *last) {                                                                           \
    note('S', n, type, to);                                                                                    \
    return ((transmit *)pml.name)(buf, n, type, to, tag, mode, comm, last);                                    \
  }
RECEIVE(irecv_init)
RECEIVE(irecv)
RECEIVE(recv)
TRANSMIT(isend_init)
TRANSMIT(isend)

static int my_send(const void *buf, size_t n, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm) {
  note('S', n, type, to);
  return ((blocking *)pml.send)(buf, n, type, to, tag, mode, comm);
}

static void hook(void) {
  pml = mca_pml;
  mca_pml.irecv_init = my_irecv_init;
  mca_pml.irecv = my_irecv;
  mca_pml.recv = my_recv;
  mca_pml.isend_init = my_isend_init;
  mca_pml.isend = my_isend;
  mca_pml.send = my_send;
}

/* Is the table what we take it for? Each of the six is called with other bytes, and must be found. */
static void check_hooks(void) {
  char *found = NULL;
  size_t length;
  float data[8], more[8] = { 0 };
  MPI_Request request;
  out = open_memstream(&found, &length);
  MPI_Isend(more, 1, MPI_FLOAT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(data, 2, MPI_FLOAT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(data, 3, MPI_FLOAT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(more, 2, MPI_FLOAT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send_init(more, 4, MPI_FLOAT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Request_free(&request);
  MPI_Recv_init(data, 5, MPI_FLOAT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Request_free(&request);
  fclose(out);
  out = NULL;
  if (strcmp(found, " S0:4 R0:8 R0:12 S0:8 S0:16 R0:20"))
    fail("the PML's functions are not where they should be, seen:", found);
  free(found);
}

static MPI_Comm fresh(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

/* Variables that were set, with what they were before. */
enum { VARIABLES = 64 };
static struct {
  char name[128];
  int first;
} changed[VARIABLES];
static int changes;

static int exchange(const char *name, int value) {
  int before = 0;
  if (!variable_exchange(name, value, &before)) fail("cannot set", name);
  return before;
}

static void set(const char *name, int value) {
  int before = exchange(name, value), i = 0;
  while (i < changes && strcmp(changed[i].name, name)) i++;
  if (i < changes) return;
  if (changes == VARIABLES) fail("too many variables:", name);
  snprintf(changed[changes].name, sizeof changed->name, "%s", name);
  changed[changes++].first = before;
}

static void reset(void) {
  while (changes) changes--, exchange(changed[changes].name, changed[changes].first);
}

/* One line of the plan: the communicator it leaves. */
static MPI_Comm follow(const char *line, MPI_Comm comm, MPI_Op ordered, FILE *file) {
  char word[128], id[128], what[128];
  int value, n, root, commutes, in_place;
  if (sscanf(line, "set %127s %d", word, &value) == 2) set(word, value);
  else if (sscanf(line, "call %127s %127s %d %d %d %d", id, what, &n, &root, &commutes, &in_place) == 6) {
    PMPI_Barrier(MPI_COMM_WORLD);
    out = file;
    fputs(id, file);
    int failed = call(what, comm, n, MPI_FLOAT, root, commutes ? MPI_SUM : ordered, in_place);
    fputs(failed ? " refused\n" : "\n", file);
    out = NULL;
  } else if (!strncmp(line, "reset", 5)) reset();
  else if (!strncmp(line, "comm", 4)) {
    MPI_Comm_free(&comm);
    comm = fresh();
  } else fail("cannot read", line);
  return comm;
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) fail("usage: messages PLAN OUT,", "not that");
  char path[4096], line[512];
  snprintf(path, sizeof path, "%s.%d", argv[2], rank);
  FILE *plan = fopen(argv[1], "r"), *file = fopen(path, "w");
  if (!plan || !file) fail("cannot open", plan ? path : argv[1]);
  MPI_Op ordered;
  MPI_Op_create(add, 0, &ordered);
  MPI_Comm comm = fresh();
  hook();
  check_hooks();
  while (fgets(line, sizeof line, plan)) comm = follow(line, comm, ordered, file);
  fclose(plan);
  fclose(file);
  mca_pml = pml;
  MPI_Comm_free(&comm);
  MPI_Op_free(&ordered);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
