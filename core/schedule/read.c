/* Text → schedules. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/distribution.h"
#include "core/schedule/reading.h"

static const char version[] = "collscope-schedule 1";

/* ---- words -------------------------------------------------------------------------------------------------- */

/* The value of the next NAME=VALUE; NULL: the line is over. */
static char *read_pair(reading *s, char **name) {
  char *word = reading_word(s), *value = word ? strchr(word, '=') : NULL;
  if (value) *value++ = '\0';
  *name = word;
  return value;
}

/* Numbers with commas between; `take` is handed each. */
static bool read_list(reading *s, const char *what, char *text, uint64_t max, bool (*take)(reading *, uint64_t)) {
  const char *rest = text;
  for (;; rest++) {
    uint64_t value;
    if (!number_begins(rest, max, &value, &rest) || (*rest && *rest != ','))
      return line_wrong(s->at, "%s=%.40s: expected whole numbers up to %" PRIu64 " with commas between", what, text,
                        max);
    if (!take(s, value)) return false;
    if (!*rest) return true;
  }
}

/* ---- the call ----------------------------------------------------------------------------------------------- */

static bool set_collective(reading *s, const char *name) {
  s->record.collective = coll_collective_find(name, strlen(name));
  return s->record.collective < COLL_COLLECTIVES || !strcmp(name, "none") ||
         line_wrong(s->at, "collective=%.40s: not a collective; ./collscope list names them", name);
}

static bool has_room(reading *s) {
  const record *r = &s->record;
  const coll_args *a = &r->args;
  uint64_t blocks = r->collective < COLL_COLLECTIVES && coll_counts_of(r->collective) == COLL_COUNTS_BLOCK
                        ? (uint64_t)a->size
                        : 1;
  if (a->count <= READING_MAX_BYTES / a->elem / blocks) return true;
  return line_wrong(s->at, "a vector of more than %" PRIu64 " GiB: give fewer elements", READING_MAX_BYTES >> 30);
}

/* How long each block is, of alltoallv those of one sender after the other: a row of displs ends with where its last block ends. */
static bool take_block(reading *s, uint64_t elements) {
  const coll_args *a = &s->record.args;
  size_t p = (size_t)a->size, row = s->blocks / p, i = s->blocks % p, *displs = s->displs + row * (p + 1);
  if (s->blocks == s->expected) return line_wrong(s->at, "counts: more than the %zu of the blocks", s->expected);
  if (!i) displs[0] = 0;
  displs[i + 1] = displs[i] + elements;
  s->blocks++;
  return displs[i + 1] <= READING_MAX_BYTES / a->elem / (s->expected / p) ||
         line_wrong(s->at, "counts: a vector of more than %" PRIu64 " GiB: give fewer elements",
                    READING_MAX_BYTES >> 30);
}

static bool read_blocks(reading *s, char *text) {
  record *r = &s->record;
  if (!text) return true;
  if (r->collective == COLL_COLLECTIVES || !coll_may_be_uneven(r->collective))
    return line_wrong(s->at, "counts: this collective's blocks are of one length");
  size_t p = (size_t)r->args.size;
  bool pairs = r->collective == COLL_ALLTOALLV;
  if (pairs && p > DISTRIBUTION_PAIRS)
    return line_wrong(s->at, "counts of alltoallv are known for at most %d ranks", DISTRIBUTION_PAIRS);
  s->expected = pairs ? p * p : p;
  s->displs = pool_take(&s->keep, sizeof *s->displs * coll_displs(r->collective, r->args.size));
  if (!read_list(s, "counts", text, READING_MAX_BYTES, take_block)) return false;
  if (s->blocks < s->expected)
    return line_wrong(s->at, "counts: %zu, and there are %zu blocks", s->blocks, s->expected);
  if (coll_counts_of(r->collective) == COLL_COUNTS_VECTOR && s->displs[p] != r->args.count)
    return line_wrong(s->at, "counts: %zu elements in all, and count=%zu", s->displs[p], r->args.count);
  if (pairs) coll_displs_receive(s->displs, p);
  r->args.displs = s->displs;
  return true;
}

