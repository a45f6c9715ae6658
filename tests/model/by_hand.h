/* Checks that go on after a failure, and schedules written by hand, small enough to work out what they take. */
#ifndef COLLSCOPE_TESTS_MODEL_BY_HAND_H
#define COLLSCOPE_TESTS_MODEL_BY_HAND_H

#include "model/timing.h"

__attribute__((format(printf, 2, 3))) void check(bool fine, const char *format, ...);
void near_to(const char *what, double got, double expected);
const char *written(const char *text); /* path of a file that holds it, until finish() */
machine machine_of(const char *text);  /* of a machine file with these lines */
void machine_refused(const char *text,
                     const char *expected); /* such a file, with this message behind the file's name */
int finish(void);                           /* prints how many checks failed; the exit status */

enum { RANKS = 9, OPS = 64 };
extern record rec;
extern timing_result result; /* of rec, when it was timed last */

void start(int ranks);     /* an empty schedule */
int add(int rank, rec_op); /* returns the operation's index */
int put(int rank, rec_kind, int peer, size_t bytes);
void transfer(int from, int to, size_t bytes);

double timed(const machine *);                       /* makespan of rec */
void refused(const machine *, const char *expected); /* expected: part of why rec has no time */

#endif
