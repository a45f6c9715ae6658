/* Schedules → text. */
#include <inttypes.h>

#include "core/catalogue/collective.h"
#include "core/schedule/text.h"

/* Segments have the same number at all their members. */
static int number_of(const record *r, int rank, int buf) { return r->segment[rank][buf - REC_SEGMENT].group; }

static void put_place(FILE *f, const record *r, int rank, int buf, uint64_t off) {
  static const char *const names[] = { "in", "out", "scratch" };
  if (buf < REC_SEGMENT) fprintf(f, " %s+%" PRIu64, names[buf], off);
  else fprintf(f, " segment%d+%" PRIu64, number_of(r, rank, buf), off);
}

static void put_message(FILE *f, const record *r, int rank, const rec_op *o, size_t index) {
  if (o->bytes) {
    put_place(f, r, rank, o->buf, o->off);
    fprintf(f, " %" PRIu64, o->bytes);
  } else fputs(" nothing", f);
  fprintf(f, " %s %d", rec_sends(o->kind) ? "to" : "from", o->peer);
  if (o->label) fprintf(f, " label %d", o->label);
  if (o->kind == REC_ISEND || o->kind == REC_IRECV) fprintf(f, " as %zu", index);
}

/* Returns how many operations the line holds: waits of one call are one line. */
static size_t put_operation(FILE *f, const record *r, int rank, size_t index) {
  const rec_op *o = &r->rank[rank].op[index];
  size_t held = 1;
  fprintf(f, "  %s", record_kind_name(o->kind));
  switch ((rec_kind)o->kind) {
    case REC_SEND:
    case REC_RECV:
    case REC_ISEND:
    case REC_IRECV:
    case REC_RECV_ANY: put_message(f, r, rank, o, index); break;
    case REC_WAIT:
      for (;; o++, held++) {
        fprintf(f, " %d", o->peer);
        if (!o->bytes) break;
      }
      break;
    case REC_REDUCE:
    case REC_COPY:
    case REC_WRITE:
    case REC_READ:
      put_place(f, r, rank, o->buf, o->off);
      fprintf(f, " %" PRIu64, o->bytes);
      if (o->kind == REC_READ) fprintf(f, " of %d", o->peer);
      fputs(" into", f);
      put_place(f, r, rank, o->buf2, o->off2);
      if (o->kind == REC_WRITE) fprintf(f, " of %d", o->peer);
      break;
    case REC_PUBLISH:
    case REC_AWAIT:
      fprintf(f, " segment%d of %d flag %" PRIu64 " value %" PRIu64, number_of(r, rank, o->buf), o->peer, o->off,
              o->off2);
      break;
    case REC_MARK: fputs(o->bytes ? " end" : " begin", f); break;
    case REC_CALC: fprintf(f, " %" PRIu64, o->bytes); break;
  }
  fputc('\n', f);
  return held;
}

static void put_rank(FILE *f, const record *r, int rank) {
  const rec_rank *k = &r->rank[rank];
  fprintf(f, "rank %d scratch=%zu", rank, k->scratch);
  for (int i = 0; i < r->segments[rank]; i++) fprintf(f, "%s%d", i ? "," : " segments=", r->segment[rank][i].group);
  fputc('\n', f);
  for (int call = 0; call < r->calls; call++) {
    if (call) fprintf(f, "  call %d\n", call + 1);
    for (size_t i = k->piece_start[call]; i < k->piece_start[call + 1]; i++)
      fprintf(f, "  piece %zu %zu\n", k->piece[i].begin, k->piece[i].bytes);
    for (size_t i = k->start[call]; i < k->start[call + 1];) i += put_operation(f, r, rank, i);
  }
}

static void put_segment(FILE *f, const rec_segment *s) {
  fprintf(f, "segment %d bytes=%zu flags=%d ranks=", s->group, s->bytes, s->flags);
  for (int i = 0; i < s->members; i++) fprintf(f, "%s%d", i ? "," : "", s->world[i]);
  fputc('\n', f);
}

/* Their numbers are given in the order in which ranks open them first. */
static void put_segments(FILE *f, const record *r) {
  int next = 0;
  for (int rank = 0; rank < r->args.size && next < r->segment_groups; rank++)
    for (int i = 0; i < r->segments[rank]; i++)
      if (r->segment[rank][i].group == next) put_segment(f, &r->segment[rank][i]), next++;
}

void schedule_write(FILE *f, const record *r, const char *algorithm) {
  const coll_args *a = &r->args;
  fputs("collscope-schedule 1\n", f);
  if (algorithm && *algorithm) fprintf(f, "algorithm %s\n", algorithm);
  fprintf(f, "call collective=%s ranks=%d count=%zu elem=%zu root=%d commutes=%d in_place=%d calls=%d",
          r->collective < COLL_COLLECTIVES ? coll_collective_name(r->collective) : "none", a->size, a->count, a->elem,
          a->root, a->commutes, a->in_place, r->calls);
  int senders = r->collective == COLL_ALLTOALLV ? a->size : 1;
  for (int i = 0; i < senders * a->size && a->displs; i++) {
    const size_t *begins = a->displs + i + i / a->size; /* a row has a number more than blocks */
    fprintf(f, "%s%zu", i ? "," : " counts=", begins[1] - begins[0]);
  }
  fputc('\n', f);
  put_segments(f, r);
  for (int rank = 0; rank < a->size; rank++) put_rank(f, r, rank);
}
