/* Plans: good text and bad. */
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "tests/model/by_hand.h"

#include <string.h>

static void plan_refused(const char *text, const char *wanted) {
  plan p;
  char error[256] = "";
  check(!plan_read(&p, written(text), error, sizeof error), "plan should have been refused: %s", text);
  check(strstr(error, wanted), "\"%s\" does not say \"%s\"", error, wanted);
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
  char said[256];
  check(plan_read(&q, written("algorithm=bcast/mst metric=osu_avg[barrier=barrier/tree]\n"), said, sizeof said), "%s",
        said);
  check(q.points == 1 && q.point[0].metric == PLAN_OSU_AVG && !strcmp(q.point[0].barrier, "barrier/tree"),
        "a barrier's key");
  plan_free(&q);
  plan_refused("algorithm=bcast/mst metric=osu_avg[barrier=bcast/mst]\n", "bcast/mst is no barrier");
  plan_refused("algorithm=bcast/mst metric=osu_avg[barrier=\n", "write osu_avg[barrier=KEY]");
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
    check(q.node == r / 24 && q.socket == r / 12 && q.cache == r / 12, "a cache a socket: %d %d %d", q.node, q.socket,
          q.cache);
  }
}

int main(void) {
  test_plans();
  test_shapes();
  return finish();
}
