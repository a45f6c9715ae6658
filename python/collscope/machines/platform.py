"""Machines that can be simulated: where ranks sit, how smpirun is started, and the same machine in words for the prover's model.

`load` takes a machine's name (`schooner`, `ideal`, `this_machine`), a name with other numbers (`schooner[nodes=32]`,
`ideal[alpha=2us,beta=1e-9]`), or the path of a specification (TOML) or of a SimGrid platform file (XML). What is used in
the end is always the XML: a Platform is read from it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError, nearest, unknown
from collscope.base.files import write_atomically
from collscope.machines.spec import (
    FACTOR_SETTINGS,
    HOST_SPEED,
    LEVELS,
    NETWORK_SETTINGS,
    Spec,
    SpecError,
    ideal_xml,
    protocol_settings,
    read_spec,
    text_of,
    tidy,
    xml_of,
)

MAPPINGS = ("block", "cyclic", "fill")
SMPI_ENVELOPE_BYTES = 16  # what SMPI adds to each message

PLATFORMS = paths.ROOT / "platforms"
PLUGIN_SOURCE = PLATFORMS / "plugin" / "plugin.cpp"

_COMMON_SETTINGS = {
    "smpi/privatization": "no",  # the sources have no mutable globals, so ranks can share them
    "smpi/simulate-computation": "no",  # only what is charged takes time, so results repeat exactly
    "smpi/shared-malloc": "global",
    "smpi/host-speed": HOST_SPEED,
    "surf/precision": "1e-12",  # with the default of 1 ns, events that are that near are merged (4.x: precision/timing)
    "network/optim": "Full",  # Lazy lets a link carry too much when two flows of a sender begin at once: see model/timing.h
}


@dataclass(frozen=True)
class Host:
    name: str
    node: int
    socket: int
    cache: int
    gamma_s_per_byte: float
    copy_s_per_byte: float


@dataclass(frozen=True)
class WirePiece:
    """Without the processor's overheads; `traffic` as in platform_spec."""

    start: int
    latency_s: float
    s_per_byte: float
    traffic: float


