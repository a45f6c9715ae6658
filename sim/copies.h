/* What SMPI does with the data of a message. */
#ifndef COLLSCOPE_SIM_COPIES_H
#define COLLSCOPE_SIM_COPIES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, data that is sent from a folded buffer is not copied. */
void sim_skip_copies(void);

/* port.c: whether this address lies in a folded buffer. */
bool sim_folded(const void *buffer);

#ifdef __cplusplus
}
#endif
#endif
