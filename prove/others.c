#include "prove/others.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/refuse.h"
#include "core/schedule/array.h"
#include "model/match.h"

static bool same_places(const machine *a, const machine *b) {
  bool same = a->places == b->places;
  for (int r = 0; same && r < a->places; r++)
    same = a->place[r].node == b->place[r].node && a->place[r].socket == b->place[r].socket &&
           a->place[r].cache == b->place[r].cache;
  return same;
}

/* Reads one more; false, having said why, when it cannot. */
static bool add(other_machines *o, const machine *first, const char *path) {
  char error[512];
  RESERVE_ZEROED(o->machine, o->cap, o->n + 1);
  machine *one = &o->machine[o->n++];
  if (!machine_read(one, path, error, sizeof error)) return refuse("%s", error), false;
  if (same_places(one, first)) return true;
  return refuse("%s: ranks sit elsewhere than on the first machine", path), false;
}

bool others_read(other_machines *o, const machine *first, const char *list) {
  char line[4096];
  FILE *f = fopen(list, "r");
  if (!f) return refuse("%s: %s", list, strerror(errno)), false;
  bool fine = true;
  while (fine && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    fine = add(o, first, line);
  }
  fclose(f);
  if (!fine) return false;
  if (!o->n) return refuse("%s names no machine", list), false;
  o->time_s = array_grow(NULL, sizeof *o->time_s * o->n);
  for (size_t i = 0; i < o->n; i++) o->differ |= wiring_differs(first, &o->machine[i]);
  return true;
}

void others_free(other_machines *o) {
  for (size_t i = 0; i < o->n; i++) machine_free(&o->machine[i]);
  free(o->machine);
  free(o->time_s);
}
