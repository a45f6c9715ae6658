/* Whom a rank meets in the steps of a butterfly over 2^steps ranks, and which of as many blocks it ends with when each step halves what
 * it keeps: those who meet in step s agree in the s highest bits of their block's number and differ in the next one. */
#ifndef COLLSCOPE_PATTERNS_PEERS_H
#define COLLSCOPE_PATTERNS_PEERS_H

#include <stdbool.h>

#include "patterns/torus.h"

enum { COLL_PEERS = 31 }; /* more than lg of any rank count */

typedef struct {
  int steps, block;
  int peer[COLL_PEERS];
} coll_peers;

/* Bine's and, on one dimension, Swing's: rank r of 2^q meets its partners of patterns/bine.h in the steps 0 … q-1. */
coll_peers coll_peers_bine(int q, int r);

/* Swing's on a torus: ranks are numbered with the first extent running fastest; extents are powers of two. The dimensions take their steps
 * in turn, `start` the first; one whose steps are used up is passed over. mirrored: right and left change places. */
coll_peers coll_peers_torus(const int extent[COLL_TORUS], int r, int start, bool mirrored);

#endif
