/* Meeting without simulated time. */
#ifndef COLLSCOPE_SIM_DRIVER_START_H
#define COLLSCOPE_SIM_DRIVER_START_H

/* All of the first `ranks` ranks of the world wait here for each other. */
void sim_meet(int ranks);

#endif
