/* One operation of a schedule that is read. What the recorder refuses of an algorithm is refused here, too. */
#include <inttypes.h>
#include <string.h>

#include "core/catalogue/number.h"
#include "core/schedule/reading.h"

typedef struct {
  int buf;
  uint64_t off;
  char text[48]; /* as the file says it */
} spot;

static rec_rank *now(const reading *s) { return &s->record.rank[s->rank]; }

static bool append(reading *s, rec_op o) {
  rec_rank *k = now(s);
  if (s->operations++ >= UINT32_MAX / 2) return line_wrong(s->at, "more than %u operations", UINT32_MAX / 2);
  RESERVE(s->line[s->rank], s->line_cap, k->n + 1);
  s->line[s->rank][k->n] = (uint32_t)s->at->number;
  PUSH(k->op, k->n, k->cap, o);
  return true;
}

/* ---- buffers ------------------------------------------------------------------------------------------------ */

/* The buffer of a segment, by its number in the file. */
static bool segment_of(reading *s, const char *text, const char *number, uint64_t *rest_off, int *buf) {
  const char *rest;
  uint64_t group;
  bool fine = number_begins(number, INT32_MAX, &group, &rest);
  if (fine && rest_off) fine = *rest == '+' && number_whole(rest + 1, READING_MAX_BYTES, rest_off);
  else fine = fine && !*rest;
  if (!fine) return line_wrong(s->at, "%.40s: expected segment NUMBER%s", text, rest_off ? "+OFFSET, in bytes" : "");
  for (int k = 0; k < s->record.segments[s->rank]; k++)
    if (s->record.segment[s->rank][k].group == (int)group) return *buf = REC_SEGMENT + k, true;
  return line_wrong(s->at, "segment %" PRIu64 ": rank %d does not open it; name it in segments= of the rank's line",
                    group, s->rank);
}

static bool read_spot(reading *s, spot *q) {
  static const char *const names[] = { "in+", "out+", "scratch+" };
  const char *word = reading_word(s);
  if (!word) return line_wrong(s->at, "expected a place such as in+0, out+4096, scratch+0 or segment0+64");
  snprintf(q->text, sizeof q->text, "%.40s", word);
  if (!strncmp(word, "segment", 7)) return segment_of(s, q->text, word + 7, &q->off, &q->buf);
  for (q->buf = 0; q->buf < REC_SEGMENT; q->buf++) {
    size_t length = strlen(names[q->buf]);
    if (!strncmp(word, names[q->buf], length) && number_whole(word + length, READING_MAX_BYTES, &q->off)) return true;
  }
  return line_wrong(s->at, "%s: expected a place such as in+0, out+4096, scratch+0 or segment0+64", q->text);
}

static uint64_t bytes_of(const reading *s, int buf) {
  if (buf < REC_SCRATCH) return s->record.layout[s->rank].size[buf];
  return buf == REC_SCRATCH ? now(s)->scratch : s->record.segment[s->rank][buf - REC_SEGMENT].bytes;
}

/* May the rank touch these bytes? */
static bool allowed(reading *s, const spot *q, uint64_t bytes, bool writes) {
  uint64_t size = bytes_of(s, q->buf);
  const rec_layout *l = &s->record.layout[s->rank];
  if (bytes > size || q->off > size - bytes)
    return line_wrong(s->at, "%s: %" PRIu64 " bytes from there end past %s of rank %d, which has %" PRIu64, q->text,
                      bytes, q->buf == REC_SCRATCH ? "the scratch" : "this buffer", s->rank, size);
  if (!writes || q->buf != REC_IN) return true;
  if (l->in_place && l->out_buf == REC_IN && q->off >= l->out_off && q->off + bytes <= l->out_off + l->out_bytes)
    return true;
  return line_wrong(s->at, "%s: in must not be written", q->text);
}

static bool apart(reading *s, const spot *a, const spot *b, uint64_t bytes) {
  if (a->buf != b->buf || a->off >= b->off + bytes || b->off >= a->off + bytes) return true;
  return line_wrong(s->at, "%s and %s overlap", a->text, b->text);
}

