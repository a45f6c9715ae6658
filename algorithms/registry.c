/* The registry: the one list of algorithms and decisions. Command line, tests, docs and Python read it through
 * coll_list_json. To add an algorithm: its file, one line here, one line in CMakeLists.txt. */
#include "collscope.h"

#define ALGORITHMS(X)

#define DECISIONS(X)

#define DECLARE_ALGORITHM(name) extern const coll_alg name;
#define DECLARE_DECISION(name) extern const coll_decision name;
#define ADDRESS(name) &name,

ALGORITHMS(DECLARE_ALGORITHM)
DECISIONS(DECLARE_DECISION)

const coll_alg *const coll_registry[] = { ALGORITHMS(ADDRESS) NULL };
const coll_decision *const coll_decisions[] = { DECISIONS(ADDRESS) NULL };
