#include "model/match.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"

static int32_t transfer(wiring *w, message m, int32_t flag) {
  RESERVE(w->message, w->message_cap, w->transfers + 1);
  w->message[w->transfers] = m;
  PUSH(w->line, w->lines, w->line_cap, flag);
  return (int32_t)w->transfers++;
}

static int32_t flag_of(wiring *w, const rec_segment *s, const rec_op *o) {
  channel *name = channels_find(&w->names, s->group, o->peer * s->flags + (int)o->off, 0);
  if (name->first == CHANNEL_NOBODY) {
    name->first = (uint32_t)w->flags;
    RESERVE_ZEROED(w->flag, w->flag_cap, ++w->flags);
  }
  return (int32_t)name->first;
}

static bool failed(char *error, size_t size, const char *format, int a, int b) {
  snprintf(error, size, format, a, b);
  return false;
}

static bool peers_exist(const record *r, char *error, size_t size) {
  int p = r->args.size;
  for (int rank = 0; rank < p; rank++)
    for (size_t i = 0; i < r->rank[rank].n; i++) {
      const rec_op *o = &r->rank[rank].op[i];
      if (rec_sends(o->kind) && (o->peer < 0 || o->peer >= p))
        return failed(error, size, "rank %d sends to rank %d, which does not exist", rank, o->peer);
    }
  return true;
}

static void number_messages(wiring *w, const record *r, const matching *of) {
  for (int rank = 0; rank < r->args.size; rank++)
    for (size_t i = 0; i < r->rank[rank].n; i++) {
      const rec_op *o = &r->rank[rank].op[i];
      size_t at = of->base[rank] + i;
      w->what[at] = o->kind;
      if (!rec_sends(o->kind)) continue;
      w->what[at] |= SENDING;
      w->of_op[at] = (int32_t)w->messages;
      PUSH(w->message, w->messages, w->message_cap,
           (message){ .src = rank,
                      .dst = o->peer,
                      .send = (uint32_t)i,
                      .recv = of->partner[at],
                      .link = NONE,
                      .label = o->label,
                      .bytes = o->bytes });
    }
}

bool wiring_make(wiring *w, const record *r, const matching *known, char *error, size_t size) {
  if (r->serial && r->serial == w->matched) return true;
  w->matched = 0;
  if (!peers_exist(r, error, size)) return false;
  const matching *of = &w->matching;
  if (known && r->serial && known->serial == r->serial) of = known;
  else matching_make(&w->matching, r);
  int p = r->args.size;
  RESERVE(w->first_op, w->first_cap, p);
  memcpy(w->first_op, of->base, sizeof *w->first_op * (size_t)p);
  RESERVE(w->of_op, w->op_cap, of->operations);
  RESERVE(w->what, w->what_cap, of->operations);
  w->messages = w->flags = w->lines = 0;
  number_messages(w, r, of);
  w->transfers = w->messages;
  channels_clear(&w->names);
  for (int rank = 0; rank < p; rank++)
    for (size_t i = 0; i < r->rank[rank].n; i++) {
      const rec_op *o = &r->rank[rank].op[i];
      size_t base = of->base[rank];
      int32_t *mine = &w->of_op[base + i];
      if (rec_receives(o->kind)) {
        if (o->peer < 0 || o->peer >= p)
          return failed(error, size, "rank %d receives from rank %d, which does not exist", rank, o->peer);
        if (of->partner[base + i] == CHANNEL_NOBODY)
          return failed(error, size, "rank %d receives from rank %d, which sends no such message", rank, o->peer);
        *mine = w->of_op[of->base[o->peer] + of->partner[base + i]];
      } else if (o->kind == REC_WAIT) {
        if (o->peer < 0 || (size_t)o->peer >= i)
          return failed(error, size, "rank %d waits for operation %d, which is not before it", rank, o->peer);
        *mine = w->of_op[base + (size_t)o->peer];
        w->what[base + i] |= w->what[base + (size_t)o->peer] & SENDING;
      } else if ((o->kind == REC_WRITE || o->kind == REC_READ) && o->peer != rank) {
        int src = o->kind == REC_WRITE ? rank : o->peer, dst = o->kind == REC_WRITE ? o->peer : rank;
        *mine = transfer(
            w, (message){ .src = src, .dst = dst, .send = (uint32_t)i, .recv = (uint32_t)i, .bytes = o->bytes }, NONE);
      } else if (o->kind == REC_PUBLISH || o->kind == REC_AWAIT) {
        *mine = flag_of(w, &r->segment[rank][o->buf - REC_SEGMENT], o);
        if (o->kind == REC_AWAIT)
          *mine = transfer(
              w, (message){ .src = o->peer, .dst = rank, .send = (uint32_t)i, .recv = (uint32_t)i, .bytes = FLAG_LINE },
              *mine);
      }
    }
  for (size_t i = 0; i < (of->unmatched ? w->messages : 0); i++)
    if (w->message[i].recv == CHANNEL_NOBODY)
      return failed(error, size, "rank %d sends to rank %d, which never receives it", w->message[i].src,
                    w->message[i].dst);
  w->matched = r->serial;
  return true;
}

void wiring_begin(wiring *w, const record *r, const machine *m) {
  for (size_t i = 0; i < w->messages; i++)
    w->message[i].flags = m->eager_bytes >= 0 && w->message[i].bytes <= (uint64_t)m->eager_bytes ? EAGER : 0;
  for (size_t i = 0; i < w->lines; i++) {
    message *line = &w->message[w->messages + i];
    line->flags = TRANSFER;
    line->link = w->line[i];
    if (line->link != NONE)
      line->src = r->rank[line->dst].op[line->recv].peer; /* a run before has put the setter there */
  }
  for (size_t i = 0; i < w->flags; i++) {
    w->flag[i].n = 0;
    w->flag[i].waiting = NONE;
  }
}

void wiring_free(wiring *w) {
  for (size_t i = 0; i < w->flag_cap; i++) free(w->flag[i].list);
  free(w->message);
  free(w->line);
  free(w->of_op);
  free(w->what);
  free(w->first_op);
  free(w->flag);
  matching_free(&w->matching);
  channels_free(&w->names);
}
