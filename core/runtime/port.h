/* What the operations need of a back-end. Two folders implement it, file for file: sim/runtime (SMPI) and validate/runtime (real MPI).
 * driver/port.h is what the driver needs besides. */
#ifndef COLLSCOPE_CORE_RUNTIME_PORT_H
#define COLLSCOPE_CORE_RUNTIME_PORT_H

#include <mpi.h>

#include "collscope.h"
#include "core/runtime/port_memory.h"

coll_place port_place(MPI_Comm comm); /* where this rank sits; collective over comm */

/* Messages of at least so many bytes get other tags than shorter ones, as the back-end cannot keep both in order. SIZE_MAX: it can. */
size_t port_large_message(void);

/* Messages of at least so many bytes are to be sent synchronously, by blocking or by non-blocking sends: where these wait for their
 * receive from another size on than the back-end has it. SIZE_MAX: the back-end's own limit is right. */
size_t port_synchronous(bool nonblocking);

/* Whether sending costs more where what was received last came from another rank. If so, a rank tells of each message that it has received
 * and, before it sends, to whom; ranks of comm. */
bool port_has_turnaround(void);
void port_received(MPI_Comm comm, int from);
void port_sends(MPI_Comm comm, int to);

/* Local work takes time by itself in a real run; in simulation it is charged here (γ and copy speed of the host). */
void port_charge_reduce(size_t bytes);
void port_charge_copy(size_t bytes);
/* Likewise, that these bytes of newly mapped memory are written for the first time. */
void port_charge_first_touch(size_t bytes);

/* Messages of at least so many bytes are read out of the sender's buffer by a receiver's core of the same node, whose cache then has these
 * bytes, too: whoever writes them next is charged for it. SIZE_MAX: nobody is. */
size_t port_read_in_place_from(void);
void port_charge_invalidation(size_t bytes);

/* Scratch of at least so many bytes is newly mapped in each call. SIZE_MAX: none is, as far as it would have to be charged. */
size_t port_fresh_from(void);

/* Shared segments: one part of `bytes` and `flags` flags for each of the n members (world: their ranks in comm, this rank
 * is world[me]); collective over the members. */
coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags);
void *port_seg_part(coll_seg, int me); /* the memory of this rank's own part */
void port_seg_write(coll_seg, int home, size_t offset, const void *src, size_t bytes);
void port_seg_read(coll_seg, int home, size_t offset, void *dst, size_t bytes);
void port_publish(coll_seg, int home, int flag, uint64_t value);
void port_await(coll_seg, int home, int flag, uint64_t value);
void port_seg_close(coll_seg); /* collective over the members */

#endif
