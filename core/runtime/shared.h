/* A segment in memory that several ranks share: parts, one a member, each of data and flags behind it. No MPI in here, so that the
 * same text runs between processes (validate/runtime/segments.c) and between threads, where a race can be seen (tests/threads). */
#ifndef COLLSCOPE_CORE_RUNTIME_SHARED_H
#define COLLSCOPE_CORE_RUNTIME_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHARED_LINE = 64 };

typedef struct {
  _Alignas(SHARED_LINE) _Atomic uint64_t value;
} shared_flag; /* a cache line each: waiting ranks do not disturb others */

typedef struct {
  char *base;        /* member 0's part; the others follow */
  size_t data, part; /* of one part, in bytes: its data and all of it, whole cache lines */
  int flags;
} shared_memory;

/* The shape of a segment; base is not known yet. */
static inline shared_memory shared_shape(size_t bytes, int flags) {
  size_t data = (bytes + SHARED_LINE - 1) / SHARED_LINE * SHARED_LINE;
  return (shared_memory){ .data = data, .part = data + (size_t)flags * sizeof(shared_flag), .flags = flags };
}

/* Bytes to allocate for n members, at any address. */
static inline size_t shared_bytes(const shared_memory *s, int n) { return s->part * (size_t)n + SHARED_LINE; }

static inline char *shared_part(const shared_memory *s, int home) { return s->base + (size_t)home * s->part; }
static inline _Atomic uint64_t *shared_flag_of(const shared_memory *s, int home, int flag) {
  return &((shared_flag *)(shared_part(s, home) + s->data))[flag].value;
}

/* Lays the segment out in memory that all members share, and clears the flags of member `me`. Members must meet before the first
 * of them goes on. */
static inline void shared_place(shared_memory *s, char *memory, int me) {
  s->base = memory + (SHARED_LINE - (uintptr_t)memory % SHARED_LINE) % SHARED_LINE;
  for (int f = 0; f < s->flags; f++) atomic_init(shared_flag_of(s, me, f), 0);
}

static inline void shared_write(const shared_memory *s, int home, size_t offset, const void *src, size_t bytes) {
  memcpy(shared_part(s, home) + offset, src, bytes);
}
static inline void shared_read(const shared_memory *s, int home, size_t offset, void *dst, size_t bytes) {
  memcpy(dst, shared_part(s, home) + offset, bytes);
}

/* Whoever has seen the flag sees all that its setter did before. */
static inline void shared_publish(const shared_memory *s, int home, int flag, uint64_t value) {
  atomic_store_explicit(shared_flag_of(s, home, flag), value, memory_order_release);
}
static inline bool shared_reached(const shared_memory *s, int home, int flag, uint64_t value) {
  return atomic_load_explicit(shared_flag_of(s, home, flag), memory_order_acquire) >= value;
}

/* Waits for a flag, and every 64 turns gives others a chance: they may need this rank's core, or its MPI library. */
static inline void shared_await(const shared_memory *s, int home, int flag, uint64_t value, void (*meanwhile)(void *),
                                void *self) {
  for (unsigned turn = 1; !shared_reached(s, home, flag, value); turn++)
    if (turn % 64 == 0) meanwhile(self);
}

#endif
