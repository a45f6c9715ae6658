/* mpich_messages PLAN OUT: what MPICH hands to its network in collective calls, in order, at every rank: as `messages`
 * does for Open MPI. A line of the plan is `call ID COLLECTIVE COUNT ROOT COMMUTES IN_PLACE [ELEM]`: MPI's call, of floats,
 * or of bytes (ELEM 1). Rank r writes to OUT.r a line for each call: the ID, and for each message S (send) or R (receive),
 * the other rank, a colon and the bytes (of a receive: the room for them).
 *
 * MPICH's own point-to-point functions are hidden in its library, but the UCX below is a library of its own: the two
 * functions that every message passes are defined here, write, and call UCX's own. Needs MPIR_CVAR_CH4_NETMOD=ucx, and
 * sees what passes between MPICH's nodes: with MPIR_CVAR_NOLOCAL=1 everything. UCX knows ends of connections, not ranks:
 * each rank sends every other one message first, to learn which end is whose.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>

#include "validate/twins/calls.h"

enum { MAX_RANKS = 1024, SOURCE_SHIFT = 32, SOURCE_BITS = 16 }; /* of the tag: src/mpid/ch4/netmod/ucx/ucx_types.h */

static FILE *out; /* NULL: not recording */
static const void *end_of[MAX_RANKS];
static int learning = -1;

/* A type that is not contiguous goes to UCX as functions that pack it: the beginning of its structures (ucp_def.h, ucp.h). */
typedef struct {
  void *(*start_pack)(void *type, const void *buf, size_t count);
  void *start_unpack;
  size_t (*packed_size)(void *state);
  void *pack, *unpack, *finish;
} packing;
typedef struct {
  uint32_t has, flags;
  void *request, *call_back;
  uint64_t type;
} parameters;
enum { HAS_TYPE = 8, TYPES = 4096 };
static struct {
  uint64_t id;
  packing how;
  void *type;
} known[TYPES];
static int types;

typedef int create(const packing *, void *, uint64_t *);

int ucp_dt_create_generic(const packing *how, void *type, uint64_t *id) {
  static create *real;
  if (!real) real = (create *)dlsym(RTLD_NEXT, "ucp_dt_create_generic");
  int status = real(how, type, id);
  int i = types++ % TYPES;
  known[i].id = *id;
  known[i].how = *how;
  known[i].type = type;
  return status;
}

static size_t size_of(const void *buf, size_t count, const parameters *how) {
  if (!(how->has & HAS_TYPE)) return count;
  for (int i = types; i-- > 0 && i >= types - TYPES;) {
    if (known[i % TYPES].id != how->type) continue;
    const packing *p = &known[i % TYPES].how;
    /* finish() would give back the hold on the type that MPICH took for UCX: this state is left as it is. */
    return p->packed_size(p->start_pack(known[i % TYPES].type, buf, count));
  }
  return 0;
}

typedef void *transmit(void *, const void *, size_t, uint64_t, const parameters *);
typedef unsigned progress(void *);
typedef void *receive(void *, void *, size_t, uint64_t, uint64_t, const void *);

static int rank_of(const void *end) {
  for (int r = 0; r < MAX_RANKS; r++)
    if (end_of[r] == end) return r;
  return -2;
}

void *ucp_tag_send_nbx(void *end, const void *buf, size_t bytes, uint64_t tag, const parameters *how) {
  static transmit *real;
  if (!real) real = (transmit *)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  if (learning >= 0) end_of[learning] = end;
  if (out) fprintf(out, " S%d:%zu", rank_of(end), size_of(buf, bytes, how));
  return real(end, buf, bytes, tag, how);
}

void *ucp_tag_recv_nbx(void *worker, void *buf, size_t bytes, uint64_t tag, uint64_t mask, const void *how) {
  static receive *real;
  if (!real) real = (receive *)dlsym(RTLD_NEXT, "ucp_tag_recv_nbx");
  if (out) fprintf(out, " R%d:%zu", (int)(tag >> SOURCE_SHIFT & ((1 << SOURCE_BITS) - 1)), bytes);
  return real(worker, buf, bytes, tag, mask, how);
}

/* MPICH polls: with more ranks than cores, one that waits should let others go on. */
unsigned ucp_worker_progress(void *worker) {
  static progress *real;
  if (!real) real = (progress *)dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned done = real(worker);
  if (!done) sched_yield();
  return done;
}

static void learn(MPI_Comm comm) {
  int p, rank;
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &rank);
  for (int to = 0; to < p; to++) {
    if (to == rank) continue;
    MPI_Request request;
    MPI_Irecv(NULL, 0, MPI_BYTE, to, 0, comm, &request);
    learning = to;
    MPI_Send(NULL, 0, MPI_BYTE, to, 0, comm);
    learning = -1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) fail("usage: mpich_messages PLAN OUT,", "not that");
  char path[4096], line[512], id[128], what[128];
  snprintf(path, sizeof path, "%s.%d", argv[2], rank);
  FILE *plan = fopen(argv[1], "r"), *file = fopen(path, "w");
  if (!plan || !file) fail("cannot open", plan ? path : argv[1]);
  MPI_Op ordered;
  MPI_Op_create(add, 0, &ordered);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  learn(comm);
  while (fgets(line, sizeof line, plan)) {
    int n, root, commutes, in_place, elem = 4;
    if (sscanf(line, "call %127s %127s %d %d %d %d %d", id, what, &n, &root, &commutes, &in_place, &elem) < 6)
      fail("cannot read", line);
    MPI_Barrier(MPI_COMM_WORLD);
    out = file;
    fputs(id, file);
    call(what, comm, n, elem == 1 ? MPI_SIGNED_CHAR : MPI_FLOAT, root, commutes ? MPI_SUM : ordered, in_place);
    fputc('\n', file);
    out = NULL;
  }
  fclose(plan);
  fclose(file);
  MPI_Comm_free(&comm);
  MPI_Op_free(&ordered);
  return MPI_Finalize();
}
