/* The proof engine: see proof.h.
 *
 * Matching is settled first, for good: a channel keeps order, so who belongs to whom follows from the lists alone. Then a worklist plays the
 * ranks. A message is delivered when the second of its two sides is posted; since the first side's buffer may not be touched until then,
 * delivery copies from one rank's symbolic memory straight into the other's, and the order in which ranks are played changes nothing. */
#include "proof.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patterns/block.h"

static const uint32_t none = UINT32_MAX;
static const uint64_t moved = 1;      /* the set of a value in a collective that only moves data */

/* A stretch of memory whose values are one stretch of coordinates: byte x holds coordinate x + delta. set 0: never written. */
typedef struct { uint64_t at, delta, set; } run;
typedef struct { run *run; uint32_t n, cap, hint; uint64_t size; } memory;  /* runs cover 0 … size without gaps */
typedef struct { uint64_t rel, coord, set; } piece;                        /* of one operation's bytes, from its byte rel on */

typedef struct { uint64_t begin, end; uint32_t index; uint8_t buf; bool recv; } pending;

typedef struct {
  const rec_op *op;
  size_t n, at;               /* operations, and the one it is at */
  size_t posted;              /* operations before this one have been posted */
  size_t base;                /* of this rank's operations among all */
  size_t waiting;             /* for this message of its own; or one of the two below */
  int call;
  pending *pend;
  int pends, pend_cap;
  uint64_t low[REC_SCRATCH + 1], high[REC_SCRATCH + 1];  /* bounds of what is pending */
  bool queued;
} actor;
static const size_t running = SIZE_MAX, awaiting = SIZE_MAX - 1;

typedef struct { uint64_t key; uint32_t epoch, first, last; bool sends; } channel;   /* what is unmatched, linked */

typedef struct { uint64_t begin, end; size_t op; int rank; uint32_t stamp; bool write; } access;
typedef struct { uint64_t value; size_t clock; int rank; uint32_t stamp; } published;
typedef struct { published *list; size_t n, cap; } flag;
typedef struct { memory data; access *list; size_t n, cap; } part;
typedef struct { const rec_segment *seg; int *index; part *parts; flag *flags; int cap_parts, cap_flags, cap_index; } shared;

struct proof {
  const record *r;
  proof_result *result;
  int p, ranks;                /* ranks now, and room for so many */
  uint64_t elem;
  bool reduces, ordered, clocked;
  int worst_rank;              /* lowest rank with a wrong result, or p; and what is wrong there */
  proof_result worst;
  rec_layout *layout;          /* [ranks] */
  actor *actor;                /* [ranks] */
  memory *mem;                 /* [ranks][3] */
  uint32_t *queue;             /* ring of ranks that can go on */
  uint32_t queue_at, queue_n;
  /* matching, by operation */
  uint32_t *mate, *link;
  size_t ops_cap;
  channel *channels;
  size_t channel_slots, channels_used;
  uint32_t epoch;
  /* pieces of an operation */
  piece *left, *right, *out;
  size_t left_cap, right_cap, out_cap;
  /* sets of more than 64 ranks */
  uint64_t *words;             /* [sets][width] */
  size_t sets, sets_cap, width;
  uint32_t *table;
  size_t table_slots;
  struct { uint64_t a, b, result; } memo[1024];
  /* clocks */
  uint32_t *clock;             /* [ranks][p] */
  uint32_t *entered;           /* [calls][p] */
  size_t *snapshot;            /* by operation: the sender's clock when it was posted */
  size_t snapshot_cap;
  uint32_t *pool;
  size_t pool_n, pool_cap;
  size_t clock_cap, entered_cap;
  shared *group;
  int groups, group_cap;
};

static void *grow(void *old, size_t bytes)
{
  void *p = realloc(old, bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "collscope-prove: out of memory (%zu bytes)\n", bytes);
    exit(1);
  }
  return p;
}

/* Room for n of something in an array that only ever grows. */
#define ROOM(array, cap, n) do { if ((size_t)(cap) < (size_t)(n)) { \
    size_t room_ = 2 * (size_t)(cap) < (size_t)(n) ? (size_t)(n) : 2 * (size_t)(cap); \
    (array) = grow((array), sizeof *(array) * room_); (cap) = (__typeof__(cap))room_; } } while (0)

/* ---- saying what is wrong --------------------------------------------------------------------------- */

const char *proof_kind_name(proof_kind k)
{
  static const char *const names[PROOF_KINDS] = {"ok", "misuse", "unmatched", "size", "deadlock", "pending", "uninitialised",
                                                 "operands", "twice", "order", "race", "result", "input"};
  return names[k];
}

__attribute__((format(printf, 3, 4), cold)) static bool fail(proof *e, proof_kind kind, const char *format, ...)
{
  e->result->kind = kind;
  va_list list;
  va_start(list, format);
  vsnprintf(e->result->failure, sizeof e->result->failure, format, list);
  va_end(list);
  return false;
}

typedef struct { char text[200]; } words;

/* "recv of 40 bytes from rank 3 (operation 2)" */
static words op_words(const proof *e, int rank, size_t i)
{
  words w;
  const rec_op *o = &e->r->rank[rank].op[i];
  char label[24] = "", call[32] = "";
  if (o->label) snprintf(label, sizeof label, ", label %d", o->label);
  size_t k = 0, first = 0;
  for (int c = 1; c < e->r->calls; c++)
    if (i >= e->r->rank[rank].start[c]) { k = (size_t)c; first = e->r->rank[rank].start[c]; }
  if (k) snprintf(call, sizeof call, ", call %zu", k + 1);
  switch (o->kind) {
    case REC_SEND: case REC_ISEND:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes to rank %d (operation %zu%s%s)", record_kind_name(o->kind), o->bytes, o->peer,
               i - first, label, call);
      break;
    case REC_RECV: case REC_IRECV: case REC_RECV_ANY:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes from rank %d (operation %zu%s%s)", record_kind_name(o->kind), o->bytes, o->peer,
               i - first, label, call);
      break;
    case REC_PUBLISH: case REC_AWAIT:
      snprintf(w.text, sizeof w.text, "%s of flag %" PRIu64 " = %" PRIu64 " at rank %d's part (operation %zu%s)", record_kind_name(o->kind),
               o->off, o->off2, o->peer, i - first, call);
      break;
    case REC_WRITE: case REC_READ:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes at rank %d's part (operation %zu%s)", record_kind_name(o->kind), o->bytes,
               o->peer, i - first, call);
      break;
    default:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes (operation %zu%s)", record_kind_name(o->kind), o->bytes, i - first, call);
  }
  return w;
}

