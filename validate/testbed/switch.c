/* The switch of a test bed: a network of hosts in namespaces of one machine, with NICs of a set rate and a set latency.
 *
 * Each host is a network namespace with one TAP device. A frame keeps its sender's NIC busy for length / rate, reaches the receiver's
 * NIC a latency after its first bit has left (cut-through), and keeps that busy as long. With several leaves, a frame to another leaf
 * crosses the uplink of its own and the downlink of the other in between. A port serves its connections in turn, as an InfiniBand
 * adapter serves its queue pairs: ranks of one host that send at once share its NIC. It keeps each connection's order, and drops
 * nothing.
 *
 * Time is virtual where it matters: a port that was told late goes on from the moment at which it became free, so a late wake-up delays
 * one frame and never the rate. Acknowledgements without data cost no bandwidth and overtake: they are what the transport adds, and a
 * model of messages does not have them. They are known by their payload, not by their length: a message of one byte is short, too. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { MAX_HOSTS = 64, FRAME_BYTES = 1514, AT_ONCE = 64, PRIORITY = 10, ETHERNET = 14 };

typedef struct frame {
  struct frame *next;
  struct connection *of;
  double tail; /* when the last bit reaches the port that is next, at the earliest */
  int bytes, src, dst;
  unsigned char data[FRAME_BYTES + 4];
} frame;

/* The frames of a connection that wait at a port. */
typedef struct queue {
  frame *head, *tail;
  struct queue *next; /* whose turn it is after this one */
} queue;

/* One direction of a TCP connection; other frames are one connection of their pair of hosts. */
typedef struct connection {
  struct connection *next; /* of the same pair of hosts */
  uint32_t ends;           /* the ports of TCP at both */
  int frames;              /* that are under way; without any, it may become another connection */
  queue at[];              /* each port */
} connection;

/* One direction of a NIC or of a leaf's uplink. */
typedef struct {
  double s_per_byte;
  bool busy;
  queue *first, *last; /* of those that wait, in the order in which they are served */
} port;

typedef enum { ARRIVES, FREE, DELIVERED } event_kind;
typedef struct {
  double time;
  uint64_t order; /* of events of one moment the first made comes first */
  event_kind kind;
  int port;
  frame *frame;
} event;

static struct {
  int hosts, leaves, tap[MAX_HOSTS];
  double latency_s, uplink_latency_s;
  port *port;           /* out of each host, up and down of each leaf, in to each host */
  connection **of_pair; /* [hosts × hosts] */
  event *heap;
  size_t events, room;
  uint64_t made;
  frame *spare;
  uint64_t frames, bytes, acknowledgements, lost;
} bed;

static volatile sig_atomic_t stopped;
static void stop(int number) { stopped = number; }

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("collscope-switch: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  exit(1);
}

