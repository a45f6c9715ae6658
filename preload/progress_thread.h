/* A thread that looks after the program's non-blocking calls as long as there are some, and sleeps meanwhile. */
#ifndef COLLSCOPE_PRELOAD_PROGRESS_THREAD_H
#define COLLSCOPE_PRELOAD_PROGRESS_THREAD_H

#include <stdbool.h>

/* cpu: -1: anywhere. look: how many calls ended; negative: nothing is left. False: there is no thread. */
bool thread_start(int cpu, int (*look)(void));
void thread_wake(void); /* something is under way; nothing happens without a thread */
void thread_end(void);  /* likewise */

#endif
