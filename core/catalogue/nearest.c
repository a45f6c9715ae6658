#include "core/catalogue/nearest.h"

#include <string.h>

enum { MAX_LENGTH = 64 };

nearest nearest_to(const char *text, size_t length) {
  return (nearest){ .text = text, .length = length, .best = length / 3 + 2 };
}

static size_t least(size_t a, size_t b, size_t c) {
  size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Characters to insert, delete or replace (Levenshtein 1966). Names are short: MAX_LENGTH is further off than any. */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t row[MAX_LENGTH + 1];
  if (n > MAX_LENGTH || m > MAX_LENGTH) return MAX_LENGTH;
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t above = row[j];
      row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[m];
}

bool nearest_offer(nearest *n, const char *name) {
  size_t d = distance(n->text, n->length, name, strlen(name));
  if (d >= n->best) return false;
  n->best = d;
  return true;
}
