"""Reading labs: labs/NAME/lab.toml says what a lab asks, hidden.toml what only the teacher's grading asks, wrong/mistakes.toml which
mistakes are common, wrong/attacks.toml what code may try that means harm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from collscope.base import paths
from collscope.base.errors import unknown
from collscope.base.toml_table import Document, Model, Table, read_text, sizes_of

FOLDER = paths.ROOT / "labs"
Sizes = Annotated[tuple[int, ...], sizes_of("1KiB,64KiB")]
MISSING = "?"
"""What stands in answers.toml until a student has written something else."""


class Cost(Table):
    """Along the critical path of the telephone model: at most so many times as a reference, or as the lower bound."""

    what: Literal["rounds", "bytes", "combined"]
    at_most: float = Field(gt=0)
    reference: str = "bound"  # or a key of the catalogue
    ranks: str = "2,3,5,8,13,16,17,32,33"
    count: int = 960


class Time(Table):
    """By the model of a machine: at most so many times as the fastest of some algorithms of the catalogue."""

    platform: str
    nodes: int
    ranks: int
    mapping: str = "block"
    bytes: Sizes
    at_most: float = Field(gt=0)
    reference: list[str]


class Crossings(Table):
    """A broadcast on many-core nodes: each node but the root's gets its data once, so nodes - 1 messages go between nodes."""

    platform: str
    nodes: int
    ranks: int
    mapping: str = "block"


class Rules(Table):
    """Calls that the student's rules decide: how long what they choose takes, over the best of the catalogue. `at_most` is of the
    geometric mean over all calls, `worst` of each; and the mean must be below that of the decision `against`."""

    collective: str
    platform: str
    nodes: list[int]
    ranks_per_node: int = 1
    mapping: str = "block"
    bytes: Sizes
    at_most: float = Field(ge=1)
    worst: float = Field(ge=1)
    against: str


class Predict(Table):
    """Times that the student's machine must give as the real one does."""

    algorithms: list[str]
    platform: str
    nodes: int
    ranks: int
    mapping: str = "block"
    bytes: Sizes
    within: float = Field(gt=0)


class Machine(Table):
    """Where a challenge is decided, and for which sizes."""

    platform: str
    nodes: int
    ranks: int
    mapping: str = "block"
    bytes: Sizes


class Measured(Table):
    """A file that beginning a lab makes: times of single messages on a machine, as osu_latency prints them."""

    file: str
    platform: str
    nodes: int = 2
    ranks: int = 2
    mapping: str = "block"
    bytes: Sizes


class Answer(Table):
    """A number or a word of answers.toml, and which run says what it must be."""

    name: str
    question: str
    kind: Literal["time", "rounds", "winner", "crossover", "parameter", "ratio", "alpha", "beta", "half"]
    algorithms: list[str]
    against: list[str] = Field(default_factory=list)
    platform: str = "schooner"
    nodes: int = 2
    ranks: int = 2
    mapping: str = "block"
    against_mapping: str = ""  # of a ratio: where it differs
    bytes: Sizes = ()
    values: list[int] = Field(default_factory=list)
    within: float = Field(default=0.05, ge=0)


class Question(Table):
    """What a student expects, written down before the run."""

    name: str
    question: str


class Task(Table):
    """A part of a lab with its points."""

    name: str
    points: int = Field(ge=1)
    title: str = ""
    algorithm: str = ""  # key that the student's file must define
    ranks: str = "1..33"
    counts: str = "0,1,7,p,p+1,1000"
    roots: str = "0,1,p-1"
    cost: list[Cost] = Field(default_factory=list)
    time: list[Time] = Field(default_factory=list)
    crossings: list[Crossings] = Field(default_factory=list)
    rules: list[Rules] = Field(default_factory=list)
    predict: list[Predict] = Field(default_factory=list)
    score: float = Field(default=0, ge=0)  # of a challenge: at most this, 0: not asked for
    answer: list[Answer] = Field(default_factory=list)
    expect: list[Question] = Field(default_factory=list)


class Figure(Table):
    """A picture of the handout, as `show` draws it: of an algorithm on so many ranks."""

    file: str
    algorithm: str
    ranks: int = 8
    kind: Literal["graph", "gantt"] = "graph"
    bytes: str | None = None  # None: what `show` takes for this algorithm


class _File(Table):
    number: int
    title: str
    minutes: int
    about: str
    knows: list[str]
    goals: list[str]
    hand_in: list[str]
    file: str = ""  # what the student writes beside the answers: C, rules, or a machine
    measured: list[Measured] = Field(default_factory=list)
    machine: list[Machine] = Field(default_factory=list)
    figure: list[Figure] = Field(default_factory=list)
    task: list[Task]


class _Hidden(Table):
    task: list[Task] = Field(default_factory=list)
    machine: list[Machine] = Field(default_factory=list)


class Mistake(Table):
    """A common mistake: a change of the solution, and the words of the message that must name it."""

    name: str
    what: str  # in the teacher's words
    task: str
    message: list[str] = Field(min_length=1)
    replace: str = ""
    by: str = ""
    file: str = ""  # what is changed: the C file, unless given
    hidden: bool = False  # found by the hidden cases alone


class _Mistakes(Table):
    mistake: list[Mistake]


@dataclass(frozen=True)
class Lab:
    """A lab that was read."""

    name: str
    folder: Path
    file: _File

    @property
    def points(self) -> int:
        """Of all its tasks."""
        return sum(task.points for task in self.file.task)

    @property
    def is_c(self) -> bool:
        """Whether the student writes a C file."""
        return self.file.file.endswith(".c")

    def skeleton(self) -> Path | None:
        """What the student's file begins as; None: the student makes it."""
        path = self.folder / f"skeleton{Path(self.file.file).suffix}"
        return path if self.file.file and path.exists() else None

    def hidden_machines(self) -> list[Machine]:
        """Where grading decides a challenge, too."""
        path = self.folder / "hidden.toml"
        return _read(path, _Hidden).machine if path.exists() else []

    def hidden(self) -> dict[str, Task]:
        """What grading asks beyond lab.toml, by the task's name."""
        path = self.folder / "hidden.toml"
        return {task.name: task for task in _read(path, _Hidden).task} if path.exists() else {}

    def mistakes(self) -> list[Mistake]:
        """The common mistakes."""
        return _read(self.folder / "wrong" / "mistakes.toml", _Mistakes).mistake

    def attacks(self) -> list[Mistake]:
        """What students' code may try that is not a mistake: of one lab, since the jail is the same for all."""
        path = self.folder / "wrong" / "attacks.toml"
        return _read(path, _Mistakes).mistake if path.exists() else []


def names() -> list[str]:
    """Of all labs, in the order of the course."""
    return sorted((path.parent.name for path in FOLDER.glob("*/lab.toml")), key=lambda name: load(name).file.number)


def load(name: str) -> Lab:
    """The lab of this name or number. UsageError: it does not exist, or a file of it is wrong."""
    known = sorted(path.parent.name for path in FOLDER.glob("*/lab.toml"))
    if name.isdigit():
        found = [lab for lab in map(load, known) if lab.file.number == int(name)]
        if found:
            return found[0]
    if name not in known:
        raise unknown("lab", name, known)
    return Lab(name, FOLDER / name, _read(FOLDER / name / "lab.toml", _File))


def _read(path: Path, model: type[Model]) -> Model:
    shown = paths.display(path)
    return Document(read_text(path, str(shown)), str(shown)).read(model)
