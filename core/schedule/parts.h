/* What the files of the recorder share. Nobody else includes this: record.h is the face. */
#ifndef COLLSCOPE_CORE_SCHEDULE_PARTS_H
#define COLLSCOPE_CORE_SCHEDULE_PARTS_H

#include "core/schedule/record.h"

#include <setjmp.h>
#include <signal.h>

#define BUFFER_BITS 40
#define BUFFER_BYTES ((size_t)1 << BUFFER_BITS)
enum { BUFFERS = 3, SEGMENTS_MAX = 255 - REC_SEGMENT };
static const size_t most_ops = (size_t)1 << 27;          /* of a rank: an algorithm that records more loops for ever */

enum { STOP_SUSPENDED = 1, STOP_ERROR, STOP_FAULT, STOP_LOOP };

typedef struct { size_t begin, end; } range;
typedef struct { char *block; size_t used, cap; } chunk;
typedef struct { chunk *chunks; int n, cap, now; } pool;  /* memory until the next recording; reused */

/* What every member of a segment must agree on, and how many have opened it. */
typedef struct { int label, members, nth, flags, opened, first_rank; size_t bytes; const int *world; } group;

struct coll_seg_state { rec_segment seg; int index, label, nth; };

typedef struct {
  int *source;
  int n, cap, at;
  bool done;
  int label, size;
  const int *world;
  bool seen;
} any_source;                            /* of a rank: the sources of its recv_any */

/* What plays the ranks as far as they are recorded: see record_arrival.c. */
typedef struct { uint64_t key; size_t sent, received; } channel;
typedef struct {
  bool begun;
  channel *slot;
  size_t slots, used;
  int ranks, groups;       /* that the arrays below are made for */
  size_t *at;              /* [ranks] the operation each rank is at */
  bool *posted;            /* [ranks] … has been posted already */
  uint32_t **seq;          /* [ranks][op] place of a message in its channel */
  size_t *room;            /* [ranks] of seq */
  uint64_t **flag;         /* [groups][members · flags] */
} player;

typedef struct {
  record record;                    /* first: what the caller sees */
  char *base;                       /* BUFFERS reservations in a row */
  int ranks;                        /* that the arrays below are made for */
  /* the rank being recorded */
  rec_rank *now;
  int rank;
  const rec_layout *layout;
  range *scratch;
  int scratches, scratch_cap, scratch_last;
  int pending;                      /* requests not waited for */
  bool preparing;
  volatile bool inside;             /* the algorithm's own code */
  sigjmp_buf leave;
  void *fault;
  /* of the whole recording */
  long param[COLL_PARAMS];
  coll_place *place;
  coll_grouping levels[COLL_LEVELS];
  coll_place *levels_place;         /* what levels were made from */
  int levels_size;
  pool keep, segments;
  group *groups;
  int group_cap;
  int *segment_cap;                 /* [ranks] */
  any_source *any_source;           /* [ranks] */
  unsigned seed;
  player player;
} recorder;

/* ---- record_words.c ---- */

__attribute__((format(printf, 2, 3), noreturn)) void rec_fail(recorder *, const char *format, ...);

/* ---- record_memory.c ---- */

rec_layout rec_layout_of(coll_collective, const coll_args *, int rank);

typedef struct { uint8_t buf; uint64_t off; } spot;

extern volatile bool rec_growing;
void *rec_grow(void *old, size_t bytes);     /* realloc that ends the program when memory is out */
void *rec_pool_take(pool *, size_t bytes);
void rec_pool_reset(pool *);
void rec_pool_free(pool *);
bool rec_locate(const recorder *, const void *, int *buf, int64_t *off);   /* which buffer an address is in */
/* The same for an operation, which fails when it may not touch `bytes` bytes there. */
spot rec_resolve(recorder *, const void *, size_t bytes, const char *who, bool writes);
void *rec_scratch(coll_ctx *, size_t n);
void *rec_keep(coll_ctx *, size_t bytes);

/* ---- record_operations.c ---- */

extern const coll_operations rec_operations;
rec_op *rec_append(recorder *);
int rec_peer_of(recorder *, const coll_ctx *, int rank, const char *who);
size_t rec_bytes_of(recorder *, const coll_ctx *, size_t n, const char *who);

/* ---- record_segments.c ---- */

coll_seg rec_seg_open(coll_ctx *, size_t n, int flags);
void rec_seg_write(coll_ctx *, coll_seg, int home, size_t off, const void *src, size_t n);
void rec_seg_read(coll_ctx *, coll_seg, int home, size_t off, void *dst, size_t n);
void rec_publish(coll_ctx *, coll_seg, int home, int flag, uint64_t value);
void rec_await(coll_ctx *, coll_seg, int home, int flag, uint64_t value);

/* ---- record_arrival.c ---- */

/* Gives every suspended rank that has messages to choose from one of them. Returns how many it could serve. */
int rec_choose_sources(recorder *);
void rec_player_free(player *);

#endif
