/* Data among a group of ranks of one node by way of a buffer in its leader's part of a shared segment: members write their
 * blocks into it and the leader reads them; later the leader writes the result there and all read it. Each call collects and
 * distributes once, in this order: a member writes its next block only after it has read the result, hence when the leader has read
 * the last one; the leader writes the next result only when all next blocks are there, hence when all have read the last. */
#ifndef COLLSCOPE_PRIMITIVES_LEADER_BUFFER_H
#define COLLSCOPE_PRIMITIVES_LEADER_BUFFER_H

#include "primitives/fan.h"

/* In prepare(): room for a block of m elements of each member and a result of n. A group of one needs none, and nothing happens. */
void coll_leader_buffer_open(coll_group *, size_t m, size_t n);

/* block: this member's m elements. all: the leader's room for the blocks in the group's order, where its own lies already. */
void coll_leader_buffer_collect(coll_group *, const void *block, void *all, size_t m);
/* n elements of the leader's `data` to all others' `data`; m as when collecting. */
void coll_leader_buffer_distribute(coll_group *, void *data, size_t n, size_t m);

#endif
