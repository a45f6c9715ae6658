/* What is wrong, in words that help the algorithm's designer. */
#include "prove/proof/text.h"

#include <stdio.h>

#include "prove/proof/sets.h"
#include "prove/proof/state.h"

const char *proof_kind_name(proof_kind k) {
  static const char *const names[PROOF_KINDS] = { "ok",       "misuse",  "endless",       "unmatched", "size",
                                                  "deadlock", "pending", "uninitialised", "operands",  "twice",
                                                  "order",    "race",    "result",        "input" };
  return names[k];
}

/* "recv of 40 bytes from rank 3 (algorithms/bcast/chain.c:31, operation 2)" */
message_text op_text(const proof *e, int rank, size_t i) {
  message_text w;
  const rec_op *o = &e->r->rank[rank].op[i];
  char label[24] = "", call[32] = "", where[96] = "";
  const char **site = e->r->rank[rank].site;
  if (site && site[i]) snprintf(where, sizeof where, "%.90s, ", site[i]);
  if (o->label) snprintf(label, sizeof label, ", label %d", o->label);
  size_t k = 0, first = 0;
  for (int c = 1; c < e->r->calls; c++)
    if (i >= e->r->rank[rank].start[c]) {
      k = (size_t)c;
      first = e->r->rank[rank].start[c];
    }
  if (k) snprintf(call, sizeof call, ", call %zu", k + 1);
  switch (o->kind) {
    case REC_SEND:
    case REC_ISEND:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes to rank %d (%soperation %zu%s%s)",
               record_kind_name(o->kind), o->bytes, o->peer, where, i - first, label, call);
      break;
    case REC_RECV:
    case REC_IRECV:
    case REC_RECV_ANY:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes from rank %d (%soperation %zu%s%s)",
               record_kind_name(o->kind), o->bytes, o->peer, where, i - first, label, call);
      break;
    case REC_PUBLISH:
    case REC_AWAIT:
      snprintf(w.text, sizeof w.text, "%s of flag %" PRIu64 " = %" PRIu64 " at rank %d's part (%soperation %zu%s)",
               record_kind_name(o->kind), o->off, o->off2, o->peer, where, i - first, call);
      break;
    case REC_WRITE:
    case REC_READ:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes at rank %d's part (%soperation %zu%s)",
               record_kind_name(o->kind), o->bytes, o->peer, where, i - first, call);
      break;
    default:
      snprintf(w.text, sizeof w.text, "%s of %" PRIu64 " bytes (%soperation %zu%s)", record_kind_name(o->kind),
               o->bytes, where, i - first, call);
  }
  return w;
}

/* "element 3", or bytes where elements are cut */
message_text place_text(const proof *e, uint64_t byte) {
  message_text w;
  if (byte % e->elem)
    snprintf(w.text, sizeof w.text, "element %" PRIu64 " byte %" PRIu64, byte / e->elem, byte % e->elem);
  else snprintf(w.text, sizeof w.text, "element %" PRIu64, byte / e->elem);
  return w;
}

/* "ranks 0-3 and 5" */
message_text set_text(const proof *e, uint64_t set) {
  message_text w = { "" };
  size_t used = 0;
  int members = 0;
  for (int r = 0; r < e->p; r++) members += set_has(e, set, r);
  used += (size_t)snprintf(w.text, sizeof w.text, members == e->p ? "all ranks" : members == 1 ? "rank" : "ranks");
  if (members == e->p) return w;
  bool first = true;
  for (int r = 0; r < e->p && used < sizeof w.text - 24; r++) {
    if (!set_has(e, set, r)) continue;
    int end = r;
    while (end + 1 < e->p && set_has(e, set, end + 1)) end++;
    used += (size_t)snprintf(w.text + used, sizeof w.text - used, end > r ? "%s %d-%d" : "%s %d", first ? "" : ",", r,
                             end);
    first = false;
    r = end;
    if (used >= sizeof w.text - 24) snprintf(w.text + used, sizeof w.text - used, " …");
  }
  return w;
}

/* A value in words: whose element it is. */
message_text value_text(const proof *e, uint64_t coord, uint64_t set) {
  message_text w;
  if (!set) {
    snprintf(w.text, sizeof w.text, "nothing");
    return w;
  }
  if (e->reduces) snprintf(w.text, sizeof w.text, "%.60s of %.130s", place_text(e, coord).text, set_text(e, set).text);
  else if (e->each) {
    int owner = 0;
    for (; owner + 1 < e->p && coord >= e->r->layout[owner].in_bytes; owner++) coord -= e->r->layout[owner].in_bytes;
    snprintf(w.text, sizeof w.text, "rank %d's %.100s", owner, place_text(e, coord).text);
  } else snprintf(w.text, sizeof w.text, "the root's %.100s", place_text(e, coord).text);
  return w;
}

message_text buffer_text(int buf) {
  message_text w;
  record_buffer_name(buf, w.text, sizeof w.text);
  return w;
}
