"""collscope.machines.spec_reader, collscope.machines.xml_reader, collscope.studies.reader, collscope.schedules.exports.goal_reader,
collscope.points.table_files, collscope.tuning.rule_file, collscope.tuning.profiles, collscope.tuning.mpip,
collscope.tuning.tau, collscope.tuning.preload_report:
any input of the readers of specifications, studies, platform files, GOAL, tables, rules of libraries and profiles gives a result or a
UserError, and soon."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import profile_files
import tau_files
from collscope.base import documents, paths
from collscope.base.characters import short_words
from collscope.base.errors import UserError
from collscope.base.toml_table import read_text
from collscope.machines import find, overrides, spec_reader, xml_reader
from collscope.machines.machine_file import machine_file
from collscope.machines.spec import filled
from collscope.points import table_files
from collscope.schedules.exports import goal_reader
from collscope.studies import reader
from collscope.tuning import decision_file, mpich_rules, openmpi_rules, profiles, rule_file
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN, Rule
from made_platforms import LAYERED, SMALL, SQUARE
from made_rows import row
from xml_of_one_host import platform_xml

RULES = [
    Rule("bcast", (2, 3), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 3), (1001, 65536), OWN),
    Rule("allgather", (3, 5), (0, 99), "allgather/bruck"),
]
ORIGIN = Origin("schooner", "0123456789ab", "real", "2..8", "1", "4..1MiB", 0.02)
CORPUS = Path(__file__).parents[1] / "corpus"
FEW, MANY = 60, 5000
NAMES = {"platform": "input.xml", "table": "input.json", "tau": "profile.0.0.0"}
CURVE_KEYS = overrides.curve_keys(spec_reader.parse_spec(LAYERED, "layered.toml"))
INSIDE = find.platform_of(
    spec_reader.parse_spec(SQUARE.replace("cores_per_socket = 3", "cores_per_socket = 1"), "s", {"nodes": "1"}), "s"
).text
GOAL = """num_ranks 3
rank 0 {
l1: send 1b to 1 tag 0 cpu 0 nic 0
l2: send 8b to 2 // two
l2 irequires l1
}
rank 1 {
a: recv 1b from 0 tag 0
b: calc 300 cpu 1
b requires a
c: calc 0
c requires b
}
/* the last one */
rank 2 {
recv 8b from 0
}
"""
SEEDS = {
    "specification": [SMALL, LAYERED, SQUARE, (paths.ROOT / "platforms" / "schooner.toml").read_text(encoding="utf-8")],
    "study": [(paths.ROOT / "sim" / "bird_schooner.toml").read_text(encoding="utf-8")],
    "goal": [GOAL],
    "table": [documents.text("table", {"rows": table_files.named_cells([row(times_s="1e-6", outliers=0.5)])})],
    "rules": [
        openmpi_rules.text(RULES, "4.1", f"of a test\n{ORIGIN}"),
        openmpi_rules.text(RULES, "5.0", ""),
        decision_file.text(RULES, f"of a test\n{ORIGIN}"),
    ],
    "mpich": [mpich_rules.texts(RULES, False)[mpich_rules.FILE]],
    "tau": [tau_files.text(0)],
    "mpip": [(CORPUS.parent / "tuning" / "data" / "phases.mpiP").read_text(encoding="utf-8")],
    "profile": [
        json.dumps(
            profile_files.profile(profile_files.row("bcast", 1 << 20, 100, 1.0, skew=profile_files.skew(5, 1e-3, 1e-3)))
        )
    ],
    "platform": [platform_xml('<prop id="network/model" value="CM02"/>'), INSIDE],
}
TOKENS = """nan inf -inf 1e400 1e300 -1 0 1e-320 true "" "²" --5 [] {} [[ ]] [ ] { } = " ' \\"\\"\\" # \\ \\u0000 $x_{$ .. , é
    < > </ /> &a; <![CDATA[ <config> <host/> value="" """
PIECES = (
    *TOKENS.replace('\\"', '"').split(),
    "<!ENTITY a 'b'>",
    "9" * 400,
    "9" * 5000,
    "[" * 200,
    "a." * 200,
    "\n",
    "\udcff",
    "\0",
)


@st.composite
def changed(draw: st.DrawFn, kind: str) -> bytes:
    """A file that was right, with a few places cut, doubled or replaced; now and then in another encoding."""
    text = draw(st.sampled_from(SEEDS[kind]))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.sampled_from((0, 0, 1, 3, 10, 60))))
        new = draw(st.one_of(st.sampled_from(PIECES), st.just(text[at:end] * 2), st.text(max_size=8)))
        text = text[:at] + new + text[end:]
    encoding = draw(st.sampled_from(("utf-8", "utf-8", "utf-8", "latin-1", "utf-16")))
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" and draw(st.booleans()) else "replace")


def read_specification(path: Path) -> None:
    """The specification, and what is made of it where it is small."""
    spec = spec_reader.parse_spec(read_text(path, path.name), path.name, say=lambda text: None)
    if spec.nodes * spec.cores_per_node <= 64:
        made = path.with_suffix(".made.xml")
        made.write_text(find.platform_of(spec, "made").text, encoding="utf-8")
        machine_file(xml_reader.read_xml(made, "made"), 1, 1)


def read_study(path: Path) -> None:
    """The study, without its points: those need the catalogue."""
    reader.parse(read_text(path, path.name), path)


def read_platform(path: Path) -> None:
    """The platform, and the numbers that it says."""
    platform = xml_reader.read_xml(path, "own")
    _ = (platform.machine, platform.nodes, platform.classes(2))


def read_goal(path: Path) -> None:
    """The schedule as the prover's text."""
    goal_reader.read(path)


def read_table(path: Path) -> None:
    """The table of a JSON document."""
    table_files.read(str(path))


def read_rules(path: Path) -> None:
    """The rules, and how they were made."""
    rule_file.read(str(path))


def read_profile(path: Path) -> None:
    """The profile, and that with all communicators taken for the world."""
    for assume_world in (False, True):
        assert profiles.read(str(path), assume_world).seconds >= 0


READ: dict[str, Callable[[Path], None]] = {
    "specification": read_specification,
    "study": read_study,
    "platform": read_platform,
    "goal": read_goal,
    "table": read_table,
    "rules": read_rules,
    "mpich": read_rules,
    "mpip": read_profile,
    "tau": read_profile,
    "profile": read_profile,
}


def check(kind: str, data: bytes, folder: Path) -> None:
    """Reads it; the only error is a UserError, whose text is short."""
    path = folder / NAMES.get(kind, "input.toml")
    if kind == "tau":
        (folder / "profile.1.0.0").write_text(tau_files.text(1), encoding="utf-8")
    path.write_bytes(data)
    try:
        READ[kind](path)
    except UserError as error:
        assert len(short_words(str(error))) < 3000  # as it is printed
        str(error).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", READ)
def test_changed_files_give_a_result_or_a_message(kind: str, examples: int, tmp_path: Path) -> None:
    """So many changed files of one kind, and as much noise."""

    @settings(max_examples=examples, derandomize=examples == FEW)
    @given(st.one_of(changed(kind), changed(kind), st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
    def one(data: bytes) -> None:
        check(kind, data, tmp_path)

    one()


@settings(max_examples=300)
@given(
    st.sampled_from((*overrides.IDEAL, "nodes", *spec_reader.COUNTS, *spec_reader.NUMBERS, *CURVE_KEYS)),
    st.one_of(st.sampled_from(PIECES), st.floats().map(str), st.floats().map(lambda x: f"x{x}"), st.text(max_size=12)),
)
def test_any_value_of_a_variant_is_taken_or_refused(key: str, value: str) -> None:
    base = filled(spec_reader.parse_spec(SMALL, "small.toml"))
    for make in (lambda: overrides.ideal_numbers({key: value}), lambda: overrides.override(base, {key: value})):
        try:
            make()
        except UserError as error:
            assert len(short_words(str(error))) < 3000  # as it is printed


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*.*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_corpus_gives_a_result_or_a_message(path: Path, tmp_path: Path) -> None:
    check(path.parent.name, path.read_bytes(), tmp_path)
