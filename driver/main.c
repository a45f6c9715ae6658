/* collscope-driver: runs a plan's points, simulated (under smpirun) or real (under mpirun), and prints what it measured as JSON lines. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/json.h"
#include "core/catalogue/list.h"
#include "core/catalogue/number.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "core/runtime/port_memory.h"
#include "driver/check/sweep.h"
#include "driver/decisions.h"
#include "driver/launch.h"
#include "driver/measure/measure.h"
#include "driver/measure/played.h"
#include "driver/p2p/p2p.h"
#include "driver/port.h"

#ifndef COLLSCOPE_FLAGS
#define COLLSCOPE_FLAGS ""
#endif

static const char usage[] =
    "usage: collscope-driver --list --json\n"
    "       collscope-driver --topology           the processors of this machine as one JSON object (see driver/port.h)\n"
    "       collscope-driver --plan FILE [--shared-buffers] [--trace] [--out FILE]   run a plan (see core/plan/plan.h)\n"
    "                          --shared-buffers: all buffers share a few pages and hold no data (simulation only)\n"
    "                          --trace: and say what each rank does, and when (see driver/measure/trace.h)\n"
    "                          --schedule FILE: points of the key COLLECTIVE/schedule take it (see driver/measure/played.h)\n"
    "       collscope-driver --sweep [--algorithm PREFIX] [--roots N] [--part I/N]   check every algorithm's data over many calls\n"
    "       collscope-driver --p2p FILE                     measure point-to-point messages (see driver/p2p/p2p.h)\n"
    "       … --places 4x4x4[,cyclic]   as if ranks sat on 4 nodes of 4 sockets of 4 cores (4x4x2x2: of 2 caches of 2 cores),\n"
    "                          in blocks or dealt out to nodes in turn; or a file, one line \"node socket cache\" per rank\n"
    "Start it under mpirun (alone, it is one rank); built for simulation, under smpirun, --list too.\n";

typedef struct {
  const char *plan, *out, *places, *p2p, *schedule;
  bool list, json, topology, shared_buffers, trace, sweep;
  sweep_options sweep_options;
} options;

enum { LIST, JSON, TOPOLOGY, PLAN, OUT, SHARED_BUFFERS, TRACE, SWEEP, ALGORITHM, ROOTS, PART, P2P, PLACES, SCHEDULE };
static const struct option known[] = {
  { "list", no_argument, NULL, LIST },
  { "json", no_argument, NULL, JSON },
  { "topology", no_argument, NULL, TOPOLOGY },
  { "plan", required_argument, NULL, PLAN },
  { "out", required_argument, NULL, OUT },
  { "shared-buffers", no_argument, NULL, SHARED_BUFFERS },
  { "trace", no_argument, NULL, TRACE },
  { "sweep", no_argument, NULL, SWEEP },
  { "algorithm", required_argument, NULL, ALGORITHM },
  { "roots", required_argument, NULL, ROOTS },
  { "part", required_argument, NULL, PART },
  { "p2p", required_argument, NULL, P2P },
  { "places", required_argument, NULL, PLACES },
  { "schedule", required_argument, NULL, SCHEDULE },
  { NULL, 0, NULL, 0 },
};

/* Returns NULL, or what is wrong with this option. */
static const char *set(options *o, int option, const char *value) {
  sweep_options *s = &o->sweep_options;
  uint64_t number, other;
  const char *rest;
  switch (option) {
    case LIST: o->list = true; break;
    case JSON: o->json = true; break;
    case TOPOLOGY: o->topology = true; break;
    case PLAN: o->plan = value; break;
    case OUT: o->out = value; break;
    case SHARED_BUFFERS: o->shared_buffers = true; break;
    case TRACE: o->trace = true; break;
    case SWEEP: o->sweep = true; break;
    case ALGORITHM: s->algorithm = value; break;
    case ROOTS:
      if (!number_whole(value, INT_MAX, &number)) return "--roots must be a number of roots";
      s->max_roots = (int)number;
      break;
    case PART:
      if (!number_begins(value, INT_MAX, &number, &rest) || *rest != '/' || !number_whole(rest + 1, INT_MAX, &other) ||
          number >= other)
        return "--part must be I/N, I from 0 to N-1";
      s->part = (int)number;
      s->parts = (int)other;
      break;
    case P2P: o->p2p = value; break;
    case PLACES: o->places = value; break;
    case SCHEDULE: o->schedule = value; break;
    default: break;
  }
  return NULL;
}

/* Returns NULL, or what is wrong. */
static const char *parse(int argc, char **argv, options *o) {
  optind = 0; /* in simulation all ranks share getopt's variables, and each parses from the start */
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "", known, NULL)) >= 0;) {
    const char *wrong = option == '?' ? argv[optind - 1] : set(o, option, optarg);
    if (wrong) return wrong;
  }
  if (optind < argc) return argv[optind];
  if (o->list != o->json) return "--list and --json go together";
  return o->list || o->topology || o->plan || o->sweep || o->p2p ? NULL : "nothing to do";
}

