"""Why one algorithm beats another: where their critical paths differ, and what would have to change for the other to win."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from collscope.base.errors import UserError
from collscope.base.progress import Progress
from collscope.base.units import counted, format_ratio, format_size, format_time
from collscope.catalogue import registry
from collscope.machines import find, limits, overrides
from collscope.machines.spec import Number
from collscope.points.plan import Layout, Point, check_layout
from collscope.schedules.critical_path import PARTS, CriticalPath
from collscope.sources import model
from collscope.sources.outcome import OK

MAX_DOUBLINGS = 5  # doublings either way in which a crossing is looked for
MAX_SIZE = 12  # likewise of the size
CLOSE = 1.01  # a factor between two values that are near enough to each other
MAX_RANKS = 1024
SAME = 1e-9  # relatively: times that differ by less are the same


def differences(winner: CriticalPath, loser: CriticalPath) -> list[tuple[str, float]]:
    """(part, seconds by which the loser spends more on it), the largest first; the seconds add up to the difference of the times."""
    parts = [p for p in PARTS if p in winner.parts or p in loser.parts]
    found = [(part, loser.parts.get(part, 0.0) - winner.parts.get(part, 0.0)) for part in parts]
    return sorted(found, key=lambda one: -abs(one[1]))


def sentences(paths: Sequence[CriticalPath]) -> list[str]:
    """What is to be said of one or two critical paths, for people."""
    words = []
    if len(paths) == 2:
        winner, loser = sorted(paths, key=lambda p: p.time_s)
        longer = loser.time_s - winner.time_s
        if longer <= SAME * winner.time_s:
            words.append(f"{winner.key} and {loser.key} take the same time, {format_time(winner.time_s)}.")
        else:
            ratio = format_ratio(loser.time_s / winner.time_s)
            words.append(
                f"{winner.key} wins: {format_time(winner.time_s)}; {loser.key} takes {ratio} times as long, {format_time(loser.time_s)}."
            )
            more = [f"{PARTS[p]} {_signed(s)}" for p, s in differences(winner, loser) if abs(s) > 0.02 * longer]
            words.append(f"The critical path of {loser.key} differs from that of {winner.key} by {', '.join(more)}.")
    words += [_of_one(p) for p in paths]
    return words


def _signed(seconds: float) -> str:
    return f"{'+' if seconds > 0 else '-'}{format_time(abs(seconds))}"


def _of_one(p: CriticalPath) -> str:
    """What its path is made of, and which link limits it."""
    if not p.time_s:
        return f"{p.key}: takes no time."
    part = max(p.parts, key=lambda name: p.parts[name])
    text = f"{p.key}: {counted(p.messages, 'message')} on the path; {PARTS[part]} is {p.parts[part] / p.time_s:.0%} of the time"
    if link := p.busiest:
        text += f"; {link.name}: busy for {link.busy_s / p.time_s:.0%} of it"
        text += f", keeps the path waiting for {format_time(link.wait_s)}" if link.wait_s else ", keeps nobody waiting"
    if p.rendezvous_s:
        text += f"; for {format_time(p.rendezvous_s)} of it a sender stood ready and its receiver did not (rendezvous)"
    return text + "."


# ---- crossings --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A call in a layout, of two algorithms; `platform` as it was typed, `size`: bytes of the whole vector."""

    platform: str
    nodes: int
    ranks: int
    mapping: str
    size: int
    points: tuple[Point, Point]


@dataclass(frozen=True)
class Crossing:
    """What has to become of one quantity for the other algorithm to win: `at` is its value there (`text`, for people) and `factor` that
    over the value that it has. None: in the range that was searched, which `text` names, the winner stays."""

    what: str
    at: float | None
    factor: float | None
    text: str


@dataclass(frozen=True)
class _Axis:
    """A quantity: how a case looks where it is `factor` as large, and what to call its value; both may refuse by a UserError."""

    what: str
    case: Callable[[float], Case]
    value: Callable[[float], float]
    text: Callable[[float], str]
    doublings: int = MAX_DOUBLINGS
    whole: bool = False  # its values are whole numbers


