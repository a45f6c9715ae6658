#include "model/listing.h"

#include "core/schedule/array.h"

void listing_prepare(timing_result *out, const wiring *w) {
  size_t ranks = (size_t)w->ranks, lists = ranks * sizeof *out->begin_s;
  size_t bytes = lists + w->operations * sizeof **out->begin_s;
  out->begin_s = memset(array_grow(out->begin_s, bytes), 0, bytes);
  for (size_t r = 0; r < ranks; r++) out->begin_s[r] = (double *)(out->begin_s + ranks) + w->first_op[r];
}

/* Both sides of each message among their ranks' operations. */
static void list_operations(const wiring *w, timing_message *list) {
  for (int r = 0; r < w->ranks; r++)
    for (size_t at = w->first_op[r]; at < w->first_op[r + 1]; at++) {
      rec_kind kind = (rec_kind)(w->what[at] & KIND);
      size_t i = at - w->first_op[r];
      if (rec_sends(kind)) list[w->of_op[at]].send = i;
      else if (rec_receives(kind)) list[w->of_op[at]].recv = i;
      else if (kind == REC_WRITE || kind == REC_READ) list[w->of_op[at]].send = list[w->of_op[at]].recv = i;
      else if (kind == REC_AWAIT) list[w->value[w->of_op[at] + 1]].send = list[w->value[w->of_op[at] + 1]].recv = i;
    }
}

void listing_make(timing_result *out, const wiring *w, const message_times *times) {
  out->message = array_grow(out->message, w->transfers * sizeof *out->message);
  out->transfer = out->message + w->messages;
  for (size_t i = 0; i < w->transfers; i++) {
    const message *m = &w->message[i];
    const message_times *when = &times[i];
    out->message[i] = (timing_message){ .src = m->src,
                                        .dst = m->dst,
                                        .label = m->label,
                                        .bytes = m->bytes,
                                        .posted_s = when->posted,
                                        .start_s = when->start,
                                        .end_s = when->end };
  }
  list_operations(w, out->message);
  size_t n = 0;
  for (size_t i = 0; i < w->transfers; i++)
    if (w->message[i].flags & DONE)
      out->message[n++] = out->message[i]; /* not the line of a flag that the rank has set itself */
  out->transfers = n - w->messages;
}
