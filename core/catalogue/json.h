/* The one writer of JSON. A value inside an object has a name, inside an array it has none (NULL). */
#ifndef COLLSCOPE_CORE_CATALOGUE_JSON_H
#define COLLSCOPE_CORE_CATALOGUE_JSON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH = 8 };

/* Begin with json_on(file). Nothing is kept back: what was written is in the file's buffer. */
typedef struct {
  FILE *out;
  int depth;
  bool array[JSON_DEPTH], begun[JSON_DEPTH];
} json;

static inline json json_on(FILE *out) { return (json){ .out = out }; }

void json_object(json *, const char *name);
void json_array(json *, const char *name);
void json_end(json *);   /* of the innermost object or array; the outermost ends its line, too */
void json_break(json *); /* the next value begins a line: for readers */

void json_text(json *, const char *name, const char *text); /* NULL: null */
void json_bool(json *, const char *name, bool);
void json_int(json *, const char *name, int64_t);
void json_size(json *, const char *name, uint64_t);
void json_real(json *, const char *name, double); /* with the digits that read back to the same number */
void json_null(json *, const char *name);

#endif
