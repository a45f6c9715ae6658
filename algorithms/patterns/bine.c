#include "patterns/bine.h"

#include "patterns/lg.h"

int coll_bine_block(int q, int r) {
  /* Even ranks count backwards. Turning the last k+1 digits changes one bit of their Gray code, bit k. */
  int v = r % 2 ? r : -r;
  unsigned digits = coll_bine_digits(v);
  if (digits >> q) digits = coll_bine_digits(v < 0 ? v + (1 << q) : v - (1 << q));
  unsigned gray = digits ^ digits >> 1;
  int block = 0;
  for (int k = 0; k < q; k++) block |= (int)(gray >> k & 1) << (q - 1 - k);
  return block;
}

/* The integers whose digits from k on are those of v: the least and the largest of them, and the one through which a tree comes to
 * them, whose last digits all equal digit k. */
static void range(int v, int k, int *least, int *largest, int *head) {
  unsigned low = (1u << k) - 1, digits = coll_bine_digits(v), high = digits & ~low;
  *least = coll_bine_number(high | (low & 0xAAAAAAAAu));
  *largest = coll_bine_number(high | (low & 0x55555555u));
  *head = coll_bine_number(digits >> k & 1 ? high | low : high);
}

/* Can lo … hi be cut out of the tree: does a part that loses some of its integers keep the one that the others hang on? */
static bool cuts(int q, int lo, int hi) {
  int least, largest, head;
  for (int k = 0; k <= q; k++) {
    range(lo, k, &least, &largest, &head);
    if (least < lo && head < lo) return false;
    range(hi, k, &least, &largest, &head);
    if (largest > hi && head > hi) return false;
  }
  return true;
}

int coll_bine_low(int p) {
  int q = coll_lg_up(p), least, largest, head;
  range(0, q, &least, &largest, &head);
  int lo = largest < p ? largest - p + 1 : 0;
  while (lo > least && !cuts(q, lo, lo + p - 1)) lo--; /* there is always one: tests try every p */
  return lo;
}

coll_bine_node coll_bine_place(int p, int low, int v) {
  int q = coll_lg_up(p), end = low + p, head;
  unsigned digits = coll_bine_digits(v);
  coll_bine_node n = { .parent = v, .step = q };
  if (v) { /* reached in the step that turned its last equal digits */
    n.step = 0;
    while ((digits >> (n.step + 1) & 1) == (digits & 1)) n.step++;
    n.parent = coll_bine_number(digits ^ ((2u << n.step) - 1));
  }
  range(v, n.step, &n.lo, &n.hi, &head);
  n.lo = n.lo > low ? n.lo : low;
  n.hi = n.hi + 1 < end ? n.hi + 1 : end;
  for (int k = n.step - 1; k >= 0; k--) {
    int child = coll_bine_number(digits ^ ((2u << k) - 1));
    if (low <= child && child < end) n.child[n.children++] = child;
  }
  return n;
}
