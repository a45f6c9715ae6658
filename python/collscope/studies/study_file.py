"""What may stand in a study's file, sim/NAME.toml: a model for each of its tables. studies/reader.py makes a Study of it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from collscope.base.errors import UsageError, did_you_mean
from collscope.base.toml_table import Table, one_of, sizes_of
from collscope.base.units import MAX_RANKS
from collscope.catalogue import metrics
from collscope.machines import placement
from collscope.machines import study_variants as vary
from collscope.machines.study_variants import Values as VaryValues
from collscope.papers import names as papers
from collscope.points import distribution
from collscope.studies.study import DRAWINGS, ELEMENT_BYTES

ONE_CALL = ("makespan", "root")  # metrics that one and the same simulated call gives
METRICS = (*ONE_CALL, "osu_avg", "loop")
WITH_BARRIER = metrics.with_barrier("KEY")
SOURCES = ("sim", "model")
OPERATORS = ("sum", "max", "min", "prod")
EVERY = "all"  # among a collective's algorithms: those of the catalogue, with the parameters that they have by default


def _at_least_one(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if min(sizes) < 1:
        raise ValueError("sizes begin at 1 B")
    return sizes


def keys(value: Any) -> tuple[str, ...]:
    """A key or a list of them. ValueError: it is neither."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ValueError(f"must be a key or a list of keys, not {value!r}")
    return tuple(value)


def _mapping(value: str) -> str:
    if value not in placement.MAPPINGS and not value.startswith(placement.FILE_PREFIX):
        known = (*placement.MAPPINGS, f"{placement.FILE_PREFIX}PATH")
        raise ValueError(f'"{value}" is not one of {", ".join(known)}{did_you_mean(value, known)}')
    return value


def _metric(value: str) -> str:
    """One of METRICS, or osu_avg with a barrier, whose key nobody knows before the C programs are built: check_keys looks at it."""
    if value not in METRICS and not metrics.has_barrier(value):
        known = (*METRICS, WITH_BARRIER)
        raise ValueError(f'"{value}" is not one of {", ".join(known)}{did_you_mean(value, known)}')
    return value


def _algorithms(value: Any) -> tuple[tuple[str, str], ...]:
    """(name, key): a list of keys, or a table of names with their keys."""
    if isinstance(value, dict):
        if not value or not all(isinstance(key, str) for key in value.values()):
            raise ValueError("must be a table of names, each with a key")
        return tuple(value.items())
    return tuple((key, key) for key in keys(value))


def _counts(value: str) -> str:
    """As a plan has it. ValueError: there is no such distribution."""
    try:
        return distribution.parse(value)
    except UsageError as error:
        raise ValueError(str(error).removeprefix("--counts ")) from None


Sizes = Annotated[tuple[int, ...], sizes_of("4B,1KiB..4MiB"), AfterValidator(_at_least_one)]
Algorithms = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_algorithms)]
Keys = Annotated[tuple[str, ...], BeforeValidator(keys)]
Number = Annotated[int, Field(ge=1, le=MAX_RANKS, description="a whole number from 1 up")]
Pair = Annotated[list[str], Field(min_length=2, max_length=2, description="[key, key]")]
Layout = Annotated[list[int], Field(min_length=2, max_length=2, description="[nodes, ranks]")]


class SettingTable(Table):
    """What is timed, and where."""

    platform: str = ""  # or several, in [platforms]
    source: Annotated[str, one_of(SOURCES)] = "sim"
    nodes: list[Number] = Field(default_factory=list, description="a list of whole numbers from 1 up")
    ranks: list[Number] = Field(default_factory=list, description="a list of whole numbers from 1 up")
    layouts: list[Layout] = Field(default_factory=list)  # in place of nodes and ranks, where not all go together
    mapping: Annotated[str, AfterValidator(_mapping)] = "block"
    type: Annotated[str, one_of(tuple(ELEMENT_BYTES))] = "float"
    op: Annotated[str, one_of(OPERATORS)] = "sum"
    root: int = 0
    in_place: bool = False
    buffers: Annotated[str, one_of(vary.SIMULATED)] = vary.SIMULATED[0]
    metric: Annotated[str, AfterValidator(_metric)] = "makespan"
    also_metrics: list[str] = Field(default_factory=list)
    traffic: bool = False  # with bytes over links between nodes, which the model counts


