#include "patterns/hamiltonian.h"

static int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }

static int possible(int p, int columns) {
  return columns > 2 && p % columns == 0 && p / columns % columns == 0 && common_divisor(p / columns, columns - 1) == 1;
}

int coll_hamiltonian_columns(int p, long x) {
  if (x) return x <= p && possible(p, (int)x) ? (int)x : 0;
  int most = 0;
  for (int columns = 3; columns <= p / columns; columns++)
    if (possible(p, columns)) most = columns;
  return most;
}

int coll_hamiltonian_rank(int p, int columns, int ring, int place) {
  int high = place / columns, low = place % columns, rows = p / columns;
  if (!ring) return high * columns + (low + columns - high % columns) % columns;
  return (int)(((long)high * (columns - 1) + low) % rows) * columns + high % columns;
}
