/* fuzz_test CORPUS KIND INPUTS [SEED]: files of the corpus, changed at random, must be taken or refused with a message, whatever they say.
 * The same numbers give the same inputs. Each is in fuzz.KIND before it is read, so that one that ends the program can be looked at, and
 * be put into the corpus. */
#include "tests/readers/readers.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 256, BYTES = 4096, PATIENCE_S = 200 };

typedef struct {
  char byte[BYTES + 1]; /* and a null byte */
  size_t n;
} text;

static text seeds[FILES];
static int files, right; /* those that are right come first */
static uint64_t state;

static uint64_t draw(uint64_t below) { /* xorshift */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return below ? (state * 0x2545F4914F6CDD1Du >> 16) % below : 0;
}

static void add_seed(const char *path, void *self) {
  FILE *f = fopen(path, "r");
  if (!f || files == FILES) exit(2);
  text *t = &seeds[files++];
  t->n = fread(t->byte, 1, BYTES, f);
  fclose(f);
  if (t->n < 8 || memcmp(t->byte, "# taken\n", 8)) return;
  text first = seeds[right];
  seeds[right++] = *t;
  *t = first;
}

/* Puts n bytes where `cut` bytes from `at` on were. */
static void splice(text *t, size_t at, size_t cut, const char *bytes, size_t n) {
  if (cut > t->n - at) cut = t->n - at;
  if (t->n - cut + n > BYTES) n = BYTES - (t->n - cut);
  char copy[BYTES];
  memcpy(copy, bytes, n);
  memmove(t->byte + at + n, t->byte + at + cut, t->n - at - cut);
  memcpy(t->byte + at, copy, n);
  t->n += n - cut;
}

static const char *const pieces[] = { "0",
                                      "-1",
                                      "1",
                                      "2147483647",
                                      "2147483648",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "2305843009213693952",
                                      "1125899906842624",
                                      "1048576",
                                      "1e300",
                                      "1e-300",
                                      "1e18",
                                      "1e-18",
                                      "1e3",
                                      "5e-324",
                                      "nan",
                                      "inf",
                                      "-inf",
                                      "-0",
                                      "0x1p1023",
                                      "1e",
                                      ".",
                                      "GiB",
                                      "KiB",
                                      "[",
                                      "]",
                                      "=",
                                      ",",
                                      "..",
                                      "x",
                                      "#",
                                      "\n",
                                      " ",
                                      "\t",
                                      "\r",
                                      "%n%s",
                                      "\x1b[2J",
                                      "\xff",
                                      "place 0 0 0 0\n",
                                      "class network 0 1 1\n",
                                      "core 1\n",
                                      "nic 1\n",
                                      "memory 1\n",
                                      "interconnect 1\n",
                                      "switch 1\n",
                                      "overhead 1e3\n",
                                      "eager 0\n",
                                      "ports one_port\n",
                                      "copy 1\n",
                                      "gamma 1\n",
                                      "ranks=",
                                      "count=",
                                      "root=",
                                      "type=affine",
                                      "type=double",
                                      "op=none",
                                      "decision/ompi_4_1",
                                      "collective=alltoall",
                                      "[s=1]",
                                      ",cyclic" };

static void change(text *t) {
  t->byte[t->n] = '\0';
  size_t at = draw(t->n + 1), length = draw(8) ? draw(6) : draw(60);
  const char *piece = pieces[draw(sizeof pieces / sizeof *pieces)];
  const text *other = &seeds[draw((uint64_t)files)];
  char byte = (char)draw(256);
  switch (draw(6)) {
    case 0: splice(t, at, length, "", 0); break;
    case 1: splice(t, at, draw(2), &byte, 1); break;
    case 2: splice(t, at, 0, t->byte + at, length < t->n - at ? length : t->n - at); break;
    case 3:
      splice(t, at, BYTES, other->byte + (at < other->n ? at : other->n), at < other->n ? other->n - at : 0);
      break;
    case 4: /* a number, or a word, gives way */
      while (at < t->n && strchr(" =\n,[", t->byte[at])) at++;
      splice(t, at, at < t->n ? strcspn(t->byte + at, " =\n,]") : 0, piece, strlen(piece));
      break;
    default: splice(t, at, draw(2) ? length : 0, piece, strlen(piece));
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const char *kind = argv[2];
  long inputs = strtol(argv[3], NULL, 10), taken = 0;
  state = 0x9E3779B97F4A7C15u ^ (argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
  char path[64], error[READER_ERROR];
  snprintf(path, sizeof path, "fuzz.%s", kind);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return perror(path), 2;
  corpus_each(argv[1], kind, add_seed, NULL);
  for (long i = 0; i < inputs; i++) {
    static text t;
    t = seeds[draw((uint64_t)(draw(4) ? right : files))];
    for (uint64_t changes = 1 + draw(3); changes--;) change(&t);
    if (pwrite(file, t.byte, t.n, 0) != (ssize_t)t.n || ftruncate(file, (off_t)t.n)) return perror(path), 2;
    alarm(PATIENCE_S);
    bool fine = reader_takes(kind, path, error);
    taken += fine;
    bool has_reason = *error != '\0';
    for (const char *c = error; *c; c++) has_reason &= (unsigned char)*c >= ' ' && *c != 0x7f;
    if (fine || has_reason) continue;
    printf("FAILED input %ld, in %s: refused with \"%s\"\n", i, path, error);
    return 1;
  }
  alarm(0);
  unlink(path);
  printf("%ld inputs of %s, %ld of them taken\n", inputs, kind, taken);
  return 0;
}
