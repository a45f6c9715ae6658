#define _GNU_SOURCE
#include "driver/p2p/p2p.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "driver/p2p/plan.h"

enum { TAG = 3, MAX_PLAN = 1 << 24 };

static void print_places(const launch *l, FILE *out) {
  struct {
    int cpu;
    char host[MPI_MAX_PROCESSOR_NAME];
  } mine = { .cpu = sched_getcpu() };
  int length;
  MPI_Get_processor_name(mine.host, &length);
  if (l->rank) {
    MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, TAG, l->world);
    return;
  }
  for (int r = 0; r < l->size; r++) {
    if (r) MPI_Recv(&mine, sizeof mine, MPI_BYTE, r, TAG, l->world, MPI_STATUS_IGNORE);
    json j = json_on(out);
    json_object(&j, NULL);
    json_object(&j, "place");
    json_int(&j, "rank", r);
    json_text(&j, "host", mine.host);
    json_int(&j, "cpu", mine.cpu);
    json_end(&j);
    json_end(&j);
  }
}

/* Samples that nobody has timed are not values. */
static void print_values(json *j, const char *name, const double *sample, int samples) {
  json_array(j, name);
  for (int s = 0; s < samples; s++)
    if (sample[s] >= 0) json_real(j, NULL, sample[s]);
  json_end(j);
}

static void print(const measurement *m, const double *sample, FILE *out) {
  json j = json_on(out);
  json_object(&j, NULL);
  json_object(&j, m->pattern->name);
  json_array(&j, "flows");
  for (const flow *f = m->flow; f < m->flow + m->flows; f++) {
    json_array(&j, NULL);
    json_int(&j, NULL, f->from);
    json_int(&j, NULL, f->to);
    json_end(&j);
  }
  json_end(&j);
  json_size(&j, "bytes", m->bytes);
  json_int(&j, "count", m->count);
  print_values(&j, "samples", sample, m->samples);
  for (int v = 0; v + 1 < P2P_VALUES && m->pattern->value[v]; v++)
    print_values(&j, m->pattern->value[v], sample + (v + 1) * m->samples, m->samples);
  json_end(&j);
  json_end(&j);
  fflush(out);
}

static void take(const bench *b, const measurement *m, FILE *out) {
  size_t values = (size_t)P2P_VALUES * (size_t)m->samples;
  double *mine = runtime_allocate(sizeof *mine * 2 * values), *slowest = mine + values;
  for (int s = -1; s < m->samples; s++) { /* the first, uncounted one warms up */
    double value[P2P_VALUES] = { -1, -1, -1 };
    MPI_Barrier(b->l->world);
    m->pattern->sample(b, m, value);
    for (int v = 0; v < P2P_VALUES && s >= 0; v++) mine[v * m->samples + s] = value[v];
  }
  MPI_Reduce(mine, slowest, (int)values, MPI_DOUBLE, MPI_MAX, 0, b->l->world); /* at once: messages of a slow network */
  if (!b->l->rank) print(m, slowest, out);
  free(mine);
}

/* The file's text at every rank, since only rank 0's node need have it; NULL with a message at rank 0. */
static char *text_of(const launch *l, const char *path) {
  char *text = NULL;
  int size = -1;
  if (!l->rank) {
    FILE *file = fopen(path, "r");
    if (file) {
      text = runtime_allocate(MAX_PLAN);
      size = (int)fread(text, 1, MAX_PLAN - 1, file);
      if (ferror(file)) size = -1;
      fclose(file);
    }
    if (size < 0) fprintf(stderr, "collscope-driver: %s: %s\n", path, strerror(errno));
  }
  MPI_Bcast(&size, 1, MPI_INT, 0, l->world);
  if (size < 0) {
    free(text);
    return NULL;
  }
  if (l->rank) text = runtime_allocate((size_t)size + 1);
  MPI_Bcast(text, size, MPI_BYTE, 0, l->world);
  text[size] = 0;
  return text;
}

/* Two or three buffers, touched; false, at all ranks, where one has no memory for them. */
static bool make_buffers(bench *b, const p2p_plan *p) {
  int buffers = 2;
  for (const measurement *m = p->of; m < p->of + p->measurements; m++) {
    if (m->pattern->returns) buffers = 3;
    size_t room = m->pattern->room > m->bytes ? m->pattern->room : m->bytes;
    if (room > b->room) b->room = room;
  }
  char **each[] = { &b->send, &b->recv, &b->back };
  int enough = 1, all;
  for (int i = 0; i < buffers; i++) enough &= (*each[i] = malloc(b->room + 1)) != NULL;
  MPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, b->l->world);
  for (int i = 0; all && i < buffers; i++) memset(*each[i], 0, b->room + 1);
  if (!all && !b->l->rank)
    fprintf(stderr, "collscope-driver: --p2p: no memory for %d buffers of %zu bytes at each rank\n", buffers, b->room);
  return all;
}

int p2p(launch *l, const char *path, FILE *out) {
  char *text = text_of(l, path), error[256];
  if (!text) return 2;
  p2p_plan p;
  bench b = { .l = l };
  int status = 0;
  if (!p2p_plan_read(&p, text, l->size, error, sizeof error)) {
    if (!l->rank) fprintf(stderr, "collscope-driver: %s:%s\n", path, error);
    status = 2;
  } else if (!make_buffers(&b, &p)) status = 1;
  if (!status) {
    print_places(l, out);
    for (const measurement *m = p.of; m < p.of + p.measurements; m++) take(&b, m, out);
  }
  free(b.send);
  free(b.recv);
  free(b.back);
  p2p_plan_free(&p);
  free(text);
  return status;
}
