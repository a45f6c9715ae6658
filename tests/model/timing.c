/* The timing engine on schedules small enough to work out by hand, machine and plan readers on good and bad text. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plan/plan.h"
#include "model/timing.h"

static int checks, failures;

__attribute__((format(printf, 2, 3))) static void check(bool fine, const char *format, ...)
{
  checks++;
  if (fine) return;
  failures++;
  va_list list;
  va_start(list, format);
  fputs("FAILED ", stdout);
  vprintf(format, list);
  putchar('\n');
  va_end(list);
}

static void near_to(const char *what, double got, double wanted)
{ check(fabs(got - wanted) <= 1e-12 * fabs(wanted) + 1e-300, "%s: %.15g, not %.15g", what, got, wanted); }

/* ---- records by hand -------------------------------------------------------------------------------- */

enum { RANKS = 8, OPS = 64 };
static rec_op ops[RANKS][OPS];
static rec_rank lists[RANKS];
static rec_segment segment = {.group = 0, .members = RANKS, .bytes = 1 << 20, .flags = 4};
static rec_segment *opened[RANKS];
static int opened_n[RANKS];
static record rec;

static void start(int ranks)
{
  rec = (record){.args.size = ranks, .calls = 1, .rank = lists, .segment = opened, .segments = opened_n};
  for (int r = 0; r < RANKS; r++) {
    lists[r] = (rec_rank){.op = ops[r], .cap = OPS};
    opened[r] = &segment;
    opened_n[r] = 1;
  }
}

static int add(int rank, rec_op op)
{
  if (lists[rank].n == OPS) abort();
  ops[rank][lists[rank].n] = op;
  return (int)lists[rank].n++;
}
static int put(int rank, rec_kind kind, int peer, size_t bytes)
{ return add(rank, (rec_op){.kind = (uint8_t)kind, .peer = peer, .bytes = bytes}); }

static void transfer(int from, int to, size_t bytes)
{
  put(from, REC_SEND, to, bytes);
  put(to, REC_RECV, from, bytes);
}

static timing_result result;

static double timed(const machine *m)
{
  if (timing_run(&rec, m, &result)) {
    check(false, "no time: %s", result.error);
    return NAN;
  }
  return result.makespan_s;
}

static void refused(const machine *m, const char *wanted)
{
  check(timing_run(&rec, m, &result) == -1, "should have been refused: %s", wanted);
  check(strstr(result.error, wanted), "\"%s\" does not say \"%s\"", result.error, wanted);
}

/* ---- the two rules ---------------------------------------------------------------------------------- */

static const double a = 1e-6, b = 1e-9, g = 2.5e-10;

static void test_one_message(void)
{
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(2);
  transfer(0, 1, 1000);
  add(1, (rec_op){.kind = REC_REDUCE, .bytes = 400});
  near_to("one_port, one message and a reduction", timed(&one_port), a + 1000 * b + 400 * g);
  near_to("rank 0 ends with its send", result.rank_end_s[0], a + 1000 * b);
  check(result.messages == 1 && result.critical_messages == 1, "one message on the path");
  near_to("fluid, with 16 control bytes", timed(&fluid), a + 1016 * b + 400 * g);
  start(1);
  near_to("no operations", timed(&one_port), 0);
  machine_free(&one_port);
  machine_free(&fluid);
}

static void test_outstanding(void)
{
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(5);
  for (int r = 1; r < 5; r++) {
    put(0, REC_ISEND, r, 1000);
    put(r, REC_RECV, 0, 1000);
  }
  for (int i = 0; i < 4; i++) put(0, REC_WAIT, i, 0);
  near_to("one_port: sends one after the other", timed(&one_port), 4 * (a + 1000 * b));
  near_to("the third receiver", result.rank_end_s[3], 3 * (a + 1000 * b));
  check(result.critical_messages == 4, "%zu messages on the path, not 4", result.critical_messages);
  near_to("fluid: latencies together, port shared", timed(&fluid), a + 4 * 1016 * b);
  /* The port is free for the second from the middle of the way: 500 bytes of each, then one alone. */
  start(3);
  put(0, REC_ISEND, 1, 484);
  put(0, REC_ISEND, 2, 984);
  put(0, REC_WAIT, 0, 0);
  put(0, REC_WAIT, 1, 0);
  put(1, REC_RECV, 0, 484);
  put(2, REC_RECV, 0, 984);
  timed(&fluid);
  near_to("short one, half the port", result.rank_end_s[1], a + 1000 * b);
  near_to("long one, then all of it", result.rank_end_s[2], a + 1500 * b);
  machine_free(&one_port);
  machine_free(&fluid);
}

