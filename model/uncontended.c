#include "model/uncontended.h"

#include <stdlib.h>

#include "core/schedule/array.h"

enum { MACHINES = UNCONTENDED_MACHINES, NOTHING = -1 };

/* A rank's send, or receive. */
typedef struct {
  size_t message;        /* its index in the rank's list and one more; 0: none is on its way */
  bool over;             /* it has arrived, and was not waited for yet */
  double time[MACHINES]; /* when it was posted; when it is over, when it arrived */
} side;

typedef struct uncontended_rank {
  size_t at;
  int awaits; /* the side it is blocked in, or NOTHING */
  double clock[MACHINES];
  side side[2]; /* what it receives, what it sends */
} rank_state;

typedef struct {
  uncontended *memory;
  const record *r;
  const matching *match;
  const double (*cost)[3];
  size_t queued, first;
} play;

static inline void take_later(double *time, const double *other) {
  for (int i = 0; i < MACHINES; i++) time[i] = other[i] > time[i] ? other[i] : time[i];
}

static void wake(play *p, int rank) {
  p->memory->rank[rank].awaits = NOTHING;
  p->memory->queue[(p->first + p->queued++) % (size_t)p->r->args.size] = rank;
}

/* False: another one is on its way. */
static bool post(play *p, int rank, size_t op, const rec_op *o) {
  rank_state *here = &p->memory->rank[rank], *there = &p->memory->rank[o->peer];
  bool sends = rec_sends(o->kind);
  side *mine = &here->side[sends], *theirs = &there->side[!sends];
  if (mine->message) return false;
  mine->message = op + 1;
  mine->over = false;
  memcpy(mine->time, here->clock, sizeof mine->time);
  if (theirs->message != p->match->partner[p->match->base[rank] + op] + (size_t)1) return true;
  take_later(mine->time, theirs->time);
  for (int i = 0; i < MACHINES; i++) mine->time[i] += p->cost[i][0] + (double)o->bytes * p->cost[i][1];
  memcpy(theirs->time, mine->time, sizeof mine->time);
  mine->over = theirs->over = true;
  if (there->awaits == !sends) wake(p, o->peer);
  return true;
}

/* False: it blocks. */
static bool await(rank_state *a, bool sends) {
  side *s = &a->side[sends];
  if (!s->over) {
    a->awaits = sends;
    return false;
  }
  take_later(a->clock, s->time);
  s->message = 0;
  return true;
}

/* Until the rank blocks or is done. False: this is not played here. */
static bool run_rank(play *p, int rank) {
  rank_state *a = &p->memory->rank[rank];
  const rec_op *list = p->r->rank[rank].op;
  for (size_t n = p->r->rank[rank].n; a->at < n; a->at++) {
    const rec_op *o = &list[a->at];
    switch ((rec_kind)o->kind) {
      case REC_ISEND:
      case REC_IRECV:
        if (!post(p, rank, a->at, o)) return false;
        break;
      case REC_SEND:
      case REC_RECV:
      case REC_RECV_ANY: {
        bool sends = rec_sends(o->kind);
        if (a->side[sends].message != a->at + 1 && !post(p, rank, a->at, o)) return false;
        if (!await(a, sends)) return true;
        break;
      }
      case REC_WAIT:
        if (!await(a, rec_sends(list[o->peer].kind))) return true;
        break;
      case REC_REDUCE:
        for (int i = 0; i < MACHINES; i++) a->clock[i] += (double)o->bytes * p->cost[i][2];
        break;
      case REC_COPY: break;
      default: return false;
    }
  }
  return true;
}

bool uncontended_run(uncontended *u, const record *r, const matching *match, const double cost[MACHINES][3],
                     double makespan_s[MACHINES]) {
  int ranks = r->args.size;
  if (match->unmatched || r->segment_groups || r->calls != 1) return false;
  play p = { .memory = u, .r = r, .match = match, .cost = cost };
  RESERVE(u->rank, u->rank_cap, ranks);
  RESERVE(u->queue, u->queue_cap, ranks);
  for (int i = 0; i < ranks; i++) {
    u->rank[i] = (rank_state){ .at = 0 };
    wake(&p, i);
  }
  while (p.queued) {
    int rank = u->queue[p.first];
    p.first = (p.first + 1) % (size_t)ranks;
    p.queued--;
    if (!run_rank(&p, rank)) return false;
  }
  memset(makespan_s, 0, sizeof *makespan_s * MACHINES);
  for (int i = 0; i < ranks; i++) {
    if (u->rank[i].at < r->rank[i].n) return false;
    take_later(makespan_s, u->rank[i].clock);
  }
  return true;
}

void uncontended_free(uncontended *u) {
  free(u->rank);
  free(u->queue);
}
