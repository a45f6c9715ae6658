#include "model/trace.h"

#include <inttypes.h>

static void print_messages(FILE *out, const char *name, const timing_message *m, size_t n, const double *round)
{
  fprintf(out, ",\"%s\":[", name);
  for (size_t i = 0; i < n; i++)
    fprintf(out, "%s[%d,%d,%zu,%.0f,%u,%.17g,%.17g,%.17g,%zu,%zu]", i ? "," : "", m[i].src, m[i].dst, m[i].bytes,
            round[i], m[i].label, m[i].posted_s, m[i].start_s, m[i].end_s, m[i].send, m[i].recv);
  fputc(']', out);
}

static void print_buffers(FILE *out, const record *r)
{
  fputs(",\"buffers\":[", out);
  for (int i = 0; i < r->args.size; i++) {
    rec_layout l = r->layout[i];
    fputs(i ? ",[" : "[", out);
    if (l.has_in) fprintf(out, "%d,%zu,%zu,", l.in_buf, l.in_off, l.in_bytes);
    else fputs("null,0,0,", out);
    if (l.has_out) fprintf(out, "%d,%zu,%zu]", l.out_buf, l.out_off, l.out_bytes);
    else fputs("null,0,0]", out);
  }
  fputc(']', out);
}

static void print_segments(FILE *out, const record *r)
{
  fputs(",\"segments\":[", out);
  for (int i = 0; i < r->args.size; i++) {
    fputs(i ? ",[" : "[", out);
    for (int k = 0; k < r->segments[i]; k++) {
      const rec_segment *s = &r->segment[i][k];
      fprintf(out, "%s[%d,%zu,[", k ? "," : "", s->group, s->bytes);
      for (int j = 0; j < s->members; j++) fprintf(out, "%s%d", j ? "," : "", s->world[j]);
      fputs("]]", out);
    }
    fputc(']', out);
  }
  fputc(']', out);
}

static void print_operations(FILE *out, const record *r)
{
  fputs(",\"operations\":[", out);
  for (int i = 0; i < r->args.size; i++) {
    fputs(i ? ",[" : "[", out);
    for (size_t k = 0; k < r->rank[i].n; k++) {
      const rec_op *o = &r->rank[i].op[k];
      fprintf(out, "%s[\"%s\",%d,%" PRIu64 ",%d,%" PRIu64 ",%d,%" PRIu64 "]", k ? "," : "",
              record_kind_name(o->kind), o->buf, o->off, o->buf2, o->off2, o->peer, o->bytes);
    }
    fputc(']', out);
  }
  fputc(']', out);
}

void trace_print(FILE *out, const record *r, const timing_result *t, const double *round)
{
  fprintf(out, ",\"elem\":%zu", r->args.elem);
  print_messages(out, "messages", t->message, t->messages, round);
  print_messages(out, "transfers", t->transfer, t->transfers, round + t->messages);
  fputs(",\"spans\":[", out);
  for (size_t i = 0; i < t->spans; i++)
    fprintf(out, "%s[%d,\"%s\",%.17g,%.17g]", i ? "," : "", t->span[i].rank, t->span[i].combines ? "reduce" : "copy",
            t->span[i].start_s, t->span[i].end_s);
  fputs("],\"rank_end_s\":[", out);
  for (int i = 0; i < t->ranks; i++) fprintf(out, "%s%.17g", i ? "," : "", t->rank_end_s[i]);
  fputc(']', out);
  print_buffers(out, r);
  print_segments(out, r);
  print_operations(out, r);
}
