"""Results of tests as ctest (--output-junit) and pytest (--junitxml) write them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class Verdict:
    """What became of one test: "passed", "failed" or "skipped"."""

    name: str
    outcome: str


def read(path: Path) -> list[Verdict]:
    """Every test of a results file; none where there is no file or it is cut off, as after a crash."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    return [Verdict(_name(case), _outcome(case)) for case in root.iter("testcase")]


def _name(case: ElementTree.Element) -> str:
    """ctest repeats the name as the class; pytest's class is the module."""
    name, group = case.get("name", ""), case.get("classname", "")
    return name if group in ("", name) else f"{group}::{name}"


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    # ctest also calls it skipped when a test's program is not there; tests that skip themselves have a SKIP_ property.
    meant = case.get("status") != "notrun" or skipped.get("message", "").startswith("SKIP_")
    return "skipped" if meant else "failed"
