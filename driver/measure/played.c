#include "driver/measure/played.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/text.h"
#include "core/runtime/allocate.h"
#include "core/schedule/hash.h"
#include "core/schedule/text.h"
#include "driver/launch.h"

struct played {
  record *record;
  coll_alg alg;
};

bool played_is_key(const char *key) { return !strcmp(key + strcspn(key, "/"), "/schedule"); }

/* ---- playing ---------------------------------------------------------------------------------------- */

/* What one rank plays with. */
typedef struct {
  coll_ctx ctx; /* the call's, with the label of each message in turn */
  char *base[REC_SEGMENT];
  coll_req *request; /* [operations] of the ISEND or IRECV there */
  coll_req *waited;  /* those of one wait */
} player;

static player player_make(coll_ctx *c, const coll_args *a, const record *r) {
  const rec_rank *k = &r->rank[c->rank];
  const rec_layout *l = &r->layout[c->rank];
  player p = { .ctx = *c,
               .request = coll_keep(c, sizeof *p.request * (k->n + 1)),
               .waited = coll_keep(c, sizeof *p.waited * (k->n + 1)) };
  if (l->has_in) p.base[l->in_buf] = (char *)a->in - l->in_off;
  if (l->has_out) p.base[l->out_buf] = (char *)a->out - l->out_off;
  if (k->scratch) p.base[REC_SCRATCH] = coll_scratch(c, (k->scratch + c->elem - 1) / c->elem);
  return p;
}

static void *place(const player *p, int buf, uint64_t off) { return p->base[buf] + off; }

/* Returns how many operations it was: consecutive waits are one call. */
static size_t wait_for(player *p, const rec_op *o) {
  size_t n = o->bytes + 1;
  for (size_t i = 0; i < n; i++) p->waited[i] = p->request[o[i].peer];
  coll_waitall(&p->ctx, (int)n, p->waited);
  return n;
}

static size_t play(player *p, const rec_op *o, size_t index) {
  coll_ctx *c = &p->ctx;
  size_t n = o->bytes / c->elem;
  void *at = o->bytes && o->kind != REC_WAIT ? place(p, o->buf, o->off) : NULL;
  c->label = o->label;
  switch ((rec_kind)o->kind) {
    case REC_SEND: coll_send(c, at, n, o->peer); break;
    case REC_RECV:
    case REC_RECV_ANY: coll_recv(c, at, n, o->peer); break; /* from the rank that the file says */
    case REC_ISEND: p->request[index] = coll_isend(c, at, n, o->peer); break;
    case REC_IRECV: p->request[index] = coll_irecv(c, at, n, o->peer); break;
    case REC_WAIT: return wait_for(p, o);
    case REC_REDUCE: coll_reduce(c, at, place(p, o->buf2, o->off2), n); break;
    case REC_COPY: coll_copy(c, place(p, o->buf2, o->off2), at, n); break;
    default: break; /* refused when the file was read */
  }
  return 1;
}

static void run(coll_ctx *c, const coll_args *a) {
  const record *r = a->prepared;
  const rec_rank *k = &r->rank[c->rank];
  player p = player_make(c, a, r);
  for (size_t i = 0; i < k->n;) i += play(&p, &k->op[i], i);
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* What stands in the way of playing an operation; NULL: nothing. */
static const char *unplayable(const rec_op *o, size_t elem) {
  static const char parts[] = "moves parts of elements; give elem=1 or whole elements";
  switch ((rec_kind)o->kind) {
    case REC_WRITE:
    case REC_READ:
    case REC_PUBLISH:
    case REC_AWAIT: return "has shared segments, whose flags would have to go on counting from call to call";
    case REC_CALC:
    case REC_MARK: return "has operations that only take time, or mark it";
    case REC_WAIT: return NULL;
    case REC_REDUCE:
    case REC_COPY:
      if (o->off2 % elem) return parts;
      break;
    default: break; /* of a message off2 names an operation */
  }
  return o->bytes && (o->bytes % elem || o->off % elem) ? parts : NULL;
}

static bool playable(const record *r, const char *path, char *error, size_t size) {
  if (r->collective == COLL_COLLECTIVES)
    return say(error, size, "%.300s: collective=none promises nothing that could be checked", path);
  for (int rank = 0; rank < r->args.size; rank++)
    for (size_t i = 0; i < r->rank[rank].n; i++) {
      const char *why = unplayable(&r->rank[rank].op[i], r->args.elem);
      if (why) return say(error, size, "%.300s: rank %d %s", path, rank, why);
    }
  return true;
}

played *played_open(MPI_Comm world, const char *path, char *error, size_t size) {
  record *r = schedule_read(path, error, size);
  if (r) schedule_first_call(r);
  uint64_t hash[2] = { 0 };
  if (r && playable(r, path, error, size)) record_hash(r, hash);
  bool same = launch_agrees(world, hash[1]);
  if (hash[1] && same) {
    played *p = runtime_allocate(sizeof *p);
    *p = (played){ .record = r,
                   .alg = { .key = "schedule", .collective = r->collective, .ports = COLL_PORTS_MANY, .run = run } };
    return p;
  }
  if (hash[1]) say(error, size, "%.300s: ranks read different files; every node needs the same at this path", path);
  schedule_free(r);
  return NULL;
}

void played_close(played *p) {
  if (p) schedule_free(p->record);
  free(p);
}

static bool same_blocks(coll_collective k, const coll_args *a, const coll_args *b) {
  if (!a->displs || !b->displs) return a->displs == b->displs;
  return !memcmp(a->displs, b->displs, sizeof *a->displs * coll_displs(k, a->size));
}

const char *played_bind(played *p, const plan_point *q, binding *b, char *reason, size_t size) {
  if (!p) return snprintf(reason, size, "no file was given; add --schedule FILE"), reason;
  if (plan_is_nonblocking(q->metric))
    return snprintf(reason, size, "a schedule from a file is a blocking call; use metric makespan"), reason;
  const coll_args *is = &b->args, *says = &p->record->args;
  if (q->collective != p->record->collective || is->size != says->size || is->count != says->count ||
      is->elem != says->elem || is->root != says->root || is->commutes != says->commutes ||
      is->in_place != says->in_place || !same_blocks(q->collective, is, says))
    return snprintf(reason, size,
                    "the file is of another call: %s ranks=%d count=%zu elem=%zu root=%d commutes=%d in_place=%d%s",
                    coll_collective_name(p->record->collective), says->size, says->count, says->elem, says->root,
                    says->commutes, says->in_place, says->displs ? ", with counts" : ""),
           reason;
  b->alg = &p->alg;
  b->args.prepared = p->record;
  return NULL;
}
