/* Data among a group of ranks of one node by way of its leader's part of a shared segment, the desk: members lay their blocks on it,
 * the leader takes them up; later the leader lays the result there for all to read. Each call collects and hands out once, in this
 * order: a member lays its next block down only after the result, hence when the leader has taken the last one; the leader lays
 * down the next result only when all next blocks are there, hence when all have read the last. */
#ifndef COLLSCOPE_PRIMITIVES_DESK_H
#define COLLSCOPE_PRIMITIVES_DESK_H

#include "primitives/fan.h"

/* In prepare(): room for a block of m elements of each member and a result of n. A group of one needs none, and nothing happens. */
void coll_desk_open(coll_group *, size_t m, size_t n);

/* block: this member's m elements. all: the leader's room for the blocks in the group's order, where its own lies already. */
void coll_desk_collect(coll_group *, const void *block, void *all, size_t m);
/* n elements of the leader's `data` to all others' `data`; m as when collecting. */
void coll_desk_hand_out(coll_group *, void *data, size_t n, size_t m);

#endif
