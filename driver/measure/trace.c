/* What an observer has noted, brought together at rank 0 and printed. */
#include "driver/measure/trace.h"

#include <stdlib.h>

#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "driver/port.h"

typedef struct {
  double start, end, error;
  unsigned long events;
} rank_part;

static void print_part(FILE *out, const char *id, int repetition, int rank, const rank_part *p, const observe_event *e,
                       double zero) {
  json j = json_on(out);
  json_object(&j, NULL);
  json_text(&j, "id", id);
  json_int(&j, "trace", repetition);
  json_int(&j, "rank", rank);
  json_real(&j, "start_s", p->start - zero);
  json_real(&j, "end_s", p->end - zero);
  json_real(&j, "clock_error_s", p->error);
  json_array(&j, "events");
  for (unsigned long i = 0; i < p->events; i++, e++) {
    json_array(&j, NULL);
    json_text(&j, NULL, observe_kind_name(e->kind));
    json_int(&j, NULL, e->peer);
    json_int(&j, NULL, e->label);
    json_size(&j, NULL, e->bytes);
    json_real(&j, NULL, e->begin_s - zero);
    json_real(&j, NULL, e->end_s - zero);
    json_real(&j, NULL, e->done_s - zero);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

static void print_repetition(FILE *out, MPI_Comm comm, const char *id, int repetition, rank_part mine,
                             observe_event *events) {
  enum { TAG = 1 };
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype event;
  MPI_Type_contiguous((int)sizeof *events, MPI_BYTE, &event);
  MPI_Type_commit(&event);
  rank_part *all = rank ? NULL : runtime_allocate(sizeof *all * (size_t)size);
  MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, 0, comm);
  if (rank) MPI_Send(events, (int)mine.events, event, 0, TAG, comm);
  else {
    double zero = all[0].start;
    for (int r = 1; r < size; r++)
      if (all[r].start < zero) zero = all[r].start;
    print_part(out, id, repetition, 0, &mine, events, zero);
    for (int r = 1; r < size; r++) {
      observe_event *theirs = runtime_allocate(sizeof *theirs * all[r].events);
      MPI_Recv(theirs, (int)all[r].events, event, r, TAG, comm, MPI_STATUS_IGNORE);
      print_part(out, id, repetition, r, &all[r], theirs, zero);
      free(theirs);
    }
  }
  free(all);
  MPI_Type_free(&event);
}

void trace_print(FILE *out, MPI_Comm comm, const char *id, const coll_observer *o, const trace_bounds *bounds,
                 int repetitions) {
  for (int i = 0; i < repetitions; i++) {
    size_t n;
    const observe_event *noted = observe_events(o, i, &n);
    observe_event *e = runtime_allocate(sizeof *e * n);
    for (size_t k = 0; k < n; k++) {
      e[k] = noted[k];
      e[k].begin_s = port_common_time(e[k].begin_s);
      e[k].end_s = port_common_time(e[k].end_s);
      e[k].done_s = port_common_time(e[k].done_s);
    }
    rank_part mine = { port_common_time(bounds[i].start), port_common_time(bounds[i].end),
                       port_clock_error(bounds[i].end), n };
    print_repetition(out, comm, id, i, mine, e);
    free(e);
  }
}