static bool read_call(reading *s) {
  enum { RANKS, COUNT, ELEM, ROOT, COMMUTES, IN_PLACE, CALLS, NUMBERS };
  static const struct {
    const char *name;
    uint64_t min, max;
  } numbers[NUMBERS] = { { "ranks", 1, READING_MAX_RANKS },
                         { "count", 0, READING_MAX_BYTES },
                         { "elem", 1, 1 << 20 },
                         { "root", 0, READING_MAX_RANKS },
                         { "commutes", 0, 1 },
                         { "in_place", 0, 1 },
                         { "calls", 1, REC_CALLS } };
  uint64_t value[NUMBERS] = { [ELEM] = 4, [COMMUTES] = 1, [CALLS] = 1 };
  char *name, *text, *blocks = NULL;
  if (s->ranks) return line_wrong(s->at, "a second line \"call\"");
  s->record.collective = COLL_COLLECTIVES;
  bool named = false;
  while ((text = read_pair(s, &name)) || name) {
    int i = 0;
    if (text && !strcmp(name, "collective")) {
      if (!set_collective(s, text)) return false;
      named = true;
      continue;
    }
    if (text && !strcmp(name, "counts")) {
      blocks = text;
      continue;
    }
    while (i < NUMBERS && strcmp(name, numbers[i].name) != 0) i++;
    if (i == NUMBERS || !text)
      return line_wrong(
          s->at,
          "%.40s: expected collective, ranks, count, elem, root, commutes, in_place, calls or counts, each "
          "with = and a value",
          name);
    if (!number_whole(text, numbers[i].max, &value[i]) || value[i] < numbers[i].min)
      return line_wrong(s->at, "%s=%.40s: must be a whole number from %" PRIu64 " to %" PRIu64, name, text,
                        numbers[i].min, numbers[i].max);
  }
  if (!named || !value[RANKS]) return line_wrong(s->at, "call: give collective= and ranks=");
  record *r = &s->record;
  bool rooted = r->collective < COLL_COLLECTIVES && coll_has_root(r->collective);
  if (value[ROOT] >= value[RANKS] || (value[ROOT] && !rooted))
    return line_wrong(s->at, "root=%" PRIu64 ": %s", value[ROOT],
                      rooted ? "must be less than ranks" : "this collective has no root");
  r->args = (coll_args){ .size = (int)value[RANKS],
                         .count = value[COUNT],
                         .elem = value[ELEM],
                         .root = (int)value[ROOT],
                         .commutes = value[COMMUTES],
                         .in_place = value[IN_PLACE] };
  r->calls = (int)value[CALLS];
  if (!has_room(s) || !read_blocks(s, blocks)) return false;
  s->ranks = r->args.size;
  size_t n = (size_t)s->ranks;
  r->rank = calloc(n, sizeof *r->rank);
  r->layout = calloc(n, sizeof *r->layout);
  r->segment = calloc(n, sizeof *r->segment);
  r->segments = calloc(n, sizeof *r->segments);
  s->line = calloc(n, sizeof *s->line);
  if (r->rank && r->layout && r->segment && r->segments && s->line) return true;
  fputs("collscope: out of memory\n", stderr);
  abort();
}

/* ---- segments ----------------------------------------------------------------------------------------------- */

static bool take_member(reading *s, uint64_t rank) {
  rec_segment *g = &s->group[s->record.segment_groups];
  if (rank >= (uint64_t)s->ranks) return line_wrong(s->at, "rank %" PRIu64 ": there are %d ranks", rank, s->ranks);
  for (int i = 0; i < g->members; i++)
    if (g->world[i] == (int)rank) return line_wrong(s->at, "rank %" PRIu64 " stands twice in the list", rank);
  if (!g->world) g->world = pool_take(&s->keep, sizeof *g->world * (size_t)s->ranks);
  g->world[g->members++] = (int)rank;
  return true;
}

static bool read_segment(reading *s) {
  uint64_t number, bytes = 0, flags = 0;
  char *name, *text;
  int n = s->record.segment_groups;
  if (s->rank >= 0) return line_wrong(s->at, "segment: must stand before the first rank");
  if (!reading_number(s, "segment", INT32_MAX, &number)) return false;
  if (number != (uint64_t)n) return line_wrong(s->at, "segment %" PRIu64 ": the next one is %d", number, n);
  RESERVE(s->group, s->group_cap, n + 1);
  RESERVE(s->opened, s->opened_cap, n + 1);
  s->group[n] = (rec_segment){ .group = n };
  s->opened[n] = 0;
  while ((text = read_pair(s, &name)) || name) {
    bool fine = text != NULL;
    if (fine && !strcmp(name, "bytes")) fine = number_whole(text, READING_MAX_BYTES, &bytes);
    else if (fine && !strcmp(name, "flags")) fine = number_whole(text, 1 << 20, &flags);
    else if (fine && !strcmp(name, "ranks") && !s->group[n].members) {
      if (!read_list(s, name, text, READING_MAX_RANKS, take_member)) return false;
    } else fine = false;
    if (!fine) return line_wrong(s->at, "segment: expected bytes=B flags=F ranks=R,R,…, not %.40s", name);
  }
  if (!s->group[n].members) return line_wrong(s->at, "segment: give ranks=R,R,…");
  s->group[n].bytes = bytes;
  s->group[n].flags = (int)flags;
  s->record.segment_groups++;
  return true;
}

