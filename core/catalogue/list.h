/* JSON out. */
#ifndef COLLSCOPE_CORE_CATALOGUE_LIST_H
#define COLLSCOPE_CORE_CATALOGUE_LIST_H

#include <stdio.h>

#include "collscope.h"

void coll_list_json(FILE *out);
void coll_json_string(FILE *out, const char *text);   /* with quotes */

#endif
