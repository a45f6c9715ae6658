"""model, prove: what the model says a time is spent on:
the parts add up to it for every algorithm, and on ideal machines they are those of cost()."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.progress import Progress
from collscope.catalogue import prover, registry
from collscope.catalogue.prover import Question
from collscope.machines import find
from collscope.machines.machine_file import machine_file

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")

ALPHA, BETA, GAMMA = 1.3e-6, 0.7e-9, 0.31e-9
TELEPHONE = f"ports one_port\ncontrol 0\ngamma {GAMMA}\ncopy 0\nclass network 0 {ALPHA} {BETA}\n"
FLUID = f"ports fluid\ncontrol 0\neager -1\ngamma {GAMMA}\ncopy 0\nclass network 0 {ALPHA} {BETA}\n"
MACHINES = [("schooner", 4, 30), ("jaguar", 5, 23), ("orfeo_epyc", 2, 33), ("ib_multicore", 2, 16), ("ideal", 13, 13)]


def explained(machine: str, lines: dict[str, str], folder: Path) -> dict[str, dict[str, Any]]:
    """The reply to each line of a plan that is supported."""
    file = folder / "machine.txt"
    file.write_text(machine)
    names = list(lines)
    questions = [Question(str(i), name, name, f"id={i} {lines[name]}") for i, name in enumerate(names)]
    replies = prover.stream(["--model", file, "--explain"], questions, folder, Progress("model", len(questions)))
    found = {names[int(i)]: reply for i, reply in replies if isinstance(reply, dict)}
    return {name: reply for name, reply in found.items() if reply["kind"] == "ok"}


def every_key() -> list[str]:
    return [a.full_key() for a in registry.load().algorithms]


def assert_whole(name: str, reply: dict[str, Any]) -> None:
    """Parts and path both cover the makespan, once."""
    total = reply["model_s"]
    assert sum(reply["parts"].values()) == pytest.approx(total, rel=1e-9), name
    at, by_part = 0.0, Counter[str]()
    for part, _, _, _, begin, end, link in reply["path"]:
        assert begin == pytest.approx(at, rel=1e-9, abs=1e-18), (name, part)
        assert end > begin, (name, part)
        assert link < len(reply["links"])
        by_part[part] += end - begin
        at = end
    assert at == pytest.approx(total, rel=1e-9), name
    for part, seconds in reply["parts"].items():
        assert by_part[part] == pytest.approx(seconds, rel=1e-9, abs=1e-9 * total), (name, part)
    assert 0 <= reply["rendezvous_s"] <= total
    waits = sum(link[3] for link in reply["links"])
    assert waits == pytest.approx(reply["parts"]["wait"], rel=1e-6, abs=1e-9 * total), name
    for kind, link, busy, _ in reply["links"]:
        assert kind and busy <= total * (1 + 1e-9), (name, link)


@pytest.mark.parametrize(("platform", "nodes", "ranks"), MACHINES)
def test_parts_add_up_to_the_time_of_every_algorithm(platform: str, nodes: int, ranks: int, tmp_path: Path) -> None:
    machine = machine_file(find.load(platform), nodes, ranks)
    lines = {
        f"{count}:{key}": f"algorithm={key} ranks={ranks} count={count}" for key in every_key() for count in (7, 40_009)
    }
    replies = explained(machine, lines, tmp_path)
    assert len(replies) > 100
    for name, reply in replies.items():
        assert_whole(name, reply)
        if "barrier" not in name and reply["load"]:
            busy, at, load = 0.0, 0.0, 0.0
            for time, share in [*reply["load"], (reply["model_s"], 0)]:
                assert -1e-9 <= share <= 1 + 1e-9
                busy += (time - at) * load
                at, load = time, share
            assert busy == pytest.approx(reply["links"][0][2], rel=1e-6), name


@pytest.mark.parametrize("rule", ["telephone", "fluid"])
@pytest.mark.parametrize("ranks", [8, 16])
def test_on_an_ideal_machine_the_parts_are_those_of_the_closed_form(rule: str, ranks: int, tmp_path: Path) -> None:
    """cost() with one of alpha, beta and gamma and the others 0 is the part, where it is linear."""
    base = TELEPHONE if rule == "telephone" else FLUID
    lines = {key: f"algorithm={key} ranks={ranks} count={ranks * 60}" for key in every_key()}
    alone = {
        part: explained(f"{base}bound {bound}\n", lines, tmp_path)
        for part, bound in {
            "latency": f"{ALPHA} 0 0",
            "bandwidth": f"0 {BETA} 0",
            "reduce": f"0 0 {GAMMA}",
            "all": f"{ALPHA} {BETA} {GAMMA}",
        }.items()
    }
    compared = Counter[str]()
    for key, reply in alone["all"].items():
        cost, parts = reply["cost_s"], reply["parts"]
        assert_whole(key, reply)
        if not cost or not reply["exact"] or abs(reply["model_s"] / cost - 1) > 1e-9:
            continue
        own = {part: alone[part][key]["cost_s"] for part in ("latency", "bandwidth", "reduce")}
        if abs(sum(own.values()) / cost - 1) > 1e-9:
            continue  # the larger of two ways
        if rule == "fluid" and parts["wait"]:
            continue  # what comes one after the other there shares a port here
        for part, seconds in own.items():
            assert parts[part] == pytest.approx(seconds, rel=1e-9, abs=1e-18), (key, part)
        compared[re.sub("/.*", "", key)] += 1
    assert sum(compared.values()) > (45 if rule == "telephone" else 30), compared
    assert len(compared) >= 10
