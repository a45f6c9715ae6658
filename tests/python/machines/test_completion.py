"""collscope.machines.completion: what a file leaves open is as on other machines, and single messages stay as the file has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.machines import completion, find
from collscope.machines.completion import ALONE, NONBLOCKING, SOCKETS, SOURCE
from collscope.machines.platform import Platform
from collscope.machines.spec import Spec, SpecError
from collscope.points.plan import Layout, Point
from collscope.sources import model, unknowns
from open_mpi import needs_prover
from osu_alone import KNOWN, OSU_ALONE, machine


def test_open_numbers_have_the_middle_of_their_range(tmp_path: Path) -> None:
    """Assumed, with range and source; what the file gives is as it stands, zero too."""
    spec = find.load_spec(machine(tmp_path, "nic_gap_s = 0"))
    low, middle, high = completion.RANGES["send network"]
    gap = spec.curve["network"][0].gap
    assert gap and (gap[0].value, gap[0].range) == (
        pytest.approx(middle * 1.8e-6),
        pytest.approx((low * 1.8e-6, high * 1.8e-6)),
    )
    assert (gap[0].tag, gap[0].source, spec.memory_bytes_per_s.source) == ("assumed", SOURCE, SOURCE)
    assert spec.nic_gap_s.value == 0 and not spec.nic_gap_s.source
    for name, number in spec.numbers():
        assert not number.range or number.range[0] <= number.value <= number.range[1], name


@pytest.mark.parametrize(("classes", "named"), [(("network",), "curve.network"), (("socket", "node", "network"), "")])
def test_curves_without_a_time_per_byte_are_refused_by_their_names(
    classes: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    """Nothing says how fast their links are; all of them are those that the file has."""
    curves = {"socket": "2e-10", "node": "2.5e-10", "network": "1e-9"} | dict.fromkeys(classes, "0")
    lines = "".join(f"{name} = [[0, 1e-6, {beta}]]\n" for name, beta in curves.items())
    with pytest.raises(UserError) as error:
        find.load(machine(tmp_path, text=OSU_ALONE.partition("socket = [[")[0] + lines))
    where = named or "curve.socket, curve.node, curve.network"
    assert str(error.value).startswith(f"osu: {where}: a large message needs a time per byte")


def test_a_file_that_gives_everything_or_is_not_to_be_completed_stays_as_it_is(tmp_path: Path) -> None:
    def of(*lines: str) -> Spec:
        return find.load_spec(machine(tmp_path, *lines))

    assert SOURCE not in {number.source for _, number in of(*KNOWN).numbers()}
    left = of("complete = false")
    assert SOURCE not in {number.source for _, number in left.numbers()} and not left.curve["node"][0].gap


def test_elements_are_switched_off_whether_they_were_given_or_not(tmp_path: Path) -> None:
    """In draws, too."""
    name = machine(tmp_path) + "[without=gap+nic_gap]"
    made = [find.load(name), *unknowns.drawn(find.load(name), unknowns.unknowns(find.load(name), 2), 3)]
    assert [(p.machine.nic_gap_s, any(piece.gap for c in p.machine.curve.values() for piece in c)) for p in made] == [
        (0.0, False)
    ] * 4


def test_shares_are_of_what_was_typed(tmp_path: Path) -> None:
    """Of a curve that was multiplied; a factor of what is open multiplies its middle."""
    name = machine(tmp_path)
    spec, faster = find.load_spec(name), find.load_spec(f"{name}[network.latency_s=x0.5,memory_bytes_per_s=x2]")
    before, after = spec.curve["network"][0].gap, faster.curve["network"][0].gap
    assert before and after and after[0].value == pytest.approx(before[0].value / 2)
    assert faster.memory_bytes_per_s.value == pytest.approx(2 * spec.memory_bytes_per_s.value)


def test_the_rate_between_sockets_carries_the_network_where_the_nic_has_its_socket(tmp_path: Path) -> None:
    """Long messages between nodes need 1 / 8.2e-11, more than 0.55 of the memory's rate."""
    found = []
    for lines in ((), ("nic_socket = 0",)):
        spec = find.load_spec(machine(tmp_path, "complete = false", "memory_bytes_per_s = 13e9", *lines))
        found.append(SOCKETS.with_values(spec, {"interconnect": 0.5}).interconnect_bytes_per_s.value)
    assert found == pytest.approx([0.55 * 13e9, 1 / 8.2e-11])


@pytest.mark.parametrize(
    ("lines", "brackets", "refuses"),
    [
        (
            ["nic_bytes_per_s = 5e9"],
            "",
            "curve.network: class network from 4096 bytes: 8.2e-11 s per byte is",
        ),
        (
            ["memory_bytes_per_s = 4e9"],
            "",
            "class cache from 0 bytes: 2e-10 s per byte is faster than the narrowest link",
        ),
        (
            [],
            "[nic_bytes_per_s=5e9]",
            "8.2e-11 s per byte is faster than the narrowest link allows (1 / 5e+09 B/s = 2e-10)",
        ),
        (["nic_bytes_per_s = 12.3e9"], "", ""),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_link_that_is_given_and_is_too_narrow_for_its_curve_is_refused(
    tmp_path: Path, lines: list[str], brackets: str, refuses: str, whole: bool
) -> None:
    """Completed or not: what is filled in does not hide it."""
    name = machine(tmp_path, *lines, "" if whole else "complete = false") + brackets
    if not refuses:
        assert find.load_spec(name).curve["network"][1].traffic.value == pytest.approx(1)
        return
    with pytest.raises(UserError) as error:
        find.load_spec(name)
    assert refuses in str(error.value)


def test_small_messages_that_are_faster_than_a_given_link_keep_it_busy_as_long_as_they_take(tmp_path: Path) -> None:
    """Their curve is flat, whatever the link."""
    text = OSU_ALONE.replace("[0, 1.8e-6, 1e-9]", "[0, 1.8e-6, 2e-11]")
    traffic = find.load_spec(machine(tmp_path, "nic_bytes_per_s = 12.5e9", text=text)).curve["network"][0].traffic
    assert traffic.value == pytest.approx(2e-11 / 8.2e-11) and traffic.source == ALONE
    with pytest.raises(SpecError, match="class network from 0 bytes: 2e-11 s per byte is faster"):
        find.load_spec(machine(tmp_path, "nic_bytes_per_s = 12.5e9", text=text.replace("[4096,", "[4097,")))


@needs_prover
@pytest.mark.parametrize("nodes", [1, 2])
def test_a_single_message_takes_as_long_as_the_curve_says(workplace: Path, tmp_path: Path, nodes: int) -> None:
    """In the middle of the ranges and in each draw: what was measured is not open. Non-blocking sends alone may take longer."""
    bare = find.load(machine(tmp_path, "eager_bytes = 131072", "complete = false"))
    sizes = (8, 4096, 1 << 16, 1 << 20)

    def seconds(platform: Platform) -> list[float]:
        points = [Point("bcast", "bcast/binomial[s=0]", size // 4) for size in sizes]
        return [o["model_s"] for o in model.evaluate([(Layout(platform, nodes, 2), point) for point in points])]

    expected = seconds(bare)
    whole = find.load(machine(tmp_path, "eager_bytes = 131072"))
    numbers = [u for u in unknowns.unknowns(whole, nodes) if u != NONBLOCKING]
    for platform in (whole, *unknowns.drawn(whole, numbers, 20)):
        assert seconds(platform) == pytest.approx(expected, rel=1e-6)
