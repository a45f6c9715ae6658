#include "core/plan/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/line.h"

static bool one_line(const file_line *l, char *text, void *self) {
  places_list *list = self;
  int number[3], n = 0;
  char *rest = NULL;
  text[strcspn(text, "#")] = '\0';
  for (char *word = strtok_r(text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest), n++) {
    uint64_t value;
    if (n == 3 || !number_whole(word, PLACES_MAX - 1, &value))
      return line_wrong(l, "%.40s: write NODE SOCKET CACHE, three whole numbers below %d", word, PLACES_MAX);
    number[n] = (int)value;
  }
  if (!n) return true;
  if (n < 3) return line_wrong(l, "write NODE SOCKET CACHE, three whole numbers below %d", PLACES_MAX);
  if (list->ranks == PLACES_MAX) return line_wrong(l, "at most %d ranks", PLACES_MAX);
  if (list->ranks == list->cap) {
    list->cap = list->cap ? 2 * list->cap : 64;
    coll_place *more = realloc(list->place, list->cap * sizeof *more);
    if (!more) return line_wrong(l, "out of memory");
    list->place = more;
  }
  list->place[list->ranks++] = (coll_place){ number[0], number[1], number[2] };
  return true;
}

bool places_read(places_list *list, const char *path, char *error, size_t size) {
  *list = (places_list){ 0 };
  file_line l = { .error = error, .size = size };
  if (!lines_read(&l, path, one_line, list)) return false;
  return list->ranks || line_wrong(&l, "no places; write NODE SOCKET CACHE, one line per rank");
}

static bool by_shape(const char *text, int ranks, coll_place *place, char *error, size_t size) {
  int part[4], parts = 0;
  uint64_t value, cores = 1;
  const char *rest = text;
  do {
    if (!number_begins(rest, PLACES_MAX, &value, &rest)) value = 0;
    cores *= value;
    part[parts++] = (int)value;
  } while (cores && cores <= PLACES_MAX && parts < 4 && *rest == 'x' && rest++);
  bool cyclic = !strcmp(rest, ",cyclic");
  if (!cores || cores > PLACES_MAX || parts < 3 || (*rest && !cyclic))
    return say(error, size,
               "%.40s: there is no such file; as a shape write nodes x sockets x cores, such as 4x4x4, "
               "4x4x2x2 (and caches) or 4x4x4,cyclic, of at most %d cores",
               text, PLACES_MAX);
  if (cores < (uint64_t)ranks) return say(error, size, "%.40s: has fewer cores than there are ranks (%d)", text, ranks);
  int nodes = part[0], sockets = part[1], caches = parts == 4 ? part[2] : 1, each = part[parts - 1];
  for (int r = 0; r < ranks; r++) {
    int core = cyclic ? r / nodes : r % (sockets * caches * each),
        node = cyclic ? r % nodes : r / (sockets * caches * each);
    int cache = node * sockets * caches + core / each;
    place[r] = (coll_place){ .node = node, .socket = cache / caches, .cache = cache };
  }
  return true;
}

bool places_given(const char *text, int ranks, coll_place *place, char *error, size_t size) {
  if (access(text, F_OK)) return by_shape(text, ranks, place, error, size);
  places_list list;
  bool fine = places_read(&list, text, error, size);
  if (fine && list.ranks < (size_t)ranks)
    fine = say(error, size, "%.200s: has fewer lines NODE SOCKET CACHE (%zu) than there are ranks (%d)", text,
               list.ranks, ranks);
  if (fine) memcpy(place, list.place, sizeof *place * (size_t)ranks);
  free(list.place);
  return fine;
}
