/* Machine files with links and routes of their own: closed forms, and what is said of wrong lines. */
#include "tests/model/by_hand.h"

#include <stdio.h>

/* Two nodes, the second of two ranks; a link each way that both directions cross, a third node behind a longer route. */
static void test_given(void) {
  const char *network = "control 0\nclass cache 0 1 0 1\nclass network 0 2 0 1.25\ncore 1e15\n"
                        "link 1e9 shared\nlink 5e8 fatpipe\n"
                        "route 0 0 1e-7 1\nroute 0 1 1e-6 0\nroute 0 2 1e-6 0\nroute 1 0 1e-6 0\nroute 1 1 1e-7 1\n"
                        "route 1 2 1e-6\nroute 2 0 3e-6 0\nroute 2 1 1e-6\nroute 2 2 1e-7 1\n"
                        "place 0 0 0 0\nplace 1 1 1 1\nplace 2 1 1 1\nplace 3 2 2 2\nplace 4 0 0 0\n";
  static const struct {
    const char *more;
    int to;
    double expected;
  } alone[] = { { "", 1, 2e-6 + 1250 / 1e9 },
                { "back_traffic 0.05\n", 1, 2e-6 + 1.05 * 1250 / 1e9 },
                { "window 500\n", 1, 2e-6 + 1250 / 2.5e8 },
                { "window 0\nweight 8775\n", 1, 2e-6 + 1250 / 1e9 } };
  char text[1024];
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
    snprintf(text, sizeof text, "%s%s", network, alone[i].more);
    machine m = machine_of(text);
    start(5);
    transfer(0, alone[i].to, 1000);
    near_to("over a given route", timed(&m), alone[i].expected);
    machine_free(&m);
  }
  machine m = machine_of(network);
  start(5);
  transfer(1, 2, 1000);
  near_to("within a node, over a fatpipe", timed(&m), 1e-7 + 1000 / 5e8);
  start(5); /* weights of 1 and 3 share the link 3 : 1 once both flow, from 6 µs on */
  transfer(0, 1, 4000000);
  transfer(3, 4, 4000000);
  double first = 6e-6 + (5000000 - 4e-6 * 1e9) / 0.75e9; /* ends at; the other has the rest to itself */
  near_to("two weights on a link", timed(&m), first + (5000000 - (first - 6e-6) * 0.25e9) / 1e9);
  machine_free(&m);
  m = machine_of("class network 0 1 0\ncore 1e15\nroute 0 1 1e-6\nplace 0 0 0 0\nplace 1 1 1 1\n");
  start(2);
  transfer(0, 1, 8);
  refused(&m, "two nodes have no route between them; give one for every pair, and from each node to itself");
  machine_free(&m);
  machine_refused("link 1e9 wide\n", ":1: link wide: choose shared or fatpipe");
  machine_refused("link 0 shared\n", ":1: link: it moves more than 0 bytes per second");
  machine_refused("link 1e9 shared\nroute 0 1 1e-6 1\n",
                  ":2: 1: LINK, counted from 0, must be a whole number from 0 to 0");
  machine_refused("route 0 1 1e-6\nroute 0 1 1e-6\n", ":2: route 0 1: routes ascend by FROM, then TO");
}

int main(void) {
  test_given();
  return finish();
}