static void *room_for(size_t n, size_t item) {
  void *p = calloc(n, item);
  if (!p) fail("out of memory");
  return p;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- events: a heap ----------------------------------------------------------------------------------- */

static bool before(const event *a, const event *b) {
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void event_at(double time, event_kind kind, int at, frame *f) {
  if (bed.events == bed.room) {
    bed.room = bed.room ? 2 * bed.room : 1024;
    bed.heap = realloc(bed.heap, bed.room * sizeof *bed.heap);
    if (!bed.heap) fail("out of memory");
  }
  event e = { time, bed.made++, kind, at, f };
  size_t i = bed.events++;
  for (; i && before(&e, &bed.heap[(i - 1) / 2]); i = (i - 1) / 2) bed.heap[i] = bed.heap[(i - 1) / 2];
  bed.heap[i] = e;
}

static event take_first(void) {
  event first = bed.heap[0], last = bed.heap[--bed.events];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < bed.events; i = child) {
    if (child + 1 < bed.events && before(&bed.heap[child + 1], &bed.heap[child])) child++;
    if (!before(&bed.heap[child], &last)) break;
    bed.heap[i] = bed.heap[child];
  }
  bed.heap[i] = last;
  return first;
}

/* ---- ports -------------------------------------------------------------------------------------------- */

static int leaf_of(int host) { return host * bed.leaves / bed.hosts; }
static int port_out(int host) { return host; }
static int port_up(int leaf) { return bed.hosts + leaf; }
static int port_down(int leaf) { return bed.hosts + bed.leaves + leaf; }
static int ports(void) { return 2 * (bed.hosts + bed.leaves); }
static int port_in(int host) { return bed.hosts + 2 * bed.leaves + host; }

/* The port after this one on the path of a frame, -1 after the last, and how long it takes to get there. */
static int next_port(const frame *f, int at, double *latency_s) {
  int from = leaf_of(f->src), to = leaf_of(f->dst);
  *latency_s = from == to ? bed.latency_s : bed.latency_s / 2;
  if (at == port_in(f->dst)) return -1;
  if (from == to || at == port_down(to)) return port_in(f->dst);
  if (at == port_out(f->src)) return port_up(from);
  *latency_s = bed.uplink_latency_s;
  return port_down(to);
}

/* Its turn comes after all others'. */
static void line_up(port *p, queue *q) {
  q->next = NULL;
  if (p->first) p->last->next = q;
  else p->first = q;
  p->last = q;
}

static void serve(int at, double time) {
  port *p = &bed.port[at];
  queue *q = p->first;
  frame *f = q->head;
  q->head = f->next;
  p->first = q->next;
  if (q->head) line_up(p, q);
  double end = time + f->bytes * p->s_per_byte;
  if (end < f->tail) end = f->tail;
  p->busy = true;
  event_at(end, FREE, at, NULL);
  double latency_s;
  int next = next_port(f, at, &latency_s);
  f->tail = end + latency_s;
  if (next < 0) event_at(end, DELIVERED, at, f);
  else event_at(time + latency_s, ARRIVES, next, f);
}

static void arrive(int at, frame *f, double time) {
  port *p = &bed.port[at];
  queue *q = &f->of->at[at];
  f->next = NULL;
  if (q->head) q->tail->next = f;
  else {
    q->head = f;
    line_up(p, q);
  }
  q->tail = f;
  if (!p->busy) serve(at, time);
}

static void deliver(frame *f) {
  if (write(bed.tap[f->dst], f->data, (size_t)f->bytes) != f->bytes) bed.lost++;
  f->of->frames--;
  f->next = bed.spare;
  bed.spare = f;
}

static void events_until(double time) {
  while (bed.events && bed.heap[0].time <= time) {
    event e = take_first();
    switch (e.kind) {
      case ARRIVES: arrive(e.port, e.frame, e.time); break;
      case DELIVERED: deliver(e.frame); break;
      case FREE:
        bed.port[e.port].busy = false;
        if (bed.port[e.port].first) serve(e.port, e.time);
    }
  }
}

/* ---- frames ------------------------------------------------------------------------------------------- */

/* Hosts have the addresses 02:00:00:00:00:NUMBER. Whatever is for nobody here (broadcasts of the kernel) ends here. */
static int host_of(const unsigned char *address) {
  static const unsigned char ours[5] = { 2 };
  return memcmp(address, ours, sizeof ours) || address[5] >= bed.hosts ? -1 : address[5];
}

/* Where the header of TCP begins in a frame, 0: it has none. */
static int tcp_of(const frame *f) {
  enum { TCP = 6 };
  const unsigned char *ip = f->data + ETHERNET;
  if (f->bytes < ETHERNET + 40 || f->data[12] != 8 || f->data[13] || ip[0] >> 4 != 4 || ip[9] != TCP) return 0;
  int at = ETHERNET + (ip[0] & 15) * 4;
  return at + 13 < f->bytes ? at : 0;
}

static bool is_acknowledgement(const frame *f, int tcp) {
  const unsigned char *ip = f->data + ETHERNET;
  int total = ip[2] << 8 | ip[3];
  return tcp && total == tcp - ETHERNET + (f->data[tcp + 12] >> 4) * 4;
}

static connection *connection_of(const frame *f, int tcp) {
  connection **pair = &bed.of_pair[f->src * bed.hosts + f->dst], *idle = NULL;
  uint32_t ends = 0;
  if (tcp) memcpy(&ends, f->data + tcp, sizeof ends);
  for (connection *c = *pair; c; c = c->next) {
    if (c->frames && c->ends == ends) return c;
    if (!c->frames) idle = c;
  }
  if (!idle) {
    idle = room_for(1, sizeof *idle + (size_t)ports() * sizeof *idle->at);
    idle->next = *pair;
    *pair = idle;
  }
  idle->ends = ends;
  return idle;
}

static frame *spare_frame(void) {
  frame *f = bed.spare;
  if (f) bed.spare = f->next;
  else f = room_for(1, sizeof *f);
  f->tail = 0;
  return f;
}

/* What a host has sent until now. */
static void read_host(int host, double time) {
  for (int i = 0; i < AT_ONCE; i++) {
    frame *f = spare_frame();
    ssize_t n = read(bed.tap[host], f->data, sizeof f->data);
    f->bytes = (int)n;
    f->src = host;
    f->dst = n > 14 ? host_of(f->data) : -1;
    if (f->dst < 0 || f->dst == host) {
      f->next = bed.spare;
      bed.spare = f;
      if (n <= 0) return;
      continue;
    }
    bed.frames++;
    bed.bytes += (uint64_t)n;
    int tcp = tcp_of(f);
    f->of = connection_of(f, tcp);
    f->of->frames++;
    if (is_acknowledgement(f, tcp)) {
      bed.acknowledgements++;
      double far_s = leaf_of(host) == leaf_of(f->dst) ? 0 : bed.uplink_latency_s;
      event_at(time + bed.latency_s + far_s, DELIVERED, -1, f);
    } else arrive(port_out(host), f, time);
  }
}

static void work(void) {
  struct pollfd poll_of[MAX_HOSTS];
  for (int h = 0; h < bed.hosts; h++) poll_of[h] = (struct pollfd){ .fd = bed.tap[h], .events = POLLIN };
  sigset_t ends, usual;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, &usual);
  while (!stopped) {
    double wait_s = bed.events ? bed.heap[0].time - now() : 1;
    if (wait_s < 0) wait_s = 0;
    struct timespec wait = { .tv_sec = (time_t)wait_s, .tv_nsec = (long)((wait_s - (double)(time_t)wait_s) * 1e9) };
    int ready = ppoll(poll_of, (nfds_t)bed.hosts, &wait, &usual);
    double time = now();
    events_until(time);
    for (int h = 0; ready > 0 && h < bed.hosts; h++)
      if (poll_of[h].revents) read_host(h, time);
  }
}

