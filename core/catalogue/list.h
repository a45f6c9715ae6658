/* The catalogue as JSON: the one source of every other list (command line, docs, tests, Python). One object:
 *
 *   algorithms   key, collective, summary, source, params, ports ("one", "many"), flags ("commutative_only", "any_source",
 *                "segments", "places": the schedule depends on where ranks sit, "any_blocks": of any lengths), twin (null, or library, collective, number),
 *                has_cost
 *   decisions    key, summary, source, params, collectives (names)
 *   collectives  name; mpi (MPI's function or null); has_root, has_operator, uneven (blocks may have any lengths); unit: what count counts ("block", "vector",
 *                "none"); in, out: who has data there ("every", "root", "none") and how much ("block": count elements,
 *                "blocks": p of them, "vector": count elements, "part": this rank's part of the vector, "nothing");
 *                in_place: "never", "always" (one buffer), "same" (in and out begin together), "in_out" (in is this rank's
 *                block of out), "out_in"; bound: the telephone model's, rounds ("one", "log"), sent and combined ("none",
 *                "whole": n bytes, "others": (p-1)/p n, "block": n/p), times (sent so often)
 *   types        name, bytes
 *   operators    names
 *   metrics      names
 *
 * A parameter: name, default, min, max, words (null, or the names of min … max), help. */
#ifndef COLLSCOPE_CORE_CATALOGUE_LIST_H
#define COLLSCOPE_CORE_CATALOGUE_LIST_H

#include <stdio.h>

void coll_list_json(FILE *out);

#endif
