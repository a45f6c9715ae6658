/* A plan: the points that a program is to work off, one a line of blank-separated key=value pairs; # starts a comment.
 *
 *   id=7 collective=bcast algorithm=bcast/mst[dest=first] ranks=8 count=1024 type=float root=3 check=1
 *
 * Every program of the laboratory reads the same plans. Keys and their defaults:
 *   id           any token                              the line's number
 *   collective   bcast, reduce, …                       the part of `algorithm` before the slash
 *   algorithm    full key, decision/…, or <collective>/builtin   must be given
 *   ranks        first ranks of the launch to take      0: all (a program without a launch refuses that)
 *   count        as MPI's call is given, see coll_args  0
 *   type         float double int long byte affine      float
 *   op           sum prod max min affine none           sum; affine for type affine
 *   root         rank                                   0
 *   in_place     0 or 1                                 0
 *   counts       how long each rank's block is, see distribution.h   uniform
 *   metric       makespan osu_avg root loop delay       makespan
 *                osu_avg[barrier=KEY]: KEY before each call, an algorithm or a decision, in place of MPI's own
 *                nonblocking[PROGRESS] overlap[METHOD,PROGRESS]: started, and waited for at once or beside computation; PROGRESS is
 *                calls, thread or offload: who advances the call; METHOD is wait (computes, then waits) or poll (computes until it is through)
 *   skew         how late each rank enters, see arrival.h   none
 *   repetitions  timed calls                            1
 *   until_ci     go on until the median's 95 % interval is at most so wide, as a part of it (0.02)   0: not
 *   budget_s     with until_ci: stop when the point has taken so many seconds, even before `repetitions`
 *   warmup       calls before them                      0
 *   buffers      warm: as the call before left them; cold: no cache holds them; fresh: the system has yet to map the pages of those
 *                that are written                       warm
 *   group        points of one group follow each other, are the same call of several algorithms, and are timed in rounds: a
 *                repetition of each in turn             0: by itself
 *   within       share: the model finds no time that is longer by more than this share than the fastest of the point's group so far,
 *                and begins with those that are fast by their formula   0: it finds all
 *   stop_s       nor one that is longer than this       0: it finds all
 *   check        0 or 1: compare the data               0
 * A program that times nothing reads past what is about timing. */
#ifndef COLLSCOPE_CORE_PLAN_PLAN_H
#define COLLSCOPE_CORE_PLAN_PLAN_H

#include "collscope.h"
#include "core/plan/arrival.h"
#include "core/plan/distribution.h"

typedef enum { PLAN_FLOAT, PLAN_DOUBLE, PLAN_INT, PLAN_BYTE, PLAN_LONG, PLAN_AFFINE, PLAN_TYPES } plan_type;
typedef enum { PLAN_SUM, PLAN_PROD, PLAN_MAX, PLAN_MIN, PLAN_OP_AFFINE, PLAN_NONE, PLAN_OPS } plan_op;
typedef enum { PLAN_WARM, PLAN_COLD, PLAN_FRESH, PLAN_BUFFERS } plan_buffers;
typedef enum {
  PLAN_MAKESPAN,
  PLAN_OSU_AVG,
  PLAN_ROOT,
  PLAN_LOOP,
  PLAN_DELAY,
  PLAN_NONBLOCKING,
  PLAN_OVERLAP,
  PLAN_METRICS
} plan_metric;
typedef enum { PLAN_BY_CALLS, PLAN_BY_THREAD, PLAN_BY_OFFLOAD, PLAN_PROGRESSES } plan_progress;

/* Of metric overlap: a rank that polls computes for this part of the call's time without computation, about a twentieth, between two polls:
 * pi / 64, so that no poll falls on the instant of an arrival, where rounding would decide. */
#define PLAN_POLL_PART 0.049087385212340519
enum { PLAN_ID = 64, PLAN_KEY = 320, PLAN_REASON = 160, PLAN_MAX_REPETITIONS = 1 << 20 };
/* Of the vector of a call. Sums and products over ranks still fit a size_t then, and Python has the same limit. */
#define PLAN_MAX_BYTES ((uint64_t)1 << 50)

typedef struct {
  char id[PLAN_ID];
  char key[PLAN_KEY]; /* algorithm, as it was written */
  coll_collective collective;
  int line;  /* in the file, for messages */
  int ranks; /* 0: all of the launch */
  size_t count;
  plan_type type;
  plan_op op;
  int root;
  bool in_place, check;
  distribution counts;
  plan_metric metric;
  char barrier[PLAN_KEY]; /* before each call of osu_avg; "": MPI's own */
  plan_progress progress; /* of nonblocking and overlap */
  bool polls;             /* of overlap: asks while it computes, until the call is through; else computes and waits */
  int repetitions, warmup, group;
  double until_ci, budget_s, within, stop_s;
  plan_buffers buffers;
  arrival skew;
} plan_point;

typedef struct {
  plan_point *point;
  size_t points;
} plan;

/* Reads a whole plan; "-" is standard input. Returns false, with "FILE:LINE: what to do" in error[size], when it
 * cannot: that is a usage error (exit status 2). A plan without points is not an error. Free with plan_free in either
 * case. */
bool plan_read(plan *, const char *path, char *error, size_t size);
void plan_free(plan *);

/* Names as plans and tables spell them, and sizes. affine is a pair (a, b) of 32-bit integers that stands for
 * x -> a·x + b; its operator composes two of them, does not commute, and goes with no other type. */
const char *plan_type_name(plan_type);
size_t plan_type_bytes(plan_type);
const char *plan_op_name(plan_op);
bool plan_op_commutes(plan_op);
const char *plan_metric_name(plan_metric);
const char *plan_progress_name(plan_progress);
static inline bool plan_is_nonblocking(plan_metric m) { return m == PLAN_NONBLOCKING || m == PLAN_OVERLAP; }
const char *plan_buffers_name(plan_buffers);

/* Whether the vector of this call on so many ranks (blocks: of all of them) has more bytes than can be told; if so, why. A plan that was
 * read has no such point, except where it leaves the ranks to the launch. */
bool plan_too_large(const plan_point *, int ranks, char reason[PLAN_REASON]);

/* NULL, or why these two do not go together ("op affine needs type affine"). */
const char *plan_op_mismatch(plan_type, plan_op);

/* The call's shape: size, count, elem, root, commutes, in_place. param and place are set as given, the buffers and displs to
 * NULL. */
coll_args plan_args(const plan_point *, int size, const long *param, const coll_place *place);

/* Lets args, of plan_args, say how long each rank's block is, where the point does; *displs: memory from malloc, kept from point to
 * point. False: the file cannot be cut so; what is wrong is in error[size]. */
bool plan_cut(const plan_point *, coll_args *, size_t **displs, char *error, size_t size);

#endif
