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

/* The same without copies at the leader: blocks are written where the result has them, the leader's messages read and write the
 * result in the segment, and all copy it from there. Two results take turns, as others may still read the last one.
 * In prepare(): room for them, of n elements each. Collect returns the leader's result of this call, NULL at others and in a group
 * of one; the group's blocks begin at element `at`. Fetch: n elements of it to everybody's `data`. */
void coll_leader_result_open(coll_group *, size_t n);
void *coll_leader_result_collect(coll_group *, const void *block, size_t n, size_t at, size_t m);
void coll_leader_result_fetch(coll_group *, void *data, size_t n);

#endif