/* ---- what needs no MPI ------------------------------------------------------------------------------ */

/* Returns whether all that was written to `out` got there. If not says so: a short answer must not look like a whole one. */
static bool written(FILE *out, const char *name) {
  if (!fflush(out) && !ferror(out)) return true;
  fprintf(stderr, "collscope-driver: %s: %s\n", name, errno ? strerror(errno) : "could not be written");
  return false;
}

static int answer(const options *o) {
  if (o->list) coll_list_json(stdout);
  else {
    const char *wrong = port_topology(stdout);
    if (wrong) {
      fprintf(stderr, "collscope-driver: --topology: %s\n", wrong);
      return 2;
    }
  }
  return written(stdout, "standard output") ? 0 : 1;
}

/* ---- what ranks do together ------------------------------------------------------------------------- */

/* Collective; rank 0 prints. */
static void print_meta(const launch *l, FILE *out) {
  if (l->rank) {
    port_describe_launch(l->world, NULL);
    return;
  }
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  json j = json_on(out);
  json_object(&j, NULL);
  json_object(&j, "meta");
  port_describe(&j);
  json_text(&j, "compiler", __VERSION__);
  json_text(&j, "flags", COLLSCOPE_FLAGS);
  json_text(&j, "host", host);
  port_describe_launch(l->world, &j);
  json_int(&j, "ranks", l->size);
  json_bool(&j, "data", port_holds_data());
  json_array(&j, "places");
  for (const coll_place *q = l->place; q < l->place + l->size; q++) {
    json_array(&j, NULL);
    json_int(&j, NULL, q->node);
    json_int(&j, NULL, q->socket);
    json_int(&j, NULL, q->cache);
    json_end(&j);
  }
  for (int open = 0; open < 3; open++) json_end(&j);
  fflush(out);
}

/* How many points from this one on are a group; 1: it is by itself. */
static size_t group_of(const plan *p, size_t first) {
  size_t end = first + 1;
  if (p->point[first].group)
    while (end < p->points && p->point[end].group == p->point[first].group) end++;
  return end - first;
}

static int run_plan(launch *l, const options *o, FILE *out) {
  plan p;
  char error[512];
  int bad = !plan_read(&p, o->plan, error, sizeof error) || !decisions_agree(l, &p, error, sizeof error);
  if (!bad && o->schedule) bad = !(l->played = played_open(l->world, o->schedule, error, sizeof error));
  if (bad && l->rank == 0) fprintf(stderr, "collscope-driver: %s\n", error);
  for (size_t i = 0, n; !bad && i < p.points; i += n) {
    n = group_of(&p, i);
    measure_points(l, &p.point[i], n, out, o->trace);
  }
  if (!bad) port_conclude(l->world, l->discarded, out);
  plan_free(&p);
  played_close(l->played);
  return bad ? 2 : 0;
}

static int work(launch *l, const options *o, FILE *out) {
  char error[512];
  if (o->places && !places_given(o->places, l->size, l->place, error, sizeof error)) {
    if (l->rank == 0) fprintf(stderr, "collscope-driver: --places %s\n", error);
    return 2;
  }
  print_meta(l, out);
  if (o->p2p) return p2p(l, o->p2p, out);
  if (o->sweep) return sweep(l, &o->sweep_options, out) ? 1 : 0;
  return run_plan(l, o, out);
}

/* Collective. Returns 0, with the file that rank 0 writes to in *out, or the exit status. */
static int prepare(const options *o, int rank, FILE **out) {
  int status = 0;
  if (o->shared_buffers && !port_share_buffers()) {
    if (rank == 0)
      fprintf(stderr, "collscope-driver: --shared-buffers is for simulation; a real run needs its buffers\n");
    status = 2;
  }
  if (!status && o->out && rank == 0 && !(*out = fopen(o->out, "w"))) {
    perror(o->out);
    status = 1;
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return status;
}

/* Rank 0's: whether all its lines got where they should. */
static bool close_out(FILE *out, const char *name) {
  bool lost = !written(out, name ? name : "standard output");
  if (!name || !fclose(out) || lost) return !lost;
  perror(name);
  return false;
}

int main(int argc, char **argv) {
  options o = { 0 };
  const char *wrong = parse(argc, argv, &o);
  if (wrong) {
    fprintf(stderr, "collscope-driver: %s\n%s", wrong, usage);
    return 2;
  }
  if (o.list || o.topology) return answer(&o);
  int threads; /* one may advance a call while its rank computes; never two at once */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
  FILE *out = stdout;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = prepare(&o, rank, &out);
  if (!status) {
    launch l;
    launch_open(&l);
    status = work(&l, &o, out);
    launch_close(&l);
    if (rank == 0 && !close_out(out, o.out) && !status) status = 1;
  }
  MPI_Finalize();
  return status;
}