/* 0 to 2 and 1 to 2 share a way in; 0 to 1 has what is left of 0's way out; 3 to 4 nothing to do with them. */
static void test_max_min(void)
{
  machine m = machine_ideal_simgrid(0, b, 0);
  start(5);
  int pairs[][2] = {{0, 2}, {1, 2}, {0, 1}, {3, 4}};
  for (int i = 0; i < 4; i++) {
    put(pairs[i][0], REC_ISEND, pairs[i][1], 984);
    put(pairs[i][1], REC_IRECV, pairs[i][0], 984);
  }
  for (int r = 0; r < 5; r++)
    for (int i = 0, n = (int)lists[r].n; i < n; i++) put(r, REC_WAIT, i, 0);
  timed(&m);
  near_to("shared ports", result.rank_end_s[2], 2000 * b);
  near_to("a flow apart", result.rank_end_s[4], 1000 * b);
  machine_free(&m);
}

static void test_blocking(void)
{
  machine one_port = machine_one_port(a, b, g);
  start(3);      /* a receive posted late holds up its sender, and who waits for that one */
  add(1, (rec_op){.kind = REC_REDUCE, .bytes = 40000});
  transfer(0, 1, 0);
  transfer(0, 2, 0);
  near_to("rendezvous", timed(&one_port), 40000 * g + 2 * a);
  result.want_messages = true;
  timed(&one_port);
  check(result.message[0].dst == 1 && result.message[1].dst == 2, "messages by sender and order");
  near_to("posted", result.message[0].posted_s, 40000 * g);
  near_to("start of the second", result.message[1].start_s, 40000 * g + a);
  near_to("end of the second", result.message[1].end_s, 40000 * g + 2 * a);
  result.want_messages = false;
  one_port.eager_bytes = 0;
  timed(&one_port);
  near_to("eager: rank 0 does not wait", result.rank_end_s[0], 0);
  near_to("eager: rank 2 neither, but for the port", result.rank_end_s[2], 2 * a);
  near_to("eager: it was there already", result.rank_end_s[1], 40000 * g);
  machine_free(&one_port);
}

/* The processor pays for a send that it need not wait for and for taking the message in; one call that waits for
 * several takes them as they come. */
static void test_overhead(void)
{
  machine m = machine_ideal_simgrid(a, b, g);
  double o = 1e-7;
  m.overhead_s = o;
  m.eager_bytes = 100;
  start(2);
  transfer(0, 1, 84);
  near_to("eager message", timed(&m), o + a + 100 * b + o);
  start(2);
  transfer(0, 1, 984);
  near_to("rendezvous", timed(&m), a + 1000 * b);
  for (int together = 0; together < 2; together++) {
    start(3);
    put(0, REC_IRECV, 1, 84);
    put(0, REC_IRECV, 2, 84);
    add(1, (rec_op){.kind = REC_REDUCE, .bytes = 8000});     /* rank 1 is 2 us late */
    put(1, REC_SEND, 0, 84);
    put(2, REC_SEND, 0, 84);
    add(0, (rec_op){.kind = REC_WAIT, .peer = 0, .bytes = (uint64_t)together});
    put(0, REC_WAIT, 1, 0);
    timed(&m);
    near_to(together ? "taken in as they come" : "taken in in order", result.rank_end_s[0],
            8000 * g + o + a + 100 * b + (together ? 1 : 2) * o);
  }
  machine_free(&m);
}

