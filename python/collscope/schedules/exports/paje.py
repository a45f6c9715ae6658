"""Traces in Pajé's format, which ViTE and pj_dump read: a container per rank, its states, and a link per message."""

from __future__ import annotations

from collections.abc import Iterator

from collscope.schedules.trace import Trace, picoseconds

DEFINITIONS = {
    "PajeDefineContainerType": ("Alias string", "Type string", "Name string"),
    "PajeDefineStateType": ("Alias string", "Type string", "Name string"),
    "PajeDefineLinkType": ("Alias string", "Type string", "StartContainerType string", "EndContainerType string", "Name string"),
    "PajeDefineEntityValue": ("Alias string", "Type string", "Name string", "Color color"),
    "PajeCreateContainer": ("Time date", "Alias string", "Type string", "Container string", "Name string"),
    "PajeDestroyContainer": ("Time date", "Type string", "Name string"),
    "PajeSetState": ("Time date", "Type string", "Container string", "Value string"),
    "PajeStartLink": ("Time date", "Type string", "Container string", "Value string", "StartContainer string", "Key string"),
    "PajeEndLink": ("Time date", "Type string", "Container string", "Value string", "EndContainer string", "Key string"),
}  # fmt: skip
NUMBER = {name: number for number, name in enumerate(DEFINITIONS)}
FREE = "free"  # the state of a rank that has no work of its own
COLORS = ("0.55 0.55 0.55", "0.85 0.37 0.01", "0.10 0.45 0.70", "0.46 0.44 0.70", "0.40 0.65 0.12", "0.90 0.67 0.01")


def text(t: Trace) -> str:
    """The whole file: definitions, types, ranks, and then events in the order of time."""
    lines = []
    for name, fields in DEFINITIONS.items():
        lines += [f"%EventDef {name} {NUMBER[name]}", *(f"%\t{field}" for field in fields), "%EndEventDef"]
    lines.append(_event("PajeDefineContainerType", "JOB", "0", "job"))
    lines.append(_event("PajeDefineContainerType", "RANK", "JOB", "rank"))
    lines.append(_event("PajeDefineStateType", "STATE", "RANK", "state"))
    lines.append(_event("PajeDefineLinkType", "MESSAGE", "JOB", "RANK", "RANK", "message"))
    kinds = [FREE, *dict.fromkeys(s.kind for s in t.spans)]
    lines += [
        _event("PajeDefineEntityValue", kind, "STATE", kind, COLORS[i % len(COLORS)]) for i, kind in enumerate(kinds)
    ]
    lines.append(_event("PajeCreateContainer", 0, "job", "JOB", "0", t.key))
    lines += [_event("PajeCreateContainer", 0, f"rank{r}", "RANK", "job", f"rank {r}") for r in range(t.ranks)]
    lines += [line for _, _, line in sorted(_timed(t))]
    end = picoseconds(t.time_s)
    lines += [_event("PajeDestroyContainer", end, "RANK", f"rank{r}") for r in range(t.ranks)]
    lines.append(_event("PajeDestroyContainer", end, "JOB", "job"))
    return "\n".join(lines) + "\n"


def _timed(t: Trace) -> Iterator[tuple[int, int, str]]:
    """(time, order at the same time, line): a state ends before the next begins, a link begins before it ends. Times are whole
    picoseconds, so that the same time is not two that differ by rounding: the state that begins would end with the one before it."""
    for r in range(t.ranks):
        yield 0, 0, _event("PajeSetState", 0, "STATE", f"rank{r}", FREE)
    for s in t.spans:
        start, end = picoseconds(s.start_s), picoseconds(s.end_s)
        if start < end:
            yield start, 2, _event("PajeSetState", start, "STATE", f"rank{s.rank}", s.kind)
            yield end, 1, _event("PajeSetState", end, "STATE", f"rank{s.rank}", FREE)
    for i, m in enumerate(t.arrows):
        size, start, end = f"{m.bytes} B", picoseconds(m.start_s), picoseconds(m.end_s)
        yield start, 3, _event("PajeStartLink", start, "MESSAGE", "job", size, f"rank{m.src}", str(i))
        yield end, 4, _event("PajeEndLink", end, "MESSAGE", "job", size, f"rank{m.dst}", str(i))


def _event(name: str, *fields: str | int) -> str:
    """Numbers are picoseconds; the file has seconds."""
    words = (f if isinstance(f, str) else f"{f / 1e12:.12f}" for f in fields)
    words = (f'"{word}"' if " " in word or not word else word for word in words)
    return " ".join([str(NUMBER[name]), *words])
