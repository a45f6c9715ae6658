/* The layout of a shared segment, byte by byte, and that who waits for long lets others work. */
#include "core/runtime/shared.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(bool fine, const char *what) {
  if (fine) return;
  failures++;
  printf("FAILED: %s\n", what);
}

static shared_memory s;
static int turns;

/* The 70th time somebody else publishes: after more turns than the first 64. */
static void meanwhile(void *self) {
  expect(self == &turns, "whom it concerns");
  if (++turns == 70) shared_publish(&s, 1, 0, 7);
  if (turns < 1000) return;
  printf("FAILED: waits on after the flag is set\n");
  exit(1);
}

int main(void) {
  static _Alignas(SHARED_LINE) char memory[1024];
  s = shared_shape(0, 0);
  expect(!s.data && !s.part && shared_bytes(&s, 4) == 64, "nothing");
  s = shared_shape(64, 1);
  expect(s.data == 64 && s.part == 128 && s.flags == 1, "one line and a flag");
  s = shared_shape(65, 2);
  expect(s.data == 128 && s.part == 256 && shared_bytes(&s, 3) == 832, "two lines and two flags, of three members");
  for (int at = 0; at < 64; at += 21) { /* anywhere in a line */
    memset(memory, 1, sizeof memory);
    shared_place(&s, memory + at, 1);
    char *base = at ? memory + 64 : memory;
    expect(s.base == base && shared_part(&s, 2) == base + 512, "parts begin with lines");
    for (int member = 0; member < 3; member++)
      for (int flag = 0; flag < 2; flag++) {
        _Atomic uint64_t *where = shared_flag_of(&s, member, flag);
        expect((char *)where == base + 256 * member + 128 + 64 * flag, "where a flag is");
        expect(!*where == (member == 1), "a member clears its own flags");
      }
  }
  shared_write(&s, 2, 3, "abc", 2);
  expect(s.base[514] == 1 && !memcmp(s.base + 515, "ab\1", 3), "what is written");
  char read[4] = "wxy";
  shared_read(&s, 2, 4, read, 2);
  expect(!memcmp(read, "b\1y", 3), "what is read");
  expect(shared_reached(&s, 1, 0, 0) && !shared_reached(&s, 1, 0, 1), "a flag that nobody has published");
  shared_await(&s, 1, 0, 7, meanwhile, &turns);
  expect(turns == 70 && shared_reached(&s, 1, 0, 6) && !shared_reached(&s, 1, 0, 8), "a flag that grows");
  shared_await(&s, 1, 0, 7, NULL, NULL);
  return failures != 0;
}
