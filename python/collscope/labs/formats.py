"""Grades in the formats that teachers' tools read."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from collscope.labs.check import Graded, Report

FORMATS = ("csv", "junit", "classroom", "otter")
PRINTABLE = str.maketrans({code: " " for code in range(32) if code not in (9, 10, 13)})  # what XML cannot hold


def reasons(graded: Graded) -> str:
    """Why a task has no points, each reason once; of hidden cases that they are."""
    made: dict[str, str] = {}
    for part in graded.parts:
        if part.faults:
            made.setdefault("\n".join(part.faults), part.what + " (hidden case)" * part.hidden)
    return "\n".join(f"{what}: {fault}" for fault, what in made.items())


def fields(reports: Sequence[Report]) -> dict[str, Any]:
    """The document of `lab check` and `lab grade`."""
    return {"folders": [_folder(report) for report in reports]}


def _folder(report: Report) -> dict[str, Any]:
    return {
        "folder": str(report.folder),
        "lab": report.lab.name if report.lab else None,
        "earned": report.earned,
        "points": report.points,
        "held": report.held or None,
        "fault": report.fault or None,
        "score": report.score,
        "wall_s": round(report.wall_s, 3),
        "tasks": [
            {
                "name": graded.task.name,
                "earned": graded.earned,
                "points": graded.task.points,
                "parts": [
                    {"what": part.what, "hidden": part.hidden, "faults": list(part.faults)} for part in graded.parts
                ],
            }
            for graded in report.tasks
        ],
    }


def text(format: str, reports: Sequence[Report]) -> str:
    """The reports in one of FORMATS. Classroom's and Otter's are of one folder each: of several, a line for each."""
    if format == "csv":
        return _csv(reports)
    if format == "junit":
        return _junit(reports)
    one = {"classroom": _classroom, "otter": _otter}[format]
    return "".join(one(report) + "\n" for report in reports)


def _csv(reports: Sequence[Report]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["folder", "lab", "task", "earned", "points", "reasons"])
    for report in reports:
        name, lab = report.name, report.lab.name if report.lab else ""
        for graded in report.tasks:
            writer.writerow([name, lab, graded.task.name, graded.earned, graded.task.points, reasons(graded)])
        writer.writerow([name, lab, "total", report.earned, report.points, report.fault])
    return out.getvalue()


def _junit(reports: Sequence[Report]) -> str:
    root = ElementTree.Element("testsuites")
    for report in reports:
        failed = [graded for graded in report.tasks if not graded.earned]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=report.name,
            time=f"{report.wall_s:.3f}",
            tests=str(len(report.tasks) or 1),
            failures=str(len(failed) or int(bool(report.fault))),
        )
        if report.fault:
            case = ElementTree.SubElement(suite, "testcase", classname=report.name, name="hand-in")
            ElementTree.SubElement(case, "failure", message=report.fault.translate(PRINTABLE))
        for graded in report.tasks:
            case = ElementTree.SubElement(suite, "testcase", classname=report.name, name=graded.task.name)
            if not graded.earned:
                words = reasons(graded).translate(PRINTABLE)
                failure = ElementTree.SubElement(case, "failure", message=words.split("\n")[0])
                failure.text = words
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _classroom(report: Report) -> str:
    """The result of a runner as GitHub Classroom's reporter takes it: JSON in Base64."""
    tests = [
        {
            "name": graded.task.name,
            "status": "pass" if graded.earned else "fail",
            "score": graded.earned,
            "max_score": graded.task.points,
            "message": reasons(graded) or None,
            "line_no": 0,
            "test_code": f"./collscope lab check {report.name}",
        }
        for graded in report.tasks
    ] or [{"name": "hand-in", "status": "error", "score": 0, "message": report.fault, "line_no": 0, "test_code": ""}]
    status = "pass" if report.points and report.earned == report.points else "fail"
    document = {"version": 1, "status": status, "max_score": report.points, "tests": tests}
    return base64.b64encode(json.dumps(document).encode()).decode()


def _otter(report: Report) -> str:
    """The results.json that Otter and Gradescope's autograders write."""
    tests = [
        {
            "name": graded.task.name,
            "score": graded.earned,
            "max_score": graded.task.points,
            "visibility": "visible",
            "output": reasons(graded) or "all checks passed",
        }
        for graded in report.tasks
    ]
    return json.dumps({"score": report.earned, "output": report.fault, "visibility": "visible", "tests": tests})
