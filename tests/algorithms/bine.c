/* The rank arithmetic of Bine trees and of butterflies (patterns/bine.h, patterns/peers.h): the tree for every p up to 257 and some more. */
#include <string.h>

#include "patterns/bine.h"
#include "patterns/lg.h"
#include "patterns/peers.h"
#include "tests/algorithms/check.h"

enum { MAX_SIZE = 2049 };

static int ring_distance(int p, int a, int b) {
  int d = a > b ? a - b : b - a;
  return d < p - d ? d : p - d;
}

/* An even number of ranks: whoever meets, meets mutually, as far apart as two thirds of 2^k, rounded. */
static void partners(int p) {
  for (int k = 0; 1 << k < p; k++) {
    long far = ((2L << k) + 1) / 3;
    CHECK(coll_bine_rho(k) == (k % 2 ? -far : far), "step %d: %ld", k, coll_bine_rho(k));
    for (int r = 0; r < p; r++) {
      int to = coll_bine_partner(p, r, k);
      CHECK(to >= 0 && to < p && to % 2 != r % 2 && coll_bine_partner(p, to, k) == r, "p=%d %d in step %d: %d", p, r, k,
            to);
      CHECK(far > p / 2 || ring_distance(p, r, to) == far, "p=%d %d in step %d: %d", p, r, k, to);
    }
  }
}

static void digits(int v) {
  long number = 0, weight = 1;
  for (unsigned d = coll_bine_digits(v); d; d >>= 1, weight *= -2) number += d & 1 ? weight : 0;
  CHECK(number == v && coll_bine_number(coll_bine_digits(v)) == v, "%d is read as %ld", v, number);
}

/* Both ends of every edge agree, who is below a node is a range in which its children's ranges lie side by side, the last
 * is reached in round ⌈lg p⌉, and a message goes to the partner of its step. */
static void tree(int p) {
  static coll_bine_node node[MAX_SIZE];
  int low = coll_bine_low(p), q = coll_lg_up(p), edges = 0;
  for (int i = 0; i < p; i++) node[i] = coll_bine_place(p, low, low + i);
  CHECK(low <= 0 && 0 < low + p, "p=%d: from %d on", p, low);
  for (int i = 0; i < p; i++) {
    coll_bine_node n = node[i];
    int v = low + i, lo = v, hi = v + 1, last = n.step;
    CHECK((n.parent == v) == (v == 0) && low <= n.parent && n.parent < low + p, "p=%d %d: parent %d", p, v, n.parent);
    CHECK(v ? n.step < q : n.step == q, "p=%d %d: step %d", p, v, n.step);
    for (int k = n.children - 1; k >= 0; k--, edges++) {
      int child = n.child[k], step = node[child - low].step;
      CHECK(low <= child && child < low + p && node[child - low].parent == v, "p=%d %d: child %d", p, v, child);
      CHECK(child == (v % 2 ? v - coll_bine_rho(step) : v + coll_bine_rho(step)), "p=%d %d: child %d", p, v, child);
      CHECK(node[child - low].hi == lo || node[child - low].lo == hi, "p=%d %d: child %d is not beside", p, v, child);
      lo = node[child - low].lo < lo ? node[child - low].lo : lo;
      hi = node[child - low].hi > hi ? node[child - low].hi : hi;
      CHECK(step < n.step && (k == n.children - 1 || step > last), "p=%d %d: child %d in step %d", p, v, child, step);
      last = step;
    }
    CHECK(lo == n.lo && hi == n.hi, "p=%d %d: %d … %d below, not %d … %d", p, v, lo, hi, n.lo, n.hi);
  }
  CHECK(edges == p - 1 && node[-low].hi - node[-low].lo == p, "p=%d: %d edges", p, edges);
}

/* Those who meet in a step meet mutually, agree in the bits before it and differ in its own; every block ends at one rank. */
static void butterfly(int q, const coll_peers *w, const char *which) {
  static bool taken[1 << 10];
  memset(taken, 0, sizeof taken);
  for (int r = 0; r < 1 << q; r++) {
    CHECK(w[r].steps == q && w[r].block >= 0 && w[r].block < 1 << q && !taken[w[r].block], "%s: rank %d", which, r);
    taken[w[r].block] = true;
    for (int s = 0; s < q; s++) {
      int to = w[r].peer[s], differ = w[r].block ^ w[to].block;
      CHECK(to >= 0 && to < 1 << q && w[to].peer[s] == r, "%s: rank %d in step %d: %d", which, r, s, to);
      CHECK(differ >> (q - 1 - s) == 1, "%s: rank %d and %d in step %d", which, r, to, s);
    }
  }
}

static void tori(int x, int y, int z) {
  static coll_peers w[1 << 10];
  int extent[COLL_TORUS] = { x, y, z };
  for (int start = 0; start < COLL_TORUS; start++)
    for (int mirrored = 0; mirrored < 2; mirrored++) {
      char which[64];
      snprintf(which, sizeof which, "torus %d %d %d from %d, %d", x, y, z, start, mirrored);
      for (int r = 0; r < x * y * z; r++) w[r] = coll_peers_torus(extent, r, start, mirrored);
      butterfly(coll_lg_up(x * y * z), w, which);
    }
}

int main(void) {
  static coll_peers w[1 << 10];
  static const int more[] = { 511, 512, 513, 682, 683, 1000, 1365, 2048, 2049 };
  for (int v = -3000; v <= 3000; v++) digits(v);
  for (int p = 2; p <= 300; p += 2) partners(p);
  for (int p = 1; p <= 257; p++) tree(p);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) tree(more[i]);
  for (int q = 0; q <= 10; q++) {
    for (int r = 0; r < 1 << q; r++) w[r] = coll_peers_bine(q, r);
    butterfly(q, w, "Bine");
  }
  for (int x = 1; x <= 16; x *= 2)
    for (int y = 1; y <= 8; y *= 2)
      for (int z = 1; z <= 8; z *= 2) tori(x, y, z);
  CHECK(coll_peers_bine(3, -1).steps == 0, "a rank that is folded away meets somebody");
  printf("%ld checks, %d failed\n", checked, failed);
  return failed != 0;
}
