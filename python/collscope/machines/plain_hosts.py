"""SimGrid platform files whose hosts do not say where they sit, as SimGrid's own examples: clusters, zones, single hosts.

Each host is a node, with as many cores as its attribute `core` says. SimGrid itself is asked for hosts, links and routes
(platforms/plugin/routes.h), so any zone will do; simulations price messages as SMPI does, by the file's own <config>. What the file does
not say is assumed, and listed. The model has the same routes, factors and shares (model/given.h), so it gives the simulation's times.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from collscope.base import leftovers, paths, programs
from collscope.base.errors import UserError
from collscope.base.number import outside
from collscope.machines.machine import ROUTED, SMPI_ENVELOPE_BYTES, Machine
from collscope.machines.platform import COMMON_SETTINGS, Host, Platform
from collscope.machines.spec import Spec, text_of

GAMMA_S_PER_BYTE, COPY_S_PER_BYTE = Spec.gamma_s_per_byte.value, Spec.copy_s_per_byte.value
EAGER, DETACHED = "smpi/async-small-thresh", "smpi/send-is-detached-thresh"
COSTS = ("smpi/os", "smpi/ois", "smpi/or")
COST_PIECE = re.compile(r"(\d+):([0-9.eE+-]+):([0-9.eE+-]+)(?::[0:]*)?")  # from bytes, seconds, seconds per byte
COST = re.compile(rf"{COST_PIECE.pattern}(;{COST_PIECE.pattern})*")
BACK_PART = 0.05  # network/crosstraffic, as SimGrid has it
WIDE_BYTES_PER_S = 1e15  # what nothing fills
T = TypeVar("T")
MAX_ROUTED = 256  # nodes of a modelled call: routes are as many as pairs


@dataclass(frozen=True)
class Network:
    """What SimGrid says of a file: its hosts with their cores, SMPI's settings, lines of links and routes."""

    hosts: tuple[tuple[str, int], ...]
    settings: Mapping[str, str]
    links: tuple[tuple[float, str], ...]  # bytes per second, policy
    routes: tuple[tuple[int, int, float, tuple[str, ...]], ...]  # from, to, seconds, numbers of links


def platform_of(path: Path, name: str, config: Mapping[str, str]) -> Platform:
    """The platform of a file, whose <config> says these settings. UserError: FILE:LINE: what SimGrid says is wrong with it."""
    network = _ask(path, path.read_bytes(), ())
    nodes = tuple(
        (Host(host, n, n, n, GAMMA_S_PER_BYTE, COPY_S_PER_BYTE),) * cores
        for n, (host, cores) in enumerate(network.hosts)
    )
    if not nodes:
        raise UserError(f"{paths.display(path)}: SimGrid finds no host in it; a platform needs one <host> or <cluster>")
    if blank := next((host for host, _ in network.hosts if " " in host), ""):
        raise UserError(
            f'{paths.display(path)}: the host "{blank}" has a blank in its name, which smpirun\'s host files cannot have; rename it'
        )
    _routes_between(path, (nodes[0][0].name, nodes[-1][0].name))
    eager = int(network.settings[EAGER if EAGER in config else DETACHED]) - 1
    return Platform(name, Machine(name, ROUTED, {}, eager_bytes=eager), nodes, path)


def assumptions(platform: Platform, config: Mapping[str, str]) -> Iterator[str]:
    """What the file does not say and is assumed, each in some words."""
    if platform.cores_per_node == 1:
        yield "1 core per host where no attribute core says more"
    yield f"gamma_s_per_byte {GAMMA_S_PER_BYTE:g}, copy_s_per_byte {COPY_S_PER_BYTE:g} (local reductions and copies)"
    if not config.keys() & set(COSTS):
        yield "no processor time per message (smpi/os, smpi/or)"
    if EAGER not in config:
        yield f"messages up to {platform.machine.eager_bytes} bytes do not wait for their receive ({EAGER})"
    if not any(key.endswith(("lat-factor", "latency-factor")) for key in config):
        yield "SMPI's own factors of latency and bandwidth (smpi/lat-factor, smpi/bw-factor)"
    yield "memory is never the bottleneck"


def charges_processors(platform: Platform) -> bool:
    """Whether the file says what processors spend on messages."""
    assert isinstance(platform.file, Path)
    settings = _ask(platform.file, platform.file.read_bytes(), ()).settings
    return any(re.search(r":[^;]*[1-9]", settings[key]) for key in COSTS)


