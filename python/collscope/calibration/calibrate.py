"""Measures this machine point to point and writes its specification: platforms/this_machine/spec.toml, not tracked.

The driver's --pingpong does the measuring. Ranks sit on cores of their own; from where each ran, /sys tells what two ranks share.
Collectives play no part: predicting those is what the specification is for.

A curve takes the lower quartile of its samples, from the better of the launches and pairs: on a machine that does other things
too, the median tells of those. The bound (bounds.loggp) takes the least of everything; those numbers stand in the table [least].
"""

from __future__ import annotations

import datetime
import json
import os
import platform as python_platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically

LARGEST_BYTES = 4 << 20
MOST_RANKS = 16
PROBE_S = 300
LAUNCHES = 2  # they differ more than repetitions do
TOLERANCE = 0.05  # a piece of a curve may miss a measured point by this much

CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Cpu:
    number: int
    core: tuple[int, int]  # package, core
    socket: int
    cache: int  # the lowest number of a processor that shares the largest cache


def topology(cpus: Sequence[int], root: Path = CPUS) -> list[Cpu]:
    """One processor a core, in order. Where /sys does not say, all cores share one socket and one cache."""

    def read(path: Path, fallback: int) -> int:
        try:
            return int(path.read_text())
        except (OSError, ValueError):
            return fallback

    def largest_cache(folder: Path) -> int:
        best = (0, 0)
        for index in sorted((folder / "cache").glob("index*")):
            try:
                members = re.split(r"[,-]", (index / "shared_cpu_list").read_text().strip())
                best = max(best, (int((index / "level").read_text()), -int(members[0])))
            except (OSError, ValueError):
                continue
        return -best[1]

    found: dict[tuple[int, int], Cpu] = {}
    for number in sorted(cpus):
        folder = root / f"cpu{number}"
        socket = max(read(folder / "topology" / "physical_package_id", 0), 0)
        core = (socket, read(folder / "topology" / "core_id", number))
        found.setdefault(core, Cpu(number, core, socket, largest_cache(folder)))
    return sorted(found.values(), key=lambda c: c.number)


def shape(cores: Sequence[Cpu]) -> tuple[int, int, int]:
    """Sockets, cores a socket, cores a cache; the smallest of each where they differ."""
    sockets: dict[int, list[Cpu]] = {}
    caches: dict[int, int] = {}
    for cpu in cores:
        sockets.setdefault(cpu.socket, []).append(cpu)
        caches[cpu.cache] = caches.get(cpu.cache, 0) + 1
    per_socket = min(map(len, sockets.values()))
    per_cache = min(min(caches.values()), per_socket)
    while per_socket % per_cache:
        per_cache -= 1
    return len(sockets), per_socket, per_cache


def level_of(a: Cpu, b: Cpu) -> str:
    if a.socket != b.socket:
        return "node"
    return "cache" if a.cache == b.cache else "socket"


# ---- measuring -------------------------------------------------------------------------------------------------------


def probe(ranks: int, driver: Path = programs.MPI_DRIVER) -> list[dict[str, Any]]:
    """The driver's JSON lines."""
    from collscope.sources import mpirun

    command = [
        *mpirun.command(ranks),
        "--bind-to",
        "core",
        str(programs.needed(driver)),
        "--pingpong",
        "--bytes",
        f"0..{LARGEST_BYTES}",
    ]
    if "--oversubscribe" in command:
        raise UserError(f"{ranks} ranks do not have a core each; calibrate with at most {len(os.sched_getaffinity(0))}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_S, check=False)
    except FileNotFoundError:
        raise UserError("mpirun: not found; install openmpi-bin (./collscope doctor says more)") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"measuring took more than {PROBE_S} s; is the machine busy?") from None
    lines = []
    for text in done.stdout.splitlines():
        if text.startswith("{"):
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                raise UserError(f"the driver printed a line that is not JSON: {text[:80]}") from None
    if done.returncode or not any("pingpong" in line for line in lines):
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        raise UserError(f"the driver's --pingpong failed (exit {done.returncode}): {said}")
    return lines


