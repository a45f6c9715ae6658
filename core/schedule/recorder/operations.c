/* What an algorithm does, written down. */
#include "core/schedule/recorder/recorder.h"

static void message(recorder *s, coll_ctx *c, rec_kind kind, const void *buf, size_t n, int other, const char *who) {
  size_t bytes = rec_bytes_of(s, c, n, who);
  int peer = rec_peer_of(s, c, other, who);
  spot at = rec_resolve(s, buf, bytes, who, kind == REC_RECV || kind == REC_IRECV || kind == REC_RECV_ANY);
  *rec_append(s) = (rec_op){
    .kind = (uint8_t)kind, .buf = at.buf, .label = (uint8_t)c->label, .peer = peer, .off = at.off, .bytes = bytes
  };
}

static void op_send(coll_ctx *c, const void *buf, size_t n, int to) {
  message(rec_of(c), c, REC_SEND, buf, n, to, "send");
}
static void op_recv(coll_ctx *c, void *buf, size_t n, int from) {
  message(rec_of(c), c, REC_RECV, buf, n, from, "recv");
}

static coll_req op_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  recorder *s = rec_of(c);
  message(s, c, REC_ISEND, buf, n, to, "isend");
  s->pending++;
  return (coll_req)s->now->n;
}

static coll_req op_irecv(coll_ctx *c, void *buf, size_t n, int from) {
  recorder *s = rec_of(c);
  message(s, c, REC_IRECV, buf, n, from, "irecv");
  s->pending++;
  return (coll_req)s->now->n;
}

/* more: waits of the same call that follow. */
static void wait_for(recorder *s, coll_req req, size_t more) {
  rec_rank *k = s->now;
  if (req < 0 || (size_t)req > k->n) rec_fail(s, "waits for %d, which is not a request", req);
  rec_op *posted = &k->op[req - 1];
  if (posted->kind != REC_ISEND && posted->kind != REC_IRECV) rec_fail(s, "waits for %d, which is not a request", req);
  if (posted->off2) rec_fail(s, "waits twice for the same %s", record_kind_name(posted->kind));
  posted->off2 = k->n; /* before append: that may move the list */
  s->pending--;
  *rec_append(s) = (rec_op){ .kind = REC_WAIT, .peer = req - 1, .bytes = more };
}

static void op_waitall(coll_ctx *c, int n, coll_req *reqs) {
  recorder *s = rec_of(c);
  size_t more = 0;
  for (int i = 0; i < n; i++) more += reqs[i] != 0;
  for (int i = 0; i < n; i++) {
    if (reqs[i]) wait_for(s, reqs[i], --more);
    reqs[i] = 0;
  }
}

/* Both are posted, then both are waited for. */
static void op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  recorder *s = rec_of(c);
  message(s, c, REC_ISEND, sbuf, sn, to, "sendrecv");
  coll_req sending = (coll_req)s->now->n;
  message(s, c, REC_IRECV, rbuf, rn, from, "sendrecv");
  coll_req receiving = (coll_req)s->now->n;
  s->pending += 2;
  wait_for(s, sending, 1);
  wait_for(s, receiving, 0);
}

static int op_recv_any(coll_ctx *c, void *buf, size_t n) {
  recorder *s = rec_of(c);
  if (!(s->alg->flags & COLL_ANY_SOURCE)) rec_fail(s, "recv_any, but the descriptor does not say COLL_ANY_SOURCE");
  any_source *w = &s->any_source[s->rank];
  if (w->at == w->n) {
    w->label = c->label;
    w->size = c->size;
    w->world = c->world;
    siglongjmp(s->leave, STOP_SUSPENDED);
  }
  int source = w->source[w->at++], from = source;
  if (c->world)
    for (from = 0; from < c->size && c->world[from] != source;) from++;
  if (from >= c->size) rec_fail(s, "recv_any finds a message from rank %d, which is not in the group", source);
  message(s, c, REC_RECV_ANY, buf, n, from, "recv_any");
  return from;
}

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  recorder *s = rec_of(c);
  if (!n) return;
  size_t bytes = rec_bytes_of(s, c, n, "reduce");
  spot l = rec_resolve(s, left, bytes, "reduce", false), r = rec_resolve(s, right, bytes, "reduce", true);
  if (l.buf == r.buf && l.off < r.off + bytes && r.off < l.off + bytes)
    rec_fail(s, "reduce with operands that overlap");
  *rec_append(
      s) = (rec_op){ .kind = REC_REDUCE, .buf = l.buf, .buf2 = r.buf, .off = l.off, .off2 = r.off, .bytes = bytes };
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  recorder *s = rec_of(c);
  if (!n || dst == src) return;
  size_t bytes = rec_bytes_of(s, c, n, "copy");
  spot from = rec_resolve(s, src, bytes, "copy", false), to = rec_resolve(s, dst, bytes, "copy", true);
  if (from.buf == to.buf && from.off < to.off + bytes && to.off < from.off + bytes)
    rec_fail(s, "copy between places that overlap");
  *rec_append(s) = (rec_op){
    .kind = REC_COPY, .buf = from.buf, .buf2 = to.buf, .off = from.off, .off2 = to.off, .bytes = bytes
  };
}

const coll_operations rec_operations = {
  .send = op_send,
  .recv = op_recv,
  .sendrecv = op_sendrecv,
  .recv_any = op_recv_any,
  .isend = op_isend,
  .irecv = op_irecv,
  .waitall = op_waitall,
  .reduce = op_reduce,
  .copy = op_copy,
  .scratch = rec_scratch,
  .keep = rec_keep,
  .seg_open = rec_seg_open,
  .seg_part = rec_seg_part,
  .seg_write = rec_seg_write,
  .seg_read = rec_seg_read,
  .publish = rec_publish,
  .await = rec_await,
};

void record_mark(coll_ctx *c, bool ends) { *rec_append(rec_of(c)) = (rec_op){ .kind = REC_MARK, .bytes = ends }; }
