/* uneven.c with non-blocking calls. */
#include "tests/preload/ended.h"

#include "tests/preload/uneven.c"