/* "element 3", or bytes where elements are cut */
static words place_words(const proof *e, uint64_t byte)
{
  words w;
  if (byte % e->elem) snprintf(w.text, sizeof w.text, "element %" PRIu64 " byte %" PRIu64, byte / e->elem, byte % e->elem);
  else snprintf(w.text, sizeof w.text, "element %" PRIu64, byte / e->elem);
  return w;
}

static bool set_has(const proof *e, uint64_t set, int rank);

/* "ranks 0-3 and 5" */
static words set_words(const proof *e, uint64_t set)
{
  words w = {""};
  size_t used = 0;
  int members = 0;
  for (int r = 0; r < e->p; r++) members += set_has(e, set, r);
  used += (size_t)snprintf(w.text, sizeof w.text, members == e->p ? "all ranks" : members == 1 ? "rank" : "ranks");
  if (members == e->p) return w;
  bool first = true;
  for (int r = 0; r < e->p && used < sizeof w.text - 24; r++) {
    if (!set_has(e, set, r)) continue;
    int end = r;
    while (end + 1 < e->p && set_has(e, set, end + 1)) end++;
    used += (size_t)snprintf(w.text + used, sizeof w.text - used, end > r ? "%s %d-%d" : "%s %d", first ? "" : ",", r, end);
    first = false;
    r = end;
    if (used >= sizeof w.text - 24) snprintf(w.text + used, sizeof w.text - used, " …");
  }
  return w;
}

/* A value in words: whose element it is. */
static words value_words(const proof *e, uint64_t coord, uint64_t set)
{
  words w;
  if (!set) { snprintf(w.text, sizeof w.text, "nothing"); return w; }
  uint64_t block = e->r->args.count * e->elem;
  switch (e->r->alg->collective) {
    case COLL_BCAST: case COLL_SCATTER:
      snprintf(w.text, sizeof w.text, "the root's %.100s", place_words(e, coord).text);
      break;
    case COLL_GATHER: case COLL_ALLGATHER: case COLL_ROTATION: case COLL_ALLTOALL:
      if (e->r->alg->collective == COLL_ALLTOALL) block *= (uint64_t)e->p;
      if (!block) block = 1;
      snprintf(w.text, sizeof w.text, "rank %" PRIu64 "'s %.100s", coord / block, place_words(e, coord % block).text);
      break;
    default:
      snprintf(w.text, sizeof w.text, "%.60s of %.130s", place_words(e, coord).text, set_words(e, set).text);
  }
  return w;
}

static words buffer_words(int buf)
{
  words w;
  record_buffer_name(buf, w.text, sizeof w.text);
  return w;
}

/* ---- sets of ranks ---------------------------------------------------------------------------------- */

/* Up to 64 ranks: the bits. More: a cyclic interval, (length << 24) | first, or the number of an interned bitset with the top bit set. */
static const uint64_t interned = (uint64_t)1 << 63;

static uint64_t set_range(const proof *e, uint64_t first, uint64_t n)
{
  uint64_t p = (uint64_t)e->p;
  if (e->p <= 64) return (n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << first;
  return n << 24 | (n == p ? 0 : first);
}

static uint64_t range_first(uint64_t set) { return set & 0xFFFFFF; }
static uint64_t range_length(uint64_t set) { return set >> 24; }

static bool set_has(const proof *e, uint64_t set, int rank)
{
  if (!e->reduces) return set;
  if (e->p <= 64) return set >> rank & 1;
  if (set & interned) return e->words[(set & ~interned) * e->width + (size_t)rank / 64] >> (rank % 64) & 1;
  uint64_t d = ((uint64_t)rank + (uint64_t)e->p - range_first(set)) % (uint64_t)e->p;
  return d < range_length(set);
}

static void set_bits(const proof *e, uint64_t set, uint64_t *bits)
{
  if (set & interned) { memcpy(bits, &e->words[(set & ~interned) * e->width], sizeof *bits * e->width); return; }
  memset(bits, 0, sizeof *bits * e->width);
  for (uint64_t i = 0; i < range_length(set); i++) {
    uint64_t r = (range_first(set) + i) % (uint64_t)e->p;
    bits[r / 64] |= (uint64_t)1 << r % 64;
  }
}

static uint64_t bits_hash(const uint64_t *bits, size_t n)
{
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < n; i++) h = (h ^ bits[i]) * 0xFF51AFD7ED558CCDu, h ^= h >> 29;
  return h;
}

static void table_put(proof *e, uint32_t id)
{
  size_t h = bits_hash(&e->words[id * e->width], e->width);
  while (e->table[h & (e->table_slots - 1)]) h++;
  e->table[h & (e->table_slots - 1)] = id + 1;
}

