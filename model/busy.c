#include "model/busy.h"

/* Whether neither kind of send waits for the receive of so many bytes: a receive does not know what its message was sent by. */
static bool is_eager(const machine *m, uint64_t bytes) {
  long long most = m->eager_bytes;
  if (m->has_eager_nonblocking && m->eager_bytes_nonblocking < most) most = m->eager_bytes_nonblocking;
  return most >= 0 && bytes <= (uint64_t)most;
}

/* Of a send, as sender_spent has it. */
static double posting(const machine *m, int rank, const rec_op *o) {
  bool nonblocking = o->kind == REC_ISEND;
  long long limit = nonblocking && m->has_eager_nonblocking ? m->eager_bytes_nonblocking : m->eager_bytes;
  if (!nonblocking && (limit < 0 || o->bytes > (uint64_t)limit)) return 0;
  if (!m->has_gaps) return m->overhead_s;
  if (!m->curve[machine_class_of(m, rank, o->peer)].pieces) return 0; /* no such message can be timed */
  return machine_gap(m, machine_price(m, rank, o->peer, o->bytes, nonblocking), o->bytes);
}

double busy_at_least(const machine *m, const record *r, int rank) {
  const rec_rank *k = &r->rank[rank];
  double busy_s = 0;
  for (size_t i = 0; i < k->n; i++) {
    const rec_op *o = &k->op[i];
    switch ((rec_kind)o->kind) {
      case REC_SEND:
      case REC_ISEND:
        if (o->peer >= 0 && o->peer < r->args.size) busy_s += posting(m, rank, o);
        break;
      case REC_RECV:
      case REC_RECV_ANY:
        if (is_eager(m, o->bytes)) busy_s += m->overhead_s;
        break;
      case REC_WAIT: {
        bool known = o->peer >= 0 && (size_t)o->peer < i;
        if (known && k->op[o->peer].kind == REC_IRECV && is_eager(m, k->op[o->peer].bytes)) busy_s += m->overhead_s;
        break;
      }
      case REC_REDUCE: busy_s += (double)o->bytes * m->gamma_s_per_byte; break;
      case REC_COPY: busy_s += (double)o->bytes * m->copy_s_per_byte; break;
      case REC_CALC: busy_s += 1e-9 * (double)o->bytes; break;
      default: break;
    }
  }
  return busy_s;
}
