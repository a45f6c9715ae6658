#include "model/trace.h"

#include <math.h>

static void print_messages(json *j, const char *name, const timing_message *m, size_t n, const double *round) {
  json_array(j, name);
  for (; n--; m++) {
    json_array(j, NULL);
    json_int(j, NULL, m->src);
    json_int(j, NULL, m->dst);
    json_size(j, NULL, m->bytes);
    json_int(j, NULL, llround(*round++));
    json_size(j, NULL, m->label);
    json_real(j, NULL, m->posted_s);
    json_real(j, NULL, m->start_s);
    json_real(j, NULL, m->end_s);
    json_size(j, NULL, m->send);
    json_size(j, NULL, m->recv);
    json_end(j);
  }
  json_end(j);
}

static void print_buffer(json *j, bool there, int buf, size_t off, size_t bytes) {
  if (there) json_int(j, NULL, buf);
  else json_null(j, NULL);
  json_size(j, NULL, there ? off : 0);
  json_size(j, NULL, there ? bytes : 0);
}

static void print_buffers(json *j, const record *r) {
  json_array(j, "buffers");
  for (int i = 0; i < r->args.size; i++) {
    rec_layout l = r->layout[i];
    json_array(j, NULL);
    print_buffer(j, l.has_in, l.in_buf, l.in_off, l.in_bytes);
    print_buffer(j, l.has_out, l.out_buf, l.out_off, l.out_bytes);
    json_end(j);
  }
  json_end(j);
}

static void print_segments(json *j, const record *r) {
  json_array(j, "segments");
  for (int i = 0; i < r->args.size; i++) {
    json_array(j, NULL);
    for (int k = 0; k < r->segments[i]; k++) {
      const rec_segment *s = &r->segment[i][k];
      json_array(j, NULL);
      json_int(j, NULL, s->group);
      json_size(j, NULL, s->bytes);
      json_array(j, NULL);
      for (int m = 0; m < s->members; m++) json_int(j, NULL, s->world[m]);
      json_end(j);
      json_end(j);
    }
    json_end(j);
  }
  json_end(j);
}

static void print_operations(json *j, const record *r, double *const *begin_s) {
  json_array(j, "operations");
  for (int i = 0; i < r->args.size; i++) {
    json_array(j, NULL);
    for (const rec_op *o = r->rank[i].op; o < r->rank[i].op + r->rank[i].n; o++) {
      json_array(j, NULL);
      json_text(j, NULL, record_kind_name(o->kind));
      json_int(j, NULL, o->buf);
      json_size(j, NULL, o->off);
      json_int(j, NULL, o->buf2);
      json_size(j, NULL, o->off2);
      json_int(j, NULL, o->peer);
      json_size(j, NULL, o->bytes);
      json_real(j, NULL, begin_s[i][o - r->rank[i].op]);
      json_end(j);
    }
    json_end(j);
  }
  json_end(j);
}

void trace_print(json *j, const record *r, const timing_result *t, const double *round) {
  json_size(j, "elem", r->args.elem);
  print_messages(j, "messages", t->message, t->messages, round);
  print_messages(j, "transfers", t->transfer, t->transfers, round + t->messages);
  json_array(j, "spans");
  for (size_t i = 0; i < t->spans; i++) {
    json_array(j, NULL);
    json_int(j, NULL, t->span[i].rank);
    json_text(j, NULL, record_kind_name((int)t->span[i].kind));
    json_real(j, NULL, t->span[i].start_s);
    json_real(j, NULL, t->span[i].end_s);
    json_end(j);
  }
  json_end(j);
  json_array(j, "rank_end_s");
  for (int i = 0; i < t->ranks; i++) json_real(j, NULL, t->rank_end_s[i]);
  json_end(j);
  print_buffers(j, r);
  print_segments(j, r);
  print_operations(j, r, t->begin_s);
}
