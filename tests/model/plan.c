/* Plans: good text and bad. */
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "tests/model/by_hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With this message, behind the file's name. */
static void plan_refused(const char *text, const char *expected) {
  plan p;
  char error[512] = "";
  const char *path = written(text);
  check(!plan_read(&p, path, error, sizeof error), "plan should have been refused: %s", text);
  check(!strcmp(error + strlen(path), expected), "\"%s\", not \"%s\"", error + strlen(path), expected);
  plan_free(&p);
}

static void test_plans(void) {
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
    check(!strcmp(q->id, "x") && q->collective == COLL_BCAST && !strcmp(q->key, "bcast/mst[dest=end]") &&
              q->ranks == 8 && q->root == 7 && q->count == 3000000000u && q->type == PLAN_DOUBLE && q->check &&
              !q->in_place && q->repetitions == 1 && q->op == PLAN_SUM && q->metric == PLAN_MAKESPAN && !q->warmup,
          "first point");
    check(q[1].line == 4 && !strcmp(q[1].id, "4") && q[1].op == PLAN_OP_AFFINE && !plan_op_commutes(q[1].op),
          "second point");
    check(q[2].collective == COLL_GATHER && q[2].in_place && q[2].metric == PLAN_OSU_AVG && q[2].repetitions == 3 &&
              q[2].warmup == 2,
          "third point");
    long none[1] = { 0 };
    coll_args args = plan_args(q, 8, none, NULL);
    check(args.size == 8 && args.elem == 8 && args.count == 3000000000u && args.root == 7 && args.commutes, "shape");
  }
  plan_free(&p);
  plan q = { 0 };
  char printed[256];
  check(plan_read(&q, written("algorithm=bcast/mst metric=osu_avg[barrier=barrier/tree]\n"), printed, sizeof printed),
        "%s", printed);
  check(q.points == 1 && q.point[0].metric == PLAN_OSU_AVG && !strcmp(q.point[0].barrier, "barrier/tree"),
        "a barrier's key");
  plan_free(&q);
  check(
      plan_read(
          &q,
          written("algorithm=bcast/mst metric=overlap[poll,offload]\nalgorithm=bcast/mst metric=nonblocking[thread]\n"),
          printed, sizeof printed),
      "%s", printed);
  check(q.points == 2 && q.point[0].metric == PLAN_OVERLAP && q.point[0].polls &&
            q.point[0].progress == PLAN_BY_OFFLOAD && q.point[1].metric == PLAN_NONBLOCKING &&
            q.point[1].progress == PLAN_BY_THREAD,
        "calls that go on");
  plan_free(&q);
  plan_refused(
      "algorithm=bcast/mst metric=overlap[poll,hardware]\n",
      ":1: metric=overlap[poll,hardware]: write nonblocking[PROGRESS] or overlap[wait|poll,PROGRESS], with PROGRESS "
      "calls, thread or offload");
  plan_refused("algorithm=bcast/mst metric=overlap[wait,calls] buffers=fresh\n",
               ":1: buffers=fresh goes with blocking calls; take warm, or metric=makespan");
  plan_refused("algorithm=bcast/mst metric=osu_avg[barrier=bcast/mst]\n",
               ":1: metric=osu_avg[barrier=bcast/mst]: bcast/mst is not a barrier; give barrier/… or decision/…");
  plan_refused("algorithm=bcast/mst metric=osu_avg[barrier=\n",
               ":1: metric=osu_avg[barrier=: write osu_avg[barrier=KEY]");
  plan_refused("id=1\n", ":1: no algorithm=; give a key such as bcast/mst");
  plan_refused("\nalgorithm=bcast/mst count=-1\n", ":2: count=-1: give a whole number, 0 or more");
  plan_refused("algorithm=bcast/mst type=real\n",
               ":1: type=real: choose one of float, double, int, byte, long, affine");
  plan_refused("algorithm=bcast/mst type=float op=affine\n", ":1: op=affine needs type=affine");
  plan_refused("algorithm=reduce/mst op=none\n", ":1: op=none: reduce needs an operator");
  plan_refused(
      "algorithm=bcast/mst colour=red\n",
      ":1: unknown key colour; known: id collective algorithm ranks count type op root in_place counts metric repetitions until_ci budget_s warmup buffers skew group within stop_s check");
  plan_refused("algorithm=bcast/mst nonsense\n", ":1: nonsense: give key=value");
  plan_refused("algorithm=bcast/mst collective=gather\n",
               ":1: algorithm=bcast/mst does not belong to collective=gather");
  plan_refused("algorithm=decision/ompi_4_1\n", ":1: algorithm=decision/ompi_4_1 needs collective=");
  plan_refused("algorithm=mst\n", ":1: algorithm=mst: give the full key, collective/algorithm");
  plan_refused("algorithm=bcast/mst ranks=4 root=4\n", ":1: root=4: there are only 4 ranks");
  plan_refused("algorithm=bcast/mst in_place=2\n", ":1: in_place=2: at most 1");
  plan_refused("algorithm=nothing/mst\n", ":1: algorithm=nothing/mst: nothing is not a collective");
  plan_refused(
      "algorithm=bcast/mst collective=nothing\n",
      ":1: collective=nothing: choose one of bcast, reduce, scatter, gather, allgather, reduce_scatter, reduce_scatter_block, allreduce, rotation, barrier, alltoall, scan, exscan, "
      "gatherv, scatterv, allgatherv, alltoallv");
  plan_refused("algorithm=bcast/mst metric=mean\n",
               ":1: metric=mean: choose one of makespan, osu_avg, root, loop, delay, nonblocking, overlap");
  plan_refused("algorithm=bcast/mst buffers=hot\n", ":1: buffers=hot: choose one of warm, cold, fresh");
  plan_refused("algorithm=bcast/mst op=plus\n", ":1: op=plus: choose one of sum, prod, max, min, affine, none");
  plan_refused("algorithm=reduce/mst type=affine op=sum\n", ":1: type=affine goes with op=affine or op=none only");
  plan_refused("=1\n", ":1: =1: give key=value");
  plan_refused("algorithm=bcast/mst check=yes\n", ":1: check=yes: give a whole number, 0 or more");
  plan_refused("algorithm=bcast/mst skew=soon\n",
               ":1: skew=soon: choose none, linear:T, random:T[:SEED], one_late:T[:RANK] or file:PATH");
  plan_refused("algorithm=bcast/mst id=\n", ":1: id= has no value");
}

