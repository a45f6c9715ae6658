/* What the files of this back-end share: the world, a call at one rank, and how ThreadSanitizer is told who waits for whom. */
#ifndef COLLSCOPE_TESTS_THREADS_WORLD_H
#define COLLSCOPE_TESTS_THREADS_WORLD_H

#include <pthread.h>

#include "tests/threads/back_end.h"

/* A send or a receive. A send is done when its data has been taken, an eager one at once; a receive, when its data is there. */
typedef struct transfer {
  struct transfer *next;
  int from, to, label; /* from -1: any source */
  uint64_t epoch;
  size_t bytes;
  char *data; /* the caller's; an eager message's own copy */
  bool eager, done;
  struct transfer *message; /* a receive's eager message, to be taken when it is waited for */
} transfer;

typedef struct {
  transfer *first, **end;
} queue;

typedef struct segment { /* what its members share */
  struct segment *next;
  int label, leader, members, opened;
  bool *has; /* [members] */
  char *block;
} segment;

/* A rank that cannot go on by itself. Who lets it go on says so, under the lock; of a flag that is awaited nobody does, so it is looked at. */
typedef struct {
  bool blocked;
  const _Atomic uint64_t *flag; /* NULL: a message, a segment's other members, or a meeting */
  uint64_t value;
} rank_wait;

struct threads_world {
  int size;
  size_t eager;
  unsigned seed;
  pthread_mutex_t lock;
  pthread_cond_t *news; /* [size] */
  queue *sent, *posted; /* [size] by receiver, waiting for their match */
  rank_wait *wait;      /* [size] */
  int blocked, met;     /* how many ranks; and in threads_meet */
  void (*stuck)(void);
  pthread_barrier_t all;
  segment *segments;
  unsigned long opened;
};

typedef struct {
  void **block;
  int blocks, room;
} memory;

struct threads_call {
  threads_world *w;
  const coll_alg *alg;
  coll_args args;
  coll_ctx ctx;
  coll_grouping levels[COLL_LEVELS];
  plan_type type;
  plan_op op;
  uint64_t random, epoch;
  transfer **request; /* coll_req is an index + 1 */
  int requests;
  memory blocks;
};

void threads_give_up(const threads_call *, const char *why); /* does not return */
void *threads_allocate(size_t bytes);                        /* never NULL */
void *threads_keep(threads_call *, size_t bytes);            /* memory until the call is closed, or released */
void threads_release(threads_call *, int from);  /* all that was kept when there were so many blocks already */
int threads_peer_of(const coll_ctx *, int rank); /* in the world */

/* The lock, hidden from ThreadSanitizer; and what it is told instead: what a thread did before threads_tell(x) has happened for a
 * thread after threads_hear(x). */
void threads_enter(threads_world *);
void threads_leave(threads_world *);
/* Within the lock. Nothing moves once all ranks are blocked: then the world's stuck() is called. */
void threads_wait(threads_world *, int rank); /* until somebody wakes it */
void threads_wake(threads_world *, int rank);
/* Outside of it: this rank can go on only when the flag has this value; NULL: that is over. */
void threads_watch(threads_world *, int rank, const _Atomic uint64_t *flag, uint64_t value);
void threads_tell(void *x);
void threads_hear(void *x);

/* An uneven pace: this rank's next random number; and the call of a context, perhaps after a delay. */
unsigned threads_draw(threads_call *);
threads_call *threads_shaken(coll_ctx *);

/* messages.c */
void threads_op_send(coll_ctx *, const void *buf, size_t n, int to);
void threads_op_recv(coll_ctx *, void *buf, size_t n, int from);
void threads_op_sendrecv(coll_ctx *, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from);
int threads_op_recv_any(coll_ctx *, void *buf, size_t n);
coll_req threads_op_isend(coll_ctx *, const void *buf, size_t n, int to);
coll_req threads_op_irecv(coll_ctx *, void *buf, size_t n, int from);
void threads_op_waitall(coll_ctx *, int k, coll_req *);

/* segments.c */
coll_seg threads_op_seg_open(coll_ctx *, size_t n, int flags);
void *threads_op_seg_part(coll_ctx *, coll_seg);
void threads_op_seg_write(coll_ctx *, coll_seg, int home, size_t off, const void *src, size_t n);
void threads_op_seg_read(coll_ctx *, coll_seg, int home, size_t off, void *dst, size_t n);
void threads_op_publish(coll_ctx *, coll_seg, int home, int flag, uint64_t value);
void threads_op_await(coll_ctx *, coll_seg, int home, int flag, uint64_t value);

#endif
