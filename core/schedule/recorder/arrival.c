/* Arrival order: whose message a recv_any is given. */
#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"
#include "core/schedule/recorder/recorder.h"

/* How far the ranks get with what is recorded so far, each send waiting for its receive. Then every message that has
 * been posted and not been received is one that a suspended recv_any may be given. */
static void post(player *y, int rank, size_t index, const rec_op *o) {
  bool sends = rec_sends(o->kind);
  uint32_t me = (uint32_t)y->posts++;
  RESERVE(y->link, y->link_cap, y->posts);
  RESERVE(y->met, y->met_cap, y->posts);
  channel *c = sends ? channels_find(&y->channels, rank, o->peer, o->label)
                     : channels_find(&y->channels, o->peer, rank, o->label);
  uint32_t other = channel_post(c, y->link, me, sends);
  y->met[me] = other != CHANNEL_NOBODY;
  if (other != CHANNEL_NOBODY) y->met[other] = true;
  if (sends && other == CHANNEL_NOBODY) y->arrived[o->peer]++;
  if (!sends && other != CHANNEL_NOBODY) y->arrived[rank]--;
  y->post[rank][index] = me;
}

static bool complete(const player *y, int rank, size_t index) { return y->met[y->post[rank][index]]; }

static uint64_t *flag_of(const record *r, player *y, int rank, const rec_op *o) {
  const rec_segment *g = &r->segment[rank][o->buf - REC_SEGMENT];
  int home = 0;
  while (g->world[home] != o->peer) home++;
  if (!y->flag[g->group]) {
    size_t bytes = sizeof(uint64_t) * (size_t)g->members * (size_t)g->flags;
    y->flag[g->group] = memset(array_grow(NULL, bytes), 0, bytes);
  }
  return &y->flag[g->group][home * g->flags + (int)o->off];
}

/* Plays one rank until it blocks. Returns whether it got anywhere. */
static bool play(const record *r, player *y, int rank) {
  const rec_rank *k = &r->rank[rank];
  size_t before = y->at[rank];
  bool posted_before = y->posted[rank];
  for (; y->at[rank] < k->n; y->at[rank]++, y->posted[rank] = false) {
    size_t i = y->at[rank];
    const rec_op *o = &k->op[i];
    if (o->kind <= REC_RECV_ANY) {
      if (!y->posted[rank]) {
        post(y, rank, i, o);
        y->posted[rank] = true;
      }
      if (o->kind != REC_ISEND && o->kind != REC_IRECV && !complete(y, rank, i)) break;
    } else if (o->kind == REC_WAIT) {
      if (!complete(y, rank, (size_t)o->peer)) break;
    } else if (o->kind == REC_PUBLISH) {
      uint64_t *f = flag_of(r, y, rank, o);
      if (*f < o->off2) *f = o->off2;
    } else if (o->kind == REC_AWAIT && *flag_of(r, y, rank, o) < o->off2) break;
  }
  return y->at[rank] > before || y->posted[rank] != posted_before;
}

static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Nothing is played yet. */
static void player_set(player *y, const record *r) {
  int p = r->args.size;
  size_t ranks = (size_t)p;
  channels_clear(&y->channels);
  y->posts = 0;
  if (p > y->ranks) {
    y->at = array_grow(y->at, sizeof *y->at * ranks);
    y->posted = array_grow(y->posted, ranks);
    y->arrived = array_grow(y->arrived, sizeof *y->arrived * ranks);
    y->post = array_grow(y->post, sizeof *y->post * ranks);
    y->room = array_grow(y->room, sizeof *y->room * ranks);
    for (int i = y->ranks; i < p; i++) {
      y->post[i] = NULL;
      y->room[i] = 0;
    }
    y->ranks = p;
  }
  memset(y->at, 0, sizeof *y->at * ranks);
  memset(y->posted, 0, ranks);
  memset(y->arrived, 0, sizeof *y->arrived * ranks);
  for (int i = 0; i < y->groups; i++) free(y->flag[i]);
  y->groups = r->segment_groups;
  size_t groups = sizeof *y->flag * (size_t)(y->groups + 1);
  y->flag = memset(array_grow(y->flag, groups), 0, groups);
  y->begun = true;
}

void rec_player_free(player *y) {
  for (int i = 0; i < y->ranks; i++) free(y->post[i]);
  for (int i = 0; i < y->groups; i++) free(y->flag[i]);
  free(y->post);
  free(y->room);
  free(y->flag);
  free(y->link);
  free(y->met);
  channels_free(&y->channels);
  free(y->at);
  free(y->posted);
  free(y->arrived);
}

/* Goes on from where the last call left off: what was recorded then is the beginning of what is recorded now. */
static void play_on(player *y, const record *r) {
  int p = r->args.size;
  if (!y->begun) player_set(y, r);
  for (int i = 0; i < p; i++) {
    size_t n = r->rank[i].n;
    if (n <= y->room[i]) continue;
    y->post[i] = array_grow(y->post[i], sizeof **y->post * 2 * n);
    y->room[i] = 2 * n;
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < p; i++) moved |= play(r, y, i);
  }
}

static bool has_arrived(const recorder *s, int rank, int member) {
  const any_source *w = &s->any_source[rank];
  const channel *c = channels_known(&s->player.channels, w->world ? w->world[member] : member, rank, w->label);
  return c && c->first != CHANNEL_NOBODY && c->sends;
}

/* A suspended rank's next source: one of those whose message it could receive. Returns how many there are. */
static int choose(recorder *s, int rank) {
  any_source *w = &s->any_source[rank];
  int candidates = 0, pick = 0;
  if (!s->player.arrived[rank]) return 0;
  for (int m = 0; m < w->size; m++) candidates += has_arrived(s, rank, m);
  if (!candidates) return 0;
  int skip = (int)(mix(mix(s->seed) ^ mix((uint64_t)rank << 32 | (uint64_t)w->n)) % (uint64_t)candidates);
  while (!has_arrived(s, rank, pick) || skip--) pick++;
  PUSH(w->source, w->n, w->cap, w->world ? w->world[pick] : pick);
  return candidates;
}

int rec_choose_sources(recorder *s) {
  record *r = &s->record;
  int served = 0;
  play_on(&s->player, r);
  for (int i = 0; i < r->args.size; i++) {
    if (s->any_source[i].done || s->player.at[i] < r->rank[i].n) continue;
    int candidates = choose(s, i);
    served += candidates > 0;
    if (candidates > 1) r->chose = true;
  }
  return served;
}
