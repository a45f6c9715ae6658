#include "prove/holdings.h"

#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"

/* The round of a message or transfer; those that take no time belong to the first. */
static uint32_t round_of(const timing_message *m) { return m->end_s < 1 ? 1 : (uint32_t)lround(m->end_s); }

/* Whose operation a transfer is: reads and waits for flags are the receiver's, writes the sender's. */
static bool taken_by_receiver(const record *r, const timing_message *m) {
  if (m->recv >= r->rank[m->dst].n) return false;
  const rec_op *o = &r->rank[m->dst].op[m->recv];
  return (o->kind == REC_READ || o->kind == REC_AWAIT) && o->peer == m->src;
}

static uint32_t rounds_of(holder *h, const record *r, const timing_result *t) {
  size_t n = 0, *base = array_grow(NULL, sizeof *base * (size_t)r->args.size);
  for (int i = 0; i < r->args.size; n += r->rank[i++].n) base[i] = n;
  RESERVE(h->round, h->round_cap, n);
  memset(h->round, 0, sizeof *h->round * n);
  uint32_t last = (uint32_t)lround(t->makespan_s);
  for (size_t i = 0; i < t->messages + t->transfers; i++) {
    const timing_message *m = i < t->messages ? &t->message[i] : &t->transfer[i - t->messages];
    uint32_t round = round_of(m);
    bool transfer = i >= t->messages, taken = transfer && taken_by_receiver(r, m);
    if (!taken) h->round[base[m->src] + m->send] = round;
    if (!transfer || taken) h->round[base[m->dst] + m->recv] = round;
    if (round > last) last = round;
  }
  free(base);
  return last;
}

static void print_sets(json *j, const holder *h, int ranks) {
  json_array(j, "sets");
  for (uint32_t s = 0; s < h->held.sets; s++) {
    json_array(j, NULL);
    for (int r = 0; h->held.combines && r < ranks; r++) {
      if (!holdings_has(h->proof, &h->held, s, r)) continue;
      int last = r;
      while (last + 1 < ranks && holdings_has(h->proof, &h->held, s, last + 1)) last++;
      json_int(j, NULL, r);
      json_int(j, NULL, last);
      r = last;
    }
    json_end(j);
  }
  json_end(j);
}

bool holdings_print(json *j, holder *h, const record *r, const timing_result *t, proof_result *result) {
  if (!h->proof) h->proof = proof_new();
  uint32_t rounds = rounds_of(h, r, t);
  if (!proof_holdings(h->proof, r, h->round, rounds, &h->held, result)) return false;
  if (!h->held.fine) {
    json_null(j, "holdings");
    return true;
  }
  json_object(j, "holdings");
  json_bool(j, "combines", h->held.combines);
  json_size(j, "width", h->held.width);
  print_sets(j, h, r->args.size);
  json_array(j, "rounds");
  const size_t *first = h->held.first;
  for (uint32_t k = 0; k <= rounds; k++) {
    json_array(j, NULL);
    for (int rank = 0; rank < r->args.size; rank++, first++) {
      json_array(j, NULL);
      for (const held *q = &h->held.list[first[0]]; q < &h->held.list[first[1]]; q++) {
        json_size(j, NULL, q->from);
        json_size(j, NULL, q->to);
        json_size(j, NULL, q->set);
      }
      json_end(j);
    }
    json_end(j);
  }
  json_end(j);
  json_end(j);
  return true;
}

void holder_free(holder *h) {
  if (h->proof) proof_free(h->proof);
  holdings_free(&h->held);
  free(h->round);
}
