/* corpus_test FOLDER: inputs that once did harm, or would have. The first line of each is its message, behind the file's name
 * ("# 2: k is given twice"), or says that it is taken ("# taken"). */
#include "tests/readers/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *kind;
  int files, failed;
} tally;

static void first_line(const char *path, char *text, int size) {
  FILE *f = fopen(path, "r");
  if (!f || !fgets(text, size, f) || strncmp(text, "# ", 2)) {
    fprintf(stderr, "%s: the first line must say \"# \" and what is expected\n", path);
    exit(2);
  }
  fclose(f);
  text[strcspn(text, "\n")] = '\0';
}

static void check(const char *path, void *self) {
  tally *t = self;
  char expected[READER_ERROR], error[READER_ERROR];
  first_line(path, expected, sizeof expected);
  bool taken = reader_takes(t->kind, path, error);
  size_t name = strncmp(error, path, strlen(path)) ? 0 : strlen(path) + 1; /* and a colon */
  bool right = !strcmp(expected + 2, "taken") ? taken : !taken && !strcmp(error + name, expected + 2);
  t->files++;
  for (const char *c = error; *c; c++) right &= (unsigned char)*c >= ' ';
  if (right) return;
  t->failed++;
  printf("FAILED %s: wanted \"%s\", but it is %s\n", path, expected + 2, taken ? "taken" : error + name);
}

int main(int argc, char **argv) {
  tally t = { 0 };
  for (int i = 0; argc == 2 && reader_kinds[i]; i++) {
    t.kind = reader_kinds[i];
    corpus_each(argv[1], t.kind, check, &t);
  }
  printf("%d files, %d failed\n", t.files, t.failed);
  return !t.files || t.failed;
}
