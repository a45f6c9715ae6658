/* calls.c with non-blocking calls. */
#include "tests/preload/ended.h"

#include "tests/preload/calls.c"
