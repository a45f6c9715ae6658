/* An observer between an algorithm and its back-end: it notes what each operation does and when it begins and ends, and passes it
 * on. The algorithm's text and the back-end know nothing of it; who does not ask for one pays nothing.
 *
 * Times are of the clock that the observer is given. What is not known is not noted: a message that was waited for together with
 * others was through when the back-end said so, or when that wait ended, or earlier. */
#ifndef COLLSCOPE_CORE_RUNTIME_OBSERVE_H
#define COLLSCOPE_CORE_RUNTIME_OBSERVE_H

#include "collscope.h"

typedef enum {
  OBSERVE_SEND,
  OBSERVE_RECV,
  OBSERVE_ISEND,
  OBSERVE_IRECV,
  OBSERVE_WAIT, /* for all that a call waits for */
  OBSERVE_REDUCE,
  OBSERVE_COPY,
  OBSERVE_WRITE,
  OBSERVE_READ,
  OBSERVE_PUBLISH,
  OBSERVE_AWAIT
} observe_kind;

/* sendrecv is a SEND and a RECV with the same times, the send first. */
typedef struct {
  observe_kind kind;
  /* In the outermost group: destination, source, home of a segment's part; else -1. Of a receive from any source: the rank that it came
   * from. */
  int peer;
  int label;             /* of the context: see coll_sub */
  size_t bytes;          /* 0 for waits and flags */
  double begin_s, end_s; /* of the call */
  double done_s;         /* ISEND, IRECV: when a wait found it through; others: end_s */
} observe_event;

typedef struct coll_observer coll_observer;

/* clock: seconds. Aborts the program when out of memory, as all memory here. */
coll_observer *observe_make(double (*clock)(void));
void observe_free(coll_observer *);

/* Puts the observer between a context that has been set up, and not been used, and its operations. Contexts of sub-groups that
 * are made from it are observed too. */
void observe_context(coll_observer *, coll_ctx *);

/* From here on is repetition i = 0, 1, …; what was noted of it and of later ones, if they had begun, is forgotten; so is all
 * that came before the first. */
void observe_repetition(coll_observer *, int i);
/* The events of repetition i, in the order in which they began; *n of them. Valid until the next event. */
const observe_event *observe_events(const coll_observer *, int i, size_t *n);

/* The back-end may say, in a wait for several requests, that this one is through now. */
void observe_done(coll_observer *, coll_req);

const char *observe_kind_name(observe_kind);

#endif
