/* calls.c with persistent calls. */
#define PERSISTENT
#include "tests/preload/ended.h"

#include "tests/preload/calls.c"