def crossings(case: Case, progress: Callable[[str], object] = lambda _: None) -> list[Crossing]:
    """For size, nodes, and the speed and latency of the network: the nearest value, by bisection with the model, at which the other
    algorithm wins. `progress` is told what is looked at."""
    found = []
    for axis in _axes(case):
        progress(axis.what)
        found.append(_crossing(axis))
    return found


@cache
def _lead(case: Case) -> float:
    """By how much the second takes longer than the first, as a share; SAME or less is a tie. A UserError where one has no time."""
    layout = check_layout(find.load(case.platform), case.nodes, case.ranks, case.mapping)
    replies = model.evaluate([(layout, point) for point in case.points], progress=Progress("model", 2))
    if wrong := next((r["status"] for r in replies if r["kind"] != OK), None):
        raise UserError(wrong)
    first, second = (r["model_s"] for r in replies)
    return (second - first) / max(min(first, second), 1e-300)


def _sign(lead: float) -> int:
    return 0 if abs(lead) <= SAME else 1 if lead > 0 else -1


def _crossing(axis: _Axis) -> Crossing:
    """Outwards by doublings, each way until the sign of the lead changes or the case makes no sense; then bisection of the nearest."""
    start = _sign(_lead(axis.case(1.0)))
    ends = [1.0, 1.0]
    for step in range(1, axis.doublings + 1):
        for direction, factor in enumerate((2.0**step, 0.5**step)):
            inner = 2.0 ** (step - 1) if direction == 0 else 0.5 ** (step - 1)
            if ends[direction] != inner:
                continue  # it has ended before
            try:
                changed = _sign(_lead(axis.case(factor))) == -start != 0
            except UserError:
                continue
            ends[direction] = factor
            if changed:
                at = _bisected(axis, inner, factor, start)
                value = axis.value(at)
                return Crossing(axis.what, float(round(value)) if axis.whole else value, at, axis.text(at))
    low, high = axis.text(ends[1]), axis.text(ends[0])
    return Crossing(axis.what, None, None, f"{low} to {high}" if low != high else low)


