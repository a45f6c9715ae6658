/* The inside of a node beyond cores, caches and sockets: levels between cache and socket, links of their units, sockets that are joined
 * by given links, and where the NIC is. All of it may be absent. */
#ifndef COLLSCOPE_MODEL_INSIDE_H
#define COLLSCOPE_MODEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/reader.h"

enum { INSIDE_LEVELS = 4, INSIDE_NAME = 21, INSIDE_JOINED = 256 };

/* Units of `caches` neighbouring caches each. */
typedef struct {
  char name[INSIDE_NAME];
  int caches;
  double bytes_per_s; /* of a unit's link, each way, shared by what leaves or enters it; 0: it has none */
} inside_level;

typedef struct {
  inside_level level[INSIDE_LEVELS]; /* closest first */
  int levels;
  double cache_bytes_per_s;  /* likewise of a cache */
  double across_bytes_per_s; /* of a core to and from other sockets of its node, each way; 0: no limit */
  int sockets;               /* of a node, where joined sockets or the NIC's are given; else 0 */
  int nic_socket;
  double nic_other_socket_s; /* longer for each end of a message on another socket than the NIC's */
  bool has_nic_socket, far;  /* far: there are sockets of a node that no link joins */
  int longest;               /* links between two sockets */
  uint16_t *next, *steps;    /* [sockets][sockets]: the socket to go to on the way to another; links until there */
  uint16_t pair[INSIDE_JOINED][2];
  int pairs;
} machine_inside;

/* The lines `level`, `mesh` and `nic_socket`; false with what is wrong. */
bool inside_level_line(machine_inside *, const reader *);
bool inside_mesh_line(machine_inside *, const reader *);
bool inside_nic_line(machine_inside *, const reader *);
/* When all lines are read; the complaint is about the file as a whole. */
bool inside_finish(machine_inside *, const file_line *);
void inside_free(machine_inside *);

/* Links between two sockets of a node, by their numbers over the machine. */
static inline int inside_steps(const machine_inside *in, int a, int b) {
  return in->steps ? in->steps[a % in->sockets * in->sockets + b % in->sockets] : a != b;
}

/* The socket after `a` on the way to `b`: the lowest of those on shortest paths. */
static inline int inside_next(const machine_inside *in, int a, int b) {
  if (!in->next) return b;
  int here = a % in->sockets;
  return a - here + in->next[here * in->sockets + b % in->sockets];
}

#endif
