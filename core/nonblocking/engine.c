/* The messages of all calls that are under way, in one array: a look is one call of MPI. */
#include <stdlib.h>
#include <threads.h>

#include "core/nonblocking/playing.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

/* Memory that a call has left: the next one would have to get it from the system, page by page. */
enum { SPARE_BLOCKS = 8 };
typedef struct {
  void *block;
  size_t bytes;
} spare_block;

struct coll_engine {
  MPI_Request *request;   /* [n] */
  message_owner *of;      /* [n] */
  message_owner *through; /* [n] of the last look */
  int *index;             /* [n] likewise */
  int n, cap;
  coll_playing *oldest, *newest;
  spare_block spare[SPARE_BLOCKS]; /* the last that was left comes first */
  uint64_t numbers;
  bool threads;
  mtx_t lock;
  cnd_t begun;        /* a call was added */
  atomic_int wanting; /* threads that wait for the lock */
};

/* ---- threads ---------------------------------------------------------------------------------------- */

coll_engine *coll_engine_make(bool threads) {
  coll_engine *e = runtime_allocate_zeroed(sizeof *e);
  e->threads = threads;
  e->numbers = requests_numbers();
  mtx_init(&e->lock, mtx_plain);
  cnd_init(&e->begun);
  return e;
}

void coll_engine_free(coll_engine *e) {
  mtx_destroy(&e->lock);
  cnd_destroy(&e->begun);
  for (int i = 0; i < SPARE_BLOCKS; i++)
    if (e->spare[i].block) port_release(e->spare[i].block);
  free(e->request);
  free(e->of);
  free(e->through);
  free(e->index);
  free(e);
}

bool engine_has_threads(const coll_engine *e) { return e->threads; }

uint64_t engine_numbers(const coll_engine *e) { return e->numbers; }

void engine_enter(coll_engine *e) {
  if (!e->threads) return;
  e->wanting++;
  mtx_lock(&e->lock);
  e->wanting--;
}

bool engine_try(coll_engine *e) { return !e->threads || mtx_trylock(&e->lock) == thrd_success; }

void engine_leave(coll_engine *e) {
  if (e->threads) mtx_unlock(&e->lock);
}

/* ---- requests --------------------------------------------------------------------------------------- */

static void more_room(coll_engine *e, int n) {
  if (n <= e->cap) return;
  e->cap = n > 2 * e->cap ? n + 16 : 2 * e->cap;
  size_t cap = (size_t)e->cap;
  e->request = runtime_reallocate(e->request, sizeof *e->request * cap);
  e->of = runtime_reallocate(e->of, sizeof *e->of * cap);
  e->through = runtime_reallocate(e->through, sizeof *e->through * cap);
  e->index = runtime_reallocate(e->index, sizeof *e->index * cap);
}

MPI_Request *engine_requests(coll_engine *e, int parts, coll_playing *p, uint32_t node) {
  more_room(e, e->n + parts);
  MPI_Request *first = &e->request[e->n];
  while (parts--) e->of[e->n++] = (message_owner){ p, node };
  return first;
}

/* MPI has set them to null: the last ones move to where they were. */
static void take_out(coll_engine *e, int through) {
  for (int i = 0; i < through; i++) {
    e->through[i] = e->of[e->index[i]];
    e->of[e->index[i]].playing = NULL;
  }
  for (int i = 0; i < through; i++) {
    while (e->n && !e->of[e->n - 1].playing) e->n--;
    int hole = e->index[i];
    if (hole >= e->n) continue;
    e->n--;
    e->request[hole] = e->request[e->n];
    e->of[hole] = e->of[e->n];
  }
}

int engine_look(coll_engine *e, bool waits, const message_owner **owners) {
  int through = 0;
  if (e->n) (waits ? MPI_Waitsome : MPI_Testsome)(e->n, e->request, &through, e->index, MPI_STATUSES_IGNORE);
  if (through <= 0) return 0; /* MPI_UNDEFINED is negative */
  take_out(e, through);
  *owners = e->through;
  return through;
}

/* ---- scratch ---------------------------------------------------------------------------------------- */

/* One that is not far too large. */
void *engine_take_scratch(coll_engine *e, size_t *bytes) {
  for (int i = 0; i < SPARE_BLOCKS; i++) {
    spare_block s = e->spare[i];
    if (!s.block || s.bytes < *bytes || s.bytes / 4 > *bytes) continue;
    memmove(e->spare + i, e->spare + i + 1, sizeof s * (size_t)(SPARE_BLOCKS - 1 - i));
    e->spare[SPARE_BLOCKS - 1].block = NULL;
    *bytes = s.bytes;
    return s.block;
  }
  return port_alloc(*bytes);
}

void engine_give_scratch(coll_engine *e, void *block, size_t bytes) {
  if (e->spare[SPARE_BLOCKS - 1].block) port_release(e->spare[SPARE_BLOCKS - 1].block);
  memmove(e->spare + 1, e->spare, sizeof *e->spare * (SPARE_BLOCKS - 1));
  e->spare[0] = (spare_block){ block, bytes };
}

/* ---- calls ------------------------------------------------------------------------------------------ */

coll_playing *engine_oldest(const coll_engine *e) { return e->oldest; }

static bool same_tags(const coll_playing *p, const coll_playing *q) {
  return p->number == q->number && p->requests.comm == q->requests.comm;
}

void engine_add(coll_engine *e, coll_playing *p) {
  p->held = false;
  for (const coll_playing *q = e->oldest; q; q = q->next) p->held |= same_tags(p, q);
  p->next = NULL;
  p->previous = e->newest;
  if (e->newest) e->newest->next = p;
  else e->oldest = p;
  e->newest = p;
  if (e->threads) cnd_broadcast(&e->begun);
}

void engine_remove(coll_engine *e, coll_playing *p) {
  if (p->next) p->next->previous = p->previous;
  else e->newest = p->previous;
  if (p->previous) p->previous->next = p->next;
  else e->oldest = p->next;
  coll_playing *q = p->next;
  while (q && !same_tags(p, q)) q = q->next;
  if (q) q->held = false;
}
