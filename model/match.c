/* Which send belongs to which receive: messages of one source, destination and label match in order. */
#include "model/engine.h"

#include <string.h>

static uint64_t scrambled(uint64_t key)
{
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

static pair_queue *pair_find(engine *e, uint64_t key);

static void pair_grow(engine *e)
{
  pair_queue *old = e->pair;
  size_t old_cap = e->pair_cap;
  e->pair_cap = old_cap ? 2 * old_cap : 1024;
  e->pair = calloc(e->pair_cap, sizeof *e->pair);
  if (!e->pair) { fputs("timing: out of memory\n", stderr); abort(); }
  e->pairs = 0;
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].stamp == e->pair_stamp) {
      pair_queue *q = pair_find(e, old[i].key);
      q->head = old[i].head;
      q->tail = old[i].tail;
    }
  free(old);
}

/* The queue of a key, made when there is none. Stamps spare clearing the table between calls. */
static pair_queue *pair_find(engine *e, uint64_t key)
{
  if (2 * e->pairs >= e->pair_cap) pair_grow(e);
  size_t mask = e->pair_cap - 1, i = scrambled(key) & mask;
  while (e->pair[i].stamp == e->pair_stamp && e->pair[i].key != key) i = (i + 1) & mask;
  pair_queue *q = &e->pair[i];
  if (q->stamp != e->pair_stamp) {
    *q = (pair_queue){key, e->pair_stamp, NONE, NONE};
    e->pairs++;
  }
  return q;
}

static uint64_t pair_key(int src, int dst, unsigned label)
{ return (uint64_t)label << 56 | (uint64_t)src << 28 | (uint64_t)dst; }
static uint64_t flag_key(int group, int home, uint64_t number)
{ return 1ull << 55 | (uint64_t)group << 40 | (uint64_t)home << 20 | number; }

static void forget_pairs(engine *e)
{
  e->pairs = 0;
  if (++e->pair_stamp == 0) {
    if (e->pair) memset(e->pair, 0, e->pair_cap * sizeof *e->pair);
    e->pair_stamp = 1;
  }
}

static int32_t transfer(engine *e, message m, int32_t flag)
{
  RESERVE(e->message, e->message_cap, e->transfers + 1);
  e->message[e->transfers] = m;
  PUSH(e->line, e->lines, e->line_cap, flag);
  return (int32_t)e->transfers++;
}

