/* Which send belongs to which receive. A channel is a source, a destination and a label; messages of a channel stay in
 * order, so its k-th send belongs to its k-th receive, whichever of the two is posted first. */
#ifndef COLLSCOPE_CORE_SCHEDULE_CHANNELS_H
#define COLLSCOPE_CORE_SCHEDULE_CHANNELS_H

#include "core/schedule/schedule.h"

#define CHANNEL_NOBODY UINT32_MAX

/* What has been posted on one side and not yet on the other: a queue of numbers that the poster chose. */
typedef struct {
  uint64_t key;
  uint32_t epoch, first, last;
  bool sends; /* which side they are */
} channel;

typedef struct {
  channel *slot; /* a hash table: those of another epoch are free */
  size_t slots, used;
  uint32_t epoch;
} channels;

/* Forgets what has been posted. Before the first use, too. */
void channels_clear(channels *);
void channels_free(channels *);

/* The channel; made when it does not exist yet. It stays where it is until another one is made. */
channel *channels_find(channels *, int src, int dst, int label);
/* The same, but NULL when it does not exist. */
const channel *channels_known(const channels *, int src, int dst, int label);

/* Posts number `me`. Returns the number that it belongs to when that has been posted already, else CHANNEL_NOBODY: then me waits
 * in the queue, which is linked by link[]. */
static inline uint32_t channel_post(channel *c, uint32_t *link, uint32_t me, bool sends) {
  uint32_t other = c->first;
  if (other != CHANNEL_NOBODY && c->sends != sends) {
    c->first = link[other];
    return other;
  }
  link[me] = CHANNEL_NOBODY;
  if (other == CHANNEL_NOBODY) c->first = me;
  else link[c->last] = me;
  c->last = me;
  c->sends = sends;
  return CHANNEL_NOBODY;
}

/* ---- a whole schedule --------------------------------------------------------------------------------------- */

/* Operations are numbered rank by rank: operation i of rank r is number base[r] + i. */
typedef struct matching {
  uint64_t serial; /* of the recording that is matched; 0: none, or made by hand */
  size_t *base;    /* [ranks] */
  /* [operations] of a send or receive: index of the other side in its own rank's list, or CHANNEL_NOBODY. */
  uint32_t *partner;
  size_t operations;
  size_t unmatched; /* sends and receives without partner */
  channels channels;
  size_t ranks_cap, partner_cap;
} matching;

/* Peers must exist. A recording that is matched already stays; memory is kept from call to call. */
void matching_make(matching *, const record *);
void matching_free(matching *);

#endif