@dataclass(frozen=True, eq=False)
class Platform:
    name: str  # as asked for: shown in tables
    xml: Path
    properties: dict[str, str]  # of the outermost zone
    host_list: tuple[Host, ...]
    settings: dict[str, str]  # of the file's own <config>

    # ---- shape

    @cached_property
    def nodes(self) -> tuple[tuple[Host, ...], ...]:
        by_node: dict[int, list[Host]] = {}
        for host in self.host_list:
            by_node.setdefault(host.node, []).append(host)
        return tuple(tuple(by_node[n]) for n in sorted(by_node))

    @property
    def max_nodes(self) -> int:
        return len(self.nodes)

    @property
    def cores_per_node(self) -> int:
        return min(len(node) for node in self.nodes)

    @property
    def curves(self) -> str:
        """ "plug-in": by class, from the file; "uniform": latency and bandwidth of the links; "": an XML that says nothing."""
        return self.properties.get("collscope.curves", "")

    @property
    def oversubscribes(self) -> bool:
        """Ranks may share cores, as they do when more are measured than there are cores."""
        return self.properties.get("collscope.oversubscribe") == "1"

    @property
    def least(self) -> dict[str, float]:
        """Measured o, g, L, G and gamma that no message escapes; empty for machines that were not measured."""
        return {k[6:]: float(v) for k, v in self.properties.items() if k.startswith("least.")}

    def fit_nodes(self, ranks: int) -> int:
        """The fewest nodes that have a core for every rank."""
        nodes = -(-ranks // self.cores_per_node)
        self._check(nodes, ranks)
        return nodes

    def _check(self, nodes: int, ranks: int) -> None:
        if ranks < 1 or nodes < 1:
            raise UsageError(f"{self.name}: {nodes} nodes and {ranks} ranks; both must be 1 or more")
        cores, plural = self.cores_per_node, "core" if self.cores_per_node == 1 else "cores"
        if nodes > self.max_nodes:
            more = "" if self.name == "this_machine" else self._hint(nodes=nodes)
            raise UsageError(
                f"{self.name} has {self.max_nodes} node{'s' * (self.max_nodes != 1)}; {nodes} were asked for{more}"
            )
        if ranks > nodes * cores and not self.oversubscribes:
            needed = -(-ranks // cores)
            if needed <= self.max_nodes:
                help_text = f"; use {needed} nodes or more"
            elif self.name.startswith("ideal"):
                help_text = self._hint(cores=-(-ranks // nodes))
            else:
                help_text = f"; it has {self.max_nodes * cores} cores in all"
            raise UsageError(
                f"{self.name} has {cores} {plural} a node; {ranks} ranks do not fit on {nodes} "
                f"node{'s' * (nodes != 1)} ({nodes * cores}){help_text}"
            )

    def _hint(self, **change: int) -> str:
        key, value = next(iter(change.items()))
        base, _, old = self.name.partition("[")
        if self.properties.get("collscope.name") != base:
            return ""
        kept = [p for p in old.rstrip("]").split(",") if p and not p.startswith(f"{key}=")]
        return f"; say {base}[{','.join([*kept, f'{key}={value}'])}]"

    def _ranks(self, nodes: int, ranks: int, mapping: str) -> list[Host]:
        self._check(nodes, ranks)
        if mapping not in MAPPINGS:
            raise unknown("mapping", mapping, MAPPINGS)
        if mapping == "fill":
            cores = [host for node in self.nodes[:nodes] for host in node[: self.cores_per_node]]
            return [cores[r % len(cores)] for r in range(ranks)]
        share = [ranks // nodes + (n < ranks % nodes) for n in range(nodes)]
        seats = [_spread(self.nodes[n], share[n]) for n in range(nodes)]
        if mapping == "block":
            return [host for node in seats for host in node]
        return [seats[r % nodes][r // nodes] for r in range(ranks)]

    def hosts(self, nodes: int, ranks: int, mapping: str = "block") -> list[str]:
        """The host of each rank. block: an even share a node, consecutive ranks together; cyclic: rank r on node r mod nodes; both spread a
        node's ranks evenly over its sockets, consecutive ranks on a socket. fill: core after core, node after node."""
        return [h.name for h in self._ranks(nodes, ranks, mapping)]

    def places(self, nodes: int, ranks: int, mapping: str = "block") -> list[tuple[int, int, int]]:
        """(node, socket, cache) of each rank; each number is unique over the whole machine."""
        return [(h.node, h.socket, h.cache) for h in self._ranks(nodes, ranks, mapping)]

    # ---- starting smpirun

    def _network_settings(self) -> dict[str, str]:
        """A file that says nothing of its curves keeps the settings of its own <config>."""
        if not self.curves:
            return {}
        settings = NETWORK_SETTINGS | protocol_settings(self.eager_bytes, self.overhead_s)
        if self.curves == "uniform":
            return settings | FACTOR_SETTINGS
        # Ranks that share a core: the plug-in wants a latency of 1 s on every route, and gives them the closest class.
        return settings | {"network/loopback-lat": "1", "network/loopback-bw": text_of(self.core_bytes_per_s)}

    def smpirun_args(self) -> list[str]:
        settings = _COMMON_SETTINGS | self._network_settings()
        flags = ["--log=root.thresh:warning"] + [f"--cfg={k}:{v}" for k, v in settings.items()]
        if self.curves != "plug-in":
            return ["-platform", str(self.xml), *flags]
        plugin = programs.needed(programs.PLUGIN, f"{self.name} needs it for its curves")
        return ["-platform", str(plugin), *flags]

    def env(self) -> dict[str, str]:
        return {"COLLSCOPE_PLATFORM": str(self.xml)}

    def content_hash(self) -> str:
        """Hash of all that a simulated time owes to the platform."""
        h = hashlib.sha256(self.xml.read_bytes())
        h.update(repr(sorted((_COMMON_SETTINGS | self._network_settings()).items())).encode())
        if self.curves == "plug-in":
            h.update(PLUGIN_SOURCE.read_bytes())
        return h.hexdigest()

    # ---- the machine in numbers

    def _number(self, name: str) -> float:
        text = self.properties.get(f"collscope.{name}", "0")
        try:
            return float(text)
        except ValueError:
            raise UserError(f"{self.xml}: the property collscope.{name} is no number: {text}") from None

    @property
    def eager_bytes(self) -> int:
        return int(self._number("eager_bytes"))

    @property
    def overhead_s(self) -> float:
        return self._number("overhead_s")

    @property
    def gamma_s_per_byte(self) -> float:
        return self.host_list[0].gamma_s_per_byte

    @property
    def copy_s_per_byte(self) -> float:
        return self.host_list[0].copy_s_per_byte

    @property
    def core_bytes_per_s(self) -> float:
        return self._number("core_bytes_per_s")

    @cached_property
    def wire(self) -> dict[str, tuple[WirePiece, ...]]:
        """The curves of the four classes."""
        if not self.curves:
            raise UserError(
                f"{self.xml}: this platform file holds no curves (properties curve.cache … curve.network of its outermost "
                "zone), so it can be simulated but neither modelled nor bounded; a specification in TOML has them: "
                "see platforms/README.md"
            )
        curves = {}
        for level in LEVELS:
            text = self.properties.get(f"curve.{level}", "")
            try:
                pieces = []
                for one in text.split(";"):
                    start, latency, per_byte, traffic = map(float, one.split())
                    pieces.append(WirePiece(int(start), latency, per_byte, traffic))
            except ValueError:
                raise UserError(
                    f"{self.xml}: property curve.{level}: expected 'from latency s_per_byte traffic; …', not '{text}'"
                ) from None
            curves[level] = tuple(pieces)
        return curves

    def levels(self, nodes: int) -> tuple[str, ...]:
        """The classes in which two ranks on `nodes` nodes may be, closest first."""
        if self.name.startswith("ideal") and self.curves == "uniform":
            return ("network",)
        there = []
        node = self.nodes[0]
        if any(a.cache == b.cache for i, a in enumerate(node) for b in node[:i]):
            there.append("cache")
        if any(a.socket == b.socket and a.cache != b.cache for i, a in enumerate(node) for b in node[:i]):
            there.append("socket")
        if len({h.socket for h in node}) > 1:
            there.append("node")
        if nodes > 1:
            there.append("network")
        return tuple(there) or ("cache",)

    def half_round_trip_s(self, level: str, size_bytes: int) -> float:
        """What a ping-pong between two idle ranks of this class measures (on `ideal`, without SMPI's envelope)."""
        piece = [p for p in self.wire[level] if p.start <= size_bytes][-1]
        overheads = 2 * self.overhead_s if size_bytes <= self.eager_bytes else 0.0
        return piece.latency_s + size_bytes * piece.s_per_byte + overheads

    def bound_parameters(self, nodes: int) -> tuple[float, float, float]:
        """α, β and γ for the printed bound and for cost(): of the widest class that occurs, α a message of 0 bytes, β the last piece."""
        level = self.levels(nodes)[-1]
        first, last = self.wire[level][0], self.wire[level][-1]
        overheads = 2 * self.overhead_s if self.eager_bytes >= 0 else 0.0
        return tidy(first.latency_s + overheads), last.s_per_byte, self.gamma_s_per_byte

    def machine(self, nodes: int, ranks: int, mapping: str = "block") -> str:
        """The machine file of `collscope-prove --model`."""
        uniform = self.curves == "uniform"
        lines = [
            "ports fluid",
            f"control {SMPI_ENVELOPE_BYTES}",
            f"gamma {text_of(self.gamma_s_per_byte)}",
            f"copy {text_of(self.copy_s_per_byte)}",
            f"eager {self.eager_bytes}",
            f"overhead {text_of(self.overhead_s)}",
        ]
        for level in LEVELS:
            for p in self.wire[level]:
                traffic = "" if uniform else f" {text_of(p.traffic)}"
                lines.append(f"class {level} {p.start} {text_of(p.latency_s)} {text_of(p.s_per_byte)}{traffic}")
        if not uniform:
            for link in ("core", "memory", "interconnect", "nic", "switch"):
                if (rate := self._number(f"{link}_bytes_per_s")) > 0:
                    lines.append(f"{link} {text_of(rate)}")
        lines += [f"place {r} {n} {s} {c}" for r, (n, s, c) in enumerate(self.places(nodes, ranks, mapping))]
        lines.append("bound " + " ".join(text_of(x) for x in self.bound_parameters(nodes)))
        return "\n".join(lines) + "\n"


def _spread(node: Sequence[Host], ranks: int) -> list[Host]:
    """An even share of the ranks on every socket, consecutive ranks together."""
    if ranks > len(node):
        return [node[r * len(node) // ranks] for r in range(ranks)]
    sockets: dict[int, list[Host]] = {}
    for host in node:
        sockets.setdefault(host.socket, []).append(host)
    groups = list(sockets.values())
    share = [ranks // len(groups) + (i < ranks % len(groups)) for i in range(len(groups))]
    # Sockets of different sizes (a hand-written file): what does not fit on one goes to the others.
    spare = sum(max(0, s - len(g)) for s, g in zip(share, groups, strict=True))
    for i, group in enumerate(groups):
        share[i] = min(share[i], len(group))
        room = min(spare, len(group) - share[i])
        share[i] += room
        spare -= room
    return [host for s, group in zip(share, groups, strict=True) for host in group[:s]]


# ---- reading a platform file -----------------------------------------------------------------------------------------


def _read_xml(path: Path, name: str) -> Platform:
    from lxml import etree

    shown = paths.display(path)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{shown}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{shown}:1: cannot be read: {error.strerror}") from error
    try:
        root = etree.fromstring(text, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False))
    except etree.XMLSyntaxError as error:
        raise UserError(f"{shown}:{error.lineno or 1}: {error.msg}") from error
    if root.tag != "platform":
        raise UserError(f"{shown}:{root.sourceline}: a SimGrid platform file starts with <platform>, not <{root.tag}>")
    hosts = []
    for element in root.iter("host"):
        props = {p.get("id"): p.get("value") for p in element.findall("prop")}
        ident, line = element.get("id"), element.sourceline
        if ident is None:
            raise UserError(f"{shown}:{line}: a <host> has no id")
        for needed in ("node", "socket", "cache", "gamma", "copy"):
            if needed not in props:
                raise UserError(
                    f'{shown}:{line}: host {ident} has no property "{needed}"; each host needs <prop id="…" value="…"/> '
                    "for node, socket and cache (whole numbers, unique over the machine), gamma and copy (seconds a byte)"
                )
        try:
            hosts.append(
                Host(
                    ident,
                    int(props["node"]),
                    int(props["socket"]),
                    int(props["cache"]),
                    float(props["gamma"]),
                    float(props["copy"]),
                )
            )
        except ValueError as error:
            raise UserError(
                f"{shown}:{line}: host {ident}: a property is not the number it should be: {error}"
            ) from None
    if not hosts:
        where = next((e.sourceline for e in root.iter("cluster")), root.sourceline)
        raise UserError(
            f"{shown}:{where}: there is no <host>; hosts made by a <cluster> cannot say where they sit, so write them "
            "out, or write a specification: see platforms/README.md"
        )
    zone = next((e for e in root if e.tag in ("zone", "AS")), None)
    properties = {p.get("id", ""): p.get("value", "") for p in zone.findall("prop")} if zone is not None else {}
    config = {p.get("id", ""): p.get("value", "") for p in root.findall("config/prop")}
    return Platform(name, path, properties, tuple(hosts), config)


# ---- finding and generating ------------------------------------------------------------------------------------------

_NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*(?:\[(.*)\])?\s*\Z", re.DOTALL)
IDEAL_HOSTS = 1024
_IDEAL = {"alpha": 1e-6, "beta": 1e-9, "gamma": 2.5e-10, "cores": 1.0}


def spec_path(name: str) -> Path:
    folder = PLATFORMS / name / "spec.toml"
    return folder if folder.exists() else PLATFORMS / f"{name}.toml"


def list_platforms() -> list[str]:
    """Names that `load` knows; this_machine only once it has been measured."""
    names = {p.stem for p in PLATFORMS.glob("*.toml")} | {p.parent.name for p in PLATFORMS.glob("*/spec.toml")}
    return ["ideal", *sorted(names)]


def load_spec(name: str) -> Spec:
    """The specification behind a name or a path, with the provenance of its numbers. Not for `ideal` or an XML file."""
    path, values, _ = _find(name)
    if path is None or path.suffix != ".toml":
        raise UserError(f"{name} has no specification")
    return read_spec(path, values, paths.display(path))


def load(name_or_path: str | os.PathLike[str]) -> Platform:
    """The platform of this name or path: the same object each time, until its file changes."""
    name = os.fspath(name_or_path)
    path, _, _ = _find(name)
    try:
        text = path.read_bytes() if path else b""
    except OSError as error:
        raise UserError(f"{path}:1: cannot be read: {error.strerror}") from error
    found = _load(name, text, paths.CACHE)
    if not found.xml.exists():  # somebody emptied the cache
        _load.cache_clear()
        found = _load(name, text, paths.CACHE)
    return found


@lru_cache(maxsize=64)
def _load(name: str, text: bytes, cache: Path) -> Platform:
    path, values, base = _find(name)
    if path is None:
        return _read_xml(_keep(base, _ideal(values)), name.strip())
    if path.suffix == ".xml":
        return _read_xml(path, path.stem)
    spec = read_spec(path, values, paths.display(path))
    shown = name.strip() if _NAME.match(name) and not name.endswith(".toml") else spec.name
    return _read_xml(_keep(spec.name, xml_of(spec)), shown)


def _find(name: str) -> tuple[Path | None, dict[str, str], str]:
    """Path of the specification or file (None: ideal), the values in brackets, and the name without them."""
    outside = name.partition("[")[0]
    if "/" in outside or outside.strip().endswith((".toml", ".xml")):
        base, _, inside = name.partition("[")
        path = Path(base.strip()).expanduser()
        if path.is_dir():
            path = path / "spec.toml"
        if path.suffix not in (".toml", ".xml"):
            raise UsageError(f"{path}: a platform is a specification (.toml) or a SimGrid platform file (.xml)")
        if not path.exists():
            raise UsageError(f"{path}: there is no such file")
        values = _values(inside.strip().removesuffix("]"), name)
        if values and path.suffix == ".xml":
            raise UsageError(f"{path}: values in brackets belong to specifications; edit the file instead")
        return path, values, path.stem
    match = _NAME.match(name)
    if not match:
        raise UsageError(
            f'cannot read the platform "{name}"; write a name, name[key=value,…] or the path of a .toml or .xml file'
        )
    base, values = match.group(1), _values(match.group(2) or "", name)
    if base == "ideal":
        return None, values, base
    path = spec_path(base)
    if not path.exists():
        if base == "this_machine":
            raise UserError("this_machine has not been measured yet; ./collscope calibrate does it in a few seconds")
        raise unknown(
            "platform", base, [*list_platforms(), "this_machine"], "a path to a .toml or .xml file will do, too"
        )
    return path, values, base


def _values(text: str, name: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise UsageError(f'{name}: cannot read "{part}"; write key=value')
        values[key.strip()] = value.strip()
    return values


_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def _ideal(values: dict[str, str]) -> str:
    numbers = dict(_IDEAL)
    for key, text in values.items():
        if key not in numbers:
            match = nearest(key, numbers)
            raise UsageError(
                f'ideal: no parameter "{key}"'
                + (f'; did you mean "{match}"?' if match else "")
                + "; it has alpha (s), beta and gamma (s a byte) and cores (of a node)"
            )
        parsed = re.fullmatch(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zµ]*)", text)
        try:
            number = float(parsed.group(1)) * _SECONDS[parsed.group(2)] if parsed else None
        except (ValueError, KeyError):
            number = None
        if number is None:
            raise UsageError(f'ideal: cannot read {key}="{text}"; write for example 1e-6 or 1us')
        numbers[key] = tidy(number)
    cores = int(numbers["cores"])
    if cores != numbers["cores"] or not 1 <= cores <= IDEAL_HOSTS:
        raise UsageError(f"ideal: cores must be a whole number from 1 to {IDEAL_HOSTS}")
    if numbers["beta"] <= 0:
        raise UsageError("ideal: beta must be more than 0; a very fast network is beta=1e-15")
    return ideal_xml(numbers["alpha"], numbers["beta"], numbers["gamma"], cores, IDEAL_HOSTS // cores * cores)


def _keep(name: str, text: str) -> Path:
    """Writes a generated platform file below .cache, named after its content."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = paths.CACHE / "platforms" / f"{name}-{digest}.xml"
    if not path.exists():
        write_atomically(path, text)
    return path


__all__ = ["MAPPINGS", "Platform", "SpecError", "list_platforms", "load", "load_spec"]
