/* The schedule of MPICH's broadcast over the circulant graph (src/mpi/coll/algorithms/circ_graph on main, commit 6a79bf6 of August 2026),
 * written again from what it does: an algorithm of this test only. It is wrong from 33 ranks on, at some numbers of ranks, and what
 * small runs do not show the proof says of each. bcast/circulant is right at all of them.
 *
 * Two things differ from patterns/circulant.c. What a rank receives is searched with a stack of skips, which takes another sum in a few
 * cases. And what a rank sends is taken to be plain where its partner lies below the next skip, not below the end of the
 * range that is left: there the two ends of a message mean different blocks. */
#include <stdio.h>
#include <string.h>

#include "core/catalogue/find.h"
#include "patterns/circulant.h"
#include "prove/prover.h"

typedef struct {
  int next[COLL_CIRCULANT_ROUNDS + 1],
      before[COLL_CIRCULANT_ROUNDS + 1]; /* the skips not taken yet, falling; -1 ends */
} skip_list;

static void unlink_skip(skip_list *l, int e) {
  if (l->before[e] >= 0) l->next[l->before[e]] = l->next[e];
  if (l->next[e] >= 0) l->before[l->next[e]] = l->before[e];
}

static void receives(const coll_circulant *g, int v, int *receive) {
  int q = g->q, base = coll_circulant_base(g, v), stack[64], depth = 0, sum = 0, e = q;
  skip_list l;
  for (int i = 0; i <= q; i++) l.next[i] = i - 1, l.before[i] = i < q ? i + 1 : -1;
  unlink_skip(&l, base);
  sum += g->skip[stack[depth++] = e];
  for (int k = 0; k < q;) {
    int low = v + g->p - g->skip[k + 1], high = v + g->p - g->skip[k];
    if (sum < low || (sum == low && l.next[e] >= 0)) {
      e = l.next[e];
      sum += g->skip[stack[depth++] = e];
    } else if (sum > high) {
      sum -= g->skip[stack[--depth]];
    } else {
      e = stack[--depth];
      sum -= g->skip[e];
      receive[k++] = e;
      unlink_skip(&l, e);
    }
  }
  for (int k = 0; k < q; k++) receive[k] = receive[k] == q ? base : receive[k] - q;
}

static void sends(const coll_circulant *g, int v, int *send) {
  int q = g->q, base = coll_circulant_base(g, v);
  for (int k = 0; k < q; k++) send[k] = k;
  for (int k = q - 1, at = v, block = base; v && k > 0; k--) {
    int skip = g->skip[k], found[COLL_CIRCULANT_ROUNDS];
    bool upper = at >= skip;
    if (upper) block = k - q;
    send[k] = block;
    if (upper ? at == skip : at + skip >= g->skip[k + 1]) {
      receives(g, (v + skip) % g->p, found);
      send[k] = found[k];
    }
    if (upper) at -= skip;
  }
  if (v) send[0] = base - q;
}

/* Blocks of one element each. */
static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p;
  if (p < 2 || !a->count) return;
  coll_circulant g = coll_circulant_make(p);
  coll_circulant_blocks b = { .send = { 0 } };
  receives(&g, v, b.receive);
  sends(&g, v, b.send);
  long blocks = (long)a->count;
  for (long round = 0; round < blocks - 1 + g.q; round++) {
    coll_circulant_step s = coll_circulant_step_of(&g, &b, v, blocks, round);
    int to = (s.to + a->root) % p, from = (s.from + a->root) % p;
    void *give = coll_at(c, a->out, (size_t)(s.send < 0 ? 0 : s.send));
    void *take = coll_at(c, a->out, (size_t)(s.receive < 0 ? 0 : s.receive));
    if (s.send >= 0 && s.receive >= 0) coll_sendrecv(c, give, 1, to, take, 1, from);
    else if (s.send >= 0) coll_send(c, give, 1, to);
    else if (s.receive >= 0) coll_recv(c, take, 1, from);
  }
}

static const coll_alg mpich = { .key = "bcast/mpich_circulant", .collective = COLL_BCAST, .run = run };

enum { MAX_SIZE = 140, BLOCKS = 12 };
static const int wrong[] = { 33, 65, 66, 67, 69, 73, 81, 129, 130, 131, 132, 133, 134, 135, 137, 138, 139 };

static int failed;
static prover *v;

static bool holds(const coll_alg *alg, const long *param, int p, size_t blocks, int root) {
  coll_args a = { .size = p, .count = blocks, .elem = 4, .root = root, .param = param, .place = prover_places(v, p) };
  return prover_point(v, alg, &a);
}

static void expect(bool found, bool expected, const char *key, int p, size_t blocks) {
  if (found == expected) return;
  failed++;
  printf("FAILED %s: %d ranks, %zu blocks: %s; %s\n", key, p, blocks, found ? "is right" : "is wrong", v->failure);
}

int main(void) {
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  v = prover_new();
  const coll_alg *ours = coll_find("bcast/circulant[s=4]", param, error, sizeof error);
  if (!ours) return printf("FAILED: %s\n", error), 1;
  int faults = 0;
  for (int p = 1; p <= MAX_SIZE; p++) {
    bool listed = false;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) listed |= wrong[i] == p;
    bool right = holds(&mpich, NULL, p, BLOCKS, 0);
    if (!right) {
      faults++;
      printf("%d ranks: %s: %s\n", p, v->kind, v->failure);
    }
    expect(right, !listed, mpich.key, p, BLOCKS);
    expect(holds(&mpich, NULL, p, BLOCKS, p / 2), !listed, mpich.key, p, BLOCKS);
    expect(holds(ours, param, p, BLOCKS, 0), true, ours->key, p, BLOCKS);
  }
  for (size_t blocks = 1; blocks <= 40; blocks++) /* one or two blocks never meet the fault */
    expect(holds(&mpich, NULL, 33, blocks, 0), blocks < 3, mpich.key, 33, blocks);
  prover_free(v);
  printf("wrong at %d of %d numbers of ranks, %d failed\n", faults, MAX_SIZE, failed);
  return failed ? 1 : 0;
}
