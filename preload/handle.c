#include "preload/handle.h"

#include <stdatomic.h>
#include <stddef.h>

static MPI_Comm alone;
static int tags;
static atomic_uint begun, made;

void handles_start(void) {
  MPI_Group self;
  int *highest, known;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Comm_create(MPI_COMM_SELF, self, &alone);
  MPI_Group_free(&self);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &known);
  tags = (known ? *highest : 32767) / 2;
}

void handles_end(void) { MPI_Comm_free(&alone); }

/* Odd ones are of persistent requests, which live long. */
int handle_begin(MPI_Request *request) {
  int tag = (int)(begun++ % (unsigned)tags) * 2;
  MPI_Irecv(NULL, 0, MPI_BYTE, 0, tag, alone, request);
  return tag;
}

int handle_make_persistent(MPI_Request *request) {
  int tag = (int)(made++ % (unsigned)tags) * 2 + 1;
  MPI_Recv_init(NULL, 0, MPI_BYTE, 0, tag, alone, request);
  return tag;
}

/* A byte is more than the receive has room for, which is an error: MPI_ERR_TRUNCATE. */
void handle_complete(int tag, bool failed) {
  char byte = 0;
  MPI_Send(&byte, failed, MPI_BYTE, 0, tag, alone);
}
