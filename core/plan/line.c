#include "core/plan/line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/text.h"

bool line_wrong(const file_line *l, const char *format, ...) {
  char what[512];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  return say(l->error, l->size, "%.200s:%d: %s", l->path, l->number, what);
}

bool lines_read(file_line *l, const char *path, bool (*take)(const file_line *, char *text, void *self), void *self) {
  bool standard = !strcmp(path, "-"), fine = true;
  l->path = standard ? "standard input" : path;
  l->number = 0;
  FILE *file = standard ? stdin : fopen(path, "r");
  if (!file) return say(l->error, l->size, "%.200s: %s", path, strerror(errno));
  char *text = NULL;
  size_t room = 0;
  for (ssize_t length; fine && (length = getline(&text, &room, file)) >= 0;) {
    l->number++;
    fine = strlen(text) == (size_t)length ? take(l, text, self) : line_wrong(l, "a null byte; this is not text");
  }
  if (fine && ferror(file)) fine = say(l->error, l->size, "%.200s: %s", l->path, strerror(errno));
  free(text);
  if (!standard) fclose(file);
  return fine;
}
