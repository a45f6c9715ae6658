/* One rank's operations, written down in any process, MPI's too: addresses stand for buffers, as in record.h, but nothing is reserved, no
 * signal is caught, and several threads may each record at once. For algorithms that have been proven: one that looks at data crashes. */
#ifndef COLLSCOPE_CORE_SCHEDULE_RECORDER_RANK_H
#define COLLSCOPE_CORE_SCHEDULE_RECORDER_RANK_H

#include "core/schedule/schedule.h"

/* More operations at a rank: its algorithm seems to loop for ever. */
enum { RECORD_OPERATIONS = 1 << 24 };

/* As record_make (record.h) of one call, but the lists of the other ranks stay empty. Fails, as record->error says, where the rank's
 * operations follow from what others do: where it receives from any source or uses shared segments. */
record *record_rank(record *reuse, const coll_alg *alg, const coll_args *args, int rank);
void record_free(record *);

#endif
