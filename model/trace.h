/* All there is to draw of a point, as JSON: the record and its times.
 *
 *   elem          bytes of an element
 *   messages      [[source, destination, bytes, round, label, posted_s, start_s, end_s, send, recv], …]: send and recv
 *                 are indices into the two ranks' operations; round is the time at which it ends when a message costs 1
 *                 and nothing else costs anything
 *   transfers     likewise, of bytes that cross a shared segment of a node
 *   spans         [[rank, "reduce" or "copy", start_s, end_s], …]: work that takes time without a message
 *   rank_end_s    [rank]
 *   buffers       [[in's buffer, offset, bytes, out's buffer, offset, bytes], …] of each rank, null where it has none;
 *                 buffer 0 is in, 1 out, 2 scratch, 3 and more are segments
 *   segments      [[[group, bytes of a part, [members]], …], …] of each rank
 *   operations    [[[kind, buffer, offset, other buffer, offset, peer, bytes, begin_s], …], …] of each rank: rec_op as
 *                 text; begin_s is 0 for all waits of a row but the first
 */
#ifndef COLLSCOPE_MODEL_TRACE_H
#define COLLSCOPE_MODEL_TRACE_H

#include "core/catalogue/json.h"
#include "model/timing.h"

/* Prints the members of an object. round: of the messages, then of the transfers. */
void trace_print(json *, const record *, const timing_result *, const double *round);

#endif
