#include "primitives/peers.h"

#include "patterns/block.h"

/* One step of all parts at once: what is sent from data and what is received, as elements of the vector. */
typedef struct {
  int peer;
  coll_span send, recv;
} part_step;

static void exchange(coll_ctx *c, const void *data, void *inbox, const part_step *step, int parts, coll_req *request) {
  int n = 0;
  for (int i = 0; i < parts; i++)
    if (step[i].recv.count)
      request[n++] = coll_irecv(c, coll_at(c, inbox, step[i].recv.first), step[i].recv.count, step[i].peer);
  for (int i = 0; i < parts; i++)
    if (step[i].send.count)
      request[n++] = coll_isend(c, coll_at(c, data, step[i].send.first), step[i].send.count, step[i].peer);
  coll_waitall(c, n, request);
}

static void add_up(coll_ctx *c, const void *inbox, void *sum, const part_step *step, int parts) {
  for (int i = 0; i < parts; i++)
    if (step[i].recv.count)
      coll_reduce(c, coll_at(c, inbox, step[i].recv.first), coll_at(c, sum, step[i].recv.first), step[i].recv.count);
}

/* Elements of blocks lo … hi-1 of a part. */
static coll_span in_part(size_t n, int parts, int part, int blocks, int lo, int hi) {
  coll_span whole = coll_block(n, parts, part), s = coll_blocks(whole.count, blocks, lo, hi);
  return (coll_span){ whole.first + s.first, s.count };
}

/* Step s of the halving: what a part keeps comes in, what it gives away goes out. */
static part_step halving(coll_fold f, const coll_peers *w, size_t n, int parts, int part, int s) {
  int half = f.power >> (s + 1), keep = w->block & -half, give = keep ^ half;
  return (part_step){ .peer = coll_fold_real(f, w->peer[s]),
                      .send = in_part(n, parts, part, f.power, give, give + half),
                      .recv = in_part(n, parts, part, f.power, keep, keep + half) };
}

void coll_peers_allreduce(coll_ctx *c, const coll_args *a, coll_fold f, const coll_peers *peers, int parts,
                          coll_peers_what what) {
  size_t n = a->count;
  coll_copy(c, a->out, a->in, n);
  if (c->size < 2 || !n) return;
  if (coll_fold_virtual(f, c->rank) < 0) {
    coll_send(c, a->out, n, c->rank ^ 1);
    coll_recv(c, a->out, n, c->rank ^ 1);
    return;
  }
  void *spare = coll_scratch(c, n);
  bool paired = c->rank < 2 * f.extra;
  if (paired) {
    coll_recv(c, spare, n, c->rank ^ 1);
    coll_reduce(c, spare, a->out, n);
  }
  part_step *step = coll_keep(c, sizeof *step * (size_t)parts);
  coll_req *request = coll_keep(c, sizeof(coll_req) * 2 * (size_t)parts);
  for (int s = 0; s < f.lg; s++) {
    for (int i = 0; i < parts; i++) {
      coll_span all = coll_block(n, parts, i);
      step[i] = what == COLL_PEERS_HALVES ? halving(f, &peers[i], n, parts, i, s)
                                          : (part_step){ coll_fold_real(f, peers[i].peer[s]), all, all };
    }
    exchange(c, a->out, spare, step, parts, request);
    add_up(c, spare, a->out, step, parts);
  }
  for (int s = f.lg - 1; what == COLL_PEERS_HALVES && s >= 0; s--) {
    for (int i = 0; i < parts; i++) {
      part_step h = halving(f, &peers[i], n, parts, i, s);
      step[i] = (part_step){ h.peer, h.recv, h.send };
    }
    exchange(c, a->out, a->out, step, parts, request);
  }
  if (paired) coll_send(c, a->out, n, c->rank ^ 1);
}

double coll_peers_cost(const coll_args *a, int parts, coll_peers_what what, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  double n = (double)(a->count * a->elem), fold = f.extra ? 2 * alpha + 2 * n * beta + n * gamma : 0;
  double messages = (double)f.lg * (a->count < (size_t)parts ? (double)a->count : parts); /* empty ones are not sent */
  if (what == COLL_PEERS_WHOLE) return fold + messages * alpha + f.lg * n * (beta + gamma);
  return fold + 2 * messages * alpha + (f.power - 1.0) / f.power * n * (2 * beta + gamma);
}

/* Where parts go at once to ranks that were not paired and to others that were, some wait for a partner. */
bool coll_peers_exact(const coll_args *a, int parts, coll_peers_what what) {
  if (!a->count || a->size < 2) return true;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  if (what == COLL_PEERS_WHOLE) return !f.extra || parts == 1;
  return !f.extra && a->count % ((size_t)f.power * (size_t)parts) == 0;
}
