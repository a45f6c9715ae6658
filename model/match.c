#include "model/match.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/schedule/array.h"
#include "model/invalidation.h"
#include "model/nearly_sorted.h"

enum { SOME = 1024, MAX_EXPECTED = 1 << 25, MAX_FETCHED = 64 }; /* ranks; messages: 1 GiB; of a rank */

/* ---- taking in a rank -------------------------------------------------------------------------------- */

static void begin(wiring *w, const record *r) {
  w->ranks = r->args.size;
  w->taken = w->matched = 0;
  w->operations = w->messages = w->transfers = w->crossings = w->values = w->lines = w->flags = 0;
  *w->wrong = '\0';
  channels_clear(&w->names);
  RESERVE(w->first_op, w->first_cap, (size_t)w->ranks + 1);
  if (w->ranks > MAX_RANKS)
    snprintf(w->wrong, sizeof w->wrong, "%d ranks are too many: at most %d", w->ranks, MAX_RANKS);
}

/* The first thing that is wrong counts. */
static int32_t wrong(wiring *w, const char *format, int a, int b) {
  if (!*w->wrong) snprintf(w->wrong, sizeof w->wrong, format, a, b);
  return 0;
}

static int32_t send_of(wiring *w, int rank, const rec_op *o) {
  if (o->peer < 0 || o->peer >= w->ranks)
    return wrong(w, "rank %d sends to rank %d, which does not exist", rank, o->peer);
  PUSH(w->message, w->messages, w->message_cap,
       (message){ .src = rank,
                  .dst = o->peer,
                  .link = NONE,
                  .label = o->label,
                  .bytes = o->bytes,
                  .flags = o->kind == REC_ISEND ? NONBLOCKING : 0 });
  return (int32_t)w->messages - 1;
}

static int32_t transfer_of(wiring *w, int src, int dst, uint64_t bytes, flag_line line) {
  PUSH(w->crossing, w->crossings, w->crossing_cap, (message){ .src = src, .dst = dst, .bytes = bytes });
  PUSH(w->line, w->lines, w->line_cap, line);
  return (int32_t)w->crossings - 1;
}

static int32_t value_of(wiring *w, uint64_t value) {
  PUSH(w->value, w->values, w->value_cap, value);
  return (int32_t)w->values - 1;
}

static int32_t flag_of(wiring *w, const rec_segment *s, const rec_op *o) {
  channel *name = channels_find(&w->names, s->group, o->peer * s->flags + (int)o->off, 0);
  if (name->first == CHANNEL_NOBODY) {
    name->first = (uint32_t)w->flags;
    RESERVE_ZEROED(w->flag, w->flag_cap, ++w->flags);
  }
  return (int32_t)name->first;
}

static int32_t flag_op(wiring *w, const record *r, int rank, const rec_op *o) {
  int32_t flag = flag_of(w, &r->segment[rank][o->buf - REC_SEGMENT], o);
  int32_t at = value_of(w, o->off2);
  if (o->kind == REC_AWAIT) flag = transfer_of(w, o->peer, rank, FLAG_LINE, (flag_line){ flag, o->peer });
  value_of(w, (uint64_t)flag);
  return at;
}

static inline size_t at_most(size_t n, size_t most) { return n < most ? n : most; }

/* Ranks do much the same: once some have been seen, there is room for as much of all. To grow step by step costs a copy each time.
 * A root may do far more than the others, so this has a limit. */
static void expect_rest(wiring *w) {
  size_t times = (size_t)w->ranks / SOME + 1, operations = at_most(w->operations * times, 4 * MAX_EXPECTED);
  RESERVE(w->what, w->what_cap, operations);
  RESERVE(w->of_op, w->op_cap, operations);
  RESERVE(w->message, w->message_cap, at_most((w->messages + w->crossings) * times, MAX_EXPECTED));
}

/* Both 0 on a machine that charges nothing for it. */
static inline uint64_t fresh_from(const machine *m) {
  return m->first_touch_s_per_byte > 0 ? (uint64_t)m->fresh_from : 0;
}

static inline uint64_t in_place_from(const machine *m) {
  return m->invalidation_s_per_byte > 0 && m->places ? (uint64_t)m->read_in_place_from : 0;
}

