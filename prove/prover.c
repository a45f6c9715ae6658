#include "prove/prover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/places.h"
#include "core/schedule/hash.h"

_Static_assert((int)PROVER_COSTS == (int)UNCONTENDED_MACHINES, "all costs of a point are played at once");
static const double triples[PROVER_COSTS][3] = {
  { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1e-6, 1e-9, 2e-10 }, { 2, 3, 5 }, { 1, 0.001, 0.0003 },
};

prover *prover_new(void) {
  prover *v = calloc(1, sizeof *v);
  if (!v) abort();
  v->proof = proof_new();
  return v;
}

void prover_free(prover *v) {
  record_free(v->record);
  record_free(v->other);
  proof_free(v->proof);
  timing_free(&v->timing);
  uncontended_free(&v->uncontended);
  proven_free(&v->proven);
  free(v->place);
  free(v->displs);
  free(v->step);
  free(v->timed);
  free(v);
}

static void places_room(prover *v, int ranks) {
  if (ranks <= v->places) return;
  v->place = realloc(v->place, sizeof *v->place * (size_t)ranks);
  if (!v->place) abort();
  v->places = ranks;
}

coll_place *prover_places(prover *v, int ranks) {
  static const int sizes[] = { 3, 5, 4 };
  if (v->given) return ranks <= v->places ? v->place : NULL;
  places_room(v, ranks);
  for (int r = 0, node = 0; r < ranks; node++)
    for (int k = 0; k < sizes[node % 3] && r < ranks; k++, r++) {
      int socket = 2 * node + 2 * k / sizes[node % 3];
      v->place[r] = (coll_place){ node, socket, 8 * node + k / 2 };
    }
  return v->place;
}

bool prover_read_places(prover *v, const char *path, char *error, size_t size) {
  places_list list;
  bool fine = places_read(&list, path, error, size);
  free(v->place);
  v->place = list.place;
  v->places = (int)list.ranks;
  v->given = true;
  return fine;
}

static bool verdict(prover *v, bool fine) {
  v->kind = proof_kind_name(v->result.kind);
  snprintf(v->failure, sizeof v->failure, "%s", v->result.failure);
  return fine;
}

/* Where orders of arrival matter there is more to a proof than one schedule; so there may be with flags that are not known here. */
static void look_up(prover *v, const coll_alg *alg) {
  static const unsigned known = COLL_COMMUTATIVE_ONLY | COLL_SEGMENTS | COLL_PLACES | COLL_ANY_BLOCKS;
  v->known = NULL;
  if (!v->remembers || (alg->flags & ~known) || *v->record->error) return;
  uint64_t hash[2];
  record_hash(v->record, hash);
  v->known = proven_find(&v->proven, hash);
}

static bool proven_already(prover *v) {
  const proven_schedule *k = v->known;
  if (!k || !k->proven) return false;
  v->result.kind = PROOF_OK;
  v->result.failure[0] = '\0';
  v->result.messages = k->messages;
  v->result.bytes = k->bytes;
  v->result.reduced_bytes = k->reduced_bytes;
  v->result.copied_bytes = k->copied_bytes;
  v->result.operations = k->operations;
  return true;
}

static void remember(prover *v) {
  proven_schedule *k = v->known;
  const proof_result *r = &v->result;
  if (!k) return;
  *k = (proven_schedule){ .hash = { k->hash[0], k->hash[1] },
                          .proven = true,
                          .messages = r->messages,
                          .bytes = r->bytes,
                          .reduced_bytes = r->reduced_bytes,
                          .copied_bytes = r->copied_bytes,
                          .operations = r->operations };
}

enum { LARGE = 1 << 28 }; /* elements: where a second call may find no addresses for its scratch */

int prover_calls(const coll_alg *alg, const coll_args *a) {
  if (alg->flags & COLL_SEGMENTS) return 2;
  return alg->prepare && a->count <= LARGE ? 2 : 1;
}

bool prover_point(prover *v, const coll_alg *alg, const coll_args *args) {
  int calls = prover_calls(alg, args);
  v->costs_known = false;
  for (unsigned seed = 0; seed < PROVER_ORDERS; seed++) {
    v->record = record_make(v->record, alg, args, calls, seed);
    look_up(v, alg);
    if (proven_already(v)) break;
    if (!proof_check(v->proof, v->record, &v->result)) {
      record_sites(v->record); /* once more, to say where in the source */
      return verdict(v, proof_check(v->proof, v->record, &v->result));
    }
    remember(v);
    if (!v->record->chose) break; /* there was no choice: every other order is this one */
  }
  return verdict(v, true);
}

/* Timing wants one call; a proof may have two. */
static void one_call(prover *v, const coll_alg *alg, const coll_args *args) {
  if (v->record->calls != 1) v->record = record_make(v->record, alg, args, 1, 0);
}

static bool close_to(double a, double b) {
  double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  return fabs(a - b) <= 1e-9 * size;
}

static void add_step(prover *v, uint32_t kind, int32_t peer, uint64_t bytes) {
  if (v->steps == v->step_cap) {
    v->step_cap = v->step_cap ? 2 * v->step_cap : 1024;
    v->step = realloc(v->step, sizeof *v->step * v->step_cap);
    if (!v->step) abort();
  }
  v->step[v->steps++] = (prover_step){ kind, peer, bytes };
}

