/* What the driver needs of a back-end besides the operations (core/runtime/port.h): what it is, its clocks, starts together, copies of the
 * simulation. Two folders implement it, file for file: sim/driver and validate/driver. Nothing else knows which back-end it is built for. */
#ifndef COLLSCOPE_DRIVER_PORT_H
#define COLLSCOPE_DRIVER_PORT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/catalogue/json.h"
#include "driver/port_caches.h"

/* ---- what it is ------------------------------------------------------------------------------------- */

/* Prints the members of an object: back_end, library. */
void port_describe(json *);
/* Collective. Rank 0 prints members of the same object: what a real launch depends on besides, and its clocks. None in simulation:
 *   hosts         how many
 *   environment   kernel, cpu, governor, frequency_driver, load, cpus_of_ranks (those that each rank may run on), settings (of the
 *                 environment), library_variables (MPI's tool interface: how messages travel)
 *   clocks        scheme ("shared": one clock for all; "hca3": see validate/driver/clocks.h), clocks, and the largest error_s, drift
 *                 and drift_error of a rank; step_s: the smallest step of rank 0's */
void port_describe_launch(MPI_Comm, json *);
/* Collective, after the measurement. Rank 0 prints how far clocks are apart by now, repetitions discarded, and the load; nothing in simulation:
 *   {"end":{"clock_offset_s":2e-7,"clock_offset_error_s":4e-7,"discarded":3,"load":[…]}} */
void port_conclude(MPI_Comm, long discarded, FILE *out);

/* Prints what this machine is, as far as this process may use it, in one line of JSON; works before MPI_Init. Returns NULL, or why
 * there is no answer.
 *   {"topology":{"model":"AMD EPYC 7551","caches":[{"level":1,"bytes":32768,"cpus":2}, …],
 *                "cpus":[{"cpu":0,"core":0,"socket":0,"numa":0,"cache":0}, …]}}
 * model: the processor's name, "" where it is not known. caches: of data, the smallest level first; `cpus` processors share one.
 * cpus: the processors that this process may run on, by the system's number, ascending; core, socket, numa (memory node) and cache
 * (the last level) are numbers from 0 that are unique in the machine; two processors of one core are hardware threads. Where the
 * machine does not say, all are in one socket, one memory node, and one cache for each socket. */
const char *port_topology(FILE *out);

/* ---- clocks ------------------------------------------------------------------------------- */

double port_now(void);              /* seconds on this rank's own clock */
void port_idle(double seconds);     /* this rank does nothing for so long */
void port_wait_until(double own_s); /* likewise until then, and goes on at once: not a moment later than it must */

/* ---- computing --------------------------------------------------------------------------------------- */

/* As much work as this rank's core does in so long when nothing else runs there; in real runs counted, not timed: whoever takes the core
 * meanwhile makes it longer. */
void port_compute(double seconds);
bool port_has_threads(void); /* A simulation has none. */

/* How many calls must have been before the first that is timed, whatever the plan says: a simulation whose ranks pay for who has what in its
 * cache needs one, to know what a call leaves there; none anywhere else. */
int port_min_warmup(void);

/* ---- starts ------------------------------------------------------------------------------------------ */

/* All ranks of comm leave together. Returns the start on this rank's clock; *late is set when this rank came too late for
 * the start, which the caller must then discard. window_s: how far ahead to place the start (real runs), 0: a plain barrier. */
double port_start_together(MPI_Comm comm, double window_s, bool *late);
const char *port_start_method(double window_s); /* "simulated", "window" or "barrier" */
/* The largest of the ranks' numbers, at all of them; takes no simulated time. Collective. */
double port_largest(MPI_Comm comm, double mine);
/* A window that ranks of comm should be able to keep; 0 in simulation, where the start is exact. Collective. */
double port_window(MPI_Comm comm);
/* Brings the clocks of comm's ranks together where they differ; collective. */
void port_synchronise_clocks(MPI_Comm comm);
/* A time of this rank's clock on that of rank 0, as the synchronisation found it; and by how much that may be wrong. */
double port_common_time(double own_s);
double port_clock_error(double own_s);

/* ---- copies ------------------------------------------------------------------------------------------ */

/* A simulated time must not depend on what the launch simulated before, not in its last digit either: so each point runs in a
 * copy of the simulation as it was at the start. Collective over all ranks of the launch.
 *   PORT_HERE   no copies in this back-end: do the work here
 *   PORT_COPY   this is the copy: do the work, then call port_isolate_end, which does not return
 *   PORT_DONE   this is the original: the copy has done the work
 *   PORT_LOST   this is the original: the copy crashed; the reason is in *signal (0: it exited by itself), or could not write to `out` */
typedef enum { PORT_HERE, PORT_COPY, PORT_DONE, PORT_LOST } port_where;
port_where port_isolate(int ranks, int *signal);
void port_isolate_end(int ranks, FILE *out);

#endif