static bool take_opened(reading *s, uint64_t number) {
  record *r = &s->record;
  int *n = &r->segments[s->rank], member = 0;
  if (number >= (uint64_t)r->segment_groups)
    return line_wrong(s->at, "segment %" PRIu64 ": there are %d", number, r->segment_groups);
  const rec_segment *g = &s->group[number];
  while (member < g->members && g->world[member] != s->rank) member++;
  if (member == g->members) return line_wrong(s->at, "rank %d is not a member of segment %d", s->rank, g->group);
  for (int k = 0; k < *n; k++)
    if (r->segment[s->rank][k].group == g->group) return line_wrong(s->at, "segment %d is opened twice", g->group);
  if (*n == READING_MAX_SEGMENTS) return line_wrong(s->at, "more than %d segments", READING_MAX_SEGMENTS);
  if (!*n) r->segment[s->rank] = array_grow(NULL, sizeof *g * READING_MAX_SEGMENTS);
  r->segment[s->rank][(*n)++] = *g;
  s->opened[number]++;
  return true;
}

/* ---- ranks -------------------------------------------------------------------------------------------------- */

static bool call_is_over(reading *s) {
  if (!s->pending) return true;
  return line_wrong(s->at, "rank %d: %d request%s not waited for", s->rank, s->pending,
                    s->pending == 1 ? " is" : "s are");
}

static bool rank_is_over(reading *s) {
  if (s->rank < 0) return true;
  if (!call_is_over(s)) return false;
  rec_rank *k = &s->record.rank[s->rank];
  if (s->call + 1 < s->record.calls)
    return line_wrong(s->at, "rank %d has %d of %d calls", s->rank, s->call + 1, s->record.calls);
  k->start[s->record.calls] = k->n;
  k->piece_start[s->record.calls] = k->pieces;
  return true;
}

static bool read_rank(reading *s) {
  record *r = &s->record;
  uint64_t number, scratch = 0;
  char *name, *text;
  if (!rank_is_over(s) || !reading_number(s, "rank", READING_MAX_RANKS, &number)) return false;
  if (number != (uint64_t)s->rank + 1 || number >= (uint64_t)s->ranks)
    return line_wrong(s->at, "rank %" PRIu64 ": expected ranks 0 to %d, in this order", number, s->ranks - 1);
  s->rank++;
  s->call = 0;
  s->line_cap = 0;
  if (r->collective < COLL_COLLECTIVES) r->layout[s->rank] = rec_layout_of(r->collective, &r->args, s->rank);
  while ((text = read_pair(s, &name)) || name) {
    bool fine = text != NULL;
    if (fine && !strcmp(name, "scratch")) fine = number_whole(text, READING_MAX_BYTES, &scratch);
    else if (fine && !strcmp(name, "segments")) {
      if (!read_list(s, name, text, INT32_MAX, take_opened)) return false;
    } else fine = false;
    if (!fine) return line_wrong(s->at, "rank: expected scratch=BYTES segments=S,S,…, not %.40s", name);
  }
  r->rank[s->rank].scratch = scratch;
  return true;
}

static bool read_next_call(reading *s) {
  rec_rank *k = &s->record.rank[s->rank];
  uint64_t number;
  if (!reading_number(s, "call", REC_CALLS, &number) || !reading_ends(s) || !call_is_over(s)) return false;
  if (number != (uint64_t)s->call + 2 || s->call + 1 >= s->record.calls)
    return line_wrong(s->at,
                      "call %" PRIu64 ": the line \"call\" says calls=%d; they stand in order, and the first is "
                      "not named",
                      number, s->record.calls);
  s->call++;
  k->start[s->call] = k->n;
  k->piece_start[s->call] = k->pieces;
  return true;
}