static bool read_bytes(reading *s, uint64_t *bytes) {
  if (!reading_number(s, "bytes", READING_MAX_BYTES, bytes)) return false;
  return *bytes || line_wrong(s->at, "0 bytes: leave the operation out (an empty message is \"nothing\")");
}

static bool read_rank(reading *s, int *rank) {
  uint64_t number;
  if (!reading_number(s, "rank", INT32_MAX, &number)) return false;
  if (number >= (uint64_t)s->record.args.size)
    return line_wrong(s->at, "rank %" PRIu64 ": there are %d ranks", number, s->record.args.size);
  *rank = (int)number;
  return true;
}

/* ---- messages ----------------------------------------------------------------------------------------------- */

static bool name_request(reading *s) {
  uint64_t name;
  if (!reading_expects(s, "as") || !reading_number(s, "request", READING_MAX_NAMES, &name)) return false;
  RESERVE_ZEROED(s->posted, s->names, name + 1);
  if (s->posted[name])
    return line_wrong(s->at, "request %" PRIu64 " is not waited for yet; choose another number", name);
  s->posted[name] = (uint32_t)now(s)->n + 1;
  s->pending++;
  return true;
}

static bool read_message(reading *s, rec_kind kind) {
  rec_op o = { .kind = (uint8_t)kind, .buf = REC_SCRATCH };
  spot at;
  bool sends = rec_sends(kind), waits = kind == REC_ISEND || kind == REC_IRECV;
  if (!strncmp(s->rest + strspn(s->rest, " \t"), "nothing", 7)) {
    if (!reading_expects(s, "nothing")) return false;
  } else {
    if (!read_spot(s, &at) || !read_bytes(s, &o.bytes) || !allowed(s, &at, o.bytes, !sends)) return false;
    o.buf = (uint8_t)at.buf;
    o.off = at.off;
  }
  int peer = 0;
  if (!reading_expects(s, sends ? "to" : "from") || !read_rank(s, &peer)) return false;
  o.peer = peer;
  if (!strncmp(s->rest + strspn(s->rest, " \t"), "label", 5)) {
    uint64_t label;
    if (!reading_expects(s, "label") || !reading_number(s, "label", UINT8_MAX, &label)) return false;
    o.label = (uint8_t)label;
  }
  return (!waits || name_request(s)) && reading_ends(s) && append(s, o);
}

static bool read_waits(reading *s) {
  rec_rank *k = now(s);
  size_t first = k->n;
  do {
    uint64_t name;
    if (!reading_number(s, "request", READING_MAX_NAMES, &name)) return false;
    if (name >= s->names || !s->posted[name])
      return line_wrong(s->at, "request %" PRIu64 ": rank %d has no such request to wait for", name, s->rank);
    uint32_t posted = s->posted[name] - 1;
    s->posted[name] = 0;
    s->pending--;
    k->op[posted].off2 = k->n;
    if (!append(s, (rec_op){ .kind = REC_WAIT, .peer = (int32_t)posted })) return false;
  } while (s->rest[strspn(s->rest, " \t\r\n")]);
  for (size_t i = first; i < k->n; i++) k->op[i].bytes = k->n - 1 - i;
  return true;
}

/* ---- the rank's own work, and segments ---------------------------------------------------------------------- */

static bool read_local(reading *s, rec_kind kind) {
  rec_op o = { .kind = (uint8_t)kind };
  spot from, to;
  if (!read_spot(s, &from) || !read_bytes(s, &o.bytes) || !reading_expects(s, "into") || !read_spot(s, &to))
    return false;
  if (!allowed(s, &from, o.bytes, false) || !allowed(s, &to, o.bytes, true) || !apart(s, &from, &to, o.bytes))
    return false;
  if (kind == REC_REDUCE && o.bytes % s->record.args.elem)
    return line_wrong(s->at, "reduce of %" PRIu64 " bytes: an element has %zu", o.bytes, s->record.args.elem);
  o.buf = (uint8_t)from.buf;
  o.off = from.off;
  o.buf2 = (uint8_t)to.buf;
  o.off2 = to.off;
  return reading_ends(s) && append(s, o);
}

