#include "preload/persistent.h"

#include "preload/progress.h"

void persistent_start(const MPI_Request *requests, int n) {
  progress_enter_tidy();
  for (int i = 0; i < n; i++) {
    operation *o = progress_of(requests[i]);
    if (o && !o->active) progress_begin(o);
  }
  progress_leave();
}

void persistent_release(MPI_Request request) {
  progress_enter();
  operation *o = progress_of(request);
  if (o) progress_release(o);
  progress_tidy();
  progress_leave();
}