static bool read_piece(reading *s) {
  rec_rank *k = &s->record.rank[s->rank];
  uint64_t begin, bytes;
  if (!reading_number(s, "begin", READING_MAX_BYTES, &begin) ||
      !reading_number(s, "bytes", READING_MAX_BYTES, &bytes) || !reading_ends(s))
    return false;
  if (k->n > k->start[s->call]) return line_wrong(s->at, "piece: must stand before the call's operations");
  if (bytes > k->scratch || begin > k->scratch - bytes)
    return line_wrong(s->at, "piece: ends past the scratch of rank %d, which has %zu bytes", s->rank, k->scratch);
  const rec_piece *last = k->pieces ? &k->piece[k->pieces - 1] : NULL;
  if (last && begin < last->begin + last->bytes) return line_wrong(s->at, "piece: begins before the last one ends");
  PUSH(k->piece, k->pieces, k->piece_cap, (rec_piece){ begin, bytes });
  return true;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static void cut_comment(char *text) {
  for (char *c = text; (c = strchr(c, '#')); c++)
    if (c == text || strchr(reading_blanks, c[-1])) {
      *c = '\0';
      return;
    }
}

static bool read_line(const file_line *l, char *text, void *self) {
  reading *s = self;
  s->at = l;
  cut_comment(text);
  s->rest = text;
  const char *word = reading_word(s);
  if (!word) return true;
  if (!s->versioned) {
    const char *number = reading_word(s);
    s->versioned = !strcmp(word, "collscope-schedule") && number && !strcmp(number, "1");
    return (s->versioned && reading_ends(s)) || line_wrong(l, "%.40s: the first line must be \"%s\"", word, version);
  }
  if (!strcmp(word, "algorithm") && !s->ranks) {
    const char *name = reading_word(s);
    snprintf(s->algorithm, sizeof s->algorithm, "%.255s", name ? name : "");
    return reading_ends(s);
  }
  if (!strcmp(word, "call")) return s->rank < 0 ? read_call(s) : read_next_call(s);
  if (!s->ranks) return line_wrong(l, "%.40s: expected \"call collective=NAME ranks=P …\" first", word);
  if (!strcmp(word, "segment")) return read_segment(s);
  if (!strcmp(word, "rank")) return read_rank(s);
  if (s->rank < 0) return line_wrong(l, "%.40s: expected \"rank 0\" first", word);
  return !strcmp(word, "piece") ? read_piece(s) : reading_operation(s, word);
}

static bool finish(reading *s, const file_line *l) {
  if (!s->versioned)
    return say(l->error, l->size, "%.200s:1: an empty file; the first line must be \"%s\"", l->path, version);
  if (!s->ranks) return line_wrong(l, "no line \"call collective=NAME ranks=P …\"");
  if (!rank_is_over(s)) return false;
  if (s->rank + 1 < s->ranks) return line_wrong(l, "ends after %d of %d ranks", s->rank + 1, s->ranks);
  for (int i = 0; i < s->record.segment_groups; i++)
    if (s->opened[i] != s->group[i].members)
      return line_wrong(l, "segment %d: %d of its %d ranks open it", i, s->opened[i], s->group[i].members);
  return true;
}

record *schedule_read(const char *path, char *error, size_t size) {
  static uint64_t serial; /* the recorder's count from 1 */
  reading *s = array_grow(NULL, sizeof *s);
  *s = (reading){ .rank = -1 };
  file_line l = { .error = error, .size = size };
  bool fine = lines_read(&l, path, read_line, s) && finish(s, &l);
  s->path = strcpy(pool_take(&s->keep, strlen(l.path) + 1), l.path);
  free(s->posted);
  s->posted = NULL;
  s->record.serial = ++serial | (uint64_t)1 << 63;
  if (fine) return &s->record;
  schedule_free(&s->record);
  return NULL;
}

void schedule_free(record *r) {
  reading *s = (reading *)r;
  if (!s) return;
  for (int i = 0; i < s->ranks; i++) {
    free(r->rank[i].op);
    free(r->rank[i].site);
    free(r->rank[i].piece);
    free(r->segment[i]);
    free(s->line[i]);
  }
  free(r->rank);
  free(r->layout);
  free(r->segment);
  free(r->segments);
  free(s->line);
  free(s->group);
  free(s->opened);
  pool_free(&s->keep);
  free(s);
}

const char *schedule_algorithm(const record *r) { return ((const reading *)r)->algorithm; }

void schedule_sites(record *r) {
  reading *s = (reading *)r;
  size_t length = strlen(s->path) + 12;
  for (int i = 0; i < s->ranks; i++) {
    rec_rank *k = &r->rank[i];
    if (k->site) continue;
    k->site = array_grow(NULL, sizeof *k->site * k->n);
    for (size_t o = 0; o < k->n; o++) {
      char *text = pool_take(&s->keep, length);
      snprintf(text, length, "%s:%" PRIu32, s->path, s->line[i][o]);
      k->site[o] = text;
    }
  }
}

void schedule_first_call(record *r) {
  r->calls = 1;
  for (int i = 0; i < r->args.size; i++) {
    r->rank[i].n = r->rank[i].start[1];
    r->rank[i].pieces = r->rank[i].piece_start[1];
  }
}
