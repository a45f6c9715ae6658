/* Every operation with more elements than an int can count, in simulation with shared buffers. Nothing can be read from those, but
 * time shows how many bytes were moved: so many times as many elements must take so many times as long. */
#include <math.h>
#include <stdlib.h>

#include "core/runtime/mpi.h"
#include "core/runtime/port_memory.h"
#include "core/runtime/requests.h"
#include "driver/launch.h"
#include "driver/port.h"

/* Rank 0 gives, rank 1 takes. */
static void send_recv(coll_ctx *c, const coll_args *a) {
  if (c->rank) coll_recv(c, a->out, a->count, 0);
  else coll_send(c, a->in, a->count, 1);
}

static void isend_irecv(coll_ctx *c, const coll_args *a) {
  coll_req r = c->rank ? coll_irecv(c, a->out, a->count, 0) : coll_isend(c, a->in, a->count, 1);
  coll_wait(c, &r);
}

static void send_recv_any(coll_ctx *c, const coll_args *a) {
  if (!c->rank) coll_send(c, a->in, a->count, 1);
  else if (coll_recv_any(c, a->out, a->count) != 0) abort();
}

static void sendrecv(coll_ctx *c, const coll_args *a) {
  coll_sendrecv(c, a->in, a->count, !c->rank, a->out, a->count, !c->rank);
}

/* One side small: it may not take the other's way. */
static void sendrecv_uneven(coll_ctx *c, const coll_args *a) {
  coll_sendrecv(c, a->in, c->rank ? 3 : a->count, !c->rank, a->out, c->rank ? a->count : 3, !c->rank);
}

static void reduce(coll_ctx *c, const coll_args *a) { coll_reduce(c, a->in, a->out, a->count); }
static void copy(coll_ctx *c, const coll_args *a) { coll_copy(c, a->out, a->in, a->count); }

#define OPERATION(name) { .key = #name, .collective = COLL_ROTATION, .flags = COLL_ANY_SOURCE, .run = name }
static const coll_alg operations[] = { OPERATION(send_recv), OPERATION(isend_irecv),     OPERATION(send_recv_any),
                                       OPERATION(sendrecv),  OPERATION(sendrecv_uneven), OPERATION(reduce),
                                       OPERATION(copy) };

/* Seconds until both ranks are through. */
static double time_of(launch *l, const coll_alg *alg, void *buffer[2], plan_type type, size_t count) {
  coll_args a = { .size = 2,
                  .count = count,
                  .elem = plan_type_bytes(type),
                  .commutes = true,
                  .place = l->place,
                  .in = buffer[0],
                  .out = buffer[1] };
  coll_call *call = coll_open(l->world, alg, &a, l->types.type[type], l->types.op[PLAN_SUM]);
  MPI_Barrier(l->world);
  double start = port_now(), mine, both;
  coll_run(call);
  mine = port_now() - start;
  MPI_Allreduce(&mine, &both, 1, MPI_DOUBLE, MPI_MAX, l->world);
  coll_close(call);
  return both;
}

/* A part has up to 1 GiB, and one element at least. */
static bool parts_are_right(void) {
  requests ints = { .elem = 4 }, huge = { .elem = ((size_t)1 << 30) + 1 };
  return requests_part(&ints, (size_t)1 << 40) == 1 << 28 && requests_part(&ints, 3) == 3 &&
         requests_parts(&ints, (size_t)1 << 29) == 2 && requests_part(&huge, 3) == 1 && requests_parts(&huge, 3) == 3;
}

int main(int argc, char **argv) {
  static const struct {
    plan_type type;
    size_t count;
  } large[] = {
    { PLAN_INT, ((size_t)1 << 29) + 1 }, /* 2 GiB and a little */
    { PLAN_INT, ((size_t)1 << 31) - 1 }, /* the most that an int counts */
    { PLAN_INT, (size_t)1 << 31 },
    { PLAN_INT, 3 * ((size_t)1 << 30) + 77777777 },
    { PLAN_BYTE, ((size_t)1 << 31) + 77777777 },
    { PLAN_DOUBLE, ((size_t)1 << 32) + 77777777 },
  };
  MPI_Init(&argc, &argv);
  launch l;
  launch_open(&l);
  if (!port_share_buffers()) abort();
  void *buffer[2];
  for (int i = 0; i < 2; i++) buffer[i] = port_alloc((size_t)40 << 30);
  int passed = 0, failed = !parts_are_right();
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
      size_t small = (size_t)1 << 27;
      double unit = time_of(&l, &operations[i], buffer, large[k].type, small);
      double time = time_of(&l, &operations[i], buffer, large[k].type, large[k].count);
      double expected = unit * (double)large[k].count / (double)small;
      bool right = unit > 0 && fabs(time - expected) <= 1e-3 * expected;
      if (right) passed++;
      else failed++;
      if (l.rank == 0)
        printf("%s %s of %zu %ss: %.9g s, expected %.9g s\n", right ? "ok    " : "FAILED", operations[i].key,
               large[k].count, plan_type_name(large[k].type), time, expected);
    }
  if (l.rank == 0) printf("%d passed, %d failed\n", passed, failed);
  launch_close(&l);
  MPI_Finalize();
  return failed ? 1 : 0;
}