static void test_labels(void)
{
  machine m = machine_one_port(a, b, 0);
  start(2);      /* the same pair under two labels: received in the other order */
  add(0, (rec_op){.kind = REC_ISEND, .peer = 1, .label = 1, .bytes = 1000});
  add(0, (rec_op){.kind = REC_ISEND, .peer = 1, .label = 2, .bytes = 3000});
  put(0, REC_WAIT, 0, 0);
  put(0, REC_WAIT, 1, 0);
  add(1, (rec_op){.kind = REC_RECV, .peer = 0, .label = 2, .bytes = 3000});
  add(1, (rec_op){.kind = REC_RECV, .peer = 0, .label = 1, .bytes = 1000});
  near_to("labels keep messages apart", timed(&m), 2 * a + 4000 * b);
  machine_free(&m);
}

static void test_segments(void)
{
  machine m = machine_ideal_simgrid(a, b, 0);
  m.copy_s_per_byte = 1e-10;
  start(2);
  add(0, (rec_op){.kind = REC_WRITE, .buf2 = REC_SEGMENT, .peer = 0, .bytes = 10000});
  add(0, (rec_op){.kind = REC_PUBLISH, .buf = REC_SEGMENT, .peer = 0, .off = 1, .off2 = 5});
  add(1, (rec_op){.kind = REC_AWAIT, .buf = REC_SEGMENT, .peer = 0, .off = 1, .off2 = 4});
  add(1, (rec_op){.kind = REC_READ, .buf = REC_SEGMENT, .peer = 0, .bytes = 10000});
  near_to("written, awaited and read", timed(&m), 10000e-10 + a + 64 * b + a + 10000 * b);
  check(result.messages == 0, "segments are no messages");
  ops[1][0].off2 = 6;
  refused(&m, "deadlock: rank 1 waits for ever in operation 0, a flag");
  machine_free(&m);
}

static void test_faults(void)
{
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(2);
  put(0, REC_SEND, 1, 8);
  put(0, REC_RECV, 1, 8);
  put(1, REC_SEND, 0, 8);
  put(1, REC_RECV, 0, 8);
  refused(&one_port, "deadlock: rank 0 waits for ever in operation 0, its send with rank 1");
  refused(&fluid, "deadlock");
  fluid.eager_bytes = 8;
  near_to("both may send when sends need not wait", timed(&fluid), a + 24 * b);
  start(2);
  put(0, REC_SEND, 1, 8);
  refused(&one_port, "rank 0 sends to rank 1, which never receives it");
  start(2);
  put(0, REC_RECV, 1, 8);
  refused(&one_port, "rank 0 receives from rank 1, which sends no such message");
  start(2);
  put(0, REC_SEND, 7, 8);
  refused(&one_port, "rank 7, which does not exist");
  machine_free(&one_port);
  machine_free(&fluid);
}

/* ---- machines --------------------------------------------------------------------------------------- */

static const char *written(const char *text)
{
  static char path[4096];
  const char *dir = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/collscope-test-%d.txt", dir && *dir ? dir : "/tmp", (int)getpid());
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) { perror(path); exit(1); }
  return path;
}

static machine machine_of(const char *text)
{
  machine m;
  char error[256];
  bool fine = machine_read(&m, written(text), error, sizeof error);
  check(fine, "machine: %s", error);
  return m;
}

static void machine_refused(const char *text, const char *wanted)
{
  machine m;
  char error[256] = "";
  check(!machine_read(&m, written(text), error, sizeof error), "machine should have been refused: %s", text);
  check(strstr(error, wanted), "\"%s\" does not say \"%s\"", error, wanted);
  machine_free(&m);
}