def latency_s(platform: Platform) -> float:
    """Of an empty message from the first host to the last, without what processors spend on it."""
    assert isinstance(platform.file, Path)
    network = _routes_between(platform.file, (platform.nodes[0][0].name, platform.nodes[-1][0].name))
    return max(latency for _, _, latency, _ in network.routes) * _factors(network.settings["smpi/lat-factor"])[0]


def with_processors(platform: Platform, send_s: float, receive_s: float) -> Platform:
    """The same whose processors spend this on each message, whatever its size, for the model alone."""
    machine = replace(platform.machine, overhead_s=send_s, receive_gap={"network": ((0, receive_s, 0.0),)})
    return replace(platform, machine=machine)


def with_local(platform: Platform, gamma_s_per_byte: float, copy_s_per_byte: float) -> Platform:
    """The same with these times of reductions and copies."""
    hosts = (
        (replace(node[0], gamma_s_per_byte=gamma_s_per_byte, copy_s_per_byte=copy_s_per_byte), len(node))
        for node in platform.nodes
    )
    return replace(platform, nodes=tuple((host,) * cores for host, cores in hosts))


def machine_lines(platform: Platform, used: Sequence[int]) -> list[str]:
    """Links, routes and factors of a machine file for ranks on these nodes. UserError: why it cannot be modelled."""
    assert isinstance(platform.file, Path)
    shown = paths.display(platform.file)
    if len(used) > MAX_ROUTED:
        raise UserError(
            f"{shown}: {len(used)} nodes are too many to be modelled by single routes: at most {MAX_ROUTED}; "
            "take fewer --nodes, or --source sim"
        )
    network = _routes_between(platform.file, tuple(platform.nodes[n][0].name for n in used))
    why = _unmodelled(network)
    if why:
        raise UserError(f"{shown}: {why}, which the model does not know; take --source sim")
    window, crosses = network.settings["network/TCP-gamma"], network.settings["network/crosstraffic"] == "1"
    made = [
        f"core {text_of(WIDE_BYTES_PER_S)}",
        f"eager {platform.machine.eager_bytes}",
        "overhead 0",
        f"window {window}",
        f"weight {network.settings['network/weight-S']}",
    ]
    made += [f"back_traffic {BACK_PART}"] if crosses else []
    latencies, rates = (_factors(network.settings[f"smpi/{kind}-factor"]) for kind in ("lat", "bw"))
    sends, isends, receives = (_costs(network.settings[key]) for key in COSTS)
    if platform.machine.receive_gap:  # with_processors
        sends = isends = {0: f"{text_of(platform.machine.overhead_s)} 0"}
        receives = {start: f"{text_of(s)} {text_of(g)}" for start, s, g in platform.machine.receive_gap["network"]}
    for name in ("cache", "network"):
        for key, spent in (("class", sends), ("class_nonblocking", isends)):
            for start in sorted({*latencies, *rates, *spent}):
                factor, traffic = text_of(_at(latencies, start)), text_of(1 / _at(rates, start))
                made.append(f"{key} {name} {start} {factor} 0 {traffic} {_at(spent, start)}")
        made += [f"receive_gap {name} {start} {gap}" for start, gap in sorted(receives.items())]
    made += [f"link {text_of(rate)} {policy}" for rate, policy in network.links]
    for a, b, latency, links in network.routes:
        made.append(" ".join((f"route {used[a]} {used[b]} {text_of(latency)}", *links)))
    apart = [route for route in network.routes if route[0] != route[1]] or network.routes
    alpha = min(latency for _, _, latency, _ in apart) * latencies[0]
    narrowest = max(min((network.links[int(k)][0] for k in links), default=WIDE_BYTES_PER_S) for *_, links in apart)
    beta = 1 / (narrowest * rates[max(rates)])
    return [*made, f"bound {text_of(alpha)} {text_of(beta)} {text_of(platform.gamma_s_per_byte)}"]


def _routes_between(path: Path, names: tuple[str, ...]) -> Network:
    """The network with the routes between these hosts. UserError: two of them have none."""
    network = _ask(path, path.read_bytes(), names)
    for a, b, latency, links in network.routes:
        if a != b and not links and not latency:
            raise UserError(
                f"{paths.display(path)}: there is no route from {names[a]} to {names[b]}; each pair needs one"
            )
    return network


