#include "core/catalogue/json.h"

#include <math.h>

static void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *t = (const unsigned char *)text; *t; t++) {
    if (*t == '"' || *t == '\\') fprintf(out, "\\%c", *t);
    else if (*t < 0x20) fprintf(out, "\\u%04x", *t);
    else fputc(*t, out);
  }
  fputc('"', out);
}

/* The comma before a value, and its name. */
static void before(json *j, const char *name) {
  if (j->begun[j->depth] && j->depth) fputc(',', j->out);
  j->begun[j->depth] = true;
  if (!name) return;
  json_string(j->out, name);
  fputc(':', j->out);
}

static void begin(json *j, const char *name, bool array) {
  before(j, name);
  fputc(array ? '[' : '{', j->out);
  j->depth++;
  j->array[j->depth] = array;
  j->begun[j->depth] = false;
}

void json_object(json *j, const char *name) { begin(j, name, false); }
void json_array(json *j, const char *name) { begin(j, name, true); }

void json_end(json *j) {
  fputc(j->array[j->depth--] ? ']' : '}', j->out);
  if (!j->depth) fputc('\n', j->out);
}

void json_break(json *j) {
  if (j->begun[j->depth]) fputc(',', j->out);
  fputc('\n', j->out);
  j->begun[j->depth] = false;
}

void json_text(json *j, const char *name, const char *text) {
  before(j, name);
  if (text) json_string(j->out, text);
  else fputs("null", j->out);
}

void json_bool(json *j, const char *name, bool value) {
  before(j, name);
  fputs(value ? "true" : "false", j->out);
}

void json_int(json *j, const char *name, int64_t value) {
  before(j, name);
  fprintf(j->out, "%" PRId64, value);
}

void json_size(json *j, const char *name, uint64_t value) {
  before(j, name);
  fprintf(j->out, "%" PRIu64, value);
}

void json_real(json *j, const char *name, double value) {
  before(j, name);
  if (isfinite(value)) fprintf(j->out, "%.17g", value);
  else fputs("null", j->out);
}

void json_null(json *j, const char *name) { json_text(j, name, NULL); }
