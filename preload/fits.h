/* Is the MPI library that the program runs on the one that this library was built for? */
#ifndef COLLSCOPE_PRELOAD_FITS_H
#define COLLSCOPE_PRELOAD_FITS_H

#include <stdbool.h>

/* Before MPI_Init, where nothing but the library's version may be asked: with another library's handles every later call would be wrong.
 * Where it does not fit, says so on standard error, of the job's first process, and ends with status 2. With COLLSCOPE_STRICT=0 and another
 * series of the same library returns false, and nothing may be served or counted. */
bool fits_program(void);

#endif
