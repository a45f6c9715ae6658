/* How well a median is known, whatever the distribution: an interval between two of the values in their order.
 *
 * The median lies below the k-th smallest of n independent values where fewer than k of them are below it: with probability
 * P(B(n, 1/2) < k). So it lies between the k-th smallest and the k-th largest with 1 - 2 P(B(n, 1/2) < k), and the largest k for which
 * that is still 95 % is taken. Fewer than 6 values have no such k.
 * Source  Conover, Practical Nonparametric Statistics, 3rd ed. 1999, section 3.2 */
#ifndef COLLSCOPE_DRIVER_MEASURE_INTERVAL_H
#define COLLSCOPE_DRIVER_MEASURE_INTERVAL_H

/* k, from 1; 0: too few values. */
int interval_rank(int values);
/* The interval's width as a part of the median; infinite where there is no interval, or the median is 0. Sorts the values. */
double interval_width(double *value, int values);

#endif
