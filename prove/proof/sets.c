/* Sets of ranks: whose elements a value is made of. Equal sets have equal names, so comparing numbers compares sets.
 *
 * Up to 64 ranks: the bits. More: a cyclic interval, (length << 24) | first, or the number of an interned bitset with
 * the top bit set. */
#include "prove/proof/sets.h"

#include "prove/proof/state.h"

static const uint64_t interned = (uint64_t)1 << 63;

uint64_t set_range(const proof *e, uint64_t first, uint64_t n) {
  uint64_t p = (uint64_t)e->p;
  if (e->p <= 64) return (n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << first;
  return n << 24 | (n == p ? 0 : first);
}

static uint64_t range_first(uint64_t set) { return set & 0xFFFFFF; }
static uint64_t range_length(uint64_t set) { return set >> 24; }

bool set_has(const proof *e, uint64_t set, int rank) {
  if (!e->reduces) return set;
  if (e->p <= 64) return set >> rank & 1;
  if (set & interned) return e->words[(set & ~interned) * e->width + (size_t)rank / 64] >> (rank % 64) & 1;
  uint64_t d = ((uint64_t)rank + (uint64_t)e->p - range_first(set)) % (uint64_t)e->p;
  return d < range_length(set);
}

static void set_bits(const proof *e, uint64_t set, uint64_t *bits) {
  if (set & interned) {
    memcpy(bits, &e->words[(set & ~interned) * e->width], sizeof *bits * e->width);
    return;
  }
  memset(bits, 0, sizeof *bits * e->width);
  for (uint64_t i = 0; i < range_length(set); i++) {
    uint64_t r = (range_first(set) + i) % (uint64_t)e->p;
    bits[r / 64] |= (uint64_t)1 << r % 64;
  }
}

static uint64_t bits_hash(const uint64_t *bits, size_t n) {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < n; i++) h = (h ^ bits[i]) * 0xFF51AFD7ED558CCDu, h ^= h >> 29;
  return h;
}

static void table_put(proof *e, uint32_t id) {
  size_t h = bits_hash(&e->words[id * e->width], e->width);
  while (e->table[h & (e->table_slots - 1)]) h++;
  e->table[h & (e->table_slots - 1)] = id + 1;
}

/* The one name of a set that is in words[sets]: an interval if it is one. */
static uint64_t set_intern(proof *e) {
  const uint64_t *bits = &e->words[e->sets * e->width];
  int p = e->p, members = 0, starts = 0, first = 0;
  bool before = bits[(p - 1) / 64] >> ((p - 1) % 64) & 1;
  for (int r = 0; r < p; r++) {
    bool has = bits[r / 64] >> (r % 64) & 1;
    members += has;
    if (has && !before) {
      starts++;
      first = r;
    }
    before = has;
  }
  if (members == p) return set_range(e, 0, (uint64_t)p);
  if (starts == 1) return set_range(e, (uint64_t)first, (uint64_t)members);
  if (2 * (e->sets + 1) > e->table_slots) {
    size_t slots = e->table_slots ? 2 * e->table_slots : 256;
    e->table = array_grow(e->table, sizeof *e->table * slots);
    memset(e->table, 0, sizeof *e->table * slots);
    e->table_slots = slots;
    for (uint32_t i = 0; i < e->sets; i++) table_put(e, i);
    bits = &e->words[e->sets * e->width];
  }
  for (size_t h = bits_hash(bits, e->width); e->table[h & (e->table_slots - 1)]; h++) {
    uint32_t id = e->table[h & (e->table_slots - 1)] - 1;
    if (!memcmp(&e->words[id * e->width], bits, sizeof *bits * e->width)) return interned | id;
  }
  table_put(e, (uint32_t)e->sets);
  return interned | e->sets++;
}

/* The union, or 0 when the two share a rank. */
uint64_t set_join(proof *e, uint64_t a, uint64_t b) {
  if (e->p <= 64) return a & b ? 0 : a | b;
  uint64_t p = (uint64_t)e->p;
  if (!(a & interned) && !(b & interned)) {
    uint64_t fa = range_first(a), fb = range_first(b), na = range_length(a), nb = range_length(b);
    uint64_t ab = (fb + p - fa) % p, ba = (fa + p - fb) % p; /* from a's first to b's, and back */
    if (ab < na || ba < nb) return 0;
    if (ab == na) return set_range(e, fa, na + nb);
    if (ba == nb) return set_range(e, fb, na + nb);
  }
  size_t m = (a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> 54;
  if (e->memo[m].a == a && e->memo[m].b == b) return e->memo[m].result;
  RESERVE(e->words, e->sets_cap, (e->sets + 2) * e->width);
  uint64_t *x = &e->words[e->sets * e->width], *y = x + e->width, result = 0;
  set_bits(e, a, x);
  set_bits(e, b, y);
  bool share = false;
  for (size_t i = 0; i < e->width; i++) {
    share |= (x[i] & y[i]) != 0;
    x[i] |= y[i];
  }
  if (!share) result = set_intern(e);
  e->memo[m].a = a;
  e->memo[m].b = b;
  e->memo[m].result = result;
  return result;
}

/* Does b begin with the rank after a's last? Sets of an operator that does not commute are always unbroken ranges. */
bool set_follows(const proof *e, uint64_t a, uint64_t b) {
  if (e->p <= 64) return 64 - __builtin_clzll(a) == __builtin_ctzll(b);
  return range_first(a) + range_length(a) == range_first(b);
}

void sets_begin(proof *e) {
  e->width = ((size_t)e->p + 63) / 64;
  e->sets = 0;
  if (e->table_slots) memset(e->table, 0, sizeof *e->table * e->table_slots);
  if (e->p > 64) memset(e->memo, 0, sizeof e->memo);
}

void sets_free(proof *e) {
  free(e->words);
  free(e->table);
}
