/* Symbolic memory: what every byte of a buffer holds, as coordinates of the result and sets of ranks. */
#ifndef COLLSCOPE_PROVE_PROOF_MEMORY_H
#define COLLSCOPE_PROVE_PROOF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stretch of memory whose values are one stretch of coordinates: byte x holds coordinate x + delta. set 0: never
 * written. */
typedef struct {
  uint64_t at, delta, set;
} run;
typedef struct {
  run *run;
  uint32_t n, cap, front, hint; /* front: so many of cap lie unused before the first */
  uint64_t size;
} memory; /* runs cover 0 … size without gaps */
typedef struct {
  uint64_t rel, coord, set;
} piece; /* of one operation's bytes, from its byte rel on */

void memory_set(memory *, uint64_t size); /* nothing is written in it */
uint32_t memory_search(memory *, uint64_t at);
void memory_assign(memory *, uint64_t off, uint64_t len, const piece *, size_t n);
/* What bytes off … off+len hold, cut where it changes. Returns the number of pieces; 0 when something was never
 * written. */
size_t memory_read(memory *, uint64_t off, uint64_t len, piece **list, size_t *cap);
void memory_free(memory *);
uint64_t memory_unwritten(memory *, uint64_t off); /* the first byte from off on that was never written */

static inline uint64_t run_end(const memory *m, uint32_t i) { return i + 1 < m->n ? m->run[i + 1].at : m->size; }

/* The run that byte `at` is in: most often that of the last time. */
static inline uint32_t memory_find(memory *m, uint64_t at) {
  uint32_t i = m->hint;
  if (i < m->n && m->run[i].at <= at) {
    if (at < run_end(m, i)) return i;
    if (i + 1 < m->n && at < run_end(m, i + 1)) return m->hint = i + 1;
  }
  return memory_search(m, at);
}

#endif
