/* Allreduces over butterflies: p ranks are folded to 2^q (the odd one of a pair stays), and these meet as coll_peers says. The operator
 * must commute. */
#ifndef COLLSCOPE_PRIMITIVES_PEERS_H
#define COLLSCOPE_PRIMITIVES_PEERS_H

#include "collscope.h"
#include "patterns/fold.h"
#include "patterns/peers.h"

/* WHOLE: in each step whole vectors are exchanged and added up. HALVES: halves of what is left are, and then, in the reverse order,
 * brought together again. The vector is cut into `parts`, for each of which this rank, as virtual rank v of the fold, meets peers[part]:
 * all parts at once. */
typedef enum { COLL_PEERS_WHOLE, COLL_PEERS_HALVES } coll_peers_what;
void coll_peers_allreduce(coll_ctx *, const coll_args *, coll_fold, const coll_peers *peers, int parts,
                          coll_peers_what);

/* Seconds. Exact for whole vectors with one part, or where p is 2^q; for halves where p is 2^q and the count a multiple of p · parts. */
double coll_peers_cost(const coll_args *, int parts, coll_peers_what, double alpha, double beta, double gamma);
bool coll_peers_exact(const coll_args *, int parts, coll_peers_what);

#endif
