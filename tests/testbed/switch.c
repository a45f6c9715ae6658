/* The switch of a test bed on frames that are handed to it at given moments: sockets stand for its TAPs, and its clock is not asked.
 * A story says who sends how many bytes to whom; what must come out, and when, was worked out by hand. */
#define main switch_main
#include "validate/testbed/switch.c"
#undef main
#include <sys/socket.h>

static int other_end[MAX_HOSTS], failed;
static char story[4096];

#define SAYS(...) snprintf(story + strlen(story), sizeof story - strlen(story), __VA_ARGS__)

/* A network of NICs of 1 MB/s, a latency of 1 ms, and uplinks of half of that rate and 0.2 ms. */
static void network(int hosts, int leaves) {
  memset(&bed, 0, sizeof bed);
  bed.hosts = hosts;
  bed.leaves = leaves;
  bed.latency_s = 1e-3;
  bed.uplink_latency_s = 0.2e-3;
  make_ports(1e6, 0.5e6);
  for (int h = 0; h < hosts; h++) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends)) fail("socketpair: %s", strerror(errno));
    bed.tap[h] = ends[0];
    other_end[h] = ends[1];
  }
  *story = 0;
}

static void free_frames(frame *f) {
  for (frame *next; f; f = next) next = f->next, free(f);
}

/* What is still under way goes, too. */
static void close_all(void) {
  for (int h = 0; h < bed.hosts; h++) close(bed.tap[h]), close(other_end[h]);
  for (size_t e = 0; e < bed.events; e++) free(bed.heap[e].frame);
  for (int pair = 0; pair < bed.hosts * bed.hosts; pair++)
    for (connection *c = bed.of_pair[pair], *next; c; c = next) {
      for (int i = 0; i < ports(); i++) free_frames(c->at[i].head);
      next = c->next;
      free(c);
    }
  free(bed.of_pair);
  free(bed.port);
  free(bed.heap);
  free_frames(bed.spare);
}

/* `name` stands in the frame's last byte; `to` is its address's last. */
static void host_sends(int from, int to, int bytes, char name) {
  unsigned char data[2048] = { 2, 0, 0, 0, 0, (unsigned char)to, 2, 0, 0, 0, 0, (unsigned char)from };
  data[bytes - 1] = (unsigned char)name;
  if (send(other_end[from], data, (size_t)bytes, 0) != bytes) fail("send: %s", strerror(errno));
}

/* What has been delivered by now: "b→2 at 3.0 ms;". */
static void tell_delivered(double time) {
  unsigned char data[2048];
  for (int h = 0; h < bed.hosts; h++)
    for (ssize_t n; (n = recv(other_end[h], data, sizeof data, 0)) > 0;)
      SAYS("%c→%d of %d at %.1f ms; ", data[n - 1], h, (int)n, 1e3 * time);
}

static void run(void) {
  while (bed.events) {
    double time = bed.heap[0].time;
    events_until(time);
    tell_delivered(time);
  }
}

static void must_say(const char *name, const char *expected) {
  if (strcmp(story, expected)) {
    printf("FAILED: %s: said\n  %s\ninstead of\n  %s\n", name, story, expected);
    failed = 1;
  }
  close_all();
}

static void one_leaf(void) {
  network(3, 1);
  host_sends(0, 1, 1000, 'a');
  read_host(0, 0);
  run();
  must_say("a frame takes its length and a latency", "a→1 of 1000 at 2.0 ms; ");

  network(3, 1);
  host_sends(0, 1, 1000, 'a');
  host_sends(1, 0, 1000, 'b');
  read_host(0, 0);
  read_host(1, 0);
  run();
  must_say("both directions of a NIC are free of each other", "b→0 of 1000 at 2.0 ms; a→1 of 1000 at 2.0 ms; ");

  network(3, 1);
  host_sends(0, 1, 1000, 'a');
  host_sends(0, 1, 1000, 'b');
  host_sends(0, 1, 1000, 'c');
  host_sends(0, 2, 1000, 'd');
  read_host(0, 0);
  run();
  must_say("frames without TCP take turns by pair of hosts, each pair in order",
           "a→1 of 1000 at 2.0 ms; b→1 of 1000 at 3.0 ms; d→2 of 1000 at 4.0 ms; c→1 of 1000 at 5.0 ms; ");

  network(3, 1);
  host_sends(0, 2, 1000, 'a');
  host_sends(1, 2, 500, 'b');
  read_host(0, 0);
  read_host(1, 0.1e-3);
  run();
  must_say("two senders share the NIC of their receiver", "a→2 of 1000 at 2.0 ms; b→2 of 500 at 2.5 ms; ");

  network(2, 1);
  host_sends(0, 1, 1000, 'a');
  host_sends(0, 1, 1000, 'b');
  read_host(0, 0);
  events_until(1.5e-3);
  tell_delivered(1.5e-3);
  events_until(9e-3); /* told late */
  tell_delivered(9e-3);
  host_sends(0, 1, 1000, 'c');
  read_host(0, 3e-3); /* when it was free long since */
  run();
  must_say("a late wake-up delays frames and not the rate",
           "a→1 of 1000 at 9.0 ms; b→1 of 1000 at 9.0 ms; c→1 of 1000 at 5.0 ms; ");
}

