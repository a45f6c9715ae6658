#include "preload/communicator.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "preload/keep.h"
#include "preload/own.h"
#include "preload/plans.h"

static mtx_t lock; /* of both lists */
static communicators_guard guard;
static communicator *living;
static gone *finished;
static int of_user = MPI_KEYVAL_INVALID;
/* Where the processes sit that this one was started with, by their rank in MPI_COMM_WORLD. */
static coll_place *world_place;

/* ---- looking up ------------------------------------------------------------------------------------- */

/* The last communicator that this thread looked up. A handle may stand for another one when one was freed: `frees` counts that. */
static _Atomic unsigned frees;
static _Thread_local struct {
  MPI_Comm user;
  unsigned frees;
  communicator *found;
} last;

static communicator *make(MPI_Comm user) {
  communicator *c = runtime_allocate_zeroed(sizeof *c);
  int inter;
  c->user = user;
  c->own = MPI_COMM_NULL;
  c->name = user == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : user == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
  MPI_Comm_rank(user, &c->rank);
  MPI_Comm_size(user, &c->size);
  MPI_Comm_test_inter(user, &inter);
  c->inter = inter;
  MPI_Comm_set_attr(user, of_user, c);
  mtx_lock(&lock);
  c->next = living;
  if (living) living->previous = c;
  living = c;
  mtx_unlock(&lock);
  return c;
}

communicator *communicator_of(MPI_Comm user) {
  if (user == MPI_COMM_NULL) return NULL;
  unsigned now = frees;
  if (last.found && last.user == user && last.frees == now) return last.found;
  communicator *c;
  int known;
  MPI_Comm_get_attr(user, of_user, &c, &known);
  if (!known) c = make(user);
  last.user = user;
  last.frees = now;
  last.found = c;
  return c;
}

void communicators_each(void (*visit)(communicator *, void *), void *self) {
  for (communicator *c = living; c; c = c->next) visit(c, self);
}

const gone *communicators_gone(void) { return finished; }

/* ---- places ----------------------------------------------------------------------------------------- */

/* Those of all its processes, without a message; false: some were not started with this one, so that their places are to be compared. */
static bool places_are_known(communicator *c) {
  MPI_Group of_comm, of_world;
  MPI_Comm_group(c->user, &of_comm);
  MPI_Comm_group(MPI_COMM_WORLD, &of_world);
  int *rank = runtime_allocate(sizeof *rank * (size_t)c->size),
      *world = runtime_allocate(sizeof *world * (size_t)c->size);
  for (int i = 0; i < c->size; i++) rank[i] = i;
  MPI_Group_translate_ranks(of_comm, c->size, rank, of_world, world);
  bool known = true;
  for (int i = 0; i < c->size; i++) known &= world[i] != MPI_UNDEFINED;
  for (int i = 0; known && i < c->size; i++) c->place[i] = world_place[world[i]];
  free(rank);
  free(world);
  MPI_Group_free(&of_comm);
  MPI_Group_free(&of_world);
  return known;
}

static void count_nodes(communicator *c) {
  int *ranks = runtime_allocate_zeroed(sizeof *ranks * (size_t)c->size);
  for (int i = 0; i < c->size; i++) {
    int first = 0;
    while (c->place[first].node != c->place[i].node) first++;
    c->nodes += first == i;
    if (++ranks[first] > c->ranks_per_node) c->ranks_per_node = ranks[first];
  }
  free(ranks);
}

bool communicator_survey_alone(communicator *c) {
  if (c->place) return true;
  if (c->inter) return false;
  c->place = runtime_allocate(sizeof *c->place * (size_t)c->size);
  if (places_are_known(c)) return count_nodes(c), true;
  free(c->place);
  c->place = NULL;
  return false;
}

void communicator_survey(communicator *c) {
  if (c->inter || communicator_survey_alone(c)) return;
  coll_place mine = port_place(c->user);
  c->place = runtime_allocate(sizeof *c->place * (size_t)c->size);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, c->place, sizeof mine, MPI_BYTE, c->user);
  count_nodes(c);
}

const char *communicator_open(communicator *c) {
  if (c->inter) return "an inter-communicator";
  if (c->own != MPI_COMM_NULL) return NULL;
  communicator_survey(c);
  c->own = own_make(c);
  return c->own == MPI_COMM_NULL ? "MPI has no more communicators" : NULL;
}

const char *communicator_is_open(const communicator *c) {
  return c->own == MPI_COMM_NULL ? "a communicator that was made in a way that is not looked at" : NULL;
}

/* ---- freeing ---------------------------------------------------------------------------------------- */

static gone *gone_of(const communicator *c) {
  gone *g = finished;
  while (g &&
         !(g->size == c->size && g->nodes == c->nodes && g->ranks_per_node == c->ranks_per_node && g->name == c->name))
    g = g->next;
  if (g) return g;
  g = runtime_allocate_zeroed(sizeof *g);
  *g = (gone){
    .size = c->size, .nodes = c->nodes, .ranks_per_node = c->ranks_per_node, .name = c->name, .next = finished
  };
  return finished = g;
}

static void retire(communicator *c) {
  mtx_lock(&lock);
  if (c->counts.n) {
    gone *g = gone_of(c);
    g->communicators++;
    for (int i = 0; i < c->counts.n; i++) counts_add(&g->counts, &c->counts.rows[i]);
  }
  if (c->next) c->next->previous = c->previous;
  if (c->previous) c->previous->next = c->next;
  else living = c->next;
  mtx_unlock(&lock);
}

static void discard(communicator *c) {
  for (int s = 0; s < KEPT_SETS; s++)
    for (int w = 0; w < KEPT_PER_SET; w++) {
      keep_close(c->kept[s][w]);
      plans_drop(c, c->planned[s][w]);
    }
  if (c->own != MPI_COMM_NULL) MPI_Comm_free(&c->own);
  retire(c);
  counts_free(&c->counts);
  free(c->place);
  free(c);
}

/* MPI calls it when the program frees the communicator, which all its ranks do. What the program began on it goes on. */
static int user_is_freed(MPI_Comm user, int key, void *value, void *extra) {
  (void)user, (void)key, (void)extra;
  communicator *c = value;
  frees++;
  guard.enter();
  c->user = MPI_COMM_NULL;
  bool over = !c->operations;
  guard.leave();
  if (over) discard(c);
  return MPI_SUCCESS;
}

void communicator_leave(communicator *c) {
  if (!--c->operations && c->user == MPI_COMM_NULL) discard(c);
}

/* ---- once ------------------------------------------------------------------------------------------- */

void communicators_start(communicators_guard g) {
  int ranks;
  guard = g;
  mtx_init(&lock, mtx_plain);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, user_is_freed, &of_user, NULL);
  own_start();
  coll_place here = port_place(MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  world_place = runtime_allocate(sizeof here * (size_t)ranks);
  MPI_Allgather(&here, sizeof here, MPI_BYTE, world_place, sizeof here, MPI_BYTE, MPI_COMM_WORLD);
}

int communicators_rank_on_node(void) {
  int rank, before = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rank; i++) before += world_place[i].node == world_place[rank].node;
  return before;
}

/* The program's other communicators may have been freed, or not: they are left to it. */
void communicators_end(void) {
  MPI_Comm predefined[] = { MPI_COMM_WORLD, MPI_COMM_SELF };
  for (int i = 0; i < 2; i++) {
    communicator *c;
    int known;
    MPI_Comm_get_attr(predefined[i], of_user, &c, &known);
    if (known) MPI_Comm_delete_attr(predefined[i], of_user);
  }
  own_end();
  free(world_place);
}
