/* A registry of one algorithm, and that one wrong: a broadcast that sends nothing. Whoever goes over all algorithms must say so
 * and end with a status of its own. */
#include "collscope.h"
#include "decision/rules.h"

static void run(coll_ctx *c, const coll_args *a) {
  (void)c;
  (void)a;
}

static const coll_alg bcast_nothing = {
  .key = "bcast/nothing", .collective = COLL_BCAST, .summary = "nobody sends", .source = "a test", .run = run
};

const coll_alg *const coll_registry[] = { &bcast_nothing, NULL };
const coll_decision *const coll_decisions[] = { NULL };
