/* uneven.c with persistent calls. */
#define PERSISTENT
#include "tests/preload/ended.h"

#include "tests/preload/uneven.c"
