/* What the check of data says, word for word, and that each byte around a buffer is guarded. All ranks are played by one. */
#include "core/catalogue/collective.h"
#include "core/runtime/port_memory.h"
#include "driver/check/verify.h"
#include "driver/port_caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };
static int failures;

/* ---- memory, and what of it is mapped again ---------------------------------------------------------- */

static struct {
  void *block;
  size_t bytes;
} renewed[4];
static int renewals;

void *port_alloc(size_t bytes) { return malloc(bytes); }
void port_release(void *block) { free(block); }
void port_renew(void *block, size_t bytes) {
  renewed[renewals].block = block;
  renewed[renewals++].bytes = bytes;
  memset(block, 0, bytes);
}

/* ---- the check -------------------------------------------------------------------------------------- */

static void expect(bool fine, const char *what, const char *printed) {
  if (fine) return;
  failures++;
  printf("FAILED: %s; it says: %s\n", what, printed);
}

/* The check of this rank's buffers finds as many wrong elements, and says so. */
static void finds(size_t expected, const char *words, const buffers *b, coll_collective k, const coll_args *a,
                  int rank) {
  char *printed = NULL;
  size_t n;
  FILE *terminal = stderr;
  stderr = open_memstream(&printed, &n);
  size_t wrong = buffers_check(b, k, a, rank, PLAN_INT, PLAN_SUM, "it");
  fclose(stderr);
  stderr = terminal;
  expect(wrong == expected, words, printed);
  expect(!strcmp(printed, words), words, printed);
  free(printed);
  expect(buffers_check(b, k, a, rank, PLAN_INT, PLAN_SUM, NULL) == expected, "the same without a name", "nothing");
}

/* One byte before the buffer and one behind it, for all that are guarded. */
static void guards(char *block, size_t bytes, const char *words, const buffers *b, coll_collective k,
                   const coll_args *a, int rank) {
  for (size_t i = 0; i < 2 * GUARD; i++) {
    char *at = block + (i < GUARD ? i : bytes + i), before = *at;
    *at = 1;
    finds(1, words, b, k, a, rank);
    *at = before;
  }
}

static void reduction(void) {
  coll_args a = { .size = 2, .count = 3, .elem = 4, .root = 1, .commutes = true };
  buffers b[2];
  for (int r = 0; r < 2; r++) {
    buffers_make(&b[r], COLL_REDUCE, &a, r);
    buffers_fill(&b[r], COLL_REDUCE, &a, r, PLAN_INT, PLAN_SUM);
  }
  const int *in[] = { b[0].in, b[1].in };
  expect(b[0].made && !b[0].out && b[0].in_bytes == 12 && b[1].out_bytes == 12, "who has which buffer", "nothing");
  finds(0, "", &b[0], COLL_REDUCE, &a, 0);
  finds(3, "it: rank 1: element 0 of out is wrong\n", &b[1], COLL_REDUCE, &a, 1);
  int *out = b[1].out;
  for (int i = 0; i < 3; i++) out[i] = in[0][i] + in[1][i];
  finds(0, "", &b[1], COLL_REDUCE, &a, 1);
  out[1]++;
  finds(1, "it: rank 1: element 1 of out is wrong\n", &b[1], COLL_REDUCE, &a, 1);
  out[2]++;
  finds(2, "it: rank 1: element 1 of out is wrong\n", &b[1], COLL_REDUCE, &a, 1);
  out[1]--, out[2]--;
  ((char *)in[0])[11] ^= 1;
  finds(1, "it: rank 0: in was changed\n", &b[0], COLL_REDUCE, &a, 0);
  b[0].in_block[0] = 0;
  finds(2, "it: rank 0: in was changed\nit: rank 0: wrote outside in\n", &b[0], COLL_REDUCE, &a, 0);
  guards(b[1].in_block, 12, "it: rank 1: wrote outside in\n", &b[1], COLL_REDUCE, &a, 1);
  guards(b[1].out_block, 12, "it: rank 1: wrote outside out\n", &b[1], COLL_REDUCE, &a, 1);
  buffers_free(&b[0]);
  buffers_free(&b[1]);
}