bool wiring_differs(const machine *m, const machine *other) {
  return (fresh_from(other) && fresh_from(other) != fresh_from(m)) ||
         (in_place_from(other) && in_place_from(other) != in_place_from(m));
}

void wiring_for(wiring *w, const machine *m, bool fresh_out) {
  uint64_t fresh = fresh_from(m), in_place = in_place_from(m);
  bool known = (!fresh || w->fresh_from == fresh) && (!in_place || w->read_in_place_from == in_place);
  if (in_place) w->place = m->place;
  if ((!fresh && !in_place) || (known && w->fresh_out == fresh_out))
    return; /* a machine that charges nothing does not mind what is known */
  if (fresh) w->fresh_from = fresh;
  if (in_place) w->read_in_place_from = in_place;
  w->fresh_out = fresh_out;
  w->taken = w->matched = 0;
}

/* A call begins: all of `out` is newly mapped but what of it is input. */
static void renew_out(wiring *w, const record *r, int rank) {
  const rec_layout *l = &r->layout[rank];
  if (!l->has_out || l->out_bytes < UNTOUCHED_PAGE) return;
  byte_set_remove(&w->untouched, wiring_address(l->out_buf, l->out_off), l->out_bytes);
  byte_set_add(&w->untouched, wiring_address(l->out_buf, l->out_off), l->out_bytes);
  if (coll_has_input(r->collective, &r->args, rank))
    byte_set_remove(&w->untouched, wiring_address(l->in_buf, l->in_off), l->in_bytes);
}

/* Which operations of the rank are the first to write newly mapped memory. In the order of the list, in which they are called. */
static void see_first_written(wiring *w, const record *r, int rank, size_t base) {
  const rec_rank *k = &r->rank[rank];
  RESERVE(w->first_written, w->first_written_cap, w->operations);
  uint64_t *first = w->first_written + base;
  memset(first, 0, sizeof *first * k->n);
  w->untouched.n = 0;
  for (size_t i = 0; i < k->pieces; i++)
    if (k->piece[i].bytes >= w->fresh_from)
      byte_set_add(&w->untouched, wiring_address(REC_SCRATCH, k->piece[i].begin), k->piece[i].bytes);
  bool fresh_out = w->fresh_out && r->layout, loop = false;
  for (size_t i = 0; i < k->n && fresh_out && !loop; i++) loop = k->op[i].kind == REC_MARK;
  if (fresh_out && !loop) renew_out(w, r, rank); /* calls that warm a loop up find what the one before left */
  for (size_t i = 0; i < k->n && (w->untouched.n || fresh_out); i++) {
    const rec_op *o = &k->op[i];
    if (fresh_out && o->kind == REC_MARK && !o->bytes) renew_out(w, r, rank);
    bool second = o->kind == REC_REDUCE || o->kind == REC_COPY || o->kind == REC_READ;
    if (!second && !rec_receives(o->kind)) continue;
    first[i] = byte_set_remove(&w->untouched, wiring_address(second ? o->buf2 : o->buf, second ? o->off2 : o->off),
                               o->bytes);
  }
}

