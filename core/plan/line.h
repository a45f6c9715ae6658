/* Files that somebody wrote, read line by line; what is wrong with one is said as "FILE:LINE: …". */
#ifndef COLLSCOPE_CORE_PLAN_LINE_H
#define COLLSCOPE_CORE_PLAN_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *path; /* as messages name it */
  int number;
  char *error;
  size_t size;
} file_line; /* the message goes to error[size] */

/* Texts of a file are shown in messages as "%.40s", so that what comes behind them is still there. */
enum { LINE_SHOWN = 40 };

/* Always false: see say.h. */
__attribute__((format(printf, 2, 3))) bool line_wrong(const file_line *, const char *format, ...);

/* Hands every line of the file ("-": standard input) to `take`, which may change it and returns false to stop. Returns false with
 * the reason in line->error, too, where the file cannot be read. The caller has set error and size; path and number are set here. */
bool lines_read(file_line *, const char *path, bool (*take)(const file_line *, char *text, void *self), void *self);

#endif
