#include "preload/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "preload/communicator.h"
#include "preload/plans.h"
#include "preload/progress.h"

/* A row with the communicators that it is about: as it is sent to rank 0. */
typedef struct {
  char name[16];
  int size, nodes, ranks_per_node;
  uint64_t communicators;
  int ranks; /* how many spent time in it */
  double max_s;
  row row;
} line;

typedef struct {
  line *line;
  size_t n, capacity;
} lines;

/* ---- of this rank ------------------------------------------------------------------------------------- */

static bool same(const line *a, const line *b) {
  return a->size == b->size && a->nodes == b->nodes && a->ranks_per_node == b->ranks_per_node &&
         a->row.collective == b->row.collective && a->row.size_class == b->row.size_class &&
         a->row.passed == b->row.passed && !strcmp(a->name, b->name) && !strcmp(a->row.name, b->row.name);
}

static void add(lines *all, const line *l) {
  for (line *a = all->line; a < all->line + all->n; a++) {
    if (!same(a, l)) continue;
    tally one = { .rows = &a->row, .n = 1, .capacity = 1 };
    counts_add(&one, &l->row);
    a->communicators += l->communicators;
    a->ranks += l->ranks;
    if (l->max_s > a->max_s) a->max_s = l->max_s;
    return;
  }
  if (all->n == all->capacity) {
    all->capacity = all->capacity ? 2 * all->capacity : 16;
    all->line = runtime_reallocate(all->line, sizeof *all->line * all->capacity);
  }
  all->line[all->n++] = *l;
}

static void add_counts(lines *all, line of, const tally *c) {
  for (int i = 0; i < c->n; i++) {
    of.row = c->rows[i];
    add(all, &of);
  }
}

static line line_of(const char *name, int size, int nodes, int ranks_per_node, uint64_t communicators) {
  line l;
  memset(&l, 0, sizeof l); /* it is sent with its gaps */
  strcpy(l.name, name);
  l.size = size;
  l.nodes = nodes;
  l.ranks_per_node = ranks_per_node;
  l.communicators = communicators;
  return l;
}

static void add_living(communicator *c, void *all) {
  plans_count(c);
  add_counts(all, line_of(c->name, c->size, c->nodes, c->ranks_per_node, 1), &c->counts);
}

static lines own_lines(void) {
  lines all = { 0 };
  communicators_each(add_living, &all);
  for (const gone *g = communicators_gone(); g; g = g->next)
    add_counts(&all, line_of(g->name, g->size, g->nodes, g->ranks_per_node, g->communicators), &g->counts);
  for (size_t i = 0; i < all.n; i++) {
    all.line[i].max_s = all.line[i].row.seconds;
    all.line[i].ranks = 1;
  }
  return all;
}

/* ---- of all ranks ------------------------------------------------------------------------------------- */

enum { TAG = 1 };

/* Rank 0 adds those of all others, one after the other. */
static void collect(lines *all, MPI_Comm world, int rank, int ranks) {
  if (rank) {
    MPI_Send(&all->n, sizeof all->n, MPI_BYTE, 0, TAG, world);
    MPI_Send(all->line, (int)(all->n * sizeof *all->line), MPI_BYTE, 0, TAG, world);
    return;
  }
  for (int from = 1; from < ranks; from++) {
    size_t n;
    MPI_Recv(&n, sizeof n, MPI_BYTE, from, TAG, world, MPI_STATUS_IGNORE);
    line *theirs = runtime_allocate(n * sizeof *theirs);
    MPI_Recv(theirs, (int)(n * sizeof *theirs), MPI_BYTE, from, TAG, world, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < n; i++) add(all, &theirs[i]);
    free(theirs);
  }
}

/* ---- the file ----------------------------------------------------------------------------------------- */

static void print_skew(json *j, const row *r, uint64_t by) {
  if (!r->samples) {
    json_null(j, "skew");
    return;
  }
  json_object(j, "skew");
  json_size(j, "samples", (r->samples + by - 1) / by);
  json_real(j, "mean_s", r->skew_s / (double)r->samples);
  json_real(j, "max_s", r->max_skew_s);
  json_real(j, "wait_s", r->waited_s / (double)r->samples);
  json_real(j, "spent_s", r->sampling_s);
  json_end(j);
}