static void test_classes(void)
{
  machine m = machine_of("ports fluid\ncontrol 0\n"
                         "class cache 0 1e-7 1e-10\nclass socket 0 2e-7 1e-10\nclass node 0 4e-7 2e-10\n"
                         "class network 0 1e-6 1e-9   # pieces\nclass network 1000 2e-6 5e-10\n"
                         "nic 2e9\nmemory 1e10\nbound 1 2 3\n"
                         "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 1\nplace 3 0 1 2\nplace 4 1 2 3\nplace 5 1 2 3\n");
  near_to("bound", m.bound_gamma_s_per_byte, 3);
  const double wanted[] = {0, 1e-7 + 100e-10, 2e-7 + 100e-10, 4e-7 + 200e-10, 1e-6 + 1e-7};
  for (int to = 1; to < 5; to++) {
    start(5);
    transfer(0, to, 100);
    near_to("class", timed(&m), wanted[to]);
  }
  start(6);      /* two messages out of a node: each wants 2e9, the NIC has 2e9 */
  transfer(0, 4, 10000);
  transfer(1, 5, 10000);
  near_to("a NIC shared", timed(&m), 2e-6 + 10000 / 1e9);
  start(7);
  refused(&m, "places for 6 ranks, the schedule has 7");
  machine_free(&m);
  m = machine_of("class cache 0 1e-7 1e-10\nplace 0 0 0 0\nplace 1 1 1 1\n");
  start(2);
  transfer(0, 1, 8);
  refused(&m, "no line for class network");
  machine_free(&m);
}

/* Links by name: the message is on the NIC for its traffic and waits the rest of its time before. */
static void test_links(void)
{
  machine m = machine_of("control 16\nclass cache 0 1e-7 3e-10 2\nclass network 0 1e-6 1e-9 1\n"
                         "core 1e10\nmemory 4e10\nnic 2e9\nswitch 4e9\n"
                         "place 0 0 0 0\nplace 1 0 0 0\nplace 2 1 1 1\nplace 3 1 1 1\n");
  start(2);
  transfer(0, 1, 10000);
  near_to("alone, in a cache", timed(&m), 1e-7 + 10000 * 3e-10);
  start(3);
  transfer(0, 2, 10000);
  near_to("alone, across", timed(&m), 1e-6 + 10000 * 1e-9);
  start(4);
  transfer(0, 2, 10000);
  transfer(1, 3, 10000);
  near_to("two share the NIC", timed(&m), 1e-6 + 10000 * 1e-9 - 10016 / 2e9 + 2 * 10016 / 2e9);
  machine_free(&m);
}

static void test_bad_machines(void)
{
  machine_refused("class network 0 1e-6 1e-9\nports both\n", ":2: ports both: choose fluid or one_port");
  machine_refused("class network 0 1e-6\n", ":1: write: class");
  machine_refused("class network 0 -1 1e-9\n", ":1: -1: LATENCY_S must be a number");
  machine_refused("class network 5 1e-6 1e-9\n", "pieces start at 0");
  machine_refused("class network 0 1 1\nclass network 0 1 1\n",
                  ":2: class network: pieces start at 0 bytes and ascend");
  machine_refused("class wire 0 1 1\n", "choose cache, socket, node or network");
  machine_refused("class network 0 1 1\nplace 1 0 0 0\n", "this should be rank 0");
  machine_refused("speed 3\n", "unknown line speed");
  machine_refused("ports one_port\n", "no class network line");
  machine m;
  char error[256] = "";
  check(!machine_read(&m, "/nowhere/at/all", error, sizeof error) && strstr(error, "/nowhere/at/all: "),
        "missing file: %s", error);
}

/* Memory is used again: the same times after other schedules and machines. */
static void test_again(void)
{
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  double first[2] = {0, 0};
  for (int k = 0; k < 50; k++) {
    start(RANKS);
    int p = 2 + k % 7;
    rec.args.size = p;
    for (int r = 0; r < p; r++) {
      put(r, REC_ISEND, (r + 1) % p, 100 * (size_t)k);
      put(r, REC_IRECV, (r + p - 1) % p, 100 * (size_t)k);
      put(r, REC_WAIT, 0, 0);
      put(r, REC_WAIT, 1, 0);
    }
    near_to("ring, one_port", timed(&one_port), a + 100 * k * b);
    near_to("ring, fluid", timed(&fluid), a + (100 * k + 16) * b);
    start(3);
    transfer(0, 1, 77);
    transfer(0, 2, 99);
    double now[2] = {timed(&one_port), timed(&fluid)};
    for (int i = 0; i < 2; i++) {
      check(!k || now[i] == first[i], "call %d: %.17g, not %.17g", k, now[i], first[i]);
      first[i] = now[i];
    }
  }
  machine_free(&one_port);
  machine_free(&fluid);
}

