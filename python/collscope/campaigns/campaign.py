"""Reading campaigns: validate/campaigns/NAME.toml says what is predicted, measured and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from collscope.base import paths
from collscope.base.errors import UsageError, unknown
from collscope.base.toml_table import Document, Table, read_text, sizes_of
from collscope.base.units import MAX_RANKS
from collscope.catalogue import metrics, registry
from collscope.catalogue.keys import swept
from collscope.machines.platform import Platform
from collscope.points import plan, sweep
from collscope.points.plan import Point, Task
from collscope.points.sweep import Sweep
from collscope.sources.source import MAX_DRAWS

FOLDER = paths.ROOT / "validate" / "campaigns"
BARRIER = "barrier"  # in `without`: the metric's barrier is left out, all ranks enter together
TOPOLOGY = "topology"  # in `without`: one switch in place of the network


Sizes = Annotated[tuple[int, ...], sizes_of("1B,1KiB..1MiB")]
Numbers = Annotated[
    list[Annotated[int, Field(ge=1, le=MAX_RANKS)]], Field(description="a list of whole numbers from 1 up")
]


class _Measure(Table):
    source: Literal["published", "real"]
    launcher: str = ""
    hosts: str = ""
    launches: int = Field(default=1, ge=1)
    repetitions: int = Field(default=10, ge=1)


class _Bed(Table):
    hosts: int = Field(default=8, ge=2)
    bits_per_s: float = Field(default=50e6, gt=0)
    latency_s: float = Field(default=500e-6, ge=0)
    leaves: int = Field(default=1, ge=1)
    oversubscription: float = Field(default=1, ge=1)
    default_eager_limits: bool = False  # Open MPI's, in place of the bed's


class _Calls(Table):
    collectives: list[str] = Field(min_length=1)
    algorithms: list[str] = Field(default=["all"], min_length=1)
    nodes: Numbers = Field(default=[1], min_length=1)
    ranks_per_node: int = Field(default=1, ge=1)
    bytes: Sizes
    mapping: str = "block"


class _Quick(Table):
    ranks: Numbers = Field(default_factory=list)
    bytes: Sizes = ()


class _File(Table):
    title: str
    about: str = ""
    floor: str = ""
    platform: str
    predict: Literal["model", "sim"] = "model"
    metric: str = "makespan"
    type: str = "byte"
    baselines: list[str] = Field(default_factory=list)
    without: list[str] = Field(default_factory=list)
    noise: int = Field(default=0, ge=0, le=MAX_DRAWS)
    draws: int = Field(default=40, ge=0, le=MAX_DRAWS)  # of what is not known of the platform
    measure: _Measure
    bed: _Bed | None = None
    quick: _Quick = Field(default_factory=_Quick)
    calls: list[_Calls] = Field(default_factory=list)


@dataclass(frozen=True)
class Campaign:
    """A file of validate/campaigns, read and checked. `file`: what stands in it."""

    name: str
    path: Path
    file: _File

    def chosen(self, task: Task, quick: bool) -> bool:
        """Whether a quick run has the published call; it has those of [quick], whose bytes are a block's."""
        layout, point = task
        rare = self.file.quick
        size = point.block_bytes(layout.ranks)
        return not quick or ((not rare.ranks or layout.ranks in rare.ranks) and (not rare.bytes or size in rare.bytes))

    def tasks(self, platform: Platform, quick: bool) -> list[Task]:
        """The calls of [[calls]] on the platform, by layout; sizes are rounded down to whole blocks. UsageError: an algorithm or a layout
        does not exist."""
        like = Point("", "", 0, type=self.file.type, metric=self.file.metric)
        rare = self.file.quick
        made: list[Task] = []
        for calls in self.file.calls:
            sizes = [size for size in calls.bytes if not (quick and rare.bytes) or size in rare.bytes]
            for nodes in calls.nodes:
                if quick and rare.ranks and nodes * calls.ranks_per_node not in rare.ranks:
                    continue
                layout = plan.check_layout(platform, nodes, nodes * calls.ranks_per_node, calls.mapping, real=False)
                for collective in calls.collectives:
                    keys = [(collective, key) for key in keys_of(collective, calls.algorithms)]
                    made += Sweep(
                        keys, sizes if sweep.have_data(keys) else [0], [layout], fit="round", like=like
                    ).tasks()
        return list(dict.fromkeys(made))


def keys_of(collective: str, names: Sequence[str]) -> list[str]:
    """Full keys of a collective's algorithms; "all": every one there is, "flat": those that do not look at where ranks sit and share no
    memory, "placed": the others. UsageError: there is no such algorithm."""
    known = registry.load()
    found: list[str] = []
    for name in names:
        if name in ("all", "flat", "placed"):
            for one in known.of(collective):
                placed = bool({"places", "segments"} & set(one.flags))
                if name == "all" or placed == (name == "placed"):
                    found.append(one.full_key())
        else:
            found += [known.resolve(key, collective)[1] for key in swept(name)]
    return list(dict.fromkeys(found))


def names() -> list[str]:
    """The campaigns that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Campaign:
    """A campaign by its name, or the path of its file. UsageError: an unknown name, or FILE:LINE: what is wrong with it."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        raise unknown("campaign", name, names())
    shown = paths.display(path)
    document = Document(read_text(path, shown), shown)
    file = document.read(_File)
    try:
        metrics.check(file.metric)
        registry.load().type_bytes(file.type)
        for key in file.baselines:
            registry.load().decision(key)
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from None
    if (file.measure.source == "real") != bool(file.calls):
        raise document.fail("a campaign that measures has [[calls]]; one of published times has none", "measure")
    if file.noise and file.predict != "model":
        raise document.fail('noise is drawn by the model: take predict = "model", or leave it out', "noise")
    if file.bed and file.measure.launcher != "testbed":
        raise document.fail('a bed is for launcher = "testbed"', "bed")
    return Campaign(path.stem, path, file)
