/* The addresses that stand for buffers, and the memory that algorithms ask for. */
#include "core/schedule/recorder/recorder.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/schedule/array.h"
#include "core/schedule/recorder/record.h"

/* ---- addresses -------------------------------------------------------------------------------------- */

static size_t buffer_size(const recorder *s, int buf) {
  if (buf < REC_SCRATCH) return s->layout->size[buf];
  int k = buf - REC_SEGMENT;
  return k < s->record.segments[s->rank] ? s->record.segment[s->rank][k].bytes : 0;
}

/* Which buffer an address is in. An offset in the upper half of a reservation is really one before the start of the
 * next buffer. */
bool rec_locate(const recorder *s, const void *p, int *buf, int64_t *off) {
  uintptr_t d = (uintptr_t)p - (uintptr_t)s->base;
  if (d >= BUFFERS * BUFFER_BYTES) return false;
  *buf = (int)(d >> BUFFER_BITS);
  *off = (int64_t)(d & (BUFFER_BYTES - 1));
  if (*off >= (int64_t)(BUFFER_BYTES / 2) && *buf + 1 < BUFFERS) {
    *off -= (int64_t)BUFFER_BYTES;
    ++*buf;
  }
  if (*buf == REC_SEGMENT && *off > 0) {
    *buf += (int)(*off / (int64_t)PART_BYTES);
    *off %= (int64_t)PART_BYTES;
  }
  return true;
}

__attribute__((noreturn, cold)) static void outside(recorder *s, const char *who, const char *does, int buf,
                                                    int64_t off, size_t bytes, size_t size) {
  char name[32];
  record_buffer_name(buf, name, sizeof name);
  if (buf == REC_IN && !s->layout->has_in && !s->layout->size[REC_IN])
    rec_fail(s, "%s %s in, which is NULL at this rank", who, does);
  if (buf == REC_OUT && !s->layout->has_out && !s->layout->size[REC_OUT])
    rec_fail(s, "%s %s out, which is NULL at this rank", who, does);
  if (off < 0)
    rec_fail(s, "%s %s %lld byte%s before the start of %s", who, does, (long long)-off, off == -1 ? "" : "s", name);
  size_t past = (size_t)off + bytes - size;
  rec_fail(s, "%s %s %zu byte%s past the end of %s (bytes %zu to %zu of %zu)", who, does, past, past == 1 ? "" : "s",
           name, (size_t)off, (size_t)off + bytes, size);
}

spot rec_resolve(recorder *s, const void *p, size_t bytes, const char *who, bool writes) {
  if (!bytes) return (spot){ REC_SCRATCH, 0 };
  const char *does = writes ? "writes" : "reads";
  int buf = 0;
  int64_t off = 0;
  if (!rec_locate(s, p, &buf, &off)) {
    if ((uint64_t)(uintptr_t)p < (uint64_t)1 << 32) /* NULL, or an element of an array that is NULL here */
      rec_fail(s, "%s %s a buffer that is NULL at this rank (%s)", who, does,
               !s->layout->has_in    ? "in"
               : !s->layout->has_out ? "out"
                                     : "neither in nor out");
    rec_fail(s, "%s %s memory that is neither in, out nor scratch", who, does);
  }
  if (buf == REC_SCRATCH) {
    int i = s->scratch_last;
    if (i >= s->scratches || off < (int64_t)s->scratch[i].begin || off >= (int64_t)s->scratch[i].end)
      for (i = s->scratches - 1; i >= 0 && off < (int64_t)s->scratch[i].begin;) i--;
    if (i < 0) rec_fail(s, "%s %s scratch that it has not allocated", who, does);
    s->scratch_last = i;
    size_t begin = s->scratch[i].begin, end = s->scratch[i].end;
    if (bytes > end - begin || (size_t)off + bytes > end) {
      if ((size_t)off >= end + 64 || off < 0) rec_fail(s, "%s %s scratch that it has not allocated", who, does);
      outside(s, who, does, buf, off - (int64_t)begin, bytes, end - begin);
    }
  } else {
    size_t size = buffer_size(s, buf);
    if (off < 0 || bytes > size || (size_t)off > size - bytes) outside(s, who, does, buf, off, bytes, size);
    if (writes && buf == REC_IN &&
        !(s->layout->in_place && s->layout->out_buf == REC_IN && (size_t)off >= s->layout->out_off &&
          (size_t)off + bytes <= s->layout->out_off + s->layout->out_bytes))
      rec_fail(s, "%s writes into in (bytes %lld to %lld), which must not change", who, (long long)off,
               (long long)off + (long long)bytes);
  }
  return (spot){ (uint8_t)buf, (uint64_t)off };
}

const char *record_unsupported(const coll_alg *alg, const coll_args *a, char *reason, size_t size) {
  const char *why = coll_unsupported(alg, a, reason, size);
  size_t blocks = coll_counts_of(alg->collective) == COLL_COUNTS_BLOCK ? (size_t)a->size : 1;
  size_t room = BUFFER_BYTES / 2 / a->elem;
  bool fits = a->count <= room / blocks;
  for (int r = 0; r < a->size && a->displs; r++)
    fits &= coll_in_count(alg->collective, a, r) <= room && coll_result_count(alg->collective, a, r) <= room;
  if (why || fits) return why;
  snprintf(reason, size, "a vector of more than %zu GiB has no room in a recorded schedule; give fewer bytes",
           BUFFER_BYTES / 2 >> 30);
  return reason;
}

/* ---- memory that algorithms ask for ----------------------------------------------------------------- */

void *rec_scratch(coll_ctx *c, size_t n) {
  recorder *s = rec_of(c);
  if (n > BUFFER_BYTES / 4 / c->elem) rec_fail(s, "asks for scratch of %zu elements", n);
  size_t begin = s->now->scratch, end = begin + n * c->elem;
  if (end > BUFFER_BYTES / 2 - 128) rec_fail(s, "asks for more scratch than a buffer can hold");
  PUSH(s->scratch, s->scratches, s->scratch_cap, (range){ begin, end });
  if (!s->preparing) PUSH(s->now->piece, s->now->pieces, s->now->piece_cap, (rec_piece){ begin, end - begin });
  s->now->scratch = (end + 64) / 64 * 64; /* at least a byte between two: running over is always seen */
  return s->base + REC_SCRATCH * BUFFER_BYTES + begin;
}

void *rec_keep(coll_ctx *c, size_t bytes) {
  recorder *s = rec_of(c);
  void *p = pool_take(&s->keep, bytes);
  memset(p, 0xA5, bytes);
  return p;
}
