/* One point after the other: record, prove, compare cost() with the critical path. Memory is kept from point to point.
 */
#ifndef COLLSCOPE_PROVE_PROVER_H
#define COLLSCOPE_PROVE_PROVER_H

#include "core/schedule/recorder/record.h"
#include "model/timing.h"
#include "model/uncontended.h"
#include "prove/proof/proof.h"
#include "prove/proven.h"

enum { PROVER_COSTS = PROVEN_COSTS, PROVER_ORDERS = 8 };

typedef struct {
  double alpha, beta, gamma, critical_s, cost_s;
} prover_cost;

/* What the one-port model sees of an operation. */
typedef struct {
  uint32_t kind;
  int32_t peer;
  uint64_t bytes;
} prover_step;

typedef struct {
  record *record, *other;
  proof *proof;
  proof_result result;
  const char *kind; /* "ok", or what sort of failure: proof_kind_name, or "cost" */
  char failure[sizeof((proof_result *)0)->failure];
  bool same; /* the record was the one proven just before, for an operator that need not commute */
  prover_cost cost[PROVER_COSTS];
  bool costs_known;
  prover_step *step, *timed; /* what takes time in the record, and in the one that cost[] was found for */
  size_t steps, timed_steps, step_cap, timed_cap;
  uint64_t message_bytes;
  bool even, alike;             /* all messages of the one timed last have as many bytes; and nothing is combined */
  double timed_s[PROVER_COSTS]; /* of what was timed last */
  /* Set by the caller. Such a record is played once, for all alpha and beta, and so is one whose ports are never asked for twice at once, for
   * all costs; a schedule that comes again is not proven and timed again. */
  bool scales, remembers;
  proven_schedules proven;
  proven_schedule *known; /* of the point proven last: what is known of its schedule; NULL: nothing is remembered */
  timing_result timing;
  uncontended uncontended;
  coll_place *place;
  size_t *displs; /* memory for those of a call */
  int places;
  bool given; /* the places come from a file */
} prover;

prover *prover_new(void);
void prover_free(prover *);

/* Back-to-back calls of a proof: two where the first may leave something to the second, in a segment or in what prepare() keeps. Vectors of
 * more than 2^28 elements without segments are proven in one. */
int prover_calls(const coll_alg *, const coll_args *);

/* Proves one point, which must be supported: several arrival orders where they matter, so many calls. Returns whether it
 * holds; kind and failure say what does not. */
bool prover_point(prover *, const coll_alg *, const coll_args *);

/* For the point proven last: the critical path in the one-port model beside cost(), on the axes and in between. False, with
 * kind "cost", when exact() says that they are equal and they are not. */
bool prover_costs(prover *, const coll_alg *, const coll_args *);

/* For the point proven last: rounds are timing.makespan_s, and with messages each one's round is its end_s. */
bool prover_rounds(prover *, const coll_alg *, const coll_args *, bool messages);

/* Where ranks sit when no file is given: nodes of 3, 5 and 4 ranks in turn, two sockets each, so that nothing is even.
 * NULL when one is, of fewer ranks. */
coll_place *prover_places(prover *, int ranks);

/* Reads the place of each rank; false with what is wrong with the file. */
bool prover_read_places(prover *, const char *path, char *error, size_t size);

#endif
