/* smpi_messages PLAN: collective calls of SMPI's own, one after the other, for a trace to be taken of them.
 *
 * A line of the plan is COLLECTIVE COUNT ROOT COMMUTES IN_PLACE ELEM: MPI's call, of floats (ELEM 4) or bytes (1).
 */
#include "validate/twins/calls.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  FILE *plan = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!plan) fail("usage: smpi_messages PLAN,", argc == 2 ? argv[1] : "no plan");
  MPI_Op ordered;
  MPI_Op_create(add, 0, &ordered);
  char line[512], what[128];
  while (fgets(line, sizeof line, plan)) {
    int n, root, commutes, in_place, elem;
    if (sscanf(line, "%127s %d %d %d %d %d", what, &n, &root, &commutes, &in_place, &elem) != 6)
      fail("cannot read", line);
    MPI_Datatype type = elem == 1 ? MPI_SIGNED_CHAR : MPI_FLOAT;
    call(what, MPI_COMM_WORLD, n, type, root, commutes ? MPI_SUM : ordered, in_place);
  }
  fclose(plan);
  MPI_Op_free(&ordered);
  return MPI_Finalize();
}
