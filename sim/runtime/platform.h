/* The file of the simulated machine. */
#ifndef COLLSCOPE_SIM_RUNTIME_PLATFORM_H
#define COLLSCOPE_SIM_RUNTIME_PLATFORM_H

/* What its outermost zone says of this property, or NULL. Since SimGrid 4 a zone without a name in the file is around that one. */
const char *platform_says(const char *property);

#endif
