"""Elements of a node's model that a specification may have, and without which it is as it was: docs/node_model.md explains each.

gap           what a sender's processor spends on a message, by class and size (pieces' gap_s, gap_s_per_byte)
receive_gap   what a receiver's processor spends on an eager message, likewise (receive_gap_s, receive_gap_s_per_byte)
nonblocking   curves and eager limit of non-blocking sends
in_order      messages from one rank to another flow one after the other
nic_gap       the least time between two messages that leave a node by its NIC
first_touch   what writing a byte of newly mapped scratch for the first time costs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from collscope.base.errors import UsageError, did_you_mean
from collscope.machines.spec import Noise, Number, Piece, Spec, narrowest, occurring, text_of, wire_curve

NAMES = ("gap", "receive_gap", "nonblocking", "in_order", "nic_gap", "first_touch")
NUMBERS = {"nic_gap": "nic_gap_s", "first_touch": "first_touch_s_per_byte"}  # of those that a number switches on
WITHOUT = "without"  # the key that switches elements off in a platform's name: schooner[without=gap+nic_gap]


def present(spec: Spec) -> tuple[str, ...]:
    """The elements that this machine has."""
    there = {
        "gap": any(p.gap for curves in (spec.curve, spec.curve_nonblocking) for c in curves.values() for p in c),
        "receive_gap": any(p.receive_gap for c in spec.curve.values() for p in c),
        "nonblocking": bool(spec.curve_nonblocking) or spec.eager_bytes_nonblocking is not None,
        "in_order": spec.in_order,
        **{name: getattr(spec, number).value for name, number in NUMBERS.items()},
    }
    return tuple(name for name in NAMES if there[name])


def names_of(text: str, where: str) -> tuple[str, ...]:
    """The elements in "in_order+nic_gap" or "in_order,nic_gap". UsageError: there is no such element; it names `where`."""
    names = tuple(part.strip() for part in text.replace("+", ",").split(","))
    for name in names:
        if name not in NAMES:
            raise UsageError(
                f'{where}: there is no element "{name[:60]}"{did_you_mean(name, NAMES)}; a node\'s model may have '
                + ", ".join(NAMES)
            )
    return tuple(dict.fromkeys(names))


def without(spec: Spec, names: tuple[str, ...]) -> Spec:
    """The machine without these elements: what is left of it stays."""
    if "gap" in names:
        nonblocking = _without_kind(spec.curve_nonblocking, "gap")
        spec = replace(spec, curve=_without_kind(spec.curve, "gap"), curve_nonblocking=nonblocking)
    if "receive_gap" in names:
        spec = replace(spec, curve=_without_kind(spec.curve, "receive_gap"))
    if "nonblocking" in names:
        spec = replace(spec, curve_nonblocking={}, eager_bytes_nonblocking=None)
    if "in_order" in names:
        spec = replace(spec, in_order=False)
    if "first_touch" in names:
        spec = replace(spec, fresh_from_bytes=None)
    zero = {number: Number(0.0) for name, number in NUMBERS.items() if name in names}
    return replace(spec, **zero)  # type: ignore[arg-type]


def _without_kind(curves: Mapping[str, tuple[Piece, ...]], kind: str) -> dict[str, tuple[Piece, ...]]:
    """Classes that have one curve between them go on having one."""
    made: dict[int, tuple[Piece, ...]] = {}
    for pieces in curves.values():
        made[id(pieces)] = tuple(replace(p, **{kind: None}) for p in pieces)  # type: ignore[arg-type]
    return {level: made[id(pieces)] for level, pieces in curves.items()}


def left_out(platform: str, names: str) -> str:
    """A platform's name as it is typed, with these elements switched off. UsageError: there is no such element."""
    off = "+".join(names_of(names, "--without"))
    base, bracket, rest = platform.rstrip().partition("[")
    if base.strip() == "ideal":
        raise UsageError("--without: ideal has no element of a node's model; it is for specifications")
    parts = [part.strip() for part in rest.removesuffix("]").split(",") if part.strip()] if bracket else []
    before = next((part for part in parts if part.partition("=")[0].strip() == WITHOUT), None)
    if before is None:
        return f"{base}[{','.join([*parts, f'{WITHOUT}={off}'])}]"
    return f"{base}[{','.join(f'{part}+{off}' if part is before else part for part in parts)}]"


