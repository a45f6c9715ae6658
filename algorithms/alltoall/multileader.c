/* alltoall/multileader[leaders]
 * Idea     ranks of a node form groups with a leader each. A leader gathers its group's blocks, leaders exchange what their groups have for each
 *          other, and give each rank of their group what has come for it: so the network carries few and long messages. With one leader on
 *          each node this is the hierarchical alltoall
 * Rounds   g-1 of a leader in its group of g ranks, one for each other leader, and g-1 again
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any count; a node (and a socket, with as many leaders as sockets) with at least as many ranks as leaders
 * Scratch  all blocks of a group four times, at leaders
 * Source   Kinkead et al. 2025 (SC Workshops '25), Scaling all-to-all operations across emerging many-core supercomputers,
 *          arXiv:2601.17606
 *
 *          ranks 0 1 on one node, 2 3 on another; ab: a's block for b; leaders=1
 *          rank 0                  rank 1        rank 2                  rank 3
 *  start   00 01 02 03             10 11 12 13   20 21 22 23             30 31 32 33
 *  gather  00 01 02 03 10 … 13     .             20 21 22 23 30 … 33     .                 1 → 0, 3 → 2
 *  inter   00 10 20 30 01 … 31     .             02 12 22 32 03 … 33     .                 0 ↔ 2
 *  group   00 10 20 30             01 11 21 31   02 12 22 32             03 13 23 33       0 → 1, 2 → 3
 */
#include <stdlib.h>

#include "patterns/leaders.h"

typedef struct {
  coll_leaders groups;
  int group; /* this rank's */
} state;

static int size_of(const coll_leaders *l, int g) { return l->first[g + 1] - l->first[g]; }
static int rank_of(const coll_leaders *l, int g, int i) { return l->member[l->first[g] + i]; }

static const char *make(coll_leaders *l, const coll_args *a) {
  return coll_leaders_make(l, a->size, a->place, (int)a->param[0], false);
}

static const char *supports(const coll_args *a) {
  coll_leaders l = { .first = malloc(sizeof(int) * (2 * (size_t)a->size + 1)) };
  if (!l.first) abort();
  l.member = l.first + a->size + 1;
  const char *wrong = make(&l, a);
  free(l.first);
  return wrong ? "a node has fewer ranks than leaders; take fewer leaders" : NULL;
}

static void *prepare(coll_ctx *c, const coll_args *a) {
  state *s = coll_keep(c, sizeof *s);
  coll_leaders *l = &s->groups;
  *l = (coll_leaders){ .first = coll_keep(c, sizeof(int) * ((size_t)c->size + 1)),
                       .member = coll_keep(c, sizeof(int) * (size_t)c->size) };
  make(l, a);
  for (s->group = 0;; s->group++)
    for (int i = 0; i < size_of(l, s->group); i++)
      if (rank_of(l, s->group, i) == c->rank) return s;
}

/* A group's blocks for another one: for each of its ranks those from all of this one. */
static void pack(coll_ctx *c, const state *s, size_t m, int to, const void *all, void *packed) {
  const coll_leaders *l = &s->groups;
  for (int j = 0; j < size_of(l, to); j++)
    for (int i = 0; i < size_of(l, s->group); i++, packed = coll_at(c, packed, m))
      coll_copy(c, packed, coll_at(c, all, (size_t)(i * c->size + rank_of(l, to, j)) * m), m);
}

/* Into each rank's result, where the blocks of the other group's ranks lie side by side as long as these have consecutive numbers. */
static void unpack(coll_ctx *c, const state *s, size_t m, int from, const void *packed, void *result) {
  const coll_leaders *l = &s->groups;
  for (int j = 0; j < size_of(l, s->group); j++)
    for (int i = 0, n; i < size_of(l, from); i += n, packed = coll_at(c, packed, (size_t)n * m)) {
      for (n = 1; i + n < size_of(l, from) && rank_of(l, from, i + n) == rank_of(l, from, i) + n;) n++;
      coll_copy(c, coll_at(c, result, (size_t)(j * c->size + rank_of(l, from, i)) * m), packed, (size_t)n * m);
    }
}

static void among_leaders(coll_ctx *c, const state *s, size_t m, const void *all, void *result) {
  const coll_leaders *l = &s->groups;
  int own = size_of(l, s->group), most = 0;
  for (int g = 0; g < l->groups; g++) most = size_of(l, g) > most ? size_of(l, g) : most;
  void *leaving = coll_scratch(c, (size_t)(own * most) * m), *coming = coll_scratch(c, (size_t)(own * most) * m);
  for (int away = 0; away < l->groups; away++) {
    int to = (s->group + away) % l->groups, from = (s->group + l->groups - away) % l->groups;
    pack(c, s, m, to, all, leaving);
    if (away)
      coll_sendrecv(c, leaving, (size_t)(own * size_of(l, to)) * m, rank_of(l, to, 0), coming,
                    (size_t)(own * size_of(l, from)) * m, rank_of(l, from, 0));
    unpack(c, s, m, from, away ? coming : leaving, result);
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count, row = (size_t)c->size * m;
  if (!m) return;
  const state *s = a->prepared;
  const coll_leaders *l = &s->groups;
  int leader = rank_of(l, s->group, 0), own = size_of(l, s->group);
  if (c->rank != leader) {
    coll_send(c, a->in, row, leader);
    coll_recv(c, a->out, row, leader);
    return;
  }
  void *all = coll_scratch(c, (size_t)own * row), *result = coll_scratch(c, (size_t)own * row);
  coll_req *request = coll_keep(c, sizeof(coll_req) * (size_t)own);
  for (int i = 1; i < own; i++)
    request[i - 1] = coll_irecv(c, coll_at(c, all, (size_t)i * row), row, rank_of(l, s->group, i));
  coll_copy(c, all, a->in, row);
  coll_waitall(c, own - 1, request);
  among_leaders(c, s, m, all, result);
  for (int i = 1; i < own; i++)
    request[i - 1] = coll_isend(c, coll_at(c, result, (size_t)i * row), row, rank_of(l, s->group, i));
  coll_copy(c, a->out, result, row);
  coll_waitall(c, own - 1, request);
}

static const coll_param params[] = {
  { .name = "leaders", .value = 1, .min = 1, .max = 64, .help = "leaders on each node" },
  { .name = NULL },
};

const coll_alg alltoall_multileader = {
  .key = "alltoall/multileader",
  .collective = COLL_ALLTOALL,
  .summary = "leaders gather their groups' blocks, exchange them, and scatter what has come",
  .source = "Kinkead et al. 2025, arXiv:2601.17606",
  .params = params,
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
