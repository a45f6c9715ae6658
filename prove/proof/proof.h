/* Proving a record: does this schedule do what its collective promises, whatever the data?
 *
 * Matching     the k-th send of a channel (source, destination, label) belongs to its k-th receive; none is left over,
 *              sizes are equal
 * Progress     no deadlock even if every send waits for its receive
 * Discipline   what a pending send reads is not written, what a pending receive writes is not touched; shared segments
 *              have no races
 * Data         memory is symbolic. A value is an element's place in the result (or, where data only moves, its origin)
 *              together with the ranks whose elements have been combined into it. Reading what was never written is an
 *              error; so is combining elements that do not belong together, a rank's twice, or out of rank order where
 *              the operator does not commute
 * Result       at the end every rank's out holds exactly what the collective promises, and in is what it was
 *
 * The record is one schedule of one call. For algorithms without recv_any it is the only one: what is proven of it is
 * proven of every execution. With recv_any, one arrival order is proven.
 */
#ifndef COLLSCOPE_PROVE_PROOF_PROOF_H
#define COLLSCOPE_PROVE_PROOF_PROOF_H

#include "core/schedule/schedule.h"

typedef enum {
  PROOF_OK,
  PROOF_MISUSE,    /* the recorder refused: out of bounds, in written, a request forgotten, … */
  PROOF_ENDLESS,   /* … that the algorithm goes on for ever */
  PROOF_UNMATCHED, /* a send without receive or a receive without send */
  PROOF_SIZE,      /* a send and its receive differ in size */
  PROOF_DEADLOCK,
  PROOF_PENDING,       /* a buffer is touched while a message is on its way */
  PROOF_UNINITIALISED, /* something is read that was never written */
  PROOF_OPERANDS,      /* elements are combined that do not belong together */
  PROOF_TWICE,         /* an element is combined with something it is already part of */
  PROOF_ORDER,         /* the operator does not commute, and the operands are not neighbours in rank order */
  PROOF_RACE,          /* unordered accesses to a shared segment */
  PROOF_RESULT,        /* the wrong thing in out at the end; for barrier: a rank leaves before all have come */
  PROOF_INPUT,         /* in has changed */
  PROOF_KINDS
} proof_kind;

typedef struct {
  proof_kind kind;
  char failure[1024]; /* empty, or what is wrong, for the algorithm's designer */
  /* of the first call: */
  uint64_t messages, bytes; /* sent, over all ranks */
  uint64_t reduced_bytes, copied_bytes;
  uint64_t operations;
} proof_result;

typedef struct proof proof; /* memory of the engine, kept from point to point */

proof *proof_new(void);
void proof_free(proof *);

/* Returns whether everything holds. */
bool proof_check(proof *, const record *, proof_result *);

/* Which send belongs to which receive; of a record that was proven last it is known already. */
const struct matching *proof_matching(proof *, const record *);

const char *proof_kind_name(proof_kind); /* "deadlock" … */

#endif
