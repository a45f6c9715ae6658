/* collscope-driver: runs a plan's points, simulated (under smpirun) or real (under mpirun), and prints what it measured as JSON lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "core/catalogue/json.h"
#include "core/catalogue/list.h"
#include "core/runtime/port.h"
#include "driver/pingpong.h"

#ifndef COLLSCOPE_FLAGS
#define COLLSCOPE_FLAGS ""
#endif

static const char usage[] =
  "usage: collscope-driver --list --json\n"
  "       collscope-driver --plan FILE [--fold] [--trace] [--out FILE]   run a plan (see core/plan/plan.h)\n"
  "                          --trace: and say what each rank does, and when (see driver/driver.h)\n"
  "       collscope-driver --walk [--algorithm PREFIX] [--roots N] [--part I/N]   check every algorithm's data over many calls\n"
  "       collscope-driver --pingpong [--bytes FROM..TO]       measure point-to-point messages\n"
  "       … --places 4x4x4[,cyclic]   as if ranks sat on 4 nodes of 4 sockets of 4 cores (4x4x2x2: of 2 caches of 2 cores),\n"
  "                          in blocks or dealt out to nodes in turn; or a file, a line \"node socket cache\" a rank\n"
  "Start it under mpirun (alone, it is one rank); built for simulation, under smpirun, --list too.\n";

typedef struct {
  const char *plan, *out, *bytes, *places;
  bool fold, trace, walk, pingpong;
  walk_options walk_options;
} options;

/* Returns NULL or what is wrong. */
static const char *parse(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(a, "--fold")) o->fold = true;
    else if (!strcmp(a, "--trace")) o->trace = true;
    else if (!strcmp(a, "--walk")) o->walk = true;
    else if (!strcmp(a, "--pingpong")) o->pingpong = true;
    else if (!value) return a;
    else if (!strcmp(a, "--plan")) o->plan = argv[++i];
    else if (!strcmp(a, "--out")) o->out = argv[++i];
    else if (!strcmp(a, "--bytes")) o->bytes = argv[++i];
    else if (!strcmp(a, "--places")) o->places = argv[++i];
    else if (!strcmp(a, "--algorithm")) o->walk_options.algorithm = argv[++i];
    else if (!strcmp(a, "--roots")) o->walk_options.max_roots = atoi(argv[++i]);
    else if (!strcmp(a, "--part")) {
      if (sscanf(argv[++i], "%d/%d", &o->walk_options.part, &o->walk_options.parts) != 2) return "--part must be I/N";
    } else return a;
  }
  return o->plan || o->walk || o->pingpong ? NULL : "nothing to do";
}

static void print_meta(const driver *d) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  fputs("{\"meta\":{", d->out);
  port_describe(d->out);
  fprintf(d->out, ",\"compiler\":");
  json_string(d->out, __VERSION__);
  fprintf(d->out, ",\"flags\":");
  json_string(d->out, COLLSCOPE_FLAGS);
  fprintf(d->out, ",\"host\":");
  json_string(d->out, host);
  fprintf(d->out, ",\"ranks\":%d,\"data\":%s,\"places\":[", d->size, port_holds_data() ? "true" : "false");
  for (int r = 0; r < d->size; r++)
    fprintf(d->out, "%s[%d,%d,%d]", r ? "," : "", d->place[r].node, d->place[r].socket, d->place[r].cache);
  fputs("]}}\n", d->out);
  fflush(d->out);
}

/* ---- forced places ---------------------------------------------------------------------------------- */

/* "4x4x4" or "4x4x2x2", perhaps with ",cyclic". Returns NULL, or what is wrong. */
static const char *places_by_shape(const char *text, int ranks, coll_place *place) {
  int nodes, sockets, caches, cores, used = 0;
  if (sscanf(text, "%dx%dx%dx%d%n", &nodes, &sockets, &caches, &cores, &used) != 4) {
    caches = 1;
    if (sscanf(text, "%dx%dx%d%n", &nodes, &sockets, &cores, &used) != 3) return "cannot be read";
  }
  bool cyclic = !strcmp(text + used, ",cyclic");
  if ((text[used] && !cyclic) || nodes < 1 || sockets < 1 || caches < 1 || cores < 1) return "cannot be read";
  if ((long)nodes * sockets * caches * cores < ranks) return "has fewer cores than there are ranks";
  for (int r = 0; r < ranks; r++) {
    int core = cyclic ? r / nodes : r % (sockets * caches * cores), node = cyclic ? r % nodes : r / (sockets * caches * cores);
    int cache = node * sockets * caches + core / cores;
    place[r] = (coll_place){ .node = node, .socket = cache / caches, .cache = cache };
  }
  return NULL;
}

