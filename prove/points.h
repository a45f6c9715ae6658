/* collscope-prove --plan FILE: proving the points of a plan. */
#ifndef COLLSCOPE_PROVE_POINTS_H
#define COLLSCOPE_PROVE_POINTS_H

#include <stdbool.h>

#include "core/catalogue/json.h"
#include "model/timing.h"
#include "prove/proof/proof.h"

typedef struct {
  bool costs, messages;
} points_request;

/* Prints one JSON line per point; places: the file that says where ranks sit, or NULL. Returns the exit status: 0, 1 when a proof
 * failed, 2 when the request makes no sense. */
int points_main(const char *plan, const char *places, points_request);

/* The members of a reply that say what was proved; and "schedule", every message, or null without times. */
void points_print_proof(json *, bool fine, const char *kind, const proof_result *);
void points_print_messages(json *, const timing_result *);

#endif