void wiring_see(wiring *w, const record *r, int rank) {
  if (!rank) begin(w, r);
  if (*w->wrong) return;
  if (rank == SOME) expect_rest(w);
  size_t base = w->operations, n = r->rank[rank].n;
  w->operations += n;
  RESERVE(w->what, w->what_cap, w->operations);
  RESERVE(w->of_op, w->op_cap, w->operations);
  uint8_t *what = w->what + base;
  int32_t *of = w->of_op + base;
  for (size_t i = 0; i < n; i++) {
    const rec_op *o = &r->rank[rank].op[i];
    what[i] = o->kind;
    switch ((rec_kind)o->kind) {
      case REC_SEND:
      case REC_ISEND:
        what[i] |= SENDING;
        of[i] = send_of(w, rank, o);
        break;
      case REC_RECV:
      case REC_IRECV:
      case REC_RECV_ANY: /* for now, whose message it is */
        if (o->peer < 0 || o->peer >= w->ranks)
          wrong(w, "rank %d receives from rank %d, which does not exist", rank, o->peer);
        of[i] = (int32_t)((uint32_t)o->peer << 8 | o->label);
        break;
      case REC_WAIT: { /* for now, the operation that is waited for */
        if (o->peer < 0 || (size_t)o->peer >= i) {
          wrong(w, "rank %d waits for operation %d, which is not before it", rank, o->peer);
          break;
        }
        of[i] = what[o->peer] & SENDING ? of[o->peer] : o->peer;
        what[i] |= (what[o->peer] & SENDING) | (o->bytes ? MORE : 0);
        break;
      }
      case REC_REDUCE:
      case REC_CALC:
      case REC_COPY: of[i] = value_of(w, o->bytes); break;
      case REC_WRITE:
      case REC_READ:
        if (o->peer == rank) {
          what[i] = REC_COPY;
          of[i] = value_of(w, o->bytes);
        } else if (o->kind == REC_WRITE) of[i] = transfer_of(w, rank, o->peer, o->bytes, (flag_line){ NONE, o->peer });
        else of[i] = transfer_of(w, o->peer, rank, o->bytes, (flag_line){ NONE, o->peer });
        break;
      case REC_PUBLISH:
      case REC_AWAIT: of[i] = flag_op(w, r, rank, o); break;
      case REC_MARK: of[i] = (int32_t)o->bytes; break;
    }
  }
  if (w->fresh_from) see_first_written(w, r, rank, base);
  if (w->read_in_place_from) invalidation_see(w, r, rank, base);
  w->first_op[rank] = base;
  w->first_op[rank + 1] = w->operations;
  if (rank == w->ranks - 1) w->taken = r->serial;
}

/* ---- which receive a message belongs to -------------------------------------------------------------- */

static void sort_by_destination(wiring *w) {
  RESERVE(w->first_in, w->first_in_cap, (size_t)w->ranks + 2);
  RESERVE(w->incoming, w->incoming_cap, w->messages);
  size_t *next = w->first_in + 1; /* of each rank: the place of its next message, in the end its last one's successor */
  memset(w->first_in, 0, sizeof *w->first_in * ((size_t)w->ranks + 2));
  for (size_t i = 0; i < w->messages; i++) next[w->message[i].dst + 1]++;
  for (int r = 0; r < w->ranks; r++) next[r + 1] += next[r];
  for (size_t i = 0; i < w->messages; i++) w->incoming[next[w->message[i].dst]++] = (int32_t)i;
}

static inline uint64_t key_of(uint32_t whose, size_t at) { return (uint64_t)whose << 32 | at; }

/* What is sent to a rank has been put down with each of its senders. */
static void fetch_incoming(const wiring *w, int rank) {
  if (rank >= w->ranks) return;
  const int32_t *incoming = w->incoming + w->first_in[rank];
  size_t n = at_most(w->first_in[rank + 1] - w->first_in[rank], MAX_FETCHED);
  for (size_t j = 0; j < n; j++) __builtin_prefetch(&w->message[incoming[j]]);
}

/* The k-th message of a source with a label belongs to the k-th receive that asks for those: both lists are sorted by that, and
 * go along together. *lost: the first message that nobody receives. */