static const char *places_from_file(FILE *f, int ranks, coll_place *place) {
  for (int r = 0; r < ranks; r++)
    if (fscanf(f, "%d %d %d", &place[r].node, &place[r].socket, &place[r].cache) != 3)
      return "has fewer lines \"node socket cache\" than there are ranks";
  return NULL;
}

static const char *force_places(const char *text, int ranks, coll_place *place) {
  FILE *f = fopen(text, "r");
  if (!f) return places_by_shape(text, ranks, place);
  const char *wrong = places_from_file(f, ranks, place);
  fclose(f);
  return wrong;
}

static int run_plan(driver *d, const char *path) {
  plan p;
  char error[512];
  int bad = !plan_read(&p, path, error, sizeof error);
  if (bad && d->rank == 0) fprintf(stderr, "collscope-driver: %s\n", error);
  for (size_t i = 0; !bad && i < p.points; i++) measure_point(d, &p.point[i]);
  plan_free(&p);
  return bad ? 2 : 0;
}

static int work(driver *d, const options *o) {
  if (o->pingpong) {
    size_t from = 1, to = 4 << 20;
    if (o->bytes && sscanf(o->bytes, "%zu..%zu", &from, &to) != 2) {
      if (d->rank == 0) fprintf(stderr, "collscope-driver: --bytes %s: must be FROM..TO in bytes\n", o->bytes);
      return 2;
    }
    return pingpong_main(d->world, from, to, d->out);
  }
  if (o->walk) return walk(d, &o->walk_options) ? 1 : 0;
  return run_plan(d, o->plan);
}

/* Returns whether all that was written to `out` got there. If not says so: a short answer must not look like a whole one. */
static bool written(FILE *out, const char *name) {
  if (!fflush(out) && !ferror(out)) return true;
  fprintf(stderr, "collscope-driver: %s: %s\n", name, errno ? strerror(errno) : "could not be written");
  return false;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--list") && !strcmp(argv[2], "--json")) {
    coll_list_json(stdout);
    return written(stdout, "standard output") ? 0 : 1;
  }
  options o = { 0 };
  const char *wrong = parse(argc, argv, &o);
  if (wrong) {
    fprintf(stderr, "collscope-driver: %s\n%s", wrong, usage);
    return 2;
  }
  MPI_Init(&argc, &argv);
  driver d = { .out = stdout, .trace = o.trace };
  MPI_Comm_dup(MPI_COMM_WORLD, &d.world);
  MPI_Comm_rank(d.world, &d.rank);
  MPI_Comm_size(d.world, &d.size);
  int status = 0;
  if (o.fold && !port_fold(true)) {
    if (d.rank == 0) fprintf(stderr, "collscope-driver: --fold is for simulation; a real run needs its buffers\n");
    status = 2;
  }
  if (!status && o.out && d.rank == 0 && !(d.out = fopen(o.out, "w"))) {
    perror(o.out);
    d.out = stdout;
    status = 1;
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, d.world);
  if (!status) {
    port_synchronise_clocks(d.world);
    d.place = malloc(sizeof *d.place * (size_t)d.size);
    d.first = malloc(sizeof *d.first * (size_t)(d.size + 1));
    d.made = calloc((size_t)d.size + 1, sizeof *d.made);
    coll_place here = port_place(d.world);
    /* Not MPI_Allgather: SMPI's default sends everything to everybody at once, which takes seconds to simulate. */
    MPI_Gather(&here, sizeof here, MPI_BYTE, d.place, sizeof here, MPI_BYTE, 0, d.world);
    MPI_Bcast(d.place, d.size * (int)sizeof here, MPI_BYTE, 0, d.world);
    const char *misplaced = o.places ? force_places(o.places, d.size, d.place) : NULL;
    if (misplaced && d.rank == 0) fprintf(stderr, "collscope-driver: --places %s %s\n", o.places, misplaced);
    types_make(&d.types);
    if (!misplaced && d.rank == 0) print_meta(&d);
    status = misplaced ? 2 : work(&d, &o);
    types_free(&d.types);
    for (int p = 1; p < d.size; p++)
      if (d.made[p] && d.rank < p) MPI_Comm_free(&d.first[p]);
    free(d.place);
    free(d.first);
    free(d.made);
    if (d.rank == 0) {
      bool lost = !written(d.out, o.out ? o.out : "standard output");
      if (o.out && fclose(d.out) && !lost) {
        perror(o.out);
        lost = true;
      }
      if (lost && !status) status = 1;
    }
  }
  MPI_Comm_free(&d.world);
  MPI_Finalize();
  return status;
}