def _unmodelled(network: Network) -> str:
    """What of a network the model does not have; empty: nothing."""
    if any(policy == "other" for _, policy in network.links):
        return "it has links whose bandwidth depends on who uses them (Wi-Fi, or not linear)"
    if odd := next((key for key in COSTS if not COST.fullmatch(network.settings[key])), ""):
        return f"its <config> sets {odd} to {network.settings[odd][:60]}"
    if network.settings[EAGER] not in ("0", network.settings[DETACHED]):
        return f"its <config> lets messages above {EAGER} up to {DETACHED} neither wait nor start at once"
    if any(outside("latency_s", latency) for _, _, latency, _ in network.routes):
        return "it has routes whose latency is not between 1e-18 and 1000 seconds"
    return ""


def _at(pieces: Mapping[int, T], start: int) -> T:
    """What holds from a size on."""
    return pieces[max(s for s in pieces if s <= start)]


def _factors(text: str) -> dict[int, float]:
    """From bytes of the message → factor. SMPI's thresholds count its envelope, and the next factor begins above them."""
    if ":" not in text:
        return {0: float(text)}
    pairs = sorted((int(start), float(factor)) for start, factor in (p.split(":")[:2] for p in text.split(";") if p))
    found = {max(0, start + 1 - SMPI_ENVELOPE_BYTES): factor for start, factor in pairs}
    return {0: 1.0} | found


def _costs(text: str) -> dict[int, str]:
    """From bytes of the message → seconds and seconds per byte that a processor spends on it. The first holds from 0 on, others begin
    above their thresholds."""
    pieces = sorted((int(start), f"{a} {b}") for start, a, b in COST_PIECE.findall(text))
    return {start + 1 if i else 0: cost for i, (start, cost) in enumerate(pieces)}


# ---- asking SimGrid ---------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _ask(path: Path, text: bytes, hosts: tuple[str, ...]) -> Network:
    """What the plug-in prints of a file, with the routes between these hosts; `text`: the file's, which may change."""
    shown = paths.display(path)
    why = f"SimGrid reads {shown}"
    plugin, program = programs.needed(programs.PLUGIN, why), programs.needed(programs.SIM_DRIVER, why)
    flags = ["--log=root.thresh:warning", *(f"--cfg={key}:{value}" for key, value in COMMON_SETTINGS.items())]
    environment = {**os.environ, "COLLSCOPE_PLATFORM": str(path.absolute()), "COLLSCOPE_ROUTES": " ".join(hosts)}
    with leftovers.scratch() as folder:
        (folder / "hosts").touch()
        words: list[str | Path] = [
            "smpirun",
            "-np",
            "1",
            "-hostfile",
            folder / "hosts",
            "-platform",
            plugin,
            *flags,
            program,
        ]
        done = programs.answer(words, env=environment, cwd=folder)
    if done.returncode:
        raise UserError(f"{shown}{_complaint(done.stderr, text)}")
    rows: dict[str, list[list[str]]] = {"host": [], "setting": [], "link": [], "route": []}
    for key, *rest in filter(None, map(str.split, done.stdout.splitlines())):
        rows[key].append(rest)
    return Network(
        tuple((" ".join(name), int(cores)) for cores, *name in rows["host"]),
        {name: " ".join(value) for name, *value in rows["setting"]},
        tuple((float(rate), policy) for rate, policy in rows["link"]),
        tuple((int(a), int(b), float(latency), tuple(links)) for a, b, latency, *links in rows["route"]),
    )


def _complaint(printed: str, text: bytes) -> str:
    """What SimGrid prints of a file that it refuses, behind the file's name: ":LINE: why", or ": SimGrid: why"."""
    if found := re.search(r"Parse error at .*?:(\d+): (.*)", printed):
        return f":{found[1]}: {found[2][:200]}"
    why = reason(printed) or "it ended without a message"
    named = f'"{why.rpartition(": ")[2]}"'.encode()  # a message may end with what it is about
    at = next((n for n, line in enumerate(text.splitlines(), 1) if named in line), 0)
    return f":{at}: {why}" if at else f": SimGrid: {why}"


def reason(printed: str) -> str:
    """The first thing that SimGrid prints on standard error, without where in its sources; empty: nothing."""
    lines = [
        re.sub(r"^(\[[^]]*\]\s*|\S+\.[ch]pp:\d+: |Uncaught exception \S+ )*", "", line) for line in printed.splitlines()
    ]
    return next((line for line in lines if line.strip()), "")[:200]