/* Copies are free in the one-port model, and where data lies is nothing to it: a call in place is often the one that is not.
 * Is this the record that was timed last, as far as the model sees? Segments and very long records are not looked at. */
static bool timed_already(prover *v) {
  enum { RANK = 256 };
  static const size_t longest = 1 << 20;
  const record *r = v->record;
  uint64_t bytes = UINT64_MAX;
  v->steps = 0;
  v->even = v->alike = !r->segment_groups && r->args.size > 1;
  for (int i = 0; i < r->args.size && !r->segment_groups && v->steps < longest; i++) {
    const rec_rank *k = &r->rank[i];
    size_t copies = 0; /* before the operation that a wait names: they are met in order, mostly */
    size_t counted = 0;
    add_step(v, RANK, i, 0);
    for (size_t n = 0; n < k->n; n++) {
      const rec_op *o = &k->op[n];
      if (o->kind == REC_COPY) continue;
      if (o->kind <= REC_RECV_ANY) {
        v->even &= bytes == UINT64_MAX || o->bytes == bytes;
        bytes = o->bytes;
      } else if (o->kind == REC_REDUCE) v->alike = false;
      int32_t peer = o->kind == REC_REDUCE ? 0 : o->peer;
      if (o->kind == REC_WAIT) {
        if ((size_t)o->peer < counted) counted = copies = 0;
        for (; counted < (size_t)o->peer; counted++) copies += k->op[counted].kind == REC_COPY;
        peer -= (int32_t)copies;
      }
      add_step(v, (uint32_t)o->label << 16 | o->kind, peer, o->bytes);
    }
  }
  if (r->segment_groups || v->steps >= longest) v->steps = v->even = 0;
  v->alike &= v->even;
  v->message_bytes = bytes == UINT64_MAX ? 0 : bytes;
  bool same = v->steps && v->steps == v->timed_steps && !memcmp(v->step, v->timed, sizeof *v->step * v->steps);
  prover_step *step = v->step;
  size_t cap = v->step_cap;
  v->step = v->timed;
  v->step_cap = v->timed_cap;
  v->timed = step;
  v->timed_cap = cap;
  v->timed_steps = v->steps;
  return same;
}

bool prover_costs(prover *v, const coll_alg *alg, const coll_args *args) {
  bool exact = alg->cost && alg->exact && alg->exact(args), fine = true, remembered = v->known && v->known->timed;
  if (!remembered) one_call(v, alg, args);
  v->timing.want_messages = false;
  bool moves = v->result.bytes, reduces = v->result.reduced_bytes, known = remembered || timed_already(v);
  if (!known && v->scales)
    known = uncontended_run(&v->uncontended, v->record, proof_matching(v->proof, v->record), triples, v->timed_s);
  const double *before = remembered ? v->known->critical_s : v->timed_s;
  for (int i = 0; i < PROVER_COSTS; i++) {
    const double *t = triples[i];
    /* Where nothing is charged there is nothing to play; where only messages are, one play tells all. */
    bool nothing = !t[0] && !(t[1] && moves) && !(t[2] && reduces), scaled = i && !moves && !reduces;
    /* Messages that are alike all take alpha + n beta: another alpha or beta is another unit of time, where sums take none. */
    bool unit = i && v->scales && (v->alike || (v->even && !t[2]));
    if (known) v->timing.makespan_s = before[i];
    else if (unit) v->timing.makespan_s = v->cost[0].critical_s * (t[0] + (double)v->message_bytes * t[1]);
    else if (nothing || scaled) v->timing.makespan_s = nothing ? 0 : t[0] * v->cost[0].critical_s;
    machine m = machine_one_port(t[0], t[1], t[2]);
    int failed = known || unit || nothing || scaled ? 0 : timing_run(v->record, &m, &v->timing);
    machine_free(&m);
    if (failed) {
      v->timed_steps = 0;
      v->kind = "cost";
      snprintf(v->failure, sizeof v->failure, "no critical path: %.400s", v->timing.error);
      return false;
    }
    if (!known) v->timed_s[i] = v->timing.makespan_s;
    if (v->known && !remembered) v->known->critical_s[i] = v->timing.makespan_s;
    v->cost[i] = (prover_cost){ t[0], t[1], t[2], v->timing.makespan_s,
                                alg->cost ? alg->cost(args, t[0], t[1], t[2]) : 0 };
    if (exact && fine && !close_to(v->cost[i].critical_s, v->cost[i].cost_s)) {
      fine = false;
      v->kind = "cost";
      snprintf(v->failure, sizeof v->failure,
               "exact() holds, but at alpha=%g beta=%g gamma=%g cost() is %.10g and the critical path %.10g", t[0],
               t[1], t[2], v->cost[i].cost_s, v->cost[i].critical_s);
    }
  }
  if (v->known) v->known->timed = true;
  v->costs_known = true;
  return fine;
}

bool prover_rounds(prover *v, const coll_alg *alg, const coll_args *args, bool messages) {
  one_call(v, alg, args);
  v->timing.want_messages = messages;
  machine m = machine_one_port(1, 0, 0);
  int failed = timing_run(v->record, &m, &v->timing);
  machine_free(&m);
  return !failed;
}