static void plan_taken(const char *text) {
  plan p;
  char error[256] = "";
  check(plan_read(&p, written(text), error, sizeof error), "%s: %s", text, error);
  plan_free(&p);
}

/* Both sides of each limit, in numbers. */
static void test_limits(void) {
  static const char *const limits[][3] = {
    { "algorithm=allgather/bucket type=byte count=1125899906842624",
      "algorithm=allgather/bucket type=long count=140737488355329",
      ":1: count=140737488355329: so many elements of 8 bytes on 1 rank are more than 1024 TiB; give fewer" },
    { "algorithm=allgather/bucket type=byte ranks=2 count=562949953421312",
      "algorithm=allgather/bucket type=byte ranks=2 count=562949953421313",
      ":1: count=562949953421313: so many elements of 1 bytes on 2 ranks are more than 1024 TiB; give fewer" },
    { "algorithm=bcast/mst type=double ranks=2 count=140737488355328",
      "algorithm=bcast/mst type=double ranks=2 count=140737488355329",
      ":1: count=140737488355329: so many elements of 8 bytes on 1 rank are more than 1024 TiB; give fewer" },
    { "algorithm=bcast/mst count=0", "algorithm=bcast/mst count=1125899906842625",
      ":1: count=1125899906842625: at most 1125899906842624" },
    { "algorithm=bcast/mst ranks=4 root=3", "algorithm=bcast/mst ranks=4 root=4",
      ":1: root=4: there are only 4 ranks" },
    { "algorithm=bcast/mst root=4", "algorithm=bcast/mst root=4194305", ":1: root=4194305: at most 4194304" },
    { "algorithm=bcast/mst ranks=4194304", "algorithm=bcast/mst ranks=4194305", ":1: ranks=4194305: at most 4194304" },
    { "algorithm=bcast/mst repetitions=1", "algorithm=bcast/mst repetitions=0", ":1: repetitions=0: at least one" },
    { "algorithm=bcast/mst until_ci=1 budget_s=1e6", "algorithm=bcast/mst until_ci=1.01 budget_s=1",
      ":1: until_ci=1.01: give a number above 0, at most 1" },
    { "algorithm=bcast/mst until_ci=1e-9 budget_s=1e-9", "algorithm=bcast/mst until_ci=0 budget_s=1",
      ":1: until_ci=0: give a number above 0, at most 1" },
    { "algorithm=bcast/mst", "algorithm=bcast/mst until_ci=0.1 budget_s=1000001",
      ":1: budget_s=1000001: give a number above 0, at most 1e+06" },
    { "algorithm=bcast/mst group=1 within=0.02", "algorithm=bcast/mst within=0.02",
      ":1: within=0.02 is of the fastest of a group; give group=" },
    { "algorithm=bcast/mst stop_s=1", "algorithm=bcast/mst metric=root stop_s=1",
      ":1: within= and stop_s= go with metric=makespan, not with root" },
    { "algorithm=bcast/mst metric=loop", "algorithm=bcast/mst until_ci=0.1",
      ":1: until_ci= and budget_s= go together" },
    { "algorithm=bcast/mst", "algorithm=bcast/mst budget_s=1", ":1: until_ci= and budget_s= go together" },
    { "algorithm=bcast/mst", "algorithm=bcast/mst metric=loop until_ci=0.1 budget_s=1",
      ":1: until_ci=0.1: a loop is one time; take another metric" },
    { "algorithm=bcast/mst buffers=fresh", "algorithm=bcast/mst metric=loop buffers=fresh",
      ":1: buffers=fresh: calls of a loop follow each other; take another metric" },
    { "algorithm=bcast/mst metric=delay skew=linear:1", "algorithm=bcast/mst metric=osu_avg skew=linear:1",
      ":1: skew= goes with metric=makespan, root or delay, not with osu_avg" },
    { "algorithm=bcast/mst metric=root skew=linear:1", "algorithm=bcast/mst metric=loop skew=linear:1",
      ":1: skew= goes with metric=makespan, root or delay, not with loop" },
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    plan_taken(limits[i][0]);
    plan_refused(limits[i][1], limits[i][2]);
  }
}