def quartile(samples: Sequence[float]) -> float:
    return sorted(samples)[len(samples) // 4]


@dataclass(frozen=True)
class Result:
    curves: Mapping[str, list[tuple[int, float, float]]]  # class: (from, latency, s_per_byte)
    overhead_s: float
    gamma: tuple[float, float, float]  # value and range
    copy: tuple[float, float, float]
    memory_bytes_per_s: float
    least: Mapping[str, float]


def pieces_of(times: Sequence[tuple[int, float]], floor: float, base: float = 0.0) -> list[tuple[int, float, float]]:
    """Straight pieces through (bytes, seconds), as few as keep within TOLERANCE of every point.

    No piece is so steep that its latency would be less than `base`, nor flatter than `floor`, which is what a core needs to copy the bytes
    once; so the curve may step where a new piece begins. Beyond the last point it goes on."""
    pieces = []
    at, last = 0, len(times) - 1
    while at <= last:
        start, time = times[at]
        steepest = max(time - base, 0.0) / start if start else float("inf")
        end, slope = at, max(floor, steepest) if start else floor
        for reach in range(at + 1, last + 1):
            candidate = min(max(floor, (times[reach][1] - time) / (times[reach][0] - start)), max(steepest, floor))
            if reach == at + 1:
                slope = candidate
            if any(abs(time + (n - start) * candidate - t) > TOLERANCE * t for n, t in times[at + 1 : reach + 1]):
                break
            end, slope = reach, candidate
        pieces.append((start, max(time - start * slope, base), slope))
        if end == last:
            break
        at = max(end, at + 1)
    return pieces


def evaluate(lines: Sequence[Mapping[str, Any]], cores: Sequence[Cpu]) -> Result:
    by_number = {c.number: c for c in cores}

    def cpu_of(rank: int) -> Cpu:
        for line in lines:
            if line.get("place", {}).get("rank") == rank:
                return by_number.get(line["place"]["cpu"], cores[min(rank, len(cores) - 1)])
        return cores[min(rank, len(cores) - 1)]

    def entries(name: str) -> list[Mapping[str, Any]]:
        return [line[name] for line in lines if name in line]

    copies, reductions = entries("copy"), entries("gamma")
    floor = min(min(e["samples"]) for e in copies)
    typical: dict[str, dict[int, list[float]]] = {}
    shortest: list[tuple[int, float]] = []
    for e in entries("pingpong"):
        level = level_of(cpu_of(e["a"]), cpu_of(e["b"]))
        typical.setdefault(level, {}).setdefault(e["bytes"], []).append(quartile(e["samples"]))
        shortest.append((e["bytes"], min(e["samples"])))
    sends = entries("overhead")
    overhead = min(
        min(quartile(e["samples"]) for e in sends), 0.45 * min(min(t) for s in typical.values() for t in s.values())
    )
    curves = {}
    for level, sizes in typical.items():
        # An empty message takes a path of its own in some libraries: the curve begins with one byte.
        # More bytes never take less time: where they seem to, the shorter message was disturbed or took a slower path.
        times: list[tuple[int, float]] = []
        for n, t in sorted(sizes.items(), reverse=True):
            if n > 0:
                times.append((n if n > 1 else 0, min([*t, times[-1][1]] if times else t)))
        curves[level] = pieces_of(times[::-1], floor, 2 * overhead)

    def work(found: Sequence[Mapping[str, Any]]) -> tuple[float, float, float]:
        sizes = sorted({e["bytes"] for e in found})
        middle = sizes[len(sizes) // 2]
        most = max(e["ranks"] for e in found)
        value = next(quartile(e["samples"]) for e in found if e["bytes"] == middle and e["ranks"] == most)
        low = min(min(e["samples"]) for e in found)
        high = max(quartile(e["samples"]) for e in found)
        return value, min(low, value), max(high, value)

    uncached = max(copies, key=lambda e: (e["bytes"], e["ranks"]))
    memory = uncached["ranks"] / quartile(uncached["samples"])

    o = min([min(e["samples"]) for e in sends] + [min(e["samples"]) for e in entries("gap") if e["bytes"] <= 1])
    o = min(o, 0.45 * min(t for _, t in shortest))
    latency = min(t - n * floor for n, t in shortest) - 2 * o
    if latency < 0:
        o, latency = max(o + latency / 2, 0.0), 0.0
    least = {"o": o, "g": o, "L": latency, "G": floor, "gamma": min(min(e["samples"]) for e in reductions)}
    return Result(curves, overhead, work(reductions), work(copies), memory, least)


# ---- writing ---------------------------------------------------------------------------------------------------------


def eager_limit() -> tuple[int, str]:
    """Open MPI's limit for shared memory, or the usual 4096."""
    try:
        done = subprocess.run(
            ["ompi_info", "--param", "btl", "all", "--level", "9", "--parsable"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for transport in ("vader", "sm"):
            match = re.search(rf"btl_{transport}_eager_limit:value:(\d+)", done.stdout)
            if match:
                return int(
                    match.group(1)
                ) - 1, f"ompi_info: btl_{transport}_eager_limit {match.group(1)}, header included"
    except (OSError, subprocess.SubprocessError):
        pass
    return 4095, ""


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    match = re.search(r"model name\s*:\s*(.+)", text)
    return re.sub(r"[^\w .,()@/+-]", "", match.group(1).strip()) if match else python_platform.machine()


def spec_text(result: Result, cores: Sequence[Cpu], eager: tuple[int, str], ranks: int, when: str, library: str) -> str:
    sockets, per_socket, per_cache = shape(cores)
    source = f"collscope calibrate, {when}, {library}, {ranks} ranks, {processor()}"

    def number(value: float, tag: str = "measured", limits: tuple[float, float] | None = None, note: str = "") -> str:
        bounds = f", range = [{limits[0]:.4g}, {max(limits[1], float(f'{value:.4g}')):.4g}]" if limits else ""
        if limits and float(f"{limits[0]:.4g}") > float(f"{value:.4g}"):
            bounds = ""
        return f'{{ value = {value:.4g}, tag = "{tag}"{bounds}, source = "{note or "here"}" }}'

    # Curves were made not to fall below two overheads: rounding must not undo that.
    overhead = float(f"{0.99 * result.overhead_s:.3g}")
    out = [
        "# This machine, as `collscope.calibrate` measured it. Not tracked: measure again instead of editing.",
        'name = "this_machine"',
        f'about = "{processor()}: {len(cores)} cores"',
        f"nodes = {number(1, 'documented', note='/sys')}",
        f"sockets = {number(sockets, 'documented', note='/sys')}",
        f"cores_per_socket = {number(per_socket, 'documented', note='/sys')}",
        f"cores_per_cache = {number(per_cache, 'documented', note='/sys')}",
        "oversubscribe = true    # ranks may share cores, as they may when measured",
        f"gamma_s_per_byte = {number(result.gamma[0], limits=result.gamma[1:])}",
        f"copy_s_per_byte = {number(result.copy[0], limits=result.copy[1:])}",
        f"overhead_s = {number(overhead)}",
        f"eager_bytes = {number(eager[0], 'documented' if eager[1] else 'assumed', note=eager[1] or 'usual')}",
    ]
    # A core that copies is busy throughout: the port moves what the fastest piece needs, slower pieces make more traffic.
    rate = float(f"{1 / min(s for pieces in result.curves.values() for _, _, s in pieces):.4g}")
    slowest = max(pieces[-1][2] for pieces in result.curves.values())
    memory = max(
        result.memory_bytes_per_s / sockets * slowest * rate, rate
    )  # in the same traffic; one core has what it needs
    out += [
        f"core_bytes_per_s = {number(rate, note='the fastest piece of the curves')}",
        f"memory_bytes_per_s = {number(memory, note='copies by all ranks')}",
        "",
        "[sources]",
        f'here = "{source}"',
        "",
        "[least]    # what no message escapes: for the asserted bound",
        *(f"{key} = {value:.4g}" for key, value in result.least.items()),
    ]
    for level, pieces in sorted(result.curves.items()):
        for start, latency, slope in pieces:
            slope = float(f"{slope:.5g}")
            traffic = min(float(f"{slope * rate:.5g}"), slope * rate)
            out += [
                "",
                f"[[curve.{level}]]",
                f"from_bytes = {start}",
                f"latency_s = {number(latency)}",
                f's_per_byte = {{ value = {slope!r}, tag = "measured", source = "here" }}',
                f"traffic = {traffic!r}",
            ]
    return "\n".join(out) + "\n"


def calibrate(ranks: int | None = None, target: Path | None = None) -> Path:
    """Measures with `ranks` ranks (default: one a core, at most 16) and writes the specification, whole or not at all."""
    from collscope.machines import find
    from collscope.machines.spec_reader import parse_spec
    from collscope.sources.mpirun import library

    cores = topology(sorted(os.sched_getaffinity(0)))
    ranks = ranks or min(len(cores), MOST_RANKS)
    if ranks < 2:
        raise UserError("calibrating needs two cores: two ranks that share one measure the scheduler")
    lines = [line for _ in range(LAUNCHES) for line in probe(ranks)]
    result = evaluate(lines, cores)
    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    text = spec_text(result, cores, eager_limit(), ranks, when, library())
    path = target or find.PLATFORMS / "this_machine" / "spec.toml"
    parse_spec(text, str(path))
    write_atomically(path, text)
    return path


def main() -> int:
    try:
        path = calibrate(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    except UserError as error:
        print(f"calibrate: {error}", file=sys.stderr)
        return error.exit_status
    print(f"written: {paths.display(path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