/* Hosts 0 and 1 are on one leaf, 2 and 3 on the other. */
static void two_leaves(void) {
  network(4, 2);
  host_sends(0, 1, 1000, 'a');
  host_sends(3, 2, 1000, 'b');
  read_host(0, 0);
  read_host(3, 0);
  run();
  must_say("within a leaf no uplink is crossed", "a→1 of 1000 at 2.0 ms; b→2 of 1000 at 2.0 ms; ");

  network(4, 2);
  host_sends(0, 2, 1000, 'a'); /* up from 0.5 to 2.5, down until 2.7, half a latency */
  read_host(0, 0);
  run();
  must_say("to another leaf both uplinks are crossed", "a→2 of 1000 at 3.2 ms; ");

  network(4, 2);
  host_sends(0, 2, 1000, 'a');
  host_sends(1, 3, 1000, 'b');
  host_sends(2, 0, 1000, 'c');
  for (int h = 0; h < 3; h++) read_host(h, 0);
  run();
  must_say("two hosts share the uplink, and the downlink is free of it",
           "c→0 of 1000 at 3.2 ms; a→2 of 1000 at 3.2 ms; b→3 of 1000 at 5.2 ms; ");

  network(6, 3); /* two hosts of each leaf */
  host_sends(0, 4, 1000, 'a');
  host_sends(2, 5, 1000, 'b'); /* at the downlink at 2.7, as is the other one, which keeps it until 4.7 */
  read_host(0, 0);
  read_host(2, 0);
  run();
  must_say("hosts of two leaves share the downlink of a third, which has the rate of an uplink",
           "a→4 of 1000 at 3.2 ms; b→5 of 1000 at 5.2 ms; ");
}

/* An IPv4 packet of this version and protocol in a frame: a TCP segment with `data` bytes of payload behind headers with options, and
 * padding behind that. Its last byte is `name`, and its sender's port of TCP is `end`. */
typedef struct {
  int data, padding, version, protocol, end;
  char name;
} packet;

static void host_sends_tcp(int from, int to, packet what) {
  enum { IP = 24, TCP = 32 };
  unsigned char raw[2048] = { 2, 0, 0, 0, 0, (unsigned char)to, 2, 0, 0, 0, 0, (unsigned char)from, 8 };
  unsigned char *ip = raw + ETHERNET;
  int total = IP + TCP + what.data, bytes = ETHERNET + total + what.padding;
  ip[0] = (unsigned char)(what.version << 4 | IP / 4);
  ip[2] = (unsigned char)(total >> 8);
  ip[3] = (unsigned char)total;
  ip[9] = (unsigned char)what.protocol;
  ip[IP + 1] = (unsigned char)what.end;
  ip[IP + 12] = TCP / 4 << 4;
  raw[bytes - 1] = (unsigned char)what.name;
  if (send(other_end[from], raw, (size_t)bytes, 0) != bytes) fail("send: %s", strerror(errno));
}

/* Two ranks of one host send to another host, three frames of 1000 bytes and one. */
static void connections(void) {
  network(2, 1);
  for (int i = 0; i < 4; i++) host_sends_tcp(0, 1, (packet){ 930, 0, 4, 6, i < 3 ? 1 : 2, (char)('a' + i) });
  read_host(0, 0);
  run();
  must_say("a NIC serves its connections in turn and each in order",
           "a→1 of 1000 at 2.0 ms; b→1 of 1000 at 3.0 ms; d→1 of 1000 at 4.0 ms; c→1 of 1000 at 5.0 ms; ");

  network(2, 1);
  for (int i = 0; i < 100; i++) {
    host_sends_tcp(0, 1, (packet){ 930, 0, 4, 6, i, 'a' });
    read_host(0, i);
    run();
  }
  *story = 0;
  int kept = 0;
  for (const connection *c = bed.of_pair[1]; c; c = c->next) kept++;
  SAYS("%d", kept);
  must_say("connections of programs that have ended take no room", "1");
}

