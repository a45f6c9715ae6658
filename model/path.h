/* The path of a message: which links it crosses, how much of each it takes up, and how long it waits before that. */
#ifndef COLLSCOPE_MODEL_PATH_H
#define COLLSCOPE_MODEL_PATH_H

#include "model/match.h"

/* A message's part in a link; the fluid rule also keeps here who else is on it. */
typedef struct {
  int32_t resource;
  uint32_t flow : 30;
  bool minded : 1;      /* of a flow in a bundle: it may be stuck here; see bundles.h */
  bool loose : 1;       /* where links are sparse, of a flow in no bundle: the link keeps nobody from anything now */
  int32_t next, before; /* crossings of one link are a list */
  double weight;        /* how much of the link a rate of 1 takes up */
} crossing;

/* The links of a machine, as numbers from 0 to resources-1. */
typedef struct {
  const machine *m;
  int ranks, resources, longest; /* longest: links of one message at most */
  int nodes, sockets, span;      /* span: sockets of a node */
  struct {
    int caches, first, count; /* of units of so many caches: link out of each from `first` on, then one into each */
    int level;                /* of inside.level; -1: a cache */
    double bytes_per_s;
  } unit[1 + INSIDE_LEVELS];
  int units, across; /* across: from here on a link out for each rank, then one in */
  int32_t *lowest_socket;
  size_t lowest_socket_cap;
  int hops; /* the first link between nodes; 0: no messages cross any */
} link_paths;

/* What a message makes flow, in shares of a port (1: it has the port for itself) or in bytes of traffic, as the machine
 * has it, after latency_s without using any link. */
typedef struct {
  double left, latency_s;
  double most; /* no rate above this, whatever the links allow */
  int crossed;
} link_path;

/* Numbers the links. Returns NULL, or why there are too many of them. */
const char *paths_prepare(link_paths *, const machine *, int ranks);
/* The path of a message; its links go into crossed[longest]. */
link_path paths_lay(const link_paths *, const message *, crossing *crossed);
/* What kind of link it is ("port", "NIC", …), and its name for people in text[size]. */
const char *paths_name(const link_paths *, int32_t link, char *text, size_t size);
void paths_free(link_paths *);

#endif
