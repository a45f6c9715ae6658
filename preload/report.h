/* What a job did, as one JSON file:
 *   {"collscope_report": 1, "complete": true, "library": "Open MPI v4.1.4, …", "ranks": 4, "run_s": 1.5, "profile": false, "choices":
 *    {"bcast": "bcast/knomial[k=4]"}, "rows": [{"collective": "bcast", "communicator": {"name": "MPI_COMM_WORLD", "size": 4, "nodes": 1,
 *    "ranks_per_node": 4, "communicators": 1}, "bytes_from": 1024, "bytes_to": 2047, "algorithm": "bcast/knomial[k=4]", "passed_on": null,
 *    "calls": 10, "bytes": 10240, "in_place": 0, "root": 0, "type": "MPI_INT", "ranks": 4, "mean_s": 1e-4, "max_s": 2e-4, "completion_s": null, "skew": null}, …]}
 * communicator: all of the same size and placement are one row, `communicators` of them; its name is "" but for MPI_COMM_WORLD and
 * MPI_COMM_SELF, of which every rank has its own. calls, bytes: of the communicators, not of each rank; bytes: a call's block or vector. Of
 * gatherv, scatterv, alltoallv, alltoallw and collectives of neighbours, whose counts not every rank knows: what a rank brings on average;
 * bytes_from and bytes_to are then the fewest and the most of a rank. ranks: how many made such calls. mean_s, max_s: time inside these calls, of a rank on average and of
 * the one that spent most. completion_s: of non-blocking calls and starts of persistent ones by an algorithm ("ibcast", "bcast_init"), the
 * mean from start to end; their mean_s is what their start and this library's part of later calls took. root: null: several, or none. skew:
 * of the calls that were sampled, {"samples", "mean_s", "max_s", "wait_s", "spent_s"}: how long the first rank waited for the last, a rank on
 * average, and what finding out took. run_s: from MPI_Init to MPI_Finalize, of rank 0; of a
 * program that aborts to MPI_Abort, of the rank that calls it. */
#ifndef COLLSCOPE_PRELOAD_REPORT_H
#define COLLSCOPE_PRELOAD_REPORT_H

#include "preload/settings.h"

/* Collective; rank 0 writes, or says on standard error why it cannot. run_s: since MPI_Init. */
void report_write(const settings *, double run_s);
/* What this process knows, where the others cannot be asked: "complete" is false. */
void report_write_alone(const settings *, double run_s);

#endif
