#include "prove/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/json.h"
#include "core/plan/refuse.h"
#include "core/schedule/channels.h"
#include "core/schedule/text.h"
#include "model/timing.h"
#include "prove/points.h"

static void print_call(json *j, const record *r) {
  bool promises = r->collective < COLL_COLLECTIVES;
  json_text(j, "id", "1");
  json_text(j, "algorithm", schedule_algorithm(r));
  json_text(j, "collective", promises ? coll_collective_name(r->collective) : NULL);
  json_int(j, "ranks", r->args.size);
  json_size(j, "count", r->args.count);
  json_size(j, "elem", r->args.elem);
  json_int(j, "root", r->args.root);
  json_int(j, "commutes", r->args.commutes);
  json_int(j, "in_place", r->args.in_place);
}

int file_describe(const char *path) {
  char error[512];
  record *r = schedule_read(path, error, sizeof error);
  if (!r) return refuse("%s", error);
  json j = json_on(stdout);
  json_object(&j, NULL);
  print_call(&j, r);
  json_int(&j, "calls", r->calls);
  json_end(&j);
  schedule_free(r);
  return 0;
}

/* Whether other orders of arrival than the file's are possible, which are other schedules. */
static bool takes_any(const record *r) {
  for (int rank = 0; rank < r->args.size; rank++)
    for (size_t i = 0; i < r->rank[rank].n; i++)
      if (r->rank[rank].op[i].kind == REC_RECV_ANY) return true;
  return false;
}

static int prove(record *r, bool messages) {
  proof_result result;
  timing_result timing = { .want_messages = messages };
  proof *p = proof_new();
  bool fine = proof_check(p, r, &result);
  if (!fine) {
    schedule_sites(r); /* once more, to say at which lines */
    proof_check(p, r, &result);
  }
  json j = json_on(stdout);
  json_object(&j, NULL);
  print_call(&j, r);
  json_text(&j, "status", "ok");
  points_print_proof(&j, fine, proof_kind_name(result.kind), &result);
  json_bool(&j, "one_arrival_order", takes_any(r));
  schedule_first_call(r);
  machine rounds = machine_one_port(1, 0, 0);
  bool timed = fine && !timing_run(r, &rounds, &timing);
  json_real(&j, "rounds", timed ? rint(timing.makespan_s) : NAN);
  json_null(&j, "rounds_cost");
  if (messages) points_print_messages(&j, timed ? &timing : NULL);
  json_end(&j);
  machine_free(&rounds);
  timing_free(&timing);
  proof_free(p);
  return !fine;
}

int file_prove(const char *path, bool messages) {
  char error[512];
  record *r = schedule_read(path, error, sizeof error);
  if (!r) return refuse("%s", error);
  int status = r->collective < COLL_COLLECTIVES
                   ? prove(r, messages)
                   : refuse("%s: collective=none promises nothing that could be proved; time it with --model", path);
  schedule_free(r);
  return status;
}

bool file_segments_fit(const record *r, const coll_place *place, const char *path) {
  for (int rank = 0; rank < r->args.size; rank++)
    for (int k = 0; k < r->segments[rank]; k++) {
      const rec_segment *s = &r->segment[rank][k];
      for (int i = 1; i < s->members; i++)
        if (place[s->world[i]].node != place[s->world[0]].node) {
          refuse("%s: ranks %d and %d share segment %d, but sit on two nodes of this machine", path, s->world[0],
                 s->world[i], s->group);
          return false;
        }
    }
  return true;
}

bool file_sizes_agree(const record *r, char *error, size_t size) {
  matching m = { 0 };
  matching_make(&m, r);
  bool fine = true;
  for (int rank = 0; rank < r->args.size && fine; rank++)
    for (size_t i = 0; i < r->rank[rank].n && fine; i++) {
      const rec_op *o = &r->rank[rank].op[i];
      uint32_t other = rec_sends(o->kind) ? m.partner[m.base[rank] + i] : CHANNEL_NOBODY;
      if (other == CHANNEL_NOBODY) continue;
      uint64_t received = r->rank[o->peer].op[other].bytes;
      fine = received == o->bytes;
      if (!fine)
        snprintf(error, size,
                 "rank %d sends %" PRIu64 " byte%s to rank %d, which receives %" PRIu64
                 " there; give both the same size, or different tags where they belong to other messages",
                 rank, o->bytes, o->bytes == 1 ? "" : "s", o->peer, received);
    }
  matching_free(&m);
  return fine;
}
