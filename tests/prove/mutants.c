/* Does the proof mean anything? Every registered algorithm is recorded and then spoilt at random: another peer,
 * another place, a dropped or a repeated operation, exchanged operands. Each mutant is proven and, independently, run
 * on real numbers by a naive interpreter.
 *
 *   proven             → the interpreter must find the right numbers everywhere
 *   "result", "input"  → the interpreter must find wrong ones
 *
 * The other verdicts (a deadlock, a race for a buffer, …) may be stricter than one lucky run, and are only counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"
#include "patterns/rank_block.h"
#include "prove/proof/proof.h"

enum { RANKS = 8, ELEMENTS = 512, SCRATCH = 4096, QUEUE = 512, OPS = 4096 };
typedef uint64_t value;

static uint64_t seed = 1;
static uint64_t dice(uint64_t n) /* 0 … n-1 */
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return n ? (seed >> 11) % n : 0;
}

/* ---- the interpreter -------------------------------------------------------------------------------- */

typedef struct {
  value data[SCRATCH];
} memory;
typedef struct {
  value *data[QUEUE];
  uint64_t bytes[QUEUE];
  int sent, received;
} channel;
static memory mem[RANKS][3];
static channel channels[RANKS][RANKS];

static value original(int rank, size_t i) { return (uint64_t)(rank * 1000 + (int)i + 1) * 0x9E3779B97F4A7C15u | 1; }

/* Commuting: the sum. Else two numbers (a, b) that stand for x -> a x + b: first the right function, then the left. */
static value combine(bool commutes, value l, value r) {
  if (commutes) return l + r;
  uint32_t la = (uint32_t)l, lb = (uint32_t)(l >> 32), ra = (uint32_t)r, rb = (uint32_t)(r >> 32);
  return (uint64_t)(la * rb + lb) << 32 | (la * ra);
}

/* What the collective promises: element i of out. False: nothing is promised there. */
static bool promised(coll_collective k, const coll_args *a, int rank, size_t i, value *want) {
  size_t m = a->count;
  int from = 0, to = a->size;
  switch (k) {
    case COLL_BCAST: *want = original(a->root, i); return true;
    case COLL_SCATTER: *want = original(a->root, (size_t)rank * m + i); return true;
    case COLL_GATHER:
    case COLL_ALLGATHER: *want = original((int)(i / m), i % m); return true;
    case COLL_ROTATION: *want = original((rank + 1) % a->size, i); return true;
    case COLL_ALLTOALL: *want = original((int)(i / m), (size_t)rank * m + i % m); return true;
    case COLL_ALLTOALLV:
      while (i >= coll_received_block(a, rank, from).count) i -= coll_received_block(a, rank, from++).count;
      *want = original(from, coll_sent_block(a, from, rank).first + i);
      return true;
    case COLL_SCATTERV: *want = original(a->root, coll_rank_block(a, rank).first + i); return true;
    case COLL_GATHERV:
    case COLL_ALLGATHERV:
      while (i >= coll_rank_block(a, from).count) i -= coll_rank_block(a, from++).count;
      *want = original(from, i);
      return true;
    case COLL_REDUCE_SCATTER: i += coll_rank_part(a, rank).first; break;
    case COLL_REDUCE_SCATTER_BLOCK: i += (size_t)rank * m; break;
    case COLL_SCAN: to = rank + 1; break;
    case COLL_EXSCAN:
      to = rank;
      if (!rank) return false;
      break;
    default: break;
  }
  *want = original(from, i);
  for (int r = from + 1; r < to; r++) *want = combine(a->commutes, *want, original(r, i));
  return true;
}

static value *at(int rank, int buf, uint64_t off) { return &mem[rank][buf].data[off / sizeof(value)]; }

static bool is_send(int kind) { return kind == REC_SEND || kind == REC_ISEND; }

