/* What timing needs of a schedule: every rank's operations in a byte and a number each, every message, and which receive
 * each belongs to. Of a million ranks nothing else can be kept, so ranks are taken one after the other as they are
 * recorded. Messages are numbered by sender and the order of posting; then come the transfers, bytes that cross a shared
 * segment: they go the way of a message, with no receive to wait for. */
#ifndef COLLSCOPE_MODEL_MATCH_H
#define COLLSCOPE_MODEL_MATCH_H

#include "core/schedule/channels.h"
#include "core/schedule/byte_set.h"
#include "model/machine.h"

enum { NONE = -1, MAX_RANKS = 1 << 24 };
/* Of wiring.what: the kind, whether it is the sender's side of its message, and whether another wait of the same call
 * follows. */
enum { KIND = 15, SENDING = 16, MORE = 32 };
/* Of a transfer SENT: its source acts, and writes; RECEIVED: its destination does, and reads. The other rank's core has no part in it. */
enum { SENT = 1, RECEIVED = 2, EAGER = 4, STARTED = 8, FLOWING = 16, DONE = 32, TRANSFER = 64, NONBLOCKING = 128 };

/* Half a line of a cache: of a million ranks' messages none is near the one before it. */
typedef struct {
  uint32_t src : 24, label : 8;
  uint32_t dst : 24, flags : 8;
  int32_t link;   /* one_port: next in the queue of a busy port; fluid: its flow */
  uint32_t count; /* messages on the path that led here */
  uint64_t bytes;
  double time; /* when it was posted; once it is DONE, when it arrived */
} message;

static inline const machine_piece *message_price(const message *m, const machine *on) {
  return machine_price(on, m->src, m->dst, m->bytes, m->flags & NONBLOCKING);
}

/* What the receiver's processor spends on it once it has arrived, the overhead apart. */
static inline double message_received(const message *m, const machine *on) {
  return on->has_receive_gaps && m->flags & EAGER ? machine_receive_gap(on, m->src, m->dst, m->bytes) : 0;
}

/* How much of the time in its price is spent by processors: by the sender before it posts, by the receiver after it has arrived. */
static inline double message_spent(const message *m, const machine_piece *c, const machine *on) {
  double sent = c->has_gap && m->flags & (EAGER | NONBLOCKING) ? c->gap_s + (double)m->bytes * c->gap_s_per_byte : 0;
  return sent + message_received(m, on);
}

enum { FLAG_LINE = 64 }; /* bytes: a flag's cache line comes from the rank that set it to the one that sees it change */
typedef struct {
  uint64_t value;
  double time;
  uint32_t count;
  int32_t rank, step; /* step: the last one of that rank, where causes are kept */
} publication;
typedef struct {
  publication *list;
  int n, cap;
  int32_t waiting;
} flag_state;

/* Of a transfer: the flag whose line it is, NONE of data; and whose part it lies in. */
typedef struct {
  int32_t flag, home;
} flag_line;

typedef struct wiring {
  size_t *first_op; /* [ranks + 1]: rank r's operations are first_op[r] … first_op[r+1]-1 */
  uint8_t *what;
  int32_t *of_op;      /* its message; REDUCE, COPY, PUBLISH, AWAIT: where its numbers are among `value` */
  uint64_t *value;     /* REDUCE, COPY: bytes. PUBLISH: the value and its flag. AWAIT: the value and its transfer */
  uint64_t fresh_from; /* scratch of at least so many bytes is newly mapped; 0: nothing is */
  /* Messages of at least so many bytes within a node are read by the receiver's core; 0: none is. */
  uint64_t read_in_place_from;
  const coll_place *place; /* then: of each rank; the machine's, which lives as long */
  bool fresh_out;          /* `out` is, too, in each call */
  uint64_t *first_written; /* where some is: of each operation, how many bytes of it are written for the first time */
  /* Where messages are read in place: of each operation, how many bytes it has written, when it is over, that another core's cache had. */
  uint64_t *invalidated;
  message *message;
  flag_line *line; /* [transfers] */
  flag_state *flag;
  size_t operations, messages, transfers; /* transfers: of both together */
  size_t values, lines, flags;
  int ranks;
  uint64_t taken,
      matched; /* serial of the record that ranks are taken from, and of the one that is all here; 0: none */
  /* while it is made */
  message *crossing; /* the transfers */
  size_t crossings, *first_in;
  int32_t *incoming;          /* messages by destination: first_in[r] … first_in[r+1]-1 */
  uint64_t *receives, *sends; /* of one rank: whom it receives from, and what is sent to it */
  channels names;             /* of flags: `first` is the flag's number */
  byte_set untouched;         /* of one rank's scratch and `out` */
  byte_set cached_elsewhere;  /* of one rank's buffers */
  char wrong[160];
  size_t first_cap, what_cap, op_cap, value_cap, message_cap, line_cap, flag_cap, first_written_cap, invalidated_cap;
  size_t crossing_cap, first_in_cap, incoming_cap, receives_cap, sends_cap;
} wiring;

/* Where a byte of a buffer stands in these sets. */
static inline uint64_t wiring_address(int buf, uint64_t off) { return (uint64_t)buf << 48 | off; }

/* What is taken in from now on is for such a machine, with `out` newly mapped in each call or not; what was taken in for another is
 * forgotten. */
void wiring_for(wiring *, const machine *, bool fresh_out);
/* Whether what was taken in for one machine has to be taken in again for another: a record that keeps no operations will not do. */
bool wiring_differs(const machine *, const machine *other);
/* Takes in a rank of the record, in ascending order; rank 0 begins again. */
void wiring_see(wiring *, const record *, int rank);
/* Gives every operation of the record its message or its flag, taking in ranks that have not been seen. What is there
 * already stays. False, with what is wrong in error[size], when it cannot. */
bool wiring_make(wiring *, const record *, char *error, size_t size);
/* All is as it was before the first run. */
void wiring_begin(wiring *, const machine *);
void wiring_free(wiring *);

#endif