/* "of RANK": whose part of the segment. */
static bool read_home(reading *s, int buf, int32_t *home) {
  int rank = 0;
  if (buf < REC_SEGMENT) return line_wrong(s->at, "expected a segment, such as segment0+64");
  if (!reading_expects(s, "of") || !read_rank(s, &rank)) return false;
  const rec_segment *g = &s->record.segment[s->rank][buf - REC_SEGMENT];
  for (int i = 0; i < g->members; i++)
    if (g->world[i] == rank) return *home = rank, true;
  return line_wrong(s->at, "rank %d is not a member of segment %d", rank, g->group);
}

static bool read_transfer(reading *s, rec_kind kind) {
  rec_op o = { .kind = (uint8_t)kind };
  spot from, to;
  if (!read_spot(s, &from) || !read_bytes(s, &o.bytes)) return false;
  if (kind == REC_READ && !read_home(s, from.buf, &o.peer)) return false;
  if (!reading_expects(s, "into") || !read_spot(s, &to)) return false;
  if (kind == REC_WRITE && !read_home(s, to.buf, &o.peer)) return false;
  if (!allowed(s, &from, o.bytes, false) || !allowed(s, &to, o.bytes, true)) return false;
  o.buf = (uint8_t)from.buf;
  o.off = from.off;
  o.buf2 = (uint8_t)to.buf;
  o.off2 = to.off;
  return reading_ends(s) && append(s, o);
}

static bool read_flag(reading *s, rec_kind kind) {
  rec_op o = { .kind = (uint8_t)kind };
  int buf;
  const char *word = reading_word(s);
  if (!word || strncmp(word, "segment", 7)) return line_wrong(s->at, "expected a segment, such as segment0");
  if (!segment_of(s, word, word + 7, NULL, &buf) || !read_home(s, buf, &o.peer)) return false;
  o.buf = (uint8_t)buf;
  if (!reading_expects(s, "flag") || !reading_number(s, "flag", INT32_MAX, &o.off)) return false;
  const rec_segment *g = &s->record.segment[s->rank][buf - REC_SEGMENT];
  if (o.off >= (uint64_t)g->flags)
    return line_wrong(s->at, "flag %" PRIu64 ": segment %d has flags=%d, counted from 0", o.off, g->group, g->flags);
  return reading_expects(s, "value") && reading_number(s, "value", UINT64_MAX, &o.off2) && reading_ends(s) &&
         append(s, o);
}

static bool read_mark(reading *s) {
  const char *word = reading_word(s);
  bool ends = word && !strcmp(word, "end");
  if (!word || (!ends && strcmp(word, "begin") != 0)) return line_wrong(s->at, "mark: expected begin or end");
  return reading_ends(s) && append(s, (rec_op){ .kind = REC_MARK, .bytes = ends });
}

static bool read_calc(reading *s) {
  rec_op o = { .kind = REC_CALC };
  return reading_number(s, "nanoseconds", (uint64_t)1 << 53, &o.bytes) && reading_ends(s) && append(s, o);
}

bool reading_operation(reading *s, const char *name) {
  int kind = 0;
  while (kind <= REC_CALC && strcmp(name, record_kind_name(kind)) != 0) kind++;
  switch (kind) {
    case REC_SEND:
    case REC_RECV:
    case REC_ISEND:
    case REC_IRECV:
    case REC_RECV_ANY: return read_message(s, (rec_kind)kind);
    case REC_WAIT: return read_waits(s);
    case REC_REDUCE:
    case REC_COPY: return read_local(s, (rec_kind)kind);
    case REC_WRITE:
    case REC_READ: return read_transfer(s, (rec_kind)kind);
    case REC_PUBLISH:
    case REC_AWAIT: return read_flag(s, (rec_kind)kind);
    case REC_MARK: return read_mark(s);
    case REC_CALC: return read_calc(s);
    default: return line_wrong(s->at, "%.40s: not an operation; docs/schedules.md lists them", name);
  }
}