int engine_match(engine *e)
{
  const record *rec = e->rec;
  int p = rec->args.size;
  size_t ops = 0;
  RESERVE(e->first_op, e->first_cap, (size_t)p);
  for (int r = 0; r < p; r++) {
    e->first_op[r] = ops;
    ops += rec->rank[r].n;
  }
  RESERVE(e->of_op, e->op_cap, ops);
  RESERVE(e->what, e->what_cap, ops);
  e->messages = 0;
  e->flags = e->lines = 0;
  forget_pairs(e);

  uint64_t last_key = UINT64_MAX;
  pair_queue *q = NULL;
  for (int r = 0; r < p; r++)
    for (size_t i = 0; i < rec->rank[r].n; i++) {
      const rec_op *o = op_at(e, r, i);
      e->what[e->first_op[r] + i] = o->kind;
      if (!sends(o->kind)) continue;
      e->what[e->first_op[r] + i] |= SENDING;
      if (o->peer < 0 || o->peer >= p)
        return engine_failed(e, "rank %d sends to rank %d, which does not exist", r, o->peer);
      int32_t id = (int32_t)e->messages;
      RESERVE(e->message, e->message_cap, e->messages + 1);
      e->message[e->messages++] = (message){.src = r, .dst = o->peer, .send = (uint32_t)i, .recv = UINT32_MAX,
        .link = NONE, .label = o->label, .bytes = o->bytes};
      e->of_op[e->first_op[r] + i] = id;
      uint64_t key = pair_key(r, o->peer, o->label);
      if (key != last_key) q = pair_find(e, last_key = key);
      if (q->head == NONE) q->head = id; else e->message[q->tail].link = id;
      q->tail = id;
    }
  e->transfers = e->messages;
  size_t matched = 0;
  last_key = UINT64_MAX;
  for (int r = 0; r < p; r++)
    for (size_t i = 0; i < rec->rank[r].n; i++) {
      const rec_op *o = op_at(e, r, i);
      int32_t *of = &e->of_op[e->first_op[r] + i];
      if (receives(o->kind)) {
        if (o->peer < 0 || o->peer >= p)
          return engine_failed(e, "rank %d receives from rank %d, which does not exist", r, o->peer);
        uint64_t key = pair_key(o->peer, r, o->label);
        if (key != last_key) q = pair_find(e, last_key = key);
        if (q->head == NONE)
          return engine_failed(e, "rank %d receives from rank %d, which sends no such message", r, o->peer);
        *of = q->head;
        e->message[q->head].recv = (uint32_t)i;
        q->head = e->message[q->head].link;
        matched++;
      } else if (o->kind == REC_WAIT) {
        if (o->peer < 0 || (size_t)o->peer >= i)
          return engine_failed(e, "rank %d waits for operation %d, which is not before it", r, o->peer);
        *of = e->of_op[e->first_op[r] + (size_t)o->peer];
        e->what[e->first_op[r] + i] |= e->what[e->first_op[r] + (size_t)o->peer] & SENDING;
      } else if ((o->kind == REC_WRITE || o->kind == REC_READ) && o->peer != r) {
        /* Another rank's part of a segment: the bytes go the way of a message, with no receive to wait for. */
        int src = o->kind == REC_WRITE ? r : o->peer, dst = o->kind == REC_WRITE ? o->peer : r;
        *of = transfer(e, (message){.src = src, .dst = dst, .send = (uint32_t)i, .recv = (uint32_t)i,
          .bytes = o->bytes}, NONE);
      } else if (o->kind == REC_PUBLISH || o->kind == REC_AWAIT) {
        const rec_segment *s = &rec->segment[r][o->buf - REC_SEGMENT];
        pair_queue *name = pair_find(e, flag_key(s->group, o->peer, o->off));
        last_key = UINT64_MAX;      /* the table may have moved */
        if (name->head == NONE) {
          name->head = (int32_t)e->flags;
          size_t had = e->flag_cap;
          RESERVE(e->flag, e->flag_cap, e->flags + 1);
          if (e->flag_cap > had) memset(e->flag + had, 0, (e->flag_cap - had) * sizeof *e->flag);
          e->flags++;
        }
        *of = name->head;
        if (o->kind == REC_PUBLISH) continue;
        *of = transfer(e, (message){.src = o->peer, .dst = r, .send = (uint32_t)i, .recv = (uint32_t)i,
          .bytes = FLAG_LINE}, name->head);
      }
    }
  if (matched == e->messages) return 0;
  for (size_t i = 0; i < e->messages; i++)
    if (e->message[i].recv == UINT32_MAX)
      return engine_failed(e, "rank %d sends to rank %d, which never receives it", e->message[i].src,
                           e->message[i].dst);
  return 0;
}

void engine_begin(engine *e)
{
  for (size_t i = 0; i < e->messages; i++) {
    message *m = &e->message[i];
    m->flags = e->m->eager_bytes >= 0 && m->bytes <= (uint64_t)e->m->eager_bytes ? EAGER : 0;
  }
  for (size_t i = 0; i < e->lines; i++) {
    message *m = &e->message[e->messages + i];
    m->flags = TRANSFER;
    m->link = e->line[i];
    if (m->link != NONE) m->src = op_at(e, m->dst, m->recv)->peer;   /* a run before has put the setter there */
  }
  for (size_t i = 0; i < e->flags; i++) {
    e->flag[i].n = 0;
    e->flag[i].waiting = NONE;
  }
}
