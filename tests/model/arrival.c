/* Arrival patterns, and schedules that are begun late, small enough to work out by hand. */
#include "core/plan/arrival.h"

#include <stdio.h>
#include <string.h>

#include "model/explain.h"
#include "tests/model/by_hand.h"

static const double a = 1e-6, b = 1e-9, g = 2.5e-10;
static char error[400];

static void times_of(const char *text, int ranks, double *late_s) {
  arrival pattern;
  const char *wrong = arrival_parse(&pattern, text);
  check(!wrong, "%s: %s", text, wrong);
  check(arrival_times(&pattern, ranks, late_s, error, sizeof error), "%s: %s", text, error);
}

static void test_patterns(void) {
  double late[5], again[5], path_late[3];
  times_of("none", 5, late);
  near_to("none", arrival_last(late, 5), 0);
  times_of("linear:4e-6", 5, late);
  near_to("linear, the second", late[1], 1e-6);
  near_to("linear, the last", late[4], 4e-6);
  times_of("linear:4e-6", 1, late);
  near_to("one rank is the first", late[0], 0);
  times_of("one_late:3e-6", 5, late);
  check(late[4] > 0 && late[0] == 0 && late[3] == 0, "the last rank is late");
  times_of("one_late:3e-6:2", 5, late);
  near_to("the one that is named", late[2], 3e-6);
  near_to("and nobody else", late[4], 0);
  times_of("random:1e-3", 5, late);
  times_of("random:1e-3:1", 5, again);
  check(!memcmp(late, again, sizeof late), "the first seed is the usual one");
  times_of("random:1e-3:2", 5, again);
  check(memcmp(late, again, sizeof late), "another seed, other times");
  double least = 1, most = 0;
  for (int r = 0; r < 5; r++) {
    least = late[r] < least ? late[r] : least;
    most = late[r] > most ? late[r] : most;
  }
  check(least == 0 && most > 1e-4 && most < 1e-3, "from the first arrival, within T: %g … %g", least, most);
  times_of("random:1:7", 3, late); /* splitmix64's, worked out elsewhere */
  static const double drawn[] = { 0.4217482706586131, 0.5614329317670465, 0.0 };
  for (int r = 0; r < 3; r++) near_to("the seventh seed", late[r], drawn[r]);
  char text[ARRIVAL_PATH];
  snprintf(text, sizeof text, "file:%s", written("2e-6 # the root\n\n1e-6\n5e-6\n# nobody\n"));
  times_of(text, 3, path_late);
  near_to("a file, from its first arrival", path_late[0], 1e-6);
  near_to("the second rank", path_late[1], 0);
  near_to("the third", path_late[2], 4e-6);
}

