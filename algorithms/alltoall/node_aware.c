/* alltoall/node_aware
 * Idea     each rank sends all its blocks for a node in one message, to the rank there that has its own index; then the ranks of a node
 *          exchange what has come for each other. So the network carries longer messages, one for each rank and node
 * Rounds   g-1 among g nodes, r-1 on a node of r ranks
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any count, any nodes: index i of a larger node stands for i mod r on a node of r ranks
 * Scratch  about four times all blocks
 * Source   Kinkead et al. 2025 (SC Workshops '25), Scaling all-to-all operations across emerging many-core supercomputers,
 *          arXiv:2601.17606
 *
 *          ranks 0 1 on one node, 2 3 on another; ab: a's block for b
 *          rank 0         rank 1         rank 2         rank 3
 *  start   00 01 02 03    10 11 12 13    20 21 22 23    30 31 32 33
 *  inter   00 01 20 21    10 11 30 31    22 23 02 03    32 33 12 13      0 ↔ 2, 1 ↔ 3
 *  node    00 10 20 30    01 11 21 31    02 12 22 32    03 13 23 33      0 ↔ 1, 2 ↔ 3
 */
#include "collscope.h"

/* Where ranks sit, as seen from this one. */
typedef struct {
  const coll_grouping *g;
  int node, index, ranks; /* this rank's; ranks of its node */
} seat;

static int ranks_of(const seat *s, int node) { return s->g->first[node + 1] - s->g->first[node]; }
static int rank_at(const seat *s, int node, int index) { return s->g->member[s->g->first[node] + index]; }

/* The node that is `away` nodes before this one. */
static int node_before(const seat *s, int away) { return (s->node + s->g->groups - away) % s->g->groups; }

/* Ranks whose blocks for this node come to its rank with this index, that one itself among them. */
static int sources(const seat *s, int index) {
  int n = 1;
  for (int away = 1; away < s->g->groups; away++)
    for (int i = index; i < ranks_of(s, node_before(s, away)); i += s->ranks) n++;
  return n;
}

/* This rank's blocks for a node, packed. */
static void pack(coll_ctx *c, const coll_args *a, const seat *s, int node, void *packed) {
  size_t m = a->count;
  for (int i = 0; i < ranks_of(s, node); i++)
    coll_copy(c, coll_at(c, packed, (size_t)i * m), coll_at(c, a->in, (size_t)rank_at(s, node, i) * m), m);
}

/* Between nodes: come[sources][ranks] has this rank's blocks for its own node, then those of ranks on other nodes. */
static void between(coll_ctx *c, const coll_args *a, const seat *s, void *come, void *leaving, coll_req *request) {
  size_t m = a->count, row = (size_t)s->ranks * m;
  pack(c, a, s, s->node, come);
  for (int away = 1, at = 1; away < s->g->groups; away++) {
    int to = (s->node + away) % s->g->groups, from = node_before(s, away), n = 0;
    for (int i = s->index; i < ranks_of(s, from); i += s->ranks, at++)
      request[n++] = coll_irecv(c, coll_at(c, come, (size_t)at * row), row, rank_at(s, from, i));
    pack(c, a, s, to, leaving);
    request[n++] = coll_isend(c, leaving, (size_t)ranks_of(s, to) * m, rank_at(s, to, s->index % ranks_of(s, to)));
    coll_waitall(c, n, request);
  }
}

/* Puts the blocks for this rank that came to an index of its node where they belong. */
static void unpack(coll_ctx *c, const coll_args *a, const seat *s, int index, const void *packed) {
  size_t m = a->count;
  coll_copy(c, coll_at(c, a->out, (size_t)rank_at(s, s->node, index) * m), packed, m);
  for (int away = 1, at = 1; away < s->g->groups; away++) {
    int from = node_before(s, away);
    for (int i = index; i < ranks_of(s, from); i += s->ranks, at++)
      coll_copy(c, coll_at(c, a->out, (size_t)rank_at(s, from, i) * m), coll_at(c, packed, (size_t)at * m), m);
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  const coll_grouping *g = &c->levels[COLL_LEVEL_NODE];
  seat s = { .g = g, .node = g->group_of[c->rank] };
  s.ranks = ranks_of(&s, s.node);
  while (rank_at(&s, s.node, s.index) != c->rank) s.index++;
  int most = 0, own = sources(&s, s.index); /* index 0 has the most sources */
  for (int k = 0; k < g->groups; k++) most = ranks_of(&s, k) > most ? ranks_of(&s, k) : most;
  void *come = coll_scratch(c, (size_t)(own * s.ranks) * m);
  between(c, a, &s, come, coll_scratch(c, (size_t)most * m), coll_keep(c, sizeof(coll_req) * (size_t)(most + 1)));

  void *leaving = coll_scratch(c, (size_t)own * m), *coming = coll_scratch(c, (size_t)sources(&s, 0) * m);
  for (int away = 0; away < s.ranks; away++) {
    int to = (s.index + away) % s.ranks, from = (s.index + s.ranks - away) % s.ranks;
    for (int i = 0; i < own; i++)
      coll_copy(c, coll_at(c, leaving, (size_t)i * m), coll_at(c, come, (size_t)(i * s.ranks + to) * m), m);
    if (away)
      coll_sendrecv(c, leaving, (size_t)own * m, rank_at(&s, s.node, to), coming, (size_t)sources(&s, from) * m,
                    rank_at(&s, s.node, from));
    unpack(c, a, &s, from, away ? coming : leaving);
  }
}

const coll_alg alltoall_node_aware = {
  .key = "alltoall/node_aware",
  .collective = COLL_ALLTOALL,
  .summary = "one message to each node, then an exchange within nodes",
  .source = "Kinkead et al. 2025, arXiv:2601.17606",
  .flags = COLL_PLACES,
  .run = run,
};
