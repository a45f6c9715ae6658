/* What SMPI does with the data of a message. */
#ifndef COLLSCOPE_SIM_RUNTIME_COPIES_H
#define COLLSCOPE_SIM_RUNTIME_COPIES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, data that is sent from a buffer of which `stays` is true is not copied. Once a process. */
void sim_copy_unless(bool (*stays)(const void *buffer));

#ifdef __cplusplus
}
#endif
#endif
