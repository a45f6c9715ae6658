#include "primitives/bruck.h"

/* The last step may have fewer messages than k-1: the digit's weight times its value stays below p. */
static int values(int p, int k, long weight) {
  long most = (p - 1) / weight;
  return most < k - 1 ? (int)most : k - 1;
}

int coll_bruck_messages(int p, int k) {
  int n = 0;
  for (long weight = 1; weight < p; weight *= k) n += values(p, k, weight);
  return n;
}

/* How many of the numbers below p have this digit at this weight. */
static int travelling(int p, int k, long weight, int digit) {
  long whole = p / (weight * k) * weight, rest = p % (weight * k) - digit * weight;
  return (int)(whole + (rest < 0 ? 0 : rest < weight ? rest : weight));
}

int coll_bruck_travels(int p, int k) {
  int n = 0;
  for (long weight = 1; weight < p; weight *= k)
    for (int digit = 1; digit <= values(p, k, weight); digit++) n += travelling(p, k, weight, digit);
  return n;
}

/* A step's messages, to the ranks at the multiples of a distance on the right; blocks of the m elements each. */
typedef struct {
  coll_ctx *c;
  size_t m;
  coll_req *req;
  int reqs;
} step;

static void exchange(step *s, const void *leaving, int to, void *coming, int from, int blocks, bool alone) {
  size_t n = (size_t)blocks * s->m;
  if (alone) {
    coll_sendrecv(s->c, leaving, n, to, coming, n, from);
    return;
  }
  s->req[s->reqs++] = coll_irecv(s->c, coming, n, from);
  s->req[s->reqs++] = coll_isend(s->c, leaving, n, to);
}

static void finish(step *s) {
  coll_waitall(s->c, s->reqs, s->req);
  s->reqs = 0;
}

static step begin(coll_ctx *c, size_t m, int k) {
  size_t most = 2 * (size_t)values(c->size, k, 1);
  return (step){ c, m, most > 2 ? coll_keep(c, sizeof(coll_req) * most) : NULL, 0 };
}

void coll_bruck_allgather(coll_ctx *c, void *all, size_t m, int k) {
  int p = c->size;
  step s = begin(c, m, k);
  for (long have = 1; have < p; have *= k) {
    int last = values(p, k, have);
    for (int j = 1; j <= last; j++) {
      int away = (int)(j * have), blocks = p - away < have ? p - away : (int)have;
      exchange(&s, all, (c->rank + p - away) % p, coll_at(c, all, (size_t)away * m), (c->rank + away) % p, blocks,
               last == 1);
    }
    finish(&s);
  }
}

/* Copies the blocks that have a digit at a weight one after the other, or puts them back from there. */
static void pack(coll_ctx *c, size_t m, int k, long weight, int digit, void *blocks, void *packed, bool back) {
  size_t n = 0;
  for (long first = digit * weight; first < c->size; first += weight * k)
    for (long i = first; i < first + weight && i < c->size; i++) {
      void *block = coll_at(c, blocks, (size_t)i * m), *there = coll_at(c, packed, n++ * m);
      coll_copy(c, back ? block : there, back ? there : block, m);
    }
}

void coll_bruck_alltoall(coll_ctx *c, const coll_args *a, int k) {
  int p = c->size;
  size_t m = a->count, own = (size_t)c->rank * m, all = (size_t)p * m;
  if (!m) return;
  if (p < 2) {
    coll_copy(c, a->out, a->in, m);
    return;
  }
  size_t most = (size_t)(p - (p + k - 1) / k) * m; /* the first digit is 0 least often */
  void *turned = coll_scratch(c, all), *leaving = coll_scratch(c, most), *coming = coll_scratch(c, most);
  step s = begin(c, m, k);
  coll_copy(c, turned, coll_at(c, a->in, own), all - own);
  coll_copy(c, coll_at(c, turned, all - own), a->in, own);
  for (long weight = 1; weight < p; weight *= k) {
    int last = values(p, k, weight);
    size_t at = 0;
    for (int digit = 1; digit <= last; digit++) {
      int away = (int)(digit * weight), blocks = travelling(p, k, weight, digit);
      pack(c, m, k, weight, digit, turned, coll_at(c, leaving, at), false);
      exchange(&s, coll_at(c, leaving, at), (c->rank + away) % p, coll_at(c, coming, at), (c->rank + p - away) % p,
               blocks, last == 1);
      at += (size_t)blocks * m;
    }
    finish(&s);
    at = 0;
    for (int digit = 1; digit <= last; digit++) {
      pack(c, m, k, weight, digit, turned, coll_at(c, coming, at), true);
      at += (size_t)travelling(p, k, weight, digit) * m;
    }
  }
  for (int i = 0; i < p; i++)
    coll_copy(c, coll_at(c, a->out, (size_t)((c->rank + p - i) % p) * m), coll_at(c, turned, (size_t)i * m), m);
}