/* by: how many ranks counted each call. */
static void print_line(json *j, const line *l, uint64_t by) {
  const row *r = &l->row;
  json_break(j);
  json_object(j, NULL);
  json_text(j, "collective", counts_collective_name(r->collective));
  json_object(j, "communicator");
  json_text(j, "name", l->name);
  json_int(j, "size", l->size);
  json_int(j, "nodes", l->nodes);
  json_int(j, "ranks_per_node", l->ranks_per_node);
  json_size(j, "communicators", (l->communicators + by - 1) / by);
  json_end(j);
  uint64_t first = r->size_class ? (uint64_t)1 << (r->size_class - 1) : 0;
  json_size(j, "bytes_from", r->uneven ? r->fewest : first);
  json_size(j, "bytes_to", r->uneven ? r->most : r->size_class ? first * 2 - 1 : 0);
  json_text(j, "algorithm", r->passed ? NULL : r->name);
  json_text(j, "passed_on", r->passed ? r->name : NULL);
  json_size(j, "calls", (r->calls + by - 1) / by);
  json_size(j, "bytes", (r->bytes + by - 1) / by);
  json_size(j, "in_place", (r->in_place + by - 1) / by);
  if (r->root < 0) json_null(j, "root");
  else json_int(j, "root", r->root);
  json_text(j, "type", r->type);
  json_int(j, "ranks", l->ranks);
  json_real(j, "mean_s", r->seconds / (double)l->ranks);
  json_real(j, "max_s", l->max_s);
  if (r->over) json_real(j, "completion_s", r->over_s / (double)r->over);
  else json_null(j, "completion_s");
  print_skew(j, r, by);
  json_end(j);
}

static void print(FILE *out, const settings *s, const lines *all, bool complete, int ranks, double run_s) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  json j = json_on(out);
  MPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = '\0';
  json_object(&j, NULL);
  json_int(&j, "collscope_report", 1);
  json_bool(&j, "complete", complete);
  json_text(&j, "library", library);
  json_int(&j, "ranks", ranks);
  json_real(&j, "run_s", run_s);
  json_bool(&j, "profile", s->profile);
  json_object(&j, "choices");
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (*s->key[k]) json_text(&j, coll_collective_name((coll_collective)k), s->key[k]);
  json_end(&j);
  json_array(&j, "rows");
  for (size_t i = 0; i < all->n; i++) print_line(&j, &all->line[i], complete ? (uint64_t)all->line[i].size : 1);
  json_end(&j);
  json_end(&j);
}

/* In full, or not at all. */
static void write_file(const settings *s, const lines *all, bool complete, int ranks, double run_s) {
  size_t length = strlen(s->report) + 32;
  char *partial = runtime_allocate(length);
  snprintf(partial, length, "%s.%ld", s->report, (long)getpid());
  FILE *out = fopen(partial, "w");
  bool failed = !out;
  if (out) {
    print(out, s, all, complete, ranks, run_s);
    failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    failed = failed || rename(partial, s->report);
    if (failed) remove(partial);
  }
  if (failed)
    fprintf(stderr, "collscope: COLLSCOPE_REPORT=%s: cannot be written (%s); name a file in a folder that exists\n",
            s->report, strerror(errno));
  free(partial);
}

void report_write(const settings *s, double run_s) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  progress_enter(); /* what a request that is over was for may still be counted by another thread */
  lines all = own_lines();
  progress_leave();
  MPI_Group group;
  MPI_Comm world;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &world); /* the program may still have messages under way */
  MPI_Group_free(&group);
  collect(&all, world, rank, ranks);
  MPI_Comm_free(&world);
  if (rank == 0) write_file(s, &all, true, ranks, run_s);
  free(all.line);
}

void report_write_alone(const settings *s, double run_s) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  lines all = own_lines();
  write_file(s, &all, false, ranks, run_s);
  free(all.line);
}