/* The one name of a set that is in words[sets]: an interval if it is one. */
static uint64_t set_intern(proof *e)
{
  const uint64_t *bits = &e->words[e->sets * e->width];
  int p = e->p, members = 0, starts = 0, first = 0;
  bool before = bits[(p - 1) / 64] >> ((p - 1) % 64) & 1;
  for (int r = 0; r < p; r++) {
    bool has = bits[r / 64] >> (r % 64) & 1;
    members += has;
    if (has && !before) { starts++; first = r; }
    before = has;
  }
  if (members == p) return set_range(e, 0, (uint64_t)p);
  if (starts == 1) return set_range(e, (uint64_t)first, (uint64_t)members);
  if (2 * (e->sets + 1) > e->table_slots) {
    size_t slots = e->table_slots ? 2 * e->table_slots : 256;
    e->table = grow(e->table, sizeof *e->table * slots);
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
static uint64_t set_join(proof *e, uint64_t a, uint64_t b)
{
  if (e->p <= 64) return a & b ? 0 : a | b;
  uint64_t p = (uint64_t)e->p;
  if (!(a & interned) && !(b & interned)) {
    uint64_t fa = range_first(a), fb = range_first(b), na = range_length(a), nb = range_length(b);
    uint64_t ab = (fb + p - fa) % p, ba = (fa + p - fb) % p;      /* from a's first to b's, and back */
    if (ab < na || ba < nb) return 0;
    if (ab == na) return set_range(e, fa, na + nb);
    if (ba == nb) return set_range(e, fb, na + nb);
  }
  size_t m = (a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> 54;
  if (e->memo[m].a == a && e->memo[m].b == b) return e->memo[m].result;
  ROOM(e->words, e->sets_cap, (e->sets + 2) * e->width);
  uint64_t *x = &e->words[e->sets * e->width], *y = x + e->width, result = 0;
  set_bits(e, a, x);
  set_bits(e, b, y);
  bool share = false;
  for (size_t i = 0; i < e->width; i++) { share |= (x[i] & y[i]) != 0; x[i] |= y[i]; }
  if (!share) result = set_intern(e);
  e->memo[m].a = a;
  e->memo[m].b = b;
  e->memo[m].result = result;
  return result;
}

/* Does b begin with the rank after a's last? Sets of an operator that does not commute are always unbroken ranges. */
static bool set_follows(const proof *e, uint64_t a, uint64_t b)
{
  if (e->p <= 64) return 64 - __builtin_clzll(a) == __builtin_ctzll(b);
  return range_first(a) + range_length(a) == range_first(b);
}

/* ---- symbolic memory -------------------------------------------------------------------------------- */

static uint64_t run_end(const memory *m, uint32_t i) { return i + 1 < m->n ? m->run[i + 1].at : m->size; }

static void memory_set(memory *m, uint64_t size)
{
  ROOM(m->run, m->cap, 4);
  m->size = size;
  m->n = size ? 1 : 0;
  m->hint = 0;
  m->run[0] = (run){0, 0, 0};
}

/* The run that byte `at` is in. */
static uint32_t memory_find(memory *m, uint64_t at)
{
  uint32_t i = m->hint;
  if (i < m->n && m->run[i].at <= at) {
    if (at < run_end(m, i)) return i;
    if (i + 1 < m->n && at < run_end(m, i + 1)) return m->hint = i + 1;
  }
  uint32_t lo = 0, hi = m->n;
  while (hi - lo > 1) {
    uint32_t mid = (lo + hi) / 2;
    if (m->run[mid].at <= at) lo = mid;
    else hi = mid;
  }
  return m->hint = lo;
}

static bool same_line(const run *a, const piece *b, uint64_t at) { return a->set == b->set && a->delta == b->coord - at; }

/* Overwrites bytes off … off+len with the pieces, melting what fits together. */
static void memory_assign(memory *m, uint64_t off, uint64_t len, const piece *q, size_t n)
{
  uint32_t lo = memory_find(m, off), hi = lo;
  uint64_t end = off + len;
  while (run_end(m, hi) < end) hi++;
  if (n == 1 && lo == hi && same_line(&m->run[lo], q, off)) return;
  run head = m->run[lo], tail = m->run[hi];
  bool keep_head = head.at < off, keep_tail = run_end(m, hi) > end;
  uint64_t begin = off;
  if (keep_head && same_line(&head, q, off)) {
    begin = head.at;
    keep_head = false;
  } else if (!keep_head && lo && same_line(&m->run[lo - 1], q, off)) begin = m->run[--lo].at;
  const piece *last = &q[n - 1];
  if (keep_tail && same_line(&tail, last, off + last->rel)) keep_tail = false;
  else if (!keep_tail && hi + 1 < m->n && same_line(&m->run[hi + 1], last, off + last->rel)) hi++;
  uint32_t had = hi - lo + 1, want = (uint32_t)n + keep_head + keep_tail;
  if (want != had) {
    ROOM(m->run, m->cap, m->n + want - had);
    memmove(&m->run[lo + want], &m->run[hi + 1], sizeof *m->run * (m->n - hi - 1));
    m->n = m->n + want - had;
  }
  run *w = &m->run[lo];
  if (keep_head) *w++ = head;
  for (size_t i = 0; i < n; i++) {
    uint64_t at = off + q[i].rel;
    *w++ = (run){i ? at : begin, q[i].coord - at, q[i].set};
  }
  if (keep_tail) *w = (run){end, tail.delta, tail.set};
  m->hint = lo;
}

/* What bytes off … off+len hold, cut where it changes. Returns the number of pieces; 0 when something was never written. */
static size_t memory_read(memory *m, uint64_t off, uint64_t len, piece **list, size_t *cap)
{
  uint32_t i = memory_find(m, off);
  uint64_t at = off, end = off + len;
  size_t n = 0;
  for (;; i++) {
    const run *w = &m->run[i];
    if (!w->set) return 0;
    if (n == *cap) ROOM(*list, *cap, n + 16);
    (*list)[n++] = (piece){at - off, at + w->delta, w->set};
    at = run_end(m, i);
    if (at >= end) return n;
  }
}

static uint64_t first_unwritten(memory *m, uint64_t off)
{
  for (uint32_t i = memory_find(m, off); i < m->n; i++)
    if (!m->run[i].set) return m->run[i].at > off ? m->run[i].at : off;
  return off;
}

/* ---- the memories of a point ------------------------------------------------------------------------ */

static memory *buffer_of(proof *e, int rank, int buf, int home)
{
  if (buf < REC_SEGMENT) return &e->mem[3 * rank + buf];
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  return &g->parts[g->index[home]].data;
}

/* Where in the world of coordinates a rank's `in` begins. */
static uint64_t in_coordinate(const proof *e, int rank)
{
  uint64_t block = e->r->args.count * e->elem;
  switch (e->r->alg->collective) {
    case COLL_GATHER: case COLL_ALLGATHER: case COLL_ROTATION: return (uint64_t)rank * block;
    case COLL_ALLTOALL: return (uint64_t)rank * (uint64_t)e->p * block;
    default: return 0;
  }
}

/* What a call finds: in, and nothing in out. */
static void call_begins(proof *e, int rank)
{
  const rec_layout *l = &e->layout[rank];
  for (int b = 0; b < REC_SCRATCH; b++) memory_set(&e->mem[3 * rank + b], l->size[b]);
  bool gives = l->has_in && l->in_bytes;
  if (e->r->alg->collective == COLL_BCAST) gives = gives && rank == e->r->args.root;
  if (gives) {
    piece q = {0, in_coordinate(e, rank), e->reduces ? set_range(e, (uint64_t)rank, 1) : moved};
    memory_assign(&e->mem[3 * rank + l->in_buf], l->in_off, l->in_bytes, &q, 1);
  }
  if (e->clocked) {
    uint32_t *own = &e->clock[(size_t)rank * (size_t)e->p + (size_t)rank];
    e->entered[(size_t)e->actor[rank].call * (size_t)e->p + (size_t)rank] = ++*own;
  }
}

/* Does a stretch of a buffer hold the coordinates from `coord` on, from the ranks of `set`? */
static bool holds(proof *e, int rank, int buf, const char *name, uint64_t base, uint64_t off, uint64_t len, uint64_t coord, uint64_t set)
{
  if (!len) return true;
  memory *m = buffer_of(e, rank, buf, 0);
  uint64_t at = base + off;
  uint32_t i = memory_find(m, at);
  while (at < base + off + len) {
    const run *w = &m->run[i++];
    uint64_t want = coord + (at - base - off);
    if (w->set != set || at + w->delta != want)
      return fail(e, name[0] == 'i' ? PROOF_INPUT : PROOF_RESULT, "rank %d: %s of %s holds %s, wanted %s", rank, place_words(e, at - base).text, name,
                  value_words(e, at + w->delta, w->set).text, value_words(e, want, set).text);
    at = run_end(m, i - 1);
  }
  return true;
}

static bool barrier_holds(proof *e, int rank)
{
  size_t p = (size_t)e->p;
  const uint32_t *entered = &e->entered[(size_t)e->actor[rank].call * p], *clock = &e->clock[(size_t)rank * p];
  for (size_t q = 0; q < p; q++)
    if (!entered[q] || clock[q] < entered[q])
      return fail(e, PROOF_RESULT, "rank %d: leaves the barrier without having heard, directly or not, that rank %zu has come", rank, q);
  return true;
}

static bool call_ends(proof *e, int rank)
{
  const rec_layout *l = &e->layout[rank];
  const coll_args *a = &e->r->args;
  uint64_t block = a->count * e->elem, p = (uint64_t)e->p, r = (uint64_t)rank, coord = 0;
  uint64_t set = e->reduces ? set_range(e, 0, p) : moved;
  switch (e->r->alg->collective) {
    case COLL_BARRIER: return barrier_holds(e, rank);
    case COLL_SCATTER: case COLL_REDUCE_SCATTER_BLOCK: coord = r * block; break;
    case COLL_REDUCE_SCATTER: coord = coll_block(a->count, e->p, rank).first * e->elem; break;
    case COLL_ROTATION: coord = (r + 1) % p * block; break;
    case COLL_SCAN: set = set_range(e, 0, r + 1); break;
    case COLL_EXSCAN: set = r ? set_range(e, 0, r) : 0; break;
    default: break;
  }
  if (e->r->alg->collective == COLL_ALLTOALL) {
    for (uint64_t s = 0; s < p; s++)
      if (!holds(e, rank, l->out_buf, "out", l->out_off, s * block, block, (s * p + r) * block, set)) return false;
  } else if (l->has_out && set && !holds(e, rank, l->out_buf, "out", l->out_off, 0, l->out_bytes, coord, set)) return false;
  /* in may be written by nobody; only scatter in place has out inside it. */
  if (e->r->alg->collective == COLL_SCATTER && l->in_place)
    return holds(e, rank, l->in_buf, "in", 0, 0, l->in_bytes, 0, moved);
  return true;
}

/* ---- data flow -------------------------------------------------------------------------------------- */

static bool unwritten(proof *e, int rank, size_t op, int buf, memory *m, uint64_t off)
{
  return fail(e, PROOF_UNINITIALISED, "rank %d: %s reads %s of %s, which holds nothing", rank, op_words(e, rank, op).text,
              place_words(e, first_unwritten(m, off)).text, buffer_words(buf).text);
}

static bool move(proof *e, int from_rank, size_t from_op, int from_buf, memory *from, uint64_t from_off, memory *to, uint64_t to_off, uint64_t bytes)
{
  uint32_t i = memory_find(from, from_off);
  if (run_end(from, i) >= from_off + bytes) {       /* nearly always */
    const run *w = &from->run[i];
    if (!w->set) return unwritten(e, from_rank, from_op, from_buf, from, from_off);
    piece q = {0, from_off + w->delta, w->set};
    memory_assign(to, to_off, bytes, &q, 1);
    return true;
  }
  size_t n = memory_read(from, from_off, bytes, &e->left, &e->left_cap);
  if (!n) return unwritten(e, from_rank, from_op, from_buf, from, from_off);
  memory_assign(to, to_off, bytes, e->left, n);
  return true;
}

static uint64_t piece_end(const piece *q, size_t i, size_t n, uint64_t len) { return i + 1 < n ? q[i + 1].rel : len; }

static bool reduce(proof *e, int rank, size_t op, const rec_op *o)
{
  memory *left = buffer_of(e, rank, o->buf, 0), *right = buffer_of(e, rank, o->buf2, 0);
  size_t nl = memory_read(left, o->off, o->bytes, &e->left, &e->left_cap);
  if (!nl) return unwritten(e, rank, op, o->buf, left, o->off);
  size_t nr = memory_read(right, o->off2, o->bytes, &e->right, &e->right_cap);
  if (!nr) return unwritten(e, rank, op, o->buf2, right, o->off2);
  size_t i = 0, k = 0, n = 0;
  for (uint64_t at = 0; at < o->bytes;) {
    const piece *l = &e->left[i], *r = &e->right[k];
    uint64_t lc = l->coord + (at - l->rel), rc = r->coord + (at - r->rel);
    if (!e->reduces)
      return fail(e, PROOF_OPERANDS, "rank %d: %s in a collective that has no operator", rank, op_words(e, rank, op).text);
    if (lc != rc)
      return fail(e, PROOF_OPERANDS, "rank %d: %s combines %s with %s", rank, op_words(e, rank, op).text, value_words(e, lc, l->set).text,
                  value_words(e, rc, r->set).text);
    uint64_t set = set_join(e, l->set, r->set);
    if (!set)
      return fail(e, PROOF_TWICE, "rank %d: %s combines %s with %s: some are counted twice", rank, op_words(e, rank, op).text,
                  value_words(e, lc, l->set).text, set_words(e, r->set).text);
    if (e->ordered && !set_follows(e, l->set, r->set))
      return fail(e, PROOF_ORDER, "rank %d: %s puts %s to the left of %s, but the operator does not commute", rank,
                  op_words(e, rank, op).text, value_words(e, lc, l->set).text, set_words(e, r->set).text);
    if (!n || e->out[n - 1].set != set || e->out[n - 1].coord + (at - e->out[n - 1].rel) != lc) {
      if (n == e->out_cap) ROOM(e->out, e->out_cap, n + 16);
      e->out[n++] = (piece){at, lc, set};
    }
    uint64_t le = piece_end(e->left, i, nl, o->bytes), re = piece_end(e->right, k, nr, o->bytes);
    at = le < re ? le : re;
    i += le == at;
    k += re == at;
  }
  memory_assign(right, o->off2, o->bytes, e->out, n);
  return true;
}

/* ---- what is pending -------------------------------------------------------------------------------- */

static bool touch(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes)
{
  const actor *a = &e->actor[rank];
  if (!bytes || buf > REC_SCRATCH || off >= a->high[buf] || off + bytes <= a->low[buf]) return true;
  for (int i = 0; i < a->pends; i++) {
    const pending *q = &a->pend[i];
    if (q->buf != buf || !(writes || q->recv) || off >= q->end || off + bytes <= q->begin) continue;
    /* Two statements: op_words returns a text by value. */
    words what = op_words(e, rank, op), on_the_way = op_words(e, rank, q->index);
    return fail(e, PROOF_PENDING, "rank %d: %s %s %s of %s while the %s is pending", rank, what.text, writes ? "writes" : "reads",
                place_words(e, off > q->begin ? off : q->begin).text, buffer_words(buf).text, on_the_way.text);
  }
  return true;
}

static void pend(actor *a, size_t index, const rec_op *o, bool recv)
{
  if (!o->bytes) return;
  ROOM(a->pend, a->pend_cap, a->pends + 1);
  a->pend[a->pends++] = (pending){o->off, o->off + o->bytes, (uint32_t)index, o->buf, recv};
  if (o->off < a->low[o->buf]) a->low[o->buf] = o->off;
  if (o->off + o->bytes > a->high[o->buf]) a->high[o->buf] = o->off + o->bytes;
}

static void pending_clear(actor *a)
{
  a->pends = 0;
  for (int b = 0; b <= REC_SCRATCH; b++) { a->low[b] = UINT64_MAX; a->high[b] = 0; }
}

static void unpend(actor *a, size_t index)
{
  for (int i = 0; i < a->pends; i++)
    if (a->pend[i].index == index) {
      a->pend[i] = a->pend[--a->pends];
      if (!a->pends) pending_clear(a);
      return;
    }
}

/* ---- clocks ----------------------------------------------------------------------------------------- */

static uint32_t *clock_of(proof *e, int rank) { return &e->clock[(size_t)rank * (size_t)e->p]; }

/* Others may learn of all that this rank did until now; what it does next they do not know. */
static size_t clock_release(proof *e, int rank)
{
  size_t p = (size_t)e->p, at = e->pool_n;
  ROOM(e->pool, e->pool_cap, at + p);
  memcpy(&e->pool[at], clock_of(e, rank), sizeof *e->pool * p);
  e->pool_n += p;
  clock_of(e, rank)[rank]++;
  return at;
}

static void clock_join(proof *e, int rank, size_t snapshot)
{
  uint32_t *mine = clock_of(e, rank);
  const uint32_t *theirs = &e->pool[snapshot];
  for (int q = 0; q < e->p; q++)
    if (mine[q] < theirs[q]) mine[q] = theirs[q];
}

static bool access_part(proof *e, int rank, size_t op, const rec_op *o, uint64_t off, bool write)
{
  shared *g = &e->group[e->r->segment[rank][(write ? o->buf2 : o->buf) - REC_SEGMENT].group];
  part *w = &g->parts[g->index[o->peer]];
  const uint32_t *mine = clock_of(e, rank);
  uint64_t end = off + o->bytes;
  size_t kept = 0;
  for (size_t i = 0; i < w->n; i++) {
    access x = w->list[i];
    bool overlap = x.begin < end && off < x.end;
    if (overlap && x.rank != rank && (write || x.write) && mine[x.rank] < x.stamp) {
      words here = op_words(e, rank, op), there = op_words(e, x.rank, x.op);
      return fail(e, PROOF_RACE, "rank %d: %s races with rank %d's %s; no flag puts one before the other", rank, here.text, x.rank, there.text);
    }
    bool covered = off <= x.begin && x.end <= end;
    if (!(covered && (write || (x.rank == rank && !x.write)))) w->list[kept++] = x;
  }
  w->n = kept;
  ROOM(w->list, w->cap, kept + 1);
  w->list[w->n++] = (access){off, end, op, rank, mine[rank], write};
  return true;
}

static flag *flag_of(proof *e, int rank, const rec_op *o)
{
  shared *g = &e->group[e->r->segment[rank][o->buf - REC_SEGMENT].group];
  return &g->flags[g->index[o->peer] * g->seg->flags + (int)o->off];
}

static void wake(proof *e, int rank);

static bool publish(proof *e, int rank, size_t op, const rec_op *o)
{
  flag *f = flag_of(e, rank, o);
  if (f->n) {
    const published *last = &f->list[f->n - 1];
    if (last->rank != rank && clock_of(e, rank)[last->rank] < last->stamp)
      return fail(e, PROOF_RACE, "rank %d: %s races with rank %d, which sets the same flag to %" PRIu64, rank, op_words(e, rank, op).text,
                  last->rank, last->value);
  }
  uint64_t before = f->n ? f->list[f->n - 1].value : 0;
  if (o->off2 <= before)
    return fail(e, PROOF_RACE, "rank %d: %s, but the flag is %" PRIu64 " already; flags only grow", rank, op_words(e, rank, op).text, before);
  uint32_t stamp = clock_of(e, rank)[rank];
  size_t snapshot = clock_release(e, rank);
  ROOM(f->list, f->cap, f->n + 1);
  f->list[f->n++] = (published){o->off2, snapshot, rank, stamp};
  const rec_segment *s = &e->r->segment[rank][o->buf - REC_SEGMENT];
  for (int i = 0; i < s->members; i++)
    if (e->actor[s->world[i]].waiting == awaiting) wake(e, s->world[i]);
  return true;
}

/* The first publish that reaches the value, or NULL: a later one would order more than the program does. */
static const published *reaching(const flag *f, uint64_t value)
{
  size_t lo = 0, hi = f->n;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (f->list[mid].value < value) lo = mid + 1;
    else hi = mid;
  }
  return lo < f->n ? &f->list[lo] : NULL;
}

/* ---- matching --------------------------------------------------------------------------------------- */

static bool is_send(int kind) { return kind == REC_SEND || kind == REC_ISEND; }

static channel *channel_find(proof *e, uint64_t key)
{
  size_t mask = e->channel_slots - 1, h = (key * 0x9E3779B97F4A7C15u) >> 24;
  for (;; h++) {
    channel *c = &e->channels[h & mask];
    if (c->epoch != e->epoch) {
      *c = (channel){.key = key, .epoch = e->epoch, .first = none, .last = none};
      e->channels_used++;
      return c;
    }
    if (c->key == key) return c;
  }
}

static void channels_room(proof *e)
{
  if (2 * (e->channels_used + 2) < e->channel_slots) return;
  channel *old = e->channels;
  size_t n = e->channel_slots;
  e->channel_slots = n ? 2 * n : 1024;
  e->channels = grow(NULL, sizeof *e->channels * e->channel_slots);
  memset(e->channels, 0, sizeof *e->channels * e->channel_slots);
  e->channels_used = 0;
  for (size_t i = 0; i < n; i++)
    if (old[i].epoch == e->epoch) *channel_find(e, old[i].key) = old[i];
  free(old);
}

/* Whose operation this is, among all. */
static int rank_of(const proof *e, size_t global)
{
  int lo = 0, hi = e->p;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (e->actor[mid].base <= global) lo = mid;
    else hi = mid;
  }
  return lo;
}

static bool unmatched(proof *e)
{
  uint32_t best = none, left = 0;
  for (size_t i = 0; i < e->channel_slots; i++) {
    const channel *c = &e->channels[i];
    if (c->epoch != e->epoch) continue;
    for (uint32_t g = c->first; g != none; g = e->link[g]) {
      left++;
      if (g < best) best = g;
    }
  }
  if (best == none) return true;
  int rank = rank_of(e, best);
  size_t op = best - e->actor[rank].base;
  char more[64] = "";
  if (left > 1) snprintf(more, sizeof more, "; %" PRIu32 " more have no partner", left - 1);
  return fail(e, PROOF_UNMATCHED, "rank %d: %s has no %s%s", rank, op_words(e, rank, op).text,
              is_send(e->actor[rank].op[op].kind) ? "receive" : "send", more);
}

static bool match(proof *e)
{
  proof_result *result = e->result;
  if (!++e->epoch) {
    memset(e->channels, 0, sizeof *e->channels * e->channel_slots);
    e->epoch = 1;
  }
  e->channels_used = 0;
  channels_room(e);
  uint64_t unpaired = 0;
  for (int rank = 0; rank < e->p; rank++) {
    const actor *a = &e->actor[rank];
    size_t first_call = e->r->rank[rank].start[1];
    uint64_t out_key = 0, in_key = 0;
    channel *out = NULL, *in = NULL;            /* the last ones used: a ring uses no other */
    for (size_t i = 0; i < a->n; i++) {
      const rec_op *o = &a->op[i];
      bool first = i < first_call;
      result->operations += first;
      if (o->kind == REC_COPY || o->kind == REC_WRITE || o->kind == REC_READ) result->copied_bytes += first ? o->bytes : 0;
      else if (o->kind == REC_REDUCE) result->reduced_bytes += first ? o->bytes : 0;
      if (o->kind > REC_RECV_ANY) continue;
      bool send = is_send(o->kind);
      uint64_t src = (uint64_t)(send ? rank : o->peer), dst = (uint64_t)(send ? o->peer : rank), key = (src << 28 | dst) << 8 | o->label;
      channel *c;
      if (send) {
        if (!out || out_key != key) {
          if (2 * (e->channels_used + 2) >= e->channel_slots) { channels_room(e); in = NULL; }
          out = channel_find(e, out_key = key);
        }
        c = out;
        result->messages += first;
        result->bytes += first ? o->bytes : 0;
      } else {
        if (!in || in_key != key) {
          if (2 * (e->channels_used + 2) >= e->channel_slots) { channels_room(e); out = NULL; }
          in = channel_find(e, in_key = key);
        }
        c = in;
      }
      uint32_t me = (uint32_t)(a->base + i);
      if (c->first != none && c->sends != send) {
        uint32_t other = c->first;
        c->first = e->link[other];
        unpaired--;
        const actor *b = &e->actor[o->peer];
        size_t j = other - b->base;
        e->mate[me] = (uint32_t)j;
        e->mate[other] = (uint32_t)i;
        if (b->op[j].bytes != o->bytes) {
          words mine = op_words(e, rank, i), theirs = op_words(e, o->peer, j);
          return fail(e, PROOF_SIZE, "rank %d: %s meets rank %d's %s", rank, mine.text, o->peer, theirs.text);
        }
      } else {
        e->link[me] = none;
        if (c->first == none) c->first = me;
        else e->link[c->last] = me;
        c->last = me;
        c->sends = send;
        unpaired++;
      }
    }
  }
  return !unpaired || unmatched(e);
}

/* ---- playing ---------------------------------------------------------------------------------------- */

static void wake(proof *e, int rank)
{
  actor *a = &e->actor[rank];
  a->waiting = running;
  if (a->queued) return;
  a->queued = true;
  uint32_t at = e->queue_at + e->queue_n++;
  e->queue[at >= (uint32_t)e->p ? at - (uint32_t)e->p : at] = (uint32_t)rank;
}

/* Both sides of a message are posted: its data arrive. */
static bool deliver(proof *e, int rank, size_t op, const rec_op *o)
{
  actor *a = &e->actor[rank], *b = &e->actor[o->peer];
  size_t other = e->mate[a->base + op];
  if (b->waiting == other) wake(e, o->peer);
  if (!o->bytes) return true;
  const rec_op *q = &b->op[other];
  if (is_send(o->kind))
    return move(e, rank, op, o->buf, &e->mem[3 * rank + o->buf], o->off, &e->mem[3 * o->peer + q->buf], q->off, o->bytes);
  return move(e, o->peer, other, q->buf, &e->mem[3 * o->peer + q->buf], q->off, &e->mem[3 * rank + o->buf], o->off, o->bytes);
}

static void received(proof *e, int rank, size_t op, const rec_op *o)
{
  if (e->clocked && !is_send(o->kind)) clock_join(e, rank, e->snapshot[e->actor[o->peer].base + e->mate[e->actor[rank].base + op]]);
}

enum { GOES_ON, BLOCKS, FAILS };

static int message(proof *e, int rank, size_t i, const rec_op *o)
{
  actor *a = &e->actor[rank];
  bool blocking = o->kind != REC_ISEND && o->kind != REC_IRECV;
  if (a->posted <= i) {
    bool send = is_send(o->kind);
    if (a->pends && !touch(e, rank, i, o->buf, o->off, o->bytes, !send)) return FAILS;
    a->posted = i + 1;
    if (e->clocked && send) e->snapshot[a->base + i] = clock_release(e, rank);
    if (!blocking) pend(a, i, o, !send);
    if (e->actor[o->peer].posted > e->mate[a->base + i]) {
      if (!deliver(e, rank, i, o)) return FAILS;
    } else if (blocking) {
      a->waiting = i;
      return BLOCKS;
    }
  }
  if (blocking) received(e, rank, i, o);
  return GOES_ON;
}

static int step(proof *e, int rank, size_t i, const rec_op *o)
{
  actor *a = &e->actor[rank];
  switch (o->kind) {
    case REC_WAIT: {
      size_t k = (size_t)o->peer;
      const rec_op *q = &a->op[k];
      if (e->actor[q->peer].posted <= e->mate[a->base + k]) { a->waiting = k; return BLOCKS; }
      received(e, rank, k, q);
      if (q->bytes) unpend(a, k);
      return GOES_ON;
    }
    case REC_REDUCE:
      if (a->pends && (!touch(e, rank, i, o->buf, o->off, o->bytes, false) || !touch(e, rank, i, o->buf2, o->off2, o->bytes, true))) return FAILS;
      return reduce(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_COPY:
      if (a->pends && (!touch(e, rank, i, o->buf, o->off, o->bytes, false) || !touch(e, rank, i, o->buf2, o->off2, o->bytes, true))) return FAILS;
      return move(e, rank, i, o->buf, &e->mem[3 * rank + o->buf], o->off, &e->mem[3 * rank + o->buf2], o->off2, o->bytes) ? GOES_ON : FAILS;
    case REC_WRITE:
      if (a->pends && !touch(e, rank, i, o->buf, o->off, o->bytes, false)) return FAILS;
      if (!access_part(e, rank, i, o, o->off2, true)) return FAILS;
      return move(e, rank, i, o->buf, &e->mem[3 * rank + o->buf], o->off, buffer_of(e, rank, o->buf2, o->peer), o->off2, o->bytes) ? GOES_ON : FAILS;
    case REC_READ:
      if (a->pends && !touch(e, rank, i, o->buf2, o->off2, o->bytes, true)) return FAILS;
      if (!access_part(e, rank, i, o, o->off, false)) return FAILS;
      return move(e, rank, i, o->buf, buffer_of(e, rank, o->buf, o->peer), o->off, &e->mem[3 * rank + o->buf2], o->off2, o->bytes) ? GOES_ON : FAILS;
    case REC_PUBLISH: return publish(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_AWAIT: {
      if (!o->off2) return GOES_ON;
      const published *f = reaching(flag_of(e, rank, o), o->off2);
      if (!f) { a->waiting = awaiting; return BLOCKS; }
      clock_join(e, rank, f->clock);
      return GOES_ON;
    }
    default: return message(e, rank, i, o);
  }
}

/* Plays a rank until it blocks or is done. */
static bool play(proof *e, int rank)
{
  actor *a = &e->actor[rank];
  const size_t *start = e->r->rank[rank].start;
  for (;;) {
    size_t end = start[a->call + 1];
    for (; a->at < end; a->at++)
      switch (step(e, rank, a->at, &a->op[a->at])) {
        case BLOCKS: return true;
        case FAILS: return false;
      }
    if (a->call == e->r->calls) return true;
    /* A wrong result hurts nobody else: play on, and tell of the lowest rank. */
    if (!call_ends(e, rank) && rank < e->worst_rank) {
      e->worst_rank = rank;
      e->worst = *e->result;
    }
    if (++a->call == e->r->calls) return true;
    call_begins(e, rank);
  }
}

/* Somebody is not done and nobody can go on: follow who waits for whom until it closes. */
static bool deadlock(proof *e)
{
  int first = -1, blocked = 0;
  for (int r = 0; r < e->p; r++) {
    if (e->actor[r].call == e->r->calls) continue;
    blocked++;
    if (first < 0 || e->actor[r].call < e->actor[first].call) first = r;   /* who is furthest behind knows most */
  }
  char *text = e->result->failure;
  size_t size = sizeof e->result->failure;
  fail(e, PROOF_DEADLOCK, "deadlock, %d of %d ranks wait for ever when every send waits for its receive:", blocked, e->p);
  size_t used = strlen(text);
  /* A tail may lead into the cycle; p steps on we are surely inside. An await ends the search: who should publish is not known. */
  int r = first;
  for (int i = 0; i < e->p && e->actor[r].waiting != awaiting; i++) r = e->actor[r].op[e->actor[r].waiting].peer;
  int start = r;
  for (int hops = 0; hops < 6; hops++) {
    const actor *a = &e->actor[r];
    bool flagged = a->waiting == awaiting;
    size_t op = flagged ? a->at : a->waiting;
    int n = snprintf(text + used, size - used, "%s rank %d: %s", hops ? " ->" : "", r, op_words(e, r, op).text);
    if (n < 0 || (used += (size_t)n) >= size) break;
    if (flagged) {
      snprintf(text + used, size - used, ", which nobody publishes");
      break;
    }
    r = a->op[op].peer;
    if (r == start) break;
    if (hops == 5) snprintf(text + used, size - used, " -> …");
  }
  return false;
}

/* ---- setting up ------------------------------------------------------------------------------------- */

static void sized(proof *e, int p)
{
  if (p <= e->ranks) return;
  size_t n = (size_t)p, old = (size_t)e->ranks;
  e->layout = grow(e->layout, sizeof *e->layout * n);
  e->actor = grow(e->actor, sizeof *e->actor * n);
  memset(e->actor + old, 0, sizeof *e->actor * (n - old));
  e->mem = grow(e->mem, sizeof *e->mem * 3 * n);
  memset(e->mem + 3 * old, 0, sizeof *e->mem * 3 * (n - old));
  e->queue = grow(e->queue, sizeof *e->queue * n);
  e->ranks = p;
}

static void groups_set(proof *e)
{
  const record *r = e->r;
  int n = r->segment_groups;
  if (n > e->group_cap) {
    e->group = grow(e->group, sizeof *e->group * (size_t)n);
    memset(e->group + e->group_cap, 0, sizeof *e->group * (size_t)(n - e->group_cap));
    e->group_cap = n;
  }
  for (int i = 0; i < n; i++) e->group[i].seg = NULL;
  for (int rank = 0; rank < e->p; rank++)
    for (int k = 0; k < r->segments[rank]; k++) {
      const rec_segment *s = &r->segment[rank][k];
      shared *g = &e->group[s->group];
      if (g->seg) continue;
      g->seg = s;
      ROOM(g->index, g->cap_index, e->p);
      for (int i = 0; i < s->members; i++) g->index[s->world[i]] = i;
      if (g->cap_parts < s->members) {
        g->parts = grow(g->parts, sizeof *g->parts * (size_t)s->members);
        memset(g->parts + g->cap_parts, 0, sizeof *g->parts * (size_t)(s->members - g->cap_parts));
        g->cap_parts = s->members;
      }
      for (int i = 0; i < s->members; i++) {
        memory_set(&g->parts[i].data, s->bytes);
        g->parts[i].n = 0;
      }
      int flags = s->members * s->flags;
      if (g->cap_flags < flags) {
        g->flags = grow(g->flags, sizeof *g->flags * (size_t)flags);
        memset(g->flags + g->cap_flags, 0, sizeof *g->flags * (size_t)(flags - g->cap_flags));
        g->cap_flags = flags;
      }
      for (int i = 0; i < flags; i++) g->flags[i].n = 0;
    }
}

static void prepare(proof *e)
{
  const record *r = e->r;
  int p = e->p = r->args.size;
  sized(e, p);
  e->worst_rank = p;
  e->elem = r->args.elem;
  e->reduces = coll_has_operator(r->alg->collective);
  e->ordered = e->reduces && !r->args.commutes;
  e->clocked = r->segment_groups || r->alg->collective == COLL_BARRIER;
  e->width = ((size_t)p + 63) / 64;
  e->sets = 0;
  if (e->table_slots) memset(e->table, 0, sizeof *e->table * e->table_slots);
  if (p > 64) memset(e->memo, 0, sizeof e->memo);
  size_t ops = 0;
  for (int i = 0; i < p; i++) {
    actor *a = &e->actor[i];
    a->op = r->rank[i].op;
    a->n = r->rank[i].n;
    a->at = a->posted = 0;
    a->base = ops;
    a->waiting = running;
    a->call = 0;
    a->queued = false;
    pending_clear(a);
    ops += a->n;
    e->layout[i] = record_layout(r->alg->collective, &r->args, i);
  }
  if (ops > e->ops_cap) {
    free(e->mate);
    free(e->link);
    e->mate = grow(NULL, sizeof *e->mate * ops);
    e->link = grow(NULL, sizeof *e->link * ops);
    e->ops_cap = ops;
  }
  if (e->clocked) {
    size_t n = (size_t)p * (size_t)p, calls = (size_t)p * (size_t)r->calls;
    ROOM(e->clock, e->clock_cap, n);
    memset(e->clock, 0, sizeof *e->clock * n);
    ROOM(e->entered, e->entered_cap, calls);
    memset(e->entered, 0, sizeof *e->entered * calls);
    ROOM(e->snapshot, e->snapshot_cap, ops);
    e->pool_n = 0;
  }
  groups_set(e);
}

bool proof_check(proof *e, const record *r, proof_result *result)
{
  *result = (proof_result){.kind = PROOF_OK};
  e->r = r;
  e->result = result;
  if (*r->error) return fail(e, PROOF_MISUSE, "%s", r->error);
  prepare(e);
  if (!match(e)) return false;
  int p = e->p;
  for (int i = 0; i < p; i++) {
    memory_set(&e->mem[3 * i + REC_SCRATCH], r->rank[i].scratch);
    call_begins(e, i);
  }
  e->queue_at = e->queue_n = 0;
  for (int i = 0; i < p; i++) wake(e, i);
  while (e->queue_n) {
    int rank = (int)e->queue[e->queue_at];
    if (++e->queue_at == (uint32_t)p) e->queue_at = 0;
    e->queue_n--;
    e->actor[rank].queued = false;
    if (!play(e, rank)) return false;
  }
  for (int i = 0; i < p; i++)
    if (e->actor[i].call < r->calls) return deadlock(e);
  if (e->worst_rank == p) return true;
  *result = e->worst;
  return false;
}

proof *proof_new(void)
{
  proof *e = grow(NULL, sizeof *e);
  memset(e, 0, sizeof *e);
  return e;
}

void proof_free(proof *e)
{
  if (!e) return;
  for (int i = 0; i < e->ranks; i++) free(e->actor[i].pend);
  for (int i = 0; i < 3 * e->ranks; i++) free(e->mem[i].run);
  for (int i = 0; i < e->group_cap; i++) {
    shared *g = &e->group[i];
    for (int k = 0; k < g->cap_parts; k++) {
      free(g->parts[k].data.run);
      free(g->parts[k].list);
    }
    for (int k = 0; k < g->cap_flags; k++) free(g->flags[k].list);
    free(g->parts);
    free(g->flags);
    free(g->index);
  }
  free(e->layout); free(e->actor); free(e->mem); free(e->queue); free(e->mate); free(e->link); free(e->channels);
  free(e->left); free(e->right); free(e->out); free(e->words); free(e->table); free(e->clock); free(e->entered);
  free(e->snapshot); free(e->pool); free(e->group);
  free(e);
}