/* Sends never wait. Returns whether every rank gets to its end and all is right there. */
static bool interpret(const record *r) {
  const coll_args *a = &r->args;
  int p = a->size;
  size_t pc[RANKS] = { 0 };
  static int place[RANKS][OPS]; /* of a receive in its channel, from when it is posted */
  bool posted[RANKS] = { false };
  memset(channels, 0, sizeof channels);
  for (int i = 0; i < p; i++) {
    for (int b = 0; b < 3; b++)
      for (int x = 0; x < SCRATCH; x++) mem[i][b].data[x] = (dice(UINT64_MAX) << 1);
    rec_layout l = r->layout[i];
    if (l.has_in && coll_has_input(r->collective, a, i))
      for (size_t x = 0; x < l.in_bytes / sizeof(value); x++)
        *at(i, l.in_buf, l.in_off + x * sizeof(value)) = original(i, x);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < p; i++)
      for (; pc[i] < r->rank[i].n; pc[i]++, posted[i] = false, moved = true) {
        const rec_op *o = &r->rank[i].op[pc[i]], *q = o->kind == REC_WAIT ? &r->rank[i].op[o->peer] : o;
        size_t n = o->bytes / sizeof(value);
        if (o->kind == REC_COPY) memmove(at(i, o->buf2, o->off2), at(i, o->buf, o->off), o->bytes);
        else if (o->kind == REC_REDUCE)
          for (size_t x = 0; x < n; x++) {
            value *right = at(i, o->buf2, o->off2) + x;
            *right = combine(a->commutes, at(i, o->buf, o->off)[x], *right);
          }
        else if (is_send(o->kind)) {
          channel *c = &channels[i][o->peer];
          c->bytes[c->sent] = o->bytes;
          c->data[c->sent] = malloc(o->bytes + 1);
          memcpy(c->data[c->sent++], at(i, o->buf, o->off), o->bytes);
        } else if (!is_send(q->kind)) {
          channel *c = &channels[q->peer][i];
          size_t index = o->kind == REC_WAIT ? (size_t)o->peer : pc[i];
          if (o->kind != REC_WAIT && !posted[i]) {
            place[i][index] = c->received++;
            posted[i] = true;
          }
          if (o->kind == REC_IRECV) continue;
          int k = place[i][index];
          if (c->sent <= k) break;
          memcpy(at(i, q->buf, q->off), c->data[k], q->bytes < c->bytes[k] ? q->bytes : c->bytes[k]);
        }
      }
  }
  bool good = true;
  for (int i = 0; i < p; i++) {
    good &= pc[i] == r->rank[i].n;
    rec_layout l = r->layout[i];
    for (size_t x = 0; l.has_out && x < l.out_bytes / sizeof(value); x++) {
      value want;
      if (promised(r->collective, a, i, x, &want)) good &= *at(i, l.out_buf, l.out_off + x * sizeof(value)) == want;
    }
    if (l.has_in && (!l.in_place || l.out_buf == REC_IN))
      for (size_t x = 0; x < l.in_bytes / sizeof(value); x++)
        good &= *at(i, l.in_buf, l.in_off + x * sizeof(value)) == original(i, x);
    for (int k = 0; k < p; k++)
      for (int x = 0; x < channels[i][k].sent; x++) free(channels[i][k].data[x]);
  }
  return good;
}

/* ---- mutants ---------------------------------------------------------------------------------------- */

/* Another place for n bytes at this rank, within bounds and not in `in` when it is written. False: no such operation. */
static bool other_place(const record *r, int rank, uint64_t bytes, bool writes, uint8_t *buf, uint64_t *off) {
  rec_layout l = r->layout[rank];
  size_t size[3] = { l.size[REC_IN], l.size[REC_OUT], r->rank[rank].scratch };
  for (int tries = 0; tries < 8; tries++) {
    int b = dice(3) ? *buf : (int)dice(3);
    if (size[b] < bytes || (writes && b == REC_IN)) continue;
    uint64_t steps = (size[b] - bytes) / sizeof(value);
    uint64_t at = dice(steps + 1) * sizeof(value);
    if (b == *buf && at == *off) continue;
    *buf = (uint8_t)b;
    *off = at;
    return true;
  }
  return false;
}

