"""collscope.machines.overrides, collscope.machines.spec_reader: elements of a node's model are read, switched off, written."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.machines import find, overrides, spec_reader
from collscope.machines.machine_file import machine_file
from made_platforms import ELEMENTS, SMALL, write


def spec(change: tuple[str, str] = ("", ""), **overrides: str):
    return spec_reader.parse_spec(ELEMENTS.replace(*change), "elements.toml", overrides)


@pytest.mark.parametrize(("nodes", "refused"), [(1, False), (2, True)])
def test_gaps_between_nodes_count_from_two_nodes_on(nodes: int, refused: bool) -> None:
    gap = ("1.6e-6, 4e-10, 1, 3.2e-7", "1.6e-6, 4e-10, 1, 1.4e-6")  # with the receiver's it is more than the latency
    if not refused:
        assert spec(gap, nodes=str(nodes)).nodes == nodes
        return
    with pytest.raises(UserError, match="class network from 0 bytes: .* more than the whole"):
        spec(gap, nodes=str(nodes))


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
