/* Decisions from files, decision/file:PATH: a rule per line, and the first that fits a call names its algorithm. Behind # stands a comment.
 *
 *   COLLECTIVE [ranks RANGE] [ranks_per_node RANGE] [bytes RANGE] ALGORITHM
 *
 *   bcast bytes 0..8KiB binomial
 *   bcast ranks 2..16 ranks_per_node 1 bytes 8KiB.. scatter_ring
 *   bcast bytes 8KiB.. pipelined_chain[s=64KiB]
 *   allreduce decision/ompi_5_0
 *   barrier builtin
 *
 * RANGE is FIRST..LAST, of which both belong to it, FIRST.. without an end, or one number; bytes may end in KiB, MiB, GiB and are those of a
 * call's block or vector (coll_args: count × elem). ranks_per_node is of the node that has most. Where no rule fits, nothing is decided. */
#ifndef COLLSCOPE_CORE_CATALOGUE_DECISION_FILE_H
#define COLLSCOPE_CORE_CATALOGUE_DECISION_FILE_H

#include "decision/rules.h"

bool decision_file_names(const char *key); /* is it decision/file:PATH? */
/* The file's decision, read at the first look-up and kept as long as the process lives. NULL: file, line, what is wrong and what to do, in
 * error[size]. */
const coll_decision *decision_file_find(const char *key, char *error, size_t size);

/* The rules alone. False: as above; what was read is to be discarded all the same. */
typedef struct {
  coll_rule *rule;
  size_t n, capacity;
  uint64_t digest;
} decision_rules;
bool decision_file_read(decision_rules *, const char *path, char *error, size_t size);
void decision_file_discard(decision_rules *);
/* Of its rules: equal for files that say the same; 0: it cannot be read. */
uint64_t decision_file_digest(const char *key);

#endif
