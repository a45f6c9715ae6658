/* Shares where traffic is dense: so many flows are under way, and change each other's shares so often, that to give each of them its share
 * again and again takes too long. From then on they are in bundles (bundles.h).
 *
 * Most links that a flow crosses are never full. A link is loose as long as its flows could not fill it if each had its bundle's
 * ceiling, which is a little above the bundle's rate; bundles do not mind loose links. When a rate has risen above the ceiling, that
 * is raised; when a link could be filled then, the ceilings of its flows are lowered to what they need, and if that does not help,
 * the link is full: flows that cross it leave their bundles for new ones. It is loose again once it is far from full.
 *
 * Shares are those of sparse.h but for rounding: sums are added up in another order. */
#ifndef COLLSCOPE_MODEL_DENSE_H
#define COLLSCOPE_MODEL_DENSE_H

#include "model/flows.h"

/* Whether bundles pay: millions of shares have been found, many for each flow, and each rank sends many messages. Where they do not, times are what
 * they are without them to the last digit. */
bool dense_pays(const fluid *, const engine *);
/* All flows that are under way go into bundles, and so do those that enter. */
void dense_begin(fluid *, engine *);
void dense_enter(fluid *, const engine *, int32_t flow);
void dense_leave(fluid *, int32_t flow);
/* A bundle's event has happened: returns one flow after the other that is over, then NONE. */
int32_t dense_over(fluid *, const engine *, int32_t bundle, bool first);
/* Rates and events as they are from now on. */
void dense_share(fluid *, engine *);

#endif
