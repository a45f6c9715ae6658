/* What engine.c, which looks at messages, and play.c, which knows what follows from them, share. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_PLAYING_H
#define COLLSCOPE_CORE_NONBLOCKING_PLAYING_H

#include <stdatomic.h>

#include "core/nonblocking/graph.h"
#include "core/nonblocking/play.h"
#include "core/runtime/requests.h"
#include "core/schedule/byte_set.h"

/* Nodes that may begin: the first in the text comes first. */
typedef struct {
  uint32_t *node;
  uint32_t n;
} due;

struct coll_playing {
  coll_engine *engine;
  const coll_plan *plan;
  MPI_Op op;
  requests requests;
  void *buffer[REC_SEGMENT]; /* by number, as nodes name them */
  char *scratch;
  size_t scratch_bytes;
  byte_set untouched;   /* of scratch, where the back-end charges for a byte's first writing */
  uint64_t number;      /* of the sequence, modulo engine_numbers */
  bool held;            /* an earlier call has the same tags: nothing begins before that is done */
  uint32_t left, first; /* nodes that are not through, and the first of them */
  uint32_t outstanding; /* messages */
  due messages, work;
  uint32_t *waits_for; /* [nodes] how many others; when posted: how many parts are left; PLAYED: it is through */
  atomic_bool done;
  coll_playing *next, *previous; /* of those that are under way, in the order of their starts */
};

#define PLAYED UINT32_MAX

/* ---- engine.c: the messages of all calls, and who may look at them ---- */

typedef struct {
  coll_playing *playing;
  uint32_t node;
} message_owner;

/* Room for the requests of one message; they are kept till the next look. */
MPI_Request *engine_requests(coll_engine *, int parts, coll_playing *, uint32_t node);
/* Looks once; waits: within MPI, until something is through. Returns how many requests are, and whose they were. */
int engine_look(coll_engine *, bool waits, const message_owner **);
void engine_add(coll_engine *, coll_playing *);
void engine_remove(coll_engine *, coll_playing *); /* it is done; who was held by it may go on */
coll_playing *engine_oldest(const coll_engine *);
/* Memory of at least so many bytes; how many there are is needed to give it back. */
void *engine_take_scratch(coll_engine *, size_t *bytes);
void engine_give_scratch(coll_engine *, void *, size_t bytes);
void engine_enter(coll_engine *);
bool engine_try(coll_engine *); /* false: another thread is inside, and advances the calls */
void engine_leave(coll_engine *);
bool engine_has_threads(const coll_engine *);
uint64_t engine_numbers(const coll_engine *); /* requests_numbers */

/* ---- nodes.c: what follows from what in one call ---- */

/* All nodes are to be played. */
void playing_reset(coll_playing *);
/* A part of a node's message is through. */
void playing_part_is_through(coll_playing *, uint32_t node);
/* Does all that may be done: posts messages, copies, combines. */
void playing_go_on(coll_playing *);

#endif