static void test_refusals(void) {
  static const char *const kind = "choose none, linear:T, random:T[:SEED], one_late:T[:RANK] or file:PATH",
                           *const seconds = "give seconds, from 0 to 1e6, such as linear:1e-5",
                           *const behind = "nothing can follow the seconds but a seed (random) or a rank (one_late)",
                           *const whole = "give a whole number behind the second colon",
                           *const path = "give a path of 1 to 255 characters behind file:";
  const char *const no[][2] = { { "", kind },
                                { "linear", kind },
                                { "late:1", kind },
                                { "linear:", seconds },
                                { "linear:x", seconds },
                                { "linear:-1", seconds },
                                { "one_late:1000001", seconds },
                                { "linear:inf", seconds },
                                { "linear:nan", seconds },
                                { "linear:1:2", behind },
                                { "linear:1 ", behind },
                                { "random:1;2", behind },
                                { "random:1:", whole },
                                { "random:1:x", whole },
                                { "random:1:4294967296", whole },
                                { "one_late:1:-1", whole },
                                { "one_late:1:1:1", whole },
                                { "one_late:1:4194304", whole },
                                { "file:", path } };
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    arrival pattern;
    const char *printed = arrival_parse(&pattern, no[i][0]);
    check(printed && !strcmp(printed, no[i][1]), "\"%s\": %s", no[i][0], printed ? printed : "taken");
  }
  arrival most[4];
  check(!arrival_parse(&most[0], "random:1e6:4294967295") && most[0].seed == 4294967295u && most[0].rank == -1 &&
            most[0].seconds == 1e6 && most[0].kind == ARRIVAL_RANDOM,
        "the largest seed");
  check(!arrival_parse(&most[1], "one_late:.5:4194303") && most[1].seed == 1 && most[1].rank == 4194303 &&
            most[1].seconds == 0.5 && most[1].kind == ARRIVAL_ONE_LATE,
        "the last rank of all");
  char longest[ARRIVAL_PATH + 8] = "file:";
  memset(longest + 5, 'x', ARRIVAL_PATH - 1);
  check(!arrival_parse(&most[2], longest) && strlen(most[2].path) == ARRIVAL_PATH - 1, "a path of 255 characters");
  strcat(longest, "x");
  check(arrival_parse(&most[3], longest) != NULL, "a path of 256");
  arrival pattern;
  double late[4];
  arrival_parse(&pattern, "one_late:1e-6:4");
  check(!arrival_times(&pattern, 4, late, error, sizeof error) &&
            !strcmp(error, "one_late: there is no rank 4 among 4"),
        "%s", error);
  char text[ARRIVAL_PATH];
  const char *name = written("1e-6\n2e-6\n");
  snprintf(text, sizeof text, "file:%s", name);
  arrival_parse(&pattern, text);
  check(!arrival_times(&pattern, 4, late, error, sizeof error) &&
            !strcmp(error + strlen(name), ": has seconds for 2 ranks, and there are 4; give one line per rank"),
        "%s", error);
  const char *const lines[][2] = {
    { "1e-6\nsoon\n", ":2: soon" }, { "1 2\n", ":1: 1 2" }, { "-1\n", ":1: -1" }, { "1e7\n", ":1: 1e7" }
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char expected[200];
    snprintf(expected, sizeof expected,
             "%s: give the seconds after which a rank enters, from 0 to 1e6, one number per line", lines[i][1]);
    written(lines[i][0]);
    check(!arrival_times(&pattern, 1, late, error, sizeof error) && !strcmp(error + strlen(name), expected), "%s",
          error);
  }
  written("1e-6 \n 3e-6 # and\n2e-6\n1\n");
  late[2] = 7;
  check(!arrival_times(&pattern, 2, late, error, sizeof error) && late[2] == 7 &&
            !strcmp(error + strlen(name), ": has seconds for 4 ranks, and there are 2; give one line per rank"),
        "more lines than ranks: %s", error);
  check(arrival_times(&pattern, 4, late, error, sizeof error) && late[3] == 1 - 1e-6, "as many lines as ranks");
}

static void test_late_ranks(void) {
  machine fluid = machine_ideal_simgrid(a, b, g), one_port = machine_one_port(a, b, g);
  double late[] = { 0, 5e-6, 0 };
  explanation why = { 0 };
  const machine *both[] = { &fluid, &one_port };
  for (int k = 0; k < 2; k++) {
    double takes = a + (k ? 984 : 1000) * b;
    start(3);
    transfer(0, 1, 984);
    transfer(1, 2, 984);
    result.late_s = late;
    near_to("all wait for the late one", timed(both[k]), 5e-6 + 2 * takes);
    check(!explain_run(&rec, both[k], &result, &why), "explained");
    near_to("which the path says", why.seconds[PART_ARRIVAL], 5e-6);
    near_to("and for how long its sender stood", why.rendezvous_s, 5e-6);
    start(3);
    transfer(0, 2, 984);
    near_to("a late rank that has nothing to do", timed(both[k]), 5e-6);
    near_to("keeps nobody", result.rank_end_s[2], takes);
    result.late_s = NULL;
    near_to("and the next call is as ever", timed(both[k]), takes);
  }
  explain_free(&why);
  machine_free(&fluid);
  machine_free(&one_port);
}

int main(void) {
  test_patterns();
  test_refusals();
  test_late_ranks();
  return finish();
}
