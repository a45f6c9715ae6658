"""Specifications: what they say, and what is said of one with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines import find, spec_reader
from collscope.machines.simgrid import content_hash
from collscope.machines.spec import Number
from collscope.machines.xml_writer import xml_of
from made_platforms import SMALL, write


def readme_spec() -> str:
    match = re.search(r"```toml\n(name = .*?)```", (paths.ROOT / "platforms/README.md").read_text(), re.DOTALL)
    assert match
    return match.group(1)


def test_the_ten_lines_of_the_readme_are_ten_and_work(tmp_path: Path) -> None:
    text = readme_spec()
    assert len([line for line in text.splitlines() if not line.startswith("[curve]")]) <= 10
    p = find.load(write(tmp_path, text))
    assert (p.name, p.max_nodes, p.cores_per_node) == ("mine", 8, 32)
    assert p.half_round_trip_s("network", 0) == pytest.approx(1.8e-6)
    assert p.wire["cache"] == p.wire["socket"]


def test_every_number_of_the_committed_specifications_has_its_provenance() -> None:
    specs = sorted(find.PLATFORMS.glob("*.toml"))
    assert specs
    for path in specs:
        spec = spec_reader.read_spec(path)
        text = path.read_text()
        for name, number in spec.numbers():
            if name.endswith(".traffic") and number == Number(1.0):
                continue  # no traffic given: a message is worth its bytes
            assert number.source, f"{path.name}: {name} has no source"
            if number.tag in ("assumed", "inferred") and name not in ("sockets",):
                assert number.range, f"{path.name}: {name} is {number.tag} and has no range"
        for short in spec.sources:
            assert re.search(rf"\b{short}\b", text.partition("# ---- shape")[2]), (
                f"{path.name}: source {short} is not used"
            )


def test_the_file_is_a_function_of_the_specification(tmp_path: Path) -> None:
    spec = spec_reader.parse_spec(SMALL, "small.toml")
    assert xml_of(spec) == xml_of(spec_reader.parse_spec(SMALL, "elsewhere.toml"))
    first = find.load(write(tmp_path, SMALL))
    again = find.load(write(tmp_path, SMALL + "# a comment\n", "other.toml"))
    assert first.xml == again.xml
    assert content_hash(first) == content_hash(again)
    changed = find.load(write(tmp_path, SMALL.replace("1e9", "2e9").replace("1e-9", "1.1e-9")))
    assert content_hash(changed) != content_hash(first)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("nodes = 3", "nodes = 0"), 2, "nodes: must be a whole number"),
        (("nodes = 3", "nodes = = 3"), 2, "Invalid value"),
        (("nodes = 3", "nods = 3"), 2, 'did you mean "nodes"'),
        (("nic_bytes_per_s = 1e9", 'nic_bytes_per_s = "fast"'), 5, "must be a number"),
        (
            ("nic_bytes_per_s = 1e9", 'nic_bytes_per_s = { value = 1e9, tag = "guess" }'),
            5,
            'tag: "guess" is not one of documented',
        ),
        (("nic_bytes_per_s = 1e9", "nic_bytes_per_s = { value = 1e9, range = [2e9, 3e9] }"), 5, "outside its range"),
        (("nic_bytes_per_s = 1e9", "nic_bytes_per_s = 1e8"), 8, "faster than the narrowest link"),
        (("\nsocket =", "\nsockett ="), 7, 'unknown key; did you mean "socket"'),
        (("[0, 1e-6, 2e-10]", "[0, 1e-6]"), 7, "from_bytes"),
        (("[1024,", "[0,"), 8, "start at 0 bytes and ascend"),
        (("[0, 1e-6, 2e-10]", "[0, -1e-6, 2e-10]"), 7, "negative"),
        (("sockets = 2", "sockets = 2\noverhead_s = 6e-7"), 8, "two overheads"),
    ],
)
def test_a_broken_specification_is_told_with_file_and_line(
    tmp_path: Path, change: tuple[str, str], line: int, words: str
) -> None:
    path = write(tmp_path, SMALL.replace(*change))
    with pytest.raises(UserError) as caught:
        find.load(path)
    assert f"small.toml:{line}: " in str(caught.value)
    assert words in str(caught.value)