/* In place one buffer is both: a rank's own block lies inside. */
static void in_place(void) {
  coll_args a = { .size = 3, .count = 2, .elem = 4, .commutes = true, .in_place = true };
  buffers b[3];
  for (int r = 0; r < 3; r++) {
    buffers_make(&b[r], COLL_ALLGATHER, &a, r);
    buffers_fill(&b[r], COLL_ALLGATHER, &a, r, PLAN_INT, PLAN_NONE);
    expect((const char *)b[r].in == (char *)b[r].out + 8 * r && !b[r].in_block, "where a block lies", "nothing");
  }
  finds(4, "it: rank 1: element 0 of out is wrong\n", &b[1], COLL_ALLGATHER, &a, 1);
  for (int r = 0; r < 3; r++) memcpy((char *)b[1].out + 8 * r, b[r].in, 8);
  finds(0, "", &b[1], COLL_ALLGATHER, &a, 1);
  guards(b[1].out_block, 24, "it: rank 1: wrote outside out\n", &b[1], COLL_ALLGATHER, &a, 1);
  for (int r = 0; r < 3; r++) buffers_free(&b[r]);
}

/* Bytes are added up without reaching 256, where libraries differ: Open MPI with AVX stops at 255. And neighbours differ. */
static void bytes(void) {
  enum { COUNT = 40, MAX_RANKS = 600 };
  static const int ranks[] = { 2, 3, 100, 255, 256, MAX_RANKS };
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    coll_args a = { .size = ranks[i], .count = COUNT, .elem = 1, .commutes = true };
    unsigned sum[COUNT] = { 0 };
    char before[COUNT] = { 0 };
    int most = 0, alike = 0;
    for (int r = 0; r < a.size; r++) {
      buffers b;
      buffers_make(&b, COLL_ALLREDUCE, &a, r);
      buffers_fill(&b, COLL_ALLREDUCE, &a, r, PLAN_BYTE, PLAN_SUM);
      for (int k = 0; k < COUNT; k++) sum[k] += ((const unsigned char *)b.in)[k];
      alike += r && !memcmp(before, b.in, COUNT);
      memcpy(before, b.in, COUNT);
      if (r == a.size - 1) { /* and these sums are what is expected */
        for (int k = 0; k < COUNT; k++) ((unsigned char *)b.out)[k] = (unsigned char)(sum[k] < 255 ? sum[k] : 255);
        expect(!buffers_check(&b, COLL_ALLREDUCE, &a, r, PLAN_BYTE, PLAN_SUM, "bytes"), "the sums of bytes", "others");
      }
      buffers_free(&b);
    }
    for (int k = 0; k < COUNT; k++) most = (int)sum[k] > most ? (int)sum[k] : most;
    expect(most > 64 && most < 256, "sums of bytes use the byte and end below 256", "other sums");
    expect(a.size > 255 || !alike, "neighbours bring different bytes", "the same");
  }
}

/* All of each buffer with its guards, and no more, and the input is there again. */
static void renewal(void) {
  coll_args a = { .size = 3, .count = 2, .elem = 4, .commutes = true };
  for (int direction = 0; direction < 4; direction++) {
    coll_collective k = direction < 2 ? COLL_SCATTER : COLL_GATHER; /* the larger buffer is the input, or the output */
    a.in_place = direction % 2;
    buffers b;
    buffers_make(&b, k, &a, 0);
    buffers_fill(&b, k, &a, 0, PLAN_INT, PLAN_NONE);
    char before[24];
    memcpy(before, b.in, b.in_bytes);
    renewals = 0;
    buffers_renew(&b, k, &a, 0, PLAN_INT, PLAN_NONE);
    expect(!memcmp(before, b.in, b.in_bytes), "the input is there again", "nothing");
    expect(renewals == 2 - a.in_place && renewed[0].block == b.out_block, "which buffers are renewed", "nothing");
    expect(renewed[0].bytes == (a.in_place ? 24 : b.out_bytes) + 2 * GUARD, "all of the output", "nothing");
    if (!a.in_place)
      expect(renewed[1].block == b.in_block && renewed[1].bytes == b.in_bytes + 2 * GUARD, "all of the input",
             "nothing");
    buffers_free(&b);
  }
}

int main(void) {
  renewal();
  reduction();
  in_place();
  bytes();
  return failures != 0;
}