/* ---- plans ------------------------------------------------------------------------------------------ */

static void plan_refused(const char *text, const char *wanted)
{
  plan p;
  char error[256] = "";
  check(!plan_read(&p, written(text), error, sizeof error), "plan should have been refused: %s", text);
  check(strstr(error, wanted), "\"%s\" does not say \"%s\"", error, wanted);
  plan_free(&p);
}

static void test_plans(void)
{
  plan p;
  char error[256] = "";
  const char *text = "# points\n\n"
                     "id=x algorithm=bcast/mst[dest=end] ranks=8 count=3000000000 type=double root=7 check=1\n"
                     "algorithm=allreduce/ring type=affine  # the operator follows\n"
                     "collective=gather algorithm=decision/ompi_4_1 in_place=1 metric=osu_avg repetitions=3 warmup=2 "
                     "op=none\n";
  check(plan_read(&p, written(text), error, sizeof error), "plan: %s", error);
  check(p.points == 3, "%zu points", p.points);
  if (p.points == 3) {
    const plan_point *q = p.point;
    check(!strcmp(q->id, "x") && q->collective == COLL_BCAST && !strcmp(q->key, "bcast/mst[dest=end]")
          && q->ranks == 8 && q->root == 7 && q->count == 3000000000u && q->type == PLAN_DOUBLE
          && q->check && !q->in_place && q->repetitions == 1, "first point");
    check(q[1].line == 4 && !strcmp(q[1].id, "4") && q[1].op == PLAN_OP_AFFINE
          && !plan_op_commutes(q[1].op), "second point");
    check(q[2].collective == COLL_GATHER && q[2].in_place && q[2].metric == PLAN_OSU_AVG
          && q[2].repetitions == 3 && q[2].warmup == 2, "third point");
    long none[1] = {0};
    coll_args args = plan_args(q, 8, none, NULL);
    check(args.size == 8 && args.elem == 8 && args.count == 3000000000u && args.root == 7 && args.commutes, "shape");
  }
  plan_free(&p);
  plan_refused("id=1\n", ":1: no algorithm=");
  plan_refused("\nalgorithm=bcast/mst count=-1\n", ":2: count=-1: give a whole number");
  plan_refused("algorithm=bcast/mst type=real\n", "type=real: choose one of float, double, int, byte, long, affine");
  plan_refused("algorithm=bcast/mst type=float op=affine\n", "op=affine needs type=affine");
  plan_refused("algorithm=reduce/mst op=none\n", "reduce needs an operator");
  plan_refused("algorithm=bcast/mst colour=red\n", "unknown key colour");
  plan_refused("algorithm=bcast/mst nonsense\n", "nonsense: give key=value");
  plan_refused("algorithm=bcast/mst collective=gather\n", "does not belong to collective=gather");
  plan_refused("algorithm=decision/ompi_4_1\n", "needs collective=");
  plan_refused("algorithm=mst\n", "give the full key");
  plan_refused("algorithm=bcast/mst ranks=4 root=4\n", "root=4: there are only 4 ranks");
  plan_refused("algorithm=bcast/mst in_place=2\n", "in_place=2: at most 1");
}

int main(void)
{
  test_one_message();
  test_outstanding();
  test_max_min();
  test_blocking();
  test_overhead();
  test_labels();
  test_segments();
  test_faults();
  test_classes();
  test_links();
  test_bad_machines();
  test_again();
  test_plans();
  timing_free(&result);
  unlink(written(""));
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
