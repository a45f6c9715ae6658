/* The words of a line. */
#include "core/schedule/reading.h"

#include <inttypes.h>
#include <string.h>

#include "core/catalogue/number.h"

const char reading_blanks[] = " \t\r\n";

char *reading_word(reading *s) {
  char *word = s->rest + strspn(s->rest, reading_blanks);
  if (!*word) return NULL;
  s->rest = word + strcspn(word, reading_blanks);
  if (*s->rest) *s->rest++ = '\0';
  return word;
}

bool reading_expects(reading *s, const char *expected) {
  const char *word = reading_word(s);
  if (!word) return line_wrong(s->at, "expected \"%s\" at the end of the line", expected);
  return !strcmp(word, expected) || line_wrong(s->at, "%.40s: expected \"%s\"", word, expected);
}

bool reading_number(reading *s, const char *what, uint64_t max, uint64_t *value) {
  const char *word = reading_word(s);
  if (!word) return line_wrong(s->at, "expected a number (%s) at the end of the line", what);
  return number_whole(word, max, value) ||
         line_wrong(s->at, "%.40s: %s must be a whole number from 0 to %" PRIu64, word, what, max);
}

bool reading_ends(reading *s) {
  const char *word = reading_word(s);
  return !word || line_wrong(s->at, "%.40s: nothing may follow here", word);
}