static void acknowledgements(void) {
  network(4, 2);
  host_sends(0, 1, 1000, 'a');
  host_sends_tcp(0, 1, (packet){ 0, 0, 4, 6, 0, 't' });
  read_host(0, 0);
  run();
  SAYS("%d of %d", (int)bed.acknowledgements, (int)bed.frames);
  must_say("an acknowledgement overtakes", "t→1 of 70 at 1.0 ms; a→1 of 1000 at 2.0 ms; 1 of 2");

  network(4, 2);
  host_sends_tcp(0, 3, (packet){ 0, 6, 4, 6, 0, 't' });
  read_host(0, 0);
  run();
  must_say("padding is not data, and to another leaf it is farther", "t→3 of 76 at 1.2 ms; ");

  static const int no[][3] = { { 1, 4, 6 }, { 300, 4, 6 }, { 0, 6, 6 }, { 0, 4, 17 } };
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    network(2, 1);
    host_sends_tcp(0, 1, (packet){ no[i][0], 0, no[i][1], no[i][2], 0, 't' });
    read_host(0, 0);
    run();
    *story = 0;
    SAYS("%d of %d, %d bytes", (int)bed.acknowledgements, (int)bed.frames, (int)bed.bytes - no[i][0]);
    must_say("data, another protocol and another version do not count", "0 of 1, 70 bytes");
  }
}

static void what_is_for_nobody(void) {
  network(3, 1);
  host_sends(0, 0, 100, 'a');   /* itself */
  host_sends(0, 3, 100, 'b');   /* the host after the last */
  host_sends(0, 255, 100, 'c'); /* far beyond */
  host_sends(0, 1, 14, 'd');    /* no data */
  host_sends(0, 1, 1, 'x');     /* not even an address */
  unsigned char everybody[100] = { 255, 255, 255, 255, 255, 1 };
  if (send(other_end[0], everybody, sizeof everybody, 0) < 0) fail("send");
  host_sends(0, 2, 15, 'e');
  read_host(0, 0);
  run();
  SAYS("%d frames, %d bytes", (int)bed.frames, (int)bed.bytes);
  must_say("what is for nobody here ends here", "e→2 of 15 at 1.0 ms; 1 frames, 15 bytes");

  network(2, 1);
  for (int i = 0; i < AT_ONCE + 3; i++) host_sends(0, 1, 20, 'a');
  read_host(0, 0);
  SAYS("%d, then ", (int)bed.frames);
  read_host(0, 0);
  SAYS("%d", (int)bed.frames);
  must_say("a host that sends much lets others have their turn", "64, then 67");

  network(2, 1);
  host_sends(0, 1, 1000, 'a');
  read_host(0, 0);
  close(bed.tap[1]);
  bed.tap[1] = open("/dev/full", O_WRONLY);
  run();
  SAYS("%d lost", (int)bed.lost);
  must_say("what a host does not take is counted", "1 lost");
}

/* More than there was room for, in any order, two of each moment. */
static void events_come_in_order(void) {
  enum { MANY = 5000 };
  memset(&bed, 0, sizeof bed);
  for (int i = 0; i < MANY; i++) event_at((i * 1237 % MANY) / 2, FREE, i, NULL);
  double before_time = -1;
  uint64_t before_order = 0;
  for (int i = 0; i < MANY; i++) {
    event e = take_first();
    if (e.time < before_time || (e.time == before_time && e.order < before_order) ||
        e.port * 1237 % MANY / 2 != e.time) {
      printf("FAILED: event %d comes at %g after one at %g\n", i, e.time, before_time);
      failed = 1;
      return;
    }
    before_time = e.time;
    before_order = e.order;
  }
  if (bed.events) printf("FAILED: events are left\n"), failed = 1;
}

int main(void) {
  one_leaf();
  two_leaves();
  connections();
  acknowledgements();
  what_is_for_nobody();
  events_come_in_order();
  if (!failed) printf("frames come when they must\n");
  return failed;
}
