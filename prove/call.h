/* A line of collscope-recorded: ID KEY RANKS COUNT ROOT COMMUTES IN_PLACE [ELEM]. */
#ifndef COLLSCOPE_PROVE_CALL_H
#define COLLSCOPE_PROVE_CALL_H

#include "collscope.h"

typedef struct {
  char id[128], key[256];
  coll_args args;
} call;

/* Cuts the line up and fills all of the call but its parameters and places. False: nobody could mean this. */
bool call_read(char *line, call *);

#endif
