"""Rules as coll/tuned of Open MPI reads them, and the words that make it read them.

The classic text is a list of whole numbers: how many collectives; of each its number and how many communicator sizes; of each of these how
many message sizes; of each of these where it begins, algorithm, fan-out and segment. 5.0 knows a version in the first line, with which a
fifth number, of requests, may follow. From open-mpi/ompi, tags v4.1.4 and v5.0.9, ompi/mca/coll/tuned:

- coll_tuned_dynamic_file.c, ompi_coll_tuned_read_rules_config_file: the grammar. The first size must be 0. A file with an error, or
  that is not there, is ignored silently.
- coll_tuned_dynamic_rules.c, ompi_coll_tuned_get_com_rule_ptr: the largest communicator size that is not above the communicator's, or the
  first of all where it is below that; ompi_coll_tuned_get_target_method_params: the same for sizes. So rules have no upper ends here:
  algorithm 0, the library's own choice, stands below the first and behind the last of ours.
- coll_base_util.c, ompi_coll_base_file_getnext_long: numbers are read by "%li", to which 010 is 8: none of ours begins with 0.
- coll_tuned_decision_dynamic.c: sizes are of the whole vector. Those of scatter follow from a count that only the root knows, those of
  gather from one that the root does not know in place, and those of scan leave the count out: ranks could take different
  algorithms, so these have no rules here.

From 6.0 on a communicator size is the end of the rule before it (coll_tuned_dynamic_file.c): no files for it are written here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from collscope.catalogue import registry
from collscope.catalogue.keys import Key
from collscope.tuning.rules import OWN, Rule

NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "bcast": 7,
    "reduce": 11,
    "reduce_scatter": 12,
    "reduce_scatter_block": 13,
}
"""Of collectives: enum COLLTYPE in ompi/mca/coll/base/coll_base_functions.h."""
FILE, SCRIPT = "openmpi.conf", "openmpi.sh"
VERSIONED = ("5.0",)
MCA = "OMPI_MCA_"


def text(rules: Sequence[Rule], series: str, about: str) -> str:
    """The file for a series, with lines `about` it behind #."""
    lines = ["rule-file-version-2"] if series in VERSIONED else []
    lines += [f"# {line}" for line in about.splitlines()]
    collectives = [(name, list(members)) for name, members in groupby(rules, lambda rule: rule.collective)]
    lines.append(f"{len(collectives)} # collectives")
    for name, members in collectives:
        by_ranks = [(ranks, list(sizes)) for ranks, sizes in groupby(members, lambda rule: rule.ranks)]
        sets: list[tuple[int, list[str]]] = [(low, list(_sizes(sizes, series))) for (low, _), sizes in by_ranks]
        own = [_line(0, OWN, series)]
        sets = [(0, own)] * (sets[0][0] > 2) + sets + [(by_ranks[-1][0][1] + 1, own)]
        lines += [f"{NUMBERS[name]} # {name}", f"{len(sets)} # communicator sizes"]
        for ranks, sizes_of in sets:
            lines += [f"{ranks} {len(sizes_of)} # ranks, and how many sizes", *sizes_of]
    return "\n".join(lines) + "\n"


def _sizes(rules: Sequence[Rule], series: str) -> Iterator[str]:
    yield from (_line(rule.bytes[0], rule.key, series) for rule in rules)
    yield _line(rules[-1].bytes[1] + 1, OWN, series)


def _line(start: int, key: str, series: str) -> str:
    """From so many bytes on this key: size, algorithm, fan-out, segment, and where the version has it requests."""
    number = fan_out = segment = 0
    if key:
        algorithm = registry.load().algorithm(key)
        assert algorithm and algorithm.twin
        values = Key.parse(key).values
        number, fan_out = int(algorithm.twin["number"]), int(values.get("chains", 0))
        segment = int(values.get("s", values.get("first", 0)))
    words = [start, number, fan_out, segment, *([0] if series in VERSIONED else [])]
    return f"{' '.join(map(str, words))} # {key or 'the own choice of Open MPI'}"


def variables(file: Path, without_han: bool) -> dict[str, str]:
    """The environment in which Open MPI follows the file; `without_han`: coll/han would decide before coll/tuned."""
    made = {f"{MCA}coll_tuned_use_dynamic_rules": "1", f"{MCA}coll_tuned_dynamic_rules_filename": str(file)}
    return made | ({f"{MCA}coll": "^han"} if without_han else {})


def script(file: Path, without_han: bool) -> str:
    """Lines for a shell that make Open MPI follow the file."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables(file, without_han).items()]
    message = shlex.quote(f"{file}: not there; Open MPI would ignore it silently")
    return "\n".join([f"[ -r {shlex.quote(str(file))} ] || echo {message} >&2", *lines]) + "\n"
