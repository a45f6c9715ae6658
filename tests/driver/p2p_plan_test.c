/* Plans of point-to-point measurements: what is read, and what is refused, word for word. */
#include "driver/p2p/plan.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool fine, const char *what) {
  if (fine) return;
  failures++;
  fprintf(stderr, "FAILED: %s\n", what);
}

static bool reads(p2p_plan *p, const char *line, char *error, size_t size) {
  char text[256];
  snprintf(text, sizeof text, "# ours\n\n  copy bytes=4 # fine\r\n%s", line);
  return p2p_plan_read(p, text, 2, error, size);
}

/* With two ranks; an empty message: it is taken. */
static const char *const lines[][2] = {
  { "bogus", "there is no such pattern" },
  { "pingpong", "flows= is missing" },
  { "pingpong flows=0>2", "there is no such rank" },
  { "pingpong flows=2>0", "there is no such rank" },
  { "pingpong flows=1>1", "a flow leads to another rank" },
  { "pingpong flows=1>0", "" },
  { "flows flows=0-1", "flows are FROM>TO, with commas between" },
  { "flows flows=0>1;1>0", "flows are FROM>TO, with commas between" },
  { "flows flows=0>1,", "flows are FROM>TO, with commas between" },
  { "flows flows=0>", "flows are FROM>TO, with commas between" },
  { "flows flows=", "flows are FROM>TO, with commas between" },
  { "gamma bytes=8 flows=0>1", "local work has no flows; count is its ranks" },
  { "gamma bytes=8 count=3", "there are not so many ranks" },
  { "touch bytes=4 count=2", "" },
  { "gamma bytes=3", "local work is on four bytes at least" },
  { "late flows=0>1 bytes=2147483647", "" },
  { "late flows=0>1 bytes=2147483648", "bytes is a number up to 2147483647" },
  { "late flows=0>1 bytes=x", "bytes is a number up to 2147483647" },
  { "late flows=0>1 count=0", "count is a number from 1 to 65536" },
  { "late flows=0>1 count=65536", "" },
  { "late flows=0>1 count=65537", "count is a number from 1 to 65536" },
  { "flows flows=0>1,1>0 count=32768", "" },
  { "flows flows=0>1,1>0 count=32769", "flows times count is at most 65536" },
  { "late flows=0>1 samples=0", "samples is a number from 1 to 10000" },
  { "late flows=0>1 samples=10000", "" },
  { "late flows=0>1 samples=10001", "samples is a number from 1 to 10000" },
  { "copy 8", "write flows=, bytes=, count= and samples= behind the pattern" },
};

int main(void) {
  p2p_plan p;
  char error[256], expected[256];
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    *error = '\0';
    snprintf(expected, sizeof expected, *lines[i][1] ? "4: %s" : "", lines[i][1]);
    expect(reads(&p, lines[i][0], error, sizeof error) == !*lines[i][1] && !strcmp(error, expected), lines[i][0]);
    p2p_plan_free(&p);
  }
  expect(reads(&p, "\t flows  samples=7\tflows=0>1,1>0 bytes=9 count=3 # two\nlate_nonblocking flows=1>0\n\n", error,
               sizeof error),
         "a plan");
  const measurement *copy = p.of, *flows = p.of + 1, *late = p.of + 2;
  expect(p.measurements == 3, "three lines");
  expect(!strcmp(copy->pattern->name, "copy") && copy->bytes == 4 && copy->count == 1 && copy->samples == 1 &&
             !copy->flows,
         "the first");
  expect(!strcmp(flows->pattern->name, "flows") && flows->bytes == 9 && flows->count == 3 && flows->samples == 7 &&
             flows->flows == 2 && flows->flow[0].from == 0 && flows->flow[0].to == 1 && flows->flow[1].from == 1 &&
             flows->flow[1].to == 0,
         "the second");
  expect(!strcmp(late->pattern->name, "late_nonblocking") && !late->bytes && late->flows == 1, "the third");
  p2p_plan_free(&p);
  return failures != 0;
}