static void swap64(uint64_t *a, uint64_t *b) {
  uint64_t t = *a;
  *a = *b;
  *b = t;
}

/* Takes an operation out, or puts in a copy, and keeps the references between WAIT and what it waits for. */
static void shift(rec_rank *k, size_t i, bool remove) {
  for (size_t j = 0; j < k->n; j++) {
    rec_op *o = &k->op[j];
    size_t from = remove ? i + 1 : i;
    if (o->kind == REC_WAIT && (size_t)o->peer >= from) o->peer += remove ? -1 : 1;
    if ((o->kind == REC_ISEND || o->kind == REC_IRECV) && o->off2 >= from) o->off2 += remove ? (uint64_t)-1 : 1;
  }
  if (remove) memmove(&k->op[i], &k->op[i + 1], sizeof *k->op * (k->n - i - 1));
  else memmove(&k->op[i + 1], &k->op[i], sizeof *k->op * (k->n - i));
  k->n += remove ? (size_t)-1 : 1;
  k->start[1] = k->n;
}

static bool mutate(record *r) {
  int rank = (int)dice((uint64_t)r->args.size);
  rec_rank *k = &r->rank[rank];
  if (!k->n || k->n + 2 >= k->cap) return false;
  size_t i = dice(k->n);
  rec_op *o = &k->op[i];
  if (o->kind == REC_WAIT) return false;
  bool message = o->kind <= REC_RECV_ANY, two = o->kind == REC_REDUCE || o->kind == REC_COPY, first = dice(2);
  switch (dice(7)) {
    case 0:
      if (!message) return false;
      o->peer = (int)dice((uint64_t)r->args.size);
      return true;
    case 1:
    case 2:
      if (!o->bytes) return false;
      if (two && first) return other_place(r, rank, o->bytes, true, &o->buf2, &o->off2);
      return other_place(r, rank, o->bytes, message && !is_send(o->kind), &o->buf, &o->off);
    case 3:
      if (o->bytes <= sizeof(value)) return false;
      o->bytes -= sizeof(value);
      return true;
    case 4:
      if (!two || o->buf == REC_IN) return false;
      swap64(&o->off, &o->off2);
      o->buf ^= o->buf2;
      o->buf2 ^= o->buf;
      o->buf ^= o->buf2;
      return true;
    case 5:
      if (o->kind == REC_ISEND || o->kind == REC_IRECV) return false;
      shift(k, i, true);
      return true;
    default: {
      if (o->kind == REC_ISEND || o->kind == REC_IRECV) return false;
      rec_op copy = *o;
      size_t to = dice(k->n);
      shift(k, to, false);
      k->op[to] = copy;
      return true;
    }
  }
}

/* Operands that overlap are refused by the recorder, so no record has them. */
static bool overlaps(const record *r) {
  for (int i = 0; i < r->args.size; i++)
    for (size_t j = 0; j < r->rank[i].n; j++) {
      const rec_op *o = &r->rank[i].op[j];
      if ((o->kind == REC_REDUCE || o->kind == REC_COPY) && o->buf == o->buf2 && o->off < o->off2 + o->bytes &&
          o->off2 < o->off + o->bytes)
        return true;
    }
  return false;
}

static bool fits(const record *r) {
  for (int i = 0; i < r->args.size; i++) {
    rec_layout l = r->layout[i];
    if (r->rank[i].n + 8 > OPS || r->rank[i].scratch > SCRATCH * sizeof(value) ||
        l.size[0] > ELEMENTS * sizeof(value) || l.size[1] > ELEMENTS * sizeof(value))
      return false;
    /* One channel a pair: labels would need more. */
    for (size_t j = 0; j < r->rank[i].n; j++)
      if (r->rank[i].op[j].kind <= REC_RECV_ANY && r->rank[i].op[j].label) return false;
  }
  return true;
}

