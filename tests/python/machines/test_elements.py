"""collscope.machines.overrides, collscope.machines.spec_reader: elements of a node's model are read, switched off, written."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.machines import find, overrides, spec_reader
from collscope.machines.machine_file import machine_file
from collscope.machines.spec import SpecError
from made_platforms import ELEMENTS, SMALL, write


def spec(change: tuple[str, str] = ("", ""), **overrides: str):
    return spec_reader.parse_spec(ELEMENTS.replace(*change), "elements.toml", overrides)


def test_a_machine_without_elements_says_nothing_of_them(tmp_path: Path) -> None:
    plain = spec_reader.parse_spec(SMALL, "small.toml")
    assert overrides.present(plain) == ()
    assert plain.eager_nonblocking == plain.eager_bytes
    assert plain.fresh_from.value == 32 << 20, "as glibc's allocator, once it has released as much"
    optional = {"nic_gap_s", "eager_bytes_nonblocking", "first_touch_s_per_byte", "fresh_from_bytes"}
    assert not optional & {name for name, _ in plain.numbers()}
    on = find.load(write(tmp_path, SMALL))
    assert not on.machine.has_kinds
    text = machine_file(on, 2, 4)
    assert not any(
        line.startswith(("in_order", "nic_gap", "class_n", "eager_n", "first")) for line in text.splitlines()
    )


@pytest.mark.parametrize("element", overrides.ELEMENTS)
def test_each_element_is_switched_off_alone(element: str) -> None:
    made = spec(without=element)
    assert overrides.present(made) == tuple(name for name in overrides.ELEMENTS if name != element)
    everything = spec(without="+".join(overrides.ELEMENTS))
    assert overrides.present(everything) == ()


def test_classes_that_share_a_curve_go_on_sharing_it() -> None:
    made = spec_reader.parse_spec(SMALL.replace("2e-10]]", "2e-10, 1, 1e-7, 0]]"), "small.toml", {"without": "gap"})
    assert made.curve["cache"] is made.curve["socket"]


def test_a_class_with_its_neighbours_curve_has_its_nonblocking_curve_too() -> None:
    made = spec_reader.parse_spec(SMALL + "[curve_nonblocking]\nsocket = [[0, 2e-6, 2e-10]]\n", "small.toml")
    assert made.own_curves == ("socket", "network")
    assert set(made.curve_nonblocking) == {"cache", "socket"}, "cache has socket's; node has network's, which has none"
    assert made.curve_nonblocking["cache"] is made.curve_nonblocking["socket"]


def test_elements_are_numbers_of_a_variant() -> None:
    made = spec(nic_gap_s="x2", eager_bytes_nonblocking="8192", in_order="false")
    assert (made.nic_gap_s.value, made.eager_nonblocking.value, made.in_order) == (4e-7, 8192, False)
    plain = spec_reader.parse_spec(SMALL, "small.toml", {"eager_bytes_nonblocking": "x0.5", "in_order": "1"})
    assert (plain.eager_nonblocking.value, plain.in_order) == (4096, True)
    with pytest.raises(UsageError, match='in_order is true or false, not "perhaps"'):
        spec(in_order="perhaps")


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("in_order = true", 'in_order = "yes"'), 11, "in_order: must be true or false"),
        (("nic_gap_s = 2e-7", "nic_gap_s = -1"), 12, "nic_gap_s: must not be negative"),
        (("nic_gap_s = 2e-7", "nic_gap_s = 1e4"), 12, "nic_gap_s: must be 0 or 1e-18 to 1000 seconds"),
        (("nonblocking = 900", "nonblocking = -2"), 7, "eager_bytes_nonblocking: must not be negative, but for -1"),
        (("per_byte = 3e-10", "per_byte = -1"), 13, "first_touch_s_per_byte: must not be negative"),
        (("from_bytes = 2000", "from_bytes = 0"), 14, "fresh_from_bytes: must be a whole number, 1 or more"),
        (("nic_gap_s", "nic_gab_s"), 12, 'did you mean "nic_gap_s"'),
        (("[curve_nonblocking]\nsocket", "[curve_nonblocking]\nsock"), 31, 'did you mean "socket"'),
        (
            ("2e-7, 2e-11]", "2e-7, 2e-11, 2]"),
            18,
            "then gap_s and gap_s_per_byte, then receive_gap_s and receive_gap_s_per_byte",
        ),
        (("4e-10, 1, 3e-7, 1e-11,", "4e-10, 1, -3e-7, 1e-11,"), 18, "must not be negative"),
        (("2e-7, 2e-11]", "-2e-7, 2e-11]"), 18, "must not be negative"),
        (("4e-10, 1, 3e-7, 1e-11,", "4e-10, 1, 1.6e-6, 1e-11,"), 18, "class network from 0 bytes: of the 1.5e-06 s"),
        (("2e-7, 2e-11]", "1.2e-6, 2e-11]"), 18, "what its receiver spends 1.25e-06 s"),
        (("receive_gap_s = 2.3e-7", "receive_gap_s = 2.3e-6"), 25, "lower gap_s, receive_gap_s, what they are"),
        (("gap_s_per_byte = 2e-11\n", "receive_gap_s = 5e-7\n"), 19, "a message of 0 bytes takes"),
        (("5e-7, 2e-11]]", "5e-7, 2e-10]]"), 32, "lower gap_s, receive_gap_s, what they are a byte, or traffic"),
        (("5e-7, 2e-11]]", "5e-7, 2e-11, 0, 1e-11]]"), 32, "say receive_gap_s in [[curve.network]]"),
        (("1.6e-6, 4e-10, 1, 3.2e-7", "1.6e-6, 4e-10, 1, 1.4e-6"), 32, "what its receiver spends 2.5e-07 s"),
    ],
)
def test_impossible_elements_are_refused_with_their_line(change: tuple[str, str], line: int, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        spec(change)
    assert str(refused.value).startswith(f"elements.toml:{line}: ")
    assert words in str(refused.value)


def test_without_is_typed_beside_the_platform_or_within_its_name() -> None:
    assert overrides.left_out("schooner", "gap") == "schooner[without=gap]"
    assert overrides.left_out("m.toml[nodes=2]", "gap, in_order") == "m.toml[nodes=2,without=gap+in_order]"
    assert overrides.left_out("m[without=gap,nodes=2]", "nic_gap") == "m[without=gap+nic_gap,nodes=2]"
    with pytest.raises(UsageError, match='there is no element "nic_gab"; did you mean "nic_gap"'):
        overrides.left_out("schooner", "gap,nic_gab")
    with pytest.raises(UsageError, match='elements: there is no element "order"'):
        spec(without="order")
    with pytest.raises(UsageError, match="ideal has no element"):
        overrides.left_out("ideal[alpha=2us]", "gap")


def test_leaving_out_an_absent_element_is_reported() -> None:
    printed: list[str] = []
    spec_reader.parse_spec(
        ELEMENTS.replace("in_order = true\n", ""), "e.toml", {"without": "in_order+gap"}, printed.append
    )
    assert printed == ["elements: without=in_order changes nothing: this machine has no such element"]
