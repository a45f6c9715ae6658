/* How the elements of a call are dealt out to the blocks of p ranks.
 *
 *   uniform       blocks of one length; of reduce_scatter as even as can be
 *   linear        weights 1, 2, … p
 *   zipf:S        weights 1, 1/2^S, … 1/p^S, in whole 2^-31; S from 0 to 16
 *   one:R         rank R has all
 *   file:PATH     one line per rank, with its weight, a whole number: the counts themselves, where their sum is the call's
 *
 * Of n elements and weights w, block i begins at ⌊n (w_0 + … + w_{i-1}) / (w_0 + … + w_{p-1})⌋: the blocks hold n elements in all, and each is
 * less than one element off its share. alltoallv: p n elements, and weights for each block of each sender, sender after sender: those of
 * rank s are the weights above, turned so that its own block comes first (linear, zipf, a file of p lines); one:R: all to rank R;
 * a file of p² lines: block by block. */
#ifndef COLLSCOPE_CORE_PLAN_DISTRIBUTION_H
#define COLLSCOPE_CORE_PLAN_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

enum { DISTRIBUTION_PATH = 256 };
typedef enum {
  DISTRIBUTION_UNIFORM,
  DISTRIBUTION_LINEAR,
  DISTRIBUTION_ZIPF,
  DISTRIBUTION_ONE,
  DISTRIBUTION_FILE,
  DISTRIBUTION_KINDS
} distribution_kind;
typedef struct {
  distribution_kind kind;
  double exponent;
  int rank;
  char path[DISTRIBUTION_PATH];
} distribution;

/* Reads a distribution as above. Returns NULL, or what is wrong with it. */
const char *distribution_parse(distribution *, const char *text);
bool distribution_same(const distribution *, const distribution *);
/* Fills displs[ranks + 1]: where each block of the n elements begins, and where the last one ends. False with what is wrong: a rank that
 * there is not, or the file. */
bool distribution_cut(const distribution *, size_t n, int ranks, size_t *displs, char *error, size_t size);
/* The same of alltoallv: displs[2][ranks][ranks + 1], see coll_args; n: of each sender. */
bool distribution_cut_pairs(const distribution *, size_t n, int ranks, size_t *displs, char *error, size_t size);
enum { DISTRIBUTION_PAIRS = 2048 }; /* more ranks than this: their pairs have no memory */

#endif