/* Lines of a group may differ in their algorithm, its id and its repetitions, and in nothing else. */
static void test_groups(void) {
  static const char *const others[] = { "algorithm=reduce/mst",
                                        "algorithm=bcast/mst ranks=9",
                                        "algorithm=bcast/mst count=4",
                                        "algorithm=bcast/mst type=double",
                                        "algorithm=bcast/mst op=max",
                                        "algorithm=bcast/mst root=1",
                                        "algorithm=bcast/mst in_place=1",
                                        "algorithm=bcast/mst metric=root",
                                        "algorithm=bcast/mst buffers=fresh",
                                        "algorithm=bcast/mst skew=linear:1" };
  const char *first = "algorithm=bcast/mst ranks=8 count=3 group=1\n";
  char text[256];
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bool ranks = strstr(others[i], "ranks="), count = strstr(others[i], "count=");
    snprintf(text, sizeof text, "%s%s%s%s group=1\n", first, others[i], ranks ? "" : " ranks=8",
             count ? "" : " count=3");
    plan_refused(text, ":2: group=1: another call than line 1's; all of a group are the same call");
    snprintf(text, sizeof text, "%s%s%s%s group=2\n", first, others[i], ranks ? "" : " ranks=8",
             count ? "" : " count=3");
    plan_taken(text);
  }
  snprintf(text, sizeof text, "%sid=7 algorithm=bcast/linear ranks=8 count=3 repetitions=5 group=1\n", first);
  plan_taken(text);
}

static void test_places(void) {
  places_list list;
  char error[256] = "";
  check(places_read(&list, written("# one rank per line\n0 1 2\n\n3 4 5 # the second\n4194303 0 7\n"), error,
                    sizeof error),
        "places: %s", error);
  static const coll_place expected[] = { { 0, 1, 2 }, { 3, 4, 5 }, { 4194303, 0, 7 } };
  check(list.ranks == 3 && !memcmp(list.place, expected, sizeof expected), "each number is where it belongs");
  free(list.place);
  static const char *const no[][2] = {
    { "0 1\n", ":1: write NODE SOCKET CACHE, three whole numbers below 4194304" },
    { "0 1 2\n0 1 2 3\n", ":2: 3: write NODE SOCKET CACHE, three whole numbers below 4194304" },
    { "0 1 4194304\n", ":1: 4194304: write NODE SOCKET CACHE, three whole numbers below 4194304" },
    { "0 -1 2\n", ":1: -1: write NODE SOCKET CACHE, three whole numbers below 4194304" },
    { "# none\n", ":1: no places; write NODE SOCKET CACHE, one line per rank" },
    { "0 1 2 #\n0 1.5 2\n", ":2: 1.5: write NODE SOCKET CACHE, three whole numbers below 4194304" }
  };
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    const char *path = written(no[i][0]);
    check(!places_read(&list, path, error, sizeof error), "should have been refused: %s", no[i][0]);
    check(!strcmp(error + strlen(path), no[i][1]), "\"%s\", not \"%s\"", error + strlen(path), no[i][1]);
    free(list.place);
  }
}

/* Two nodes of two sockets of three caches of four cores: units are numbered over the whole machine. */
static void test_shapes(void) {
  coll_place block[48], cyclic[48], plain[48];
  char error[256] = "";
  check(places_given("2x2x3x4", 48, block, error, sizeof error) &&
            places_given("2x2x3x4,cyclic", 48, cyclic, error, sizeof error) &&
            places_given("2x2x12", 48, plain, error, sizeof error),
        "shapes: %s", error);
  for (int r = 0; r < 48; r++) {
    coll_place b = block[r], c = cyclic[r], q = plain[r];
    check(b.node == r / 24 && b.socket == r / 12 && b.cache == r / 4, "in blocks: %d %d %d", b.node, b.socket, b.cache);
    int core = r % 2 * 24 + r / 2;
    check(c.node == r % 2 && c.socket == core / 12 && c.cache == core / 4, "in turn: %d %d %d", c.node, c.socket,
          c.cache);
    check(q.node == r / 24 && q.socket == r / 12 && q.cache == r / 12, "one cache per socket: %d %d %d", q.node,
          q.socket, q.cache);
  }
}

int main(void) {
  test_plans();
  test_limits();
  test_groups();
  test_places();
  test_shapes();
  return finish();
}