class SampleTable(Table):
    """Some of the model's points that are simulated, too."""

    every: Number  # so many points one
    most_ranks: Number = MAX_RANKS


class SizesTable(Table):
    """The sizes of the vector, or of blocks."""

    bytes: Sizes = ()  # of the whole vector
    block_bytes: Sizes = ()  # or of each rank's block
    quick: Sizes = ()  # all of them
    quick_ranks: int = Field(default=0, ge=0)  # layouts with more are left out with --quick; 0: none
    focus: Sizes = ()
    focus_label: str = "focus"


class TreeTable(Table):
    """How near to the fastest the tree of decisions stays."""

    tolerance: float = Field(default=0.02, ge=0, lt=1, description="a share of the time, from 0 to 1")


class PriorsTable(Table):
    """The points that are timed over draws of what is not known of the machine."""

    bytes: Sizes = ()
    most_ranks: int = Field(default=0, ge=0)  # layouts with more are left out; 0: none
    source: Annotated[str, one_of(SOURCES)] | None = None  # of the times; none: the study's own


class CollectiveTable(Table):
    """What competes in a collective."""

    model_config = ConfigDict(extra="allow")  # classes: [classes] says which

    name: str
    title: str = ""
    figure: str = Field(
        default="", pattern=r"^[A-Za-z0-9_.-]{0,40}$", description="a figure's number: letters, digits and _ . -"
    )
    algorithms: Algorithms = ()
    most_ranks: dict[str, Number] = Field(default_factory=dict)  # name → it does not compete on more
    counts: Annotated[str, AfterValidator(_counts)] = distribution.UNIFORM  # how long each rank's block is


class FigureTable(Table):
    """What is drawn where this is given: one figure a table [[figure]]."""

    kind: Annotated[str, one_of(DRAWINGS)] = DRAWINGS[0]
    number: str = Field(  # the source's; with a letter first, a name of our own
        pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="a figure's number: letters, digits and _ . -"
    )
    title: str
    caption: str = ""
    collective: str = ""
    names: list[str] = Field(default_factory=list)  # of what competes; none: all
    sizes: Sizes = ()  # in the unit of [sizes]; none: all
    ranks: list[int] = Field(default_factory=list)
    nodes: list[int] = Field(default_factory=list)
    mapping: list[str] = Field(default_factory=list)  # none: the study's first
    platforms: list[str] = Field(default_factory=list)  # of [platforms]; none: the first for times, all for the others
    pairs: list[Pair] = Field(default_factory=list)  # of traffic: an algorithm, and the one that it is compared with


class FileTable(Table):
    """The whole file."""

    title: str
    source: str = ""
    about: str = ""
    differences: list[str] = Field(default_factory=list)
    paper: Annotated[str, one_of(papers.names())] = ""
    setting: SettingTable
    platforms: dict[str, str] = Field(default_factory=dict)  # name → platform: in place of one, all are compared
    families: dict[str, list[str]] = Field(
        default_factory=dict
    )  # name → patterns of keys; the rest is what was there before
    sample: SampleTable | None = None
    vary: dict[str, VaryValues] = Field(default_factory=dict)
    sizes: SizesTable
    classes: dict[str, str] = Field(default_factory=dict)
    common: dict[str, Keys] = Field(default_factory=dict)  # class → keys that compete in every collective with classes
    tree: TreeTable = Field(default_factory=TreeTable)
    priors: PriorsTable = Field(default_factory=PriorsTable)
    collective: list[CollectiveTable] = Field(
        min_length=1, description="tables [[collective]] with name and algorithms"
    )
    figure: list[FigureTable] = Field(default_factory=list)