/* Lengths at random, many of them 0; returns how many elements the first row has. */
static size_t uneven_blocks(coll_collective k, int p, size_t most, size_t *displs) {
  int rows = k == COLL_ALLTOALLV ? p : 1, row = p + 1;
  for (int s = 0; s < rows; s++)
    for (int i = 0; i < p; i++) {
      size_t n = dice(3) ? (size_t)dice(most + 3) : 0;
      displs[s * row + i + 1] = displs[s * row + i] + n;
      if (rows > 1) displs[(p + i) * row + s + 1] = displs[(p + i) * row + s] + n;
    }
  return displs[p];
}

int main(int argc, char **argv) {
  int tries = argc > 1 ? atoi(argv[1]) : 60;
  if (argc > 2) seed = strtoull(argv[2], NULL, 10) * 2 + 1;
  record *r = NULL;
  proof *e = proof_new();
  long mutants = 0, kinds[PROOF_KINDS] = { 0 }, unsound = 0, records = 0;
  coll_place place[RANKS] = { { 0, 0, 0 } };
  for (const coll_alg *const *alg = coll_registry; *alg; alg++) {
    if ((*alg)->flags & (COLL_SEGMENTS | COLL_ANY_SOURCE) || coll_counts_of((*alg)->collective) == COLL_COUNTS_NOTHING)
      continue;
    for (int p = 2; p <= RANKS; p++)
      for (int variant = 0; variant < ((*alg)->flags & COLL_ANY_BLOCKS ? 24 : 12); variant++) {
        static const size_t counts[] = { 1, 4, 9 };
        size_t displs[2 * RANKS * (RANKS + 1)] = { 0 };
        bool uneven = variant >= 12;
        long param[COLL_PARAMS] = { 0 };
        char text[256];
        coll_find((*alg)->key, param, text, sizeof text);
        coll_args a = { .size = p,
                        .count = counts[variant % 3],
                        .elem = sizeof(value),
                        .root = (int)dice((uint64_t)p),
                        .commutes = variant / 3 % 2,
                        .in_place = variant / 6 % 2 && coll_has_in_place((*alg)->collective),
                        .displs = uneven ? displs : NULL,
                        .param = param,
                        .place = place };
        if (uneven) a.count = uneven_blocks((*alg)->collective, p, a.count, displs);
        if (coll_unsupported(*alg, &a, text, sizeof text)) continue;
        bool usable = true;
        for (int t = -1; t < tries && usable; t++) {
          r = record_make(r, *alg, &a, 1, 0);
          usable = fits(r);
          if (!usable || (t >= 0 && (!mutate(r) || (!dice(4) && !mutate(r)) || overlaps(r)))) continue;
          proof_result result;
          bool proven = proof_check(e, r, &result);
          bool right = result.kind == PROOF_OK || result.kind == PROOF_RESULT || result.kind == PROOF_INPUT
                           ? interpret(r)
                           : false;
          if (t < 0) {
            records++;
            proven = proven && right;
          }
          bool lies = t < 0 ? !proven : proven ? !right : right;
          mutants += t >= 0;
          kinds[result.kind] += t >= 0;
          if (lies && unsound++ < 10)
            printf("FAILED %s p=%d count=%zu%s root=%d commutes=%d in_place=%d, %s: the prover says %s (%s), the "
                   "interpreter %s\n",
                   (*alg)->key, p, a.count, uneven ? " uneven" : "", a.root, a.commutes, a.in_place,
                   t < 0 ? "as it is" : "mutated", proof_kind_name(result.kind), result.failure,
                   right ? "right" : "wrong");
        }
      }
  }
  printf("%ld records, %ld mutants, %ld contradictions;", records, mutants, unsound);
  for (int k = 0; k < PROOF_KINDS; k++)
    if (kinds[k]) printf(" %s %ld", proof_kind_name((proof_kind)k), kinds[k]);
  putchar('\n');
  record_free(r);
  proof_free(e);
  return unsound || !records || !mutants;
}
