/* Every operation's message or flag. Messages are numbered by sender and the order of posting; then come the transfers,
 * bytes that cross a shared segment: they go the way of a message, with no receive to wait for. */
#ifndef COLLSCOPE_MODEL_MATCH_H
#define COLLSCOPE_MODEL_MATCH_H

#include "core/schedule/channels.h"
#include "model/machine.h"

enum { NONE = -1 };
enum { KIND = 15, SENDING = 16 }; /* of wiring.what */
enum { SENT = 1, RECEIVED = 2, EAGER = 4, STARTED = 8, FLOWING = 16, DONE = 32, TRANSFER = 64 };

typedef struct {
  int32_t src, dst;
  uint32_t send, recv; /* operations of the two */
  int32_t link;        /* one_port: next in the queue of a busy port; fluid: its flow; of a line not yet under
                                   way: its flag */
  uint32_t count;      /* messages on the path that led here */
  uint8_t label, flags;
  uint64_t bytes;
  double posted, start, end;
} message;

enum { FLAG_LINE = 64 }; /* bytes: a flag's cache line comes from the rank that set it to the one that sees it change */
typedef struct {
  uint64_t value;
  double time;
  uint32_t count;
  int32_t rank;
} publication;
typedef struct {
  publication *list;
  int n, cap;
  int32_t waiting;
} flag_state;

typedef struct {
  message *message;
  size_t messages, transfers, message_cap; /* transfers: of both together */
  int32_t *line;
  size_t lines, line_cap; /* flag of each transfer, or NONE */
  int32_t *of_op;
  size_t op_cap; /* message (or flag) of each operation */
  uint8_t *what;
  size_t what_cap; /* its kind, and the side of the message it may wait for: all that
                                                   most operations are asked, run after run */
  size_t *first_op;
  size_t first_cap; /* of each rank, among all */
  flag_state *flag;
  size_t flags, flag_cap;
  matching matching;
  channels names;   /* of flags: `first` is the flag's number */
  uint64_t matched; /* serial of the record whose messages these are; 0: none */
} wiring;

/* Gives every operation of the record its message or its flag; a record that is there already stays. known: NULL, or a
 * matching that may be the record's. False, with what is wrong in error[size], when it cannot. */
bool wiring_make(wiring *, const record *, const matching *known, char *error, size_t size);
/* All is as it was before the first run. */
void wiring_begin(wiring *, const record *, const machine *);
void wiring_free(wiring *);

#endif
