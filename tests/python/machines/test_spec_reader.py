"""collscope.machines.spec_reader: specifications: what they say, and what is said of one with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.machines import find, spec_reader
from collscope.machines.platform import content_hash
from collscope.machines.spec import CLASSES, Number, Spec
from made_platforms import PRIME, SMALL, write


def readme_spec() -> str:
    match = re.search(r"```toml\n(name = .*?)```", (paths.ROOT / "platforms/README.md").read_text(), re.DOTALL)
    assert match
    return match.group(1)


def test_the_ten_lines_of_the_readme_are_ten_and_work(tmp_path: Path) -> None:
    text = readme_spec()
    assert len([line for line in text.splitlines() if not line.startswith("[curve]")]) <= 10
    p = find.load(write(tmp_path, text))
    assert (p.name, p.max_nodes, p.cores_per_node) == ("mine", 8, 32)
    assert p.machine.half_round_trip_s("network", 0) == pytest.approx(1.8e-6)
    assert p.curve["cache"] == p.curve["socket"]


def test_every_number_of_the_committed_specifications_has_its_provenance() -> None:
    specs = sorted(find.PLATFORMS.glob("*.toml"))
    assert specs
    for path in specs:
        spec = find.load_spec(path.stem)
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
    first = find.load(write(tmp_path, SMALL))
    again = find.load(write(tmp_path, SMALL + "# a comment\n", "other.toml"))
    assert first.xml == again.xml
    assert content_hash(first) == content_hash(again)
    changed = find.load(write(tmp_path, SMALL.replace("1e9", "2e9").replace("1e-9", "1.1e-9")))
    assert content_hash(changed) != content_hash(first)


# ---- a machine of primes: each number shows where it goes ---------------------------------------------------------------


def test_numbers_that_a_file_does_not_give_have_their_defaults() -> None:
    made = spec_reader.parse_spec(SMALL, "small.toml")
    assert (made.cores_per_cache, made.about, made.own_curves) == (2, "", ("socket", "network"))
    assert set(made.counts) == {"nodes", "sockets", "cores_per_socket"}
    assert made.gamma_s_per_byte == Number(2.5e-10, "assumed", "", None)
    assert made.core_bytes_per_s == Number(5e9, "assumed", "as much as the curves need")
    assert made.curve["cache"][0].traffic == Number(1.0)


def test_a_number_keeps_its_provenance() -> None:
    number = '{ value = 1e9, tag = "measured", source = "us", range = [9e8, 2e9] }'
    text = SMALL.replace("nic_bytes_per_s = 1e9", f'nic_bytes_per_s = {number}\n[sources]\nus = "here"')
    more = "[least]\no = 1e-8\ng = 2e-8\nL = 3e-7\nG = 5e-11\ngamma = 7e-11\n[curve]"
    made = spec_reader.parse_spec(text.replace("[curve]", more), "small.toml")
    assert made.nic_bytes_per_s == Number(1e9, "measured", "us", (9e8, 2e9))
    assert (made.sources, made.nodes) == ({"us": "here"}, 3)
    assert made.least == {"o": 1e-8, "g": 2e-8, "L": 3e-7, "G": 5e-11, "gamma": 7e-11}


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("cache", {"socket": "cache", "node": "cache", "network": "cache"}),
        ("node", {"cache": "node", "socket": "node", "network": "node"}),
        ("cache network", {"socket": "network", "node": "network"}),
        ("cache node", {"socket": "node", "network": "node"}),
        ("socket node", {"cache": "socket", "network": "node"}),
    ],
)
def test_a_class_without_a_curve_takes_that_of_the_next_wider_one_or_else_the_next_closer(
    given: str, taken: dict[str, str]
) -> None:
    own = given.split()
    curves = "".join(f"{level} = [[0, {1 + CLASSES.index(level)}e-6, 1e-9]]\n" for level in own)
    made = spec_reader.parse_spec(SMALL.partition("[curve]")[0] + "[curve]\n" + curves, "small.toml")
    assert made.own_curves == tuple(own)
    assert {level: made.curve[level][0].latency.value for level in CLASSES} == {
        level: float(f"{1 + CLASSES.index(taken.get(level, level))}e-6") for level in CLASSES
    }


def test_overrides_replace_or_multiply() -> None:
    def read(**values: str) -> Spec:
        return spec_reader.parse_spec(PRIME, "prime.toml", {k.replace("__", "."): v for k, v in values.items()})

    made = read(nodes="x2", sockets="1", gamma_s_per_byte="x3", nic_bytes_per_s="7e9", eager_bytes="-1")
    assert (made.nodes, made.sockets, made.cores_per_node) == (6, 1, 6)
    assert made.gamma_s_per_byte == Number(9.3e-10, "assumed", "given with the platform's name")
    assert (made.nic_bytes_per_s.value, made.eager_bytes.value) == (7e9, -1)
    assert made.switch_bytes_per_s.value == 11e9
    # A cache that all of a socket share stays so; another stays as it is.
    assert read(cores_per_socket="12").cores_per_cache == 3
    small = spec_reader.parse_spec(SMALL, "small.toml", {"cores_per_socket": "6"})
    assert (small.cores_per_socket, small.cores_per_cache) == (6, 6)
    assert spec_reader.parse_spec(SMALL, "", {"cores_per_socket": "6", "cores_per_cache": "3"}).cores_per_cache == 3
    # What was not given is filled from what the curve needs after the change.
    slow = spec_reader.parse_spec(SMALL, "small.toml", {"socket.s_per_byte": "x2"})
    assert (slow.core_bytes_per_s.value, slow.nic_bytes_per_s.value) == (2.5e9, 1e9)
    assert spec_reader.parse_spec(SMALL, "", {"core_bytes_per_s": "x3"}).core_bytes_per_s.value == 1.5e10
    scaled = read(network__latency_s="x2", network__s_per_byte="x3")
    assert [(p.start, p.latency.value, p.s_per_byte.value) for p in scaled.curve["network"]] == [
        (0, 3.8e-6, 1.11e-9), (64, 3.4e-6, 1.23e-9), (5003, 5.8e-6, 9.3e-10),
    ]  # fmt: skip
    assert scaled.curve["node"] == read().curve["node"]
    both = spec_reader.parse_spec(SMALL, "small.toml", {"socket.latency_s": "x2"}).curve
    assert both["cache"] == both["socket"]
    assert both["node"][0].latency.value == 3e-6, "which has the network's"