# ---- what they come to ------------------------------------------------------------------------------------


def curve_text(pieces: Sequence[tuple[float, ...]]) -> str:
    """A curve as a platform file's property has it."""
    return "; ".join(" ".join(text_of(x) for x in piece) for piece in pieces)


def noise_text(pieces: Sequence[Noise]) -> str:
    """The noise of a class as a platform file's property has it: from bytes, then part and seconds of each knot."""
    return "; ".join(" ".join(map(text_of, (p.start, *(x for knot in p.quantiles for x in knot)))) for p in pieces)


def properties(spec: Spec) -> dict[str, str]:
    """What the outermost zone of a platform file says of the elements; nothing of a machine that has none."""
    said: dict[str, str] = {}
    if spec.eager_bytes_nonblocking is not None:
        said["collscope.eager_bytes_nonblocking"] = str(int(spec.eager_bytes_nonblocking.value))
    if spec.in_order:
        said["collscope.in_order"] = "1"
    for name in NUMBERS.values():
        if value := getattr(spec, name).value:
            said[f"collscope.{name}"] = text_of(value)
    if spec.first_touch_s_per_byte.value:
        said["collscope.fresh_from_bytes"] = str(int(spec.fresh_from.value))
    for level, noise in spec.noise.items():
        said[f"noise.{level}"] = noise_text(noise)
    for level, pieces in spec.curve.items():
        if any(p.receive_gap for p in pieces):
            said[f"receive_gap.{level}"] = curve_text([(p.start, *_numbers(p.receive_gap)) for p in pieces])
    for level in spec.curve_nonblocking:
        said[f"curve_nonblocking.{level}"] = curve_text(wire_curve(spec, level, nonblocking=True))
    return said


def _numbers(gap: tuple[Number, Number] | None) -> tuple[float, float]:
    """Seconds, and seconds a byte; of none, 0."""
    return (gap[0].value, gap[1].value) if gap else (0.0, 0.0)


def _received(spec: Spec, level: str, n: float) -> tuple[float, bool]:
    """Seconds that the receiver of an eager message of n bytes spends, and whether a gap is part of them."""
    gap = next(p for p in reversed(spec.curve[level]) if p.start <= n).receive_gap
    seconds, per_byte = _numbers(gap)
    return spec.overhead_s.value + seconds + n * per_byte, bool(gap)


def contradictions(spec: Spec) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(key in the file, what is wrong) where what both processors spend and the links together take longer than the message that contains
    them; and where a receive gap is not in `curve`."""
    kinds = (
        ("curve", spec.curve, spec.eager_bytes),
        ("curve_nonblocking", spec.curve_nonblocking, spec.eager_nonblocking),
    )
    for key, curves, limit in kinds:
        for level in (lv for lv in occurring(spec) if lv in curves and (lv != "network" or spec.nodes > 1)):
            rate, pieces = narrowest(spec, level), curves[level]
            for at, p in enumerate(pieces):
                if key != "curve" and p.receive_gap:
                    yield (
                        (key, level, at),
                        f"class {level} from {p.start} bytes: a receive is the same however its message was sent; say receive_gap_s in "
                        f"[[curve.{level}]]",
                    )
                    break
                end = pieces[at + 1].start - 1 if at + 1 < len(pieces) else max(2 * p.start, 1 << 30)
                for n in sorted({p.start, end, *([int(limit.value)] if p.start <= limit.value < end else [])}):
                    gap, per_byte = _numbers(p.gap) if p.gap else (spec.overhead_s.value, 0.0)
                    sent = gap + n * per_byte
                    received, by_gap = _received(spec, level, n) if n <= limit.value else (0.0, False)
                    whole, wire = p.latency.value + n * p.s_per_byte.value, n * p.traffic.value / rate
                    if (p.gap or by_gap) and sent + received + wire > whole * (1 + 1e-9) + 1e-15:
                        yield (
                            (key, level, at),
                            f"class {level} from {p.start} bytes: of the {whole:.4g} s that a message of {n} bytes takes, the gap of its "
                            f"sender is {sent:.4g} s, what its receiver spends {received:.4g} s and the narrowest link {wire:.4g} s: more "
                            "than the whole; lower gap_s, receive_gap_s, what they are a byte, or traffic",
                        )
                        break
