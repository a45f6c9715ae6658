"""Beginning a lab: the student's folder with handout, skeleton and an answers file that asks each question."""

from __future__ import annotations

import shutil
from pathlib import Path

from collscope.base.errors import UsageError
from collscope.base.files import write_atomically
from collscope.labs.lab import MISSING, Answer, Lab, Measured, Question

UNITS = {
    "time": "microseconds",
    "rounds": "a number of rounds",
    "ratio": "a plain number",
    "alpha": "microseconds",
    "beta": "nanoseconds per byte",
    "half": "bytes",
}


def start(lab: Lab, folder: Path) -> list[Path]:
    """Makes the folder; what it holds. UsageError: there is something already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is not an empty folder; name a new one")
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / "answers.toml", folder / "handout.md"]
    write_atomically(made[0], answers(lab))
    shutil.copyfile(lab.folder / "handout.md", made[1])
    if skeleton := lab.skeleton():
        made.append(folder / lab.file.file)
        shutil.copyfile(skeleton, made[-1])
    for measured in lab.file.measured:
        made.append(folder / measured.file)
        write_atomically(made[-1], latencies(measured))
    return made


def latencies(measured: Measured) -> str:
    """Times of a message between the first and the last rank, by the model of a machine, as osu_latency prints them."""
    from collscope.labs import quantities

    where = quantities.layout(measured.platform, measured.nodes, measured.ranks, measured.mapping)
    lines = ["# OSU MPI Latency Test", "# Size          Latency (us)"]
    for size in measured.bytes:
        (taken,) = quantities.seconds(where, ["bcast/linear"], size)
        lines.append(f"{size:<16}{taken * 1e6:.4f}")
    return "\n".join(lines) + "\n"


def answers(lab: Lab) -> str:
    """The answers file, with every question."""
    lines = [
        f"# Lab {lab.file.number}: {lab.file.title}",
        f'# Write down what you expect before you run it; "{MISSING}" is what is still missing.',
        f'lab = "{lab.name}"',
    ]
    tasks = lab.file.task
    tables: dict[str, list[Question | Answer]] = {
        "expect": [q for task in tasks for q in task.expect],
        "answers": [a for task in tasks for a in task.answer],
    }
    for table, questions in tables.items():
        lines += ["", f"[{table}]"] if questions else []
        for question in questions:
            unit = UNITS.get(getattr(question, "kind", ""), "")
            lines += _comment(question.question + (f" ({unit})" if unit else ""))
            lines.append(f'{question.name} = "{MISSING}"')
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    import textwrap

    return ["# " + line for line in textwrap.wrap(text, 76)]
