#include "prove/call.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/number.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"

/* A word of the line, of at most size - 1 characters. */
static bool word_of(const char *word, char *text, size_t size) {
  return word && (size_t)snprintf(text, size, "%s", word) < size;
}

static bool number_of(const char *word, uint64_t most, uint64_t *value) {
  return word && number_whole(word, most, value);
}

bool call_read(char *line, call *c) {
  enum { RANKS, COUNT, ROOT, COMMUTES, IN_PLACE, ELEM, NUMBERS };
  static const uint64_t most[NUMBERS] = { PLACES_MAX, PLAN_MAX_BYTES, PLACES_MAX, 1, 1, 1 << 20 };
  uint64_t number[NUMBERS] = { [ELEM] = sizeof(float) };
  char *rest = NULL;
  if (!word_of(strtok_r(line, " \n", &rest), c->id, sizeof c->id)) return false;
  if (!word_of(strtok_r(NULL, " \n", &rest), c->key, sizeof c->key)) return false;
  for (int i = 0; i < NUMBERS; i++) {
    const char *word = strtok_r(NULL, " \n", &rest);
    if (i == ELEM && !word) break;
    if (!number_of(word, most[i], &number[i])) return false;
  }
  c->args.size = (int)number[RANKS];
  c->args.count = number[COUNT];
  c->args.root = (int)number[ROOT];
  c->args.commutes = number[COMMUTES];
  c->args.in_place = number[IN_PLACE];
  c->args.elem = number[ELEM];
  return !strtok_r(NULL, " \n", &rest);
}
