"""collscope.machines.spec_reader: specifications: what they say, and what is said of one with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines import find, spec_reader
from collscope.machines.platform import content_hash
from collscope.machines.spec import CLASSES, Number, Spec, SpecError
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
def test_a_broken_specification_is_refused_with_file_and_line(
    tmp_path: Path, change: tuple[str, str], line: int, words: str
) -> None:
    path = write(tmp_path, SMALL.replace(*change))
    with pytest.raises(UserError) as caught:
        find.load(path)
    assert f"small.toml:{line}: " in str(caught.value)
    assert words in str(caught.value)


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


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        (("nodes = 3", "nodes = 1"), True),
        (("nodes = 3", "nodes = 0.5"), False),
        (("nodes = 3", "nodes = 1.5"), False),
        (("cores_per_cache = 3", "cores_per_cache = 4"), False),
        (("cores_per_cache = 3", "cores_per_cache = 2"), True),
        (("eager_bytes = 1009", "eager_bytes = 0"), True),
        (("eager_bytes = 1009", "eager_bytes = -1"), True),
        (("eager_bytes = 1009", "eager_bytes = -2"), False),
        (("gamma_s_per_byte = 3.1e-10", "gamma_s_per_byte = 0"), True),
        (("gamma_s_per_byte = 3.1e-10", "gamma_s_per_byte = -1e-12"), False),
        (("[0, 6.1e-7, 1.7e-10]", "[0, 6.1e-7, 1.7e-10, 1]"), True),
        (("[0, 6.1e-7, 1.7e-10]", "[0, 6.1e-7, 1.7e-10, 0]"), False),
        (("[0, 6.1e-7, 1.7e-10]", "[0, 6.1e-7, 1.7e-10, 1, 1]"), False),
        (("[0, 6.1e-7, 1.7e-10]", "[1, 6.1e-7, 1.7e-10]"), False),
        (("[64, 1.7e-6, 4.1e-10]", "[5002, 1.7e-6, 4.1e-10]"), True),
        (("[64, 1.7e-6, 4.1e-10]", "[5003, 1.7e-6, 4.1e-10]"), False),
        (("[64, 1.7e-6, 4.1e-10]", "[5004, 1.7e-6, 4.1e-10]"), False),
        (("overhead_s = 1.3e-7", "overhead_s = { value = 1.3e-7, range = [1.3e-7, 1.4e-7] }"), True),
        (("overhead_s = 1.3e-7", "overhead_s = { value = 1.3e-7, range = [1.2e-7, 1.3e-7] }"), True),
        (("overhead_s = 1.3e-7", "overhead_s = { value = 1.3e-7, range = [1.31e-7, 1.4e-7] }"), False),
        (("overhead_s = 1.3e-7", "overhead_s = { value = 1.3e-7, range = [1.2e-7, 1.29e-7] }"), False),
        (("overhead_s = 1.3e-7", "overhead_s = 2.5e-7"), True),  # twice that is the latency of the cache
        (("overhead_s = 1.3e-7", "overhead_s = 2.51e-7"), False),
        (("switch_bytes_per_s = 11e9", "switch_bytes_per_s = 4.2e9"), True),  # 1.3 / 3.1e-10 = 4.19e9
        (("switch_bytes_per_s = 11e9", "switch_bytes_per_s = 4.1e9"), False),
        (("interconnect_bytes_per_s = 17e9", "interconnect_bytes_per_s = 12.7e9"), True),  # 2.9 / 2.3e-10 = 12.6e9
        (("interconnect_bytes_per_s = 17e9", "interconnect_bytes_per_s = 12.5e9"), False),
        (("core_bytes_per_s = 23e9", "core_bytes_per_s = 17.3e9"), True),  # 1.9 / 1.1e-10 = 17.27e9
        (("core_bytes_per_s = 23e9", "core_bytes_per_s = 17.2e9"), False),
        (("memory_bytes_per_s = 41e9", "memory_bytes_per_s = 17.2e9"), False),
    ],
)  # fmt: skip
def test_the_limits_of_what_a_file_may_say(change: tuple[str, str], fits: bool) -> None:
    assert change[0] in PRIME
    text = PRIME.replace(*change)
    if fits:
        spec_reader.parse_spec(text, "prime.toml")
        return
    with pytest.raises(SpecError, match=r"^prime\.toml:\d+: "):
        spec_reader.parse_spec(text, "prime.toml")


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
