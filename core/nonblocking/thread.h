/* A thread that looks after calls that go on by themselves as long as some are under way, and sleeps meanwhile. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_THREAD_H
#define COLLSCOPE_CORE_NONBLOCKING_THREAD_H

typedef struct coll_thread coll_thread;
/* cpu: the core it is bound to; -1: it runs wherever there is room, though the process may be bound. look(self): how many calls ended;
 * negative: none is left. NULL: the system gives no thread. */
coll_thread *coll_thread_start(int cpu, int (*look)(void *self), void *self);
void coll_thread_wake(coll_thread *); /* something is under way */
void coll_thread_end(coll_thread *);  /* nothing is */

#endif