static bool match_rank(wiring *w, int rank, size_t *lost, char *error, size_t size) {
  size_t base = w->first_op[rank], n = w->first_op[rank + 1] - base;
  fetch_incoming(w, rank + 1);
  const int32_t *incoming = w->incoming + w->first_in[rank];
  size_t receives = 0, sends = w->first_in[rank + 1] - w->first_in[rank], i = 0, k = 0, missing = SIZE_MAX;
  uint8_t *what = w->what + base;
  int32_t *of = w->of_op + base;
  RESERVE(w->receives, w->receives_cap, n);
  RESERVE(w->sends, w->sends_cap, sends);
  for (size_t j = 0; j < n; j++)
    if (rec_receives(what[j] & KIND)) w->receives[receives++] = key_of((uint32_t)of[j], j);
  for (size_t j = 0; j < sends; j++) {
    const message *m = &w->message[incoming[j]];
    w->sends[j] = key_of((uint32_t)m->src << 8 | (uint32_t)m->label, j);
  }
  sort_nearly_sorted(w->receives, receives);
  sort_nearly_sorted(w->sends, sends);
  while (i < receives || k < sends) {
    uint32_t want = i < receives ? (uint32_t)(w->receives[i] >> 32) : UINT32_MAX;
    uint32_t have = k < sends ? (uint32_t)(w->sends[k] >> 32) : UINT32_MAX;
    if (i < receives && k < sends && want == have) of[(uint32_t)w->receives[i++]] = incoming[(uint32_t)w->sends[k++]];
    else if (k == sends || (i < receives && want < have)) {
      if ((uint32_t)w->receives[i] < missing) missing = (uint32_t)w->receives[i];
      i++;
    } else {
      size_t id = (size_t)incoming[(uint32_t)w->sends[k++]];
      if (id < *lost) *lost = id;
    }
  }
  if (missing != SIZE_MAX) {
    snprintf(error, size, "rank %d receives from rank %d, which sends no such message", rank,
             (int)((uint32_t)of[missing] >> 8));
    return false;
  }
  for (size_t j = 0; j < n; j++) {
    rec_kind kind = (rec_kind)(what[j] & KIND);
    if (kind == REC_WAIT && !(what[j] & SENDING)) of[j] = of[of[j]];
    else if (kind == REC_WRITE || kind == REC_READ) of[j] += (int32_t)w->messages;
    else if (kind == REC_AWAIT) w->value[of[j] + 1] += w->messages;
  }
  return true;
}

bool wiring_make(wiring *w, const record *r, char *error, size_t size) {
  if (r->serial && r->serial == w->matched) return true;
  if (!r->serial || r->serial != w->taken)
    for (int rank = 0; rank < r->args.size; rank++) wiring_see(w, r, rank);
  w->matched = w->taken = 0;
  if (*w->wrong) {
    snprintf(error, size, "%s", w->wrong);
    return false;
  }
  sort_by_destination(w);
  size_t lost = SIZE_MAX;
  for (int rank = 0; rank < w->ranks; rank++)
    if (!match_rank(w, rank, &lost, error, size)) return false;
  if (lost != SIZE_MAX) {
    const message *m = &w->message[lost];
    snprintf(error, size, "rank %d sends to rank %d, which never receives it", m->src, m->dst);
    return false;
  }
  w->transfers = w->messages + w->crossings;
  RESERVE(w->message, w->message_cap, w->transfers);
  if (w->crossings) memcpy(w->message + w->messages, w->crossing, sizeof *w->message * w->crossings);
  w->matched = r->serial;
  return true;
}

/* ---- a run -------------------------------------------------------------------------------------------- */

void wiring_begin(wiring *w, const machine *m) {
  long long limit[] = { m->eager_bytes, m->has_eager_nonblocking ? m->eager_bytes_nonblocking : m->eager_bytes };
  for (size_t i = 0; i < w->messages; i++) {
    message *one = &w->message[i];
    long long most = limit[one->flags & NONBLOCKING ? 1 : 0];
    one->flags = (one->flags & NONBLOCKING) | (most >= 0 && one->bytes <= (uint64_t)most ? EAGER : 0);
  }
  for (size_t i = 0; i < w->lines; i++) {
    message *one = &w->message[w->messages + i];
    bool line = w->line[i].flag != NONE;
    if (line) one->src = w->line[i].home; /* a run before has put the setter there */
    one->flags = TRANSFER | (!line && one->dst == w->line[i].home ? SENT : RECEIVED);
  }
  for (size_t i = 0; i < w->flags; i++) {
    w->flag[i].n = 0;
    w->flag[i].waiting = NONE;
  }
}

void wiring_free(wiring *w) {
  for (size_t i = 0; i < w->flag_cap; i++) free(w->flag[i].list);
  free(w->first_op);
  free(w->what);
  free(w->of_op);
  free(w->value);
  free(w->first_written);
  free(w->invalidated);
  byte_set_free(&w->untouched);
  byte_set_free(&w->cached_elsewhere);
  free(w->message);
  free(w->line);
  free(w->flag);
  free(w->crossing);
  free(w->first_in);
  free(w->incoming);
  free(w->receives);
  free(w->sends);
  channels_free(&w->names);
}