/* ---- start -------------------------------------------------------------------------------------------- */

/* A TAP belongs to the namespace in which /dev/net/tun was opened. */
static int tap_in(const char *namespace) {
  int space = open(namespace, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET)) fail("%s: %s", namespace, strerror(errno));
  close(space);
  int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tap < 0) fail("/dev/net/tun: %s", strerror(errno));
  struct ifreq request = { .ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI };
  if (ioctl(tap, TUNSETIFF, &request)) fail("%s: no TAP device: %s", namespace, strerror(errno));
  return tap;
}

static double positive(const char *name, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0 && value < 1e15)) fail("--%s %s: must be a number, 0 or more", name, text);
  return value;
}

static void make_ports(double nic, double uplink) {
  bed.port = room_for((size_t)ports(), sizeof *bed.port);
  bed.of_pair = room_for((size_t)(bed.hosts * bed.hosts), sizeof(connection *));
  for (int i = 0; i < ports(); i++) {
    bool up = i >= port_up(0) && i < port_in(0);
    bed.port[i].s_per_byte = 1 / (up ? uplink : nic);
  }
}

int main(int argc, char **argv) {
  static const struct option options[] = {
    { "rate", required_argument, NULL, 'r' },           { "latency", required_argument, NULL, 'l' },
    { "leaves", required_argument, NULL, 'n' },         { "uplink", required_argument, NULL, 'u' },
    { "uplink-latency", required_argument, NULL, 'x' }, { NULL, 0, NULL, 0 }
  };
  double rate = 0, uplink = 0;
  bed.leaves = 1;
  for (int c, i; (c = getopt_long(argc, argv, "", options, &i)) != -1;) {
    if (c == '?') return 2;
    double value = positive(options[i].name, optarg);
    if (c == 'r') rate = value;
    else if (c == 'l') bed.latency_s = value;
    else if (c == 'n') bed.leaves = (int)value;
    else if (c == 'u') uplink = value;
    else bed.uplink_latency_s = value;
  }
  bed.hosts = argc - optind;
  if (bed.hosts < 2 || bed.hosts > MAX_HOSTS || rate <= 0 || bed.leaves < 1 || bed.leaves > bed.hosts ||
      (bed.leaves > 1 && uplink <= 0))
    fail(
        "usage: collscope-switch --rate BYTES_PER_S --latency S [--leaves N --uplink BYTES_PER_S [--uplink-latency S]] "
        "NAMESPACE…, 2 to %d of them",
        MAX_HOSTS);
  make_ports(rate, uplink > 0 ? uplink : rate);
  for (int h = 0; h < bed.hosts; h++) bed.tap[h] = tap_in(argv[optind + h]);
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  prctl(PR_SET_TIMERSLACK, 1);
  struct sched_param priority = { .sched_priority = PRIORITY };
  bool first = !sched_setscheduler(0, SCHED_FIFO, &priority);
  printf("{\"ready\":true,\"realtime\":%s}\n", first ? "true" : "false");
  fflush(stdout);
  work();
  printf("{\"frames\":%llu,\"bytes\":%llu,\"acknowledgements\":%llu,\"lost\":%llu}\n", (unsigned long long)bed.frames,
         (unsigned long long)bed.bytes, (unsigned long long)bed.acknowledgements, (unsigned long long)bed.lost);
  return 0;
}