def _bisected(axis: _Axis, inner: float, outer: float, start: int) -> float:
    """The factor nearest to 1 at which the sign is another, to within CLOSE (whole numbers: exactly)."""
    while max(outer / inner, inner / outer) > CLOSE:
        middle = (inner * outer) ** 0.5
        if axis.whole:
            a, b = sorted((round(axis.value(inner)), round(axis.value(outer))))
            if b - a <= 1:
                break
            middle = ((a + b) // 2) / axis.value(1.0)
        try:
            same = _sign(_lead(axis.case(middle))) != -start
        except UserError:
            same = True
        inner, outer = (middle, outer) if same else (inner, middle)
    return outer


def _axes(case: Case) -> list[_Axis]:
    axes = []
    if case.size:

        def sized(factor: float) -> Case:
            a, b = (replace(p, count=max(1, round(p.count * factor))) for p in case.points)
            return replace(case, points=(a, b))

        def bytes_of(factor: float) -> float:
            return float(sized(factor).points[0].bytes(case.ranks))

        axes.append(_Axis("bytes", sized, bytes_of, lambda f: format_size(bytes_of(f), 3), MAX_SIZE))
    if case.ranks > 1 and case.ranks % case.nodes == 0:
        each = case.ranks // case.nodes
        axes.append(_nodes_axis(case, each))
    return axes + _network_axes(case)


def _nodes_axis(case: Case, each: int) -> _Axis:
    """More or fewer nodes with as many ranks on each; the vector stays as it is."""

    def grown(factor: float) -> Case:
        nodes = round(case.nodes * factor)
        ranks = nodes * each
        if nodes < 1 or not 2 <= ranks <= MAX_RANKS or any(p.root >= ranks for p in case.points):
            raise UserError("no such number of nodes")
        # As many bytes in all: of a block fewer, where there are more of them.
        share = case.ranks / ranks if registry.load().collective(case.points[0].collective).counts_blocks else 1.0
        a, b = (replace(p, count=max(1, round(p.count * share)) if p.count else 0) for p in case.points)
        return replace(case, nodes=nodes, ranks=ranks, points=(a, b))

    what = f"nodes ({counted(each, 'rank')} each)"
    return _Axis(what, grown, lambda f: case.nodes * f, lambda f: str(round(case.nodes * f)), whole=True)


def _network_axes(case: Case) -> list[_Axis]:
    """Speed and latency between nodes; none where all ranks are on one, or the platform has no numbers to change."""
    base = case.platform.partition("[")[0].strip()
    if case.nodes < 2 or base.endswith(".xml"):
        return []
    if base == "ideal":
        given = overrides.values_of(case.platform.strip().partition("[")[2].removesuffix("]"), "ideal")
        numbers = overrides.ideal_numbers(given)

        def ideal(key: str, power: int) -> Callable[[float], Case]:
            kept = [f"{k}={v}" for k, v in given.items() if k != key]
            return lambda f: replace(
                case, platform=f"ideal[{','.join([*kept, f'{key}={numbers[key] * f**power:.12g}'])}]"
            )

        speed = 1 / numbers["beta"]
        return [
            _Axis("speed of links", ideal("beta", -1), lambda f: speed * f, lambda f: f"{speed * f / 1e9:.3g} GB/s"),
            _Axis("latency", ideal("alpha", 1), lambda f: numbers["alpha"] * f, lambda f: format_time(numbers["alpha"] * f)),
        ]  # fmt: skip
    axes = []
    if (
        speed := find.load(case.platform).machine.links.get("nic", 0.0)
    ) > 0 and "network.s_per_byte" not in case.platform:
        axes.append(
            _Axis("speed of the NIC, curve and all", _faster(case), lambda f: speed * f, lambda f: f"{speed * f / 1e9:.3g} GB/s")
        )  # fmt: skip
    if "network.latency_s" not in case.platform:
        axes.append(
            _Axis("latency of the network", _varied(case, "network.latency_s"), lambda f: f, lambda f: f"{f:.3g} times that of now")
        )  # fmt: skip
    return axes


def _faster(case: Case) -> Callable[[float], Case]:
    """NICs that are so much faster, and messages that are, too: the curve between nodes, and links that would be too narrow for it."""
    spec = find.load_spec(case.platform)

    def of(factor: float) -> Case:
        if factor == 1:
            return case
        nic = spec.nic_bytes_per_s.value * factor
        words = limits.faster(replace(spec, nic_bytes_per_s=Number(nic)), "network", 1 / factor)
        if not words:
            raise UserError("its curve and its links cannot both be so fast")
        values = {"nic_bytes_per_s": f"{nic:.12g}"} | dict(word.split("=") for word in words)
        return _with(case, values)

    return of


def _with(case: Case, values: Mapping[str, str]) -> Case:
    """The case on its platform with these values in brackets, too; those that stand there already are replaced."""
    base, _, old = case.platform.strip().partition("[")
    kept = {k: v for k, v in overrides.values_of(old.removesuffix("]"), case.platform).items() if k not in values}
    return replace(case, platform=f"{base}[{','.join(f'{k}={v}' for k, v in {**kept, **values}.items())}]")


def _varied(case: Case, key: str) -> Callable[[float], Case]:
    return lambda factor: case if factor == 1 else _with(case, {key: f"x{factor:.12g}"})


def case_of(platform: str, layout: Layout, points: Sequence[Point]) -> Case:
    """The case of two points in a layout."""
    a, b = points
    return Case(platform, layout.nodes, layout.ranks, layout.mapping, a.bytes(layout.ranks), (a, b))
