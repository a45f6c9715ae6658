"""prove/others.c: a schedule that is recorded once is timed on many machines as on each by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.catalogue import prover
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from osu_alone import OSU_ALONE

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

LINES = (
    "invalidation_s_per_byte = 1e-9",
    "overhead_s = 1e-7",
    "eager_bytes = 64",
    "eager_bytes_nonblocking = 16",
    "memory_bytes_per_s = 13e9",
)


def machine(folder: Path, name: str, *lines: str, ranks: int = 12) -> str:
    path = folder / f"{name}.toml"
    path.write_text("\n".join([*lines, OSU_ALONE]))
    text = folder / f"{name}.txt"
    text.write_text(machine_file(find.load(str(path)), 2, ranks))
    return str(text)


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        *((key, "makespan") for key in ("bcast/linear", "allreduce/ring", "alltoall/linear", "barrier/dissemination")),
        *(("allreduce/ring", metric) for metric in ("nonblocking[calls]", "overlap[poll,thread]")),
    ],
)
def test_times_on_others_are_those_on_each_alone(tmp_path: Path, key: str, metric: str) -> None:
    """Whatever differs: processors, limits of protocols, links; and the first machine's time is as ever."""
    files = [machine(tmp_path, f"m{i}", *LINES[:i]) for i in range(len(LINES) + 1)]
    plan = tmp_path / "plan.txt"
    plan.write_text("".join(f"id={p} algorithm={key} ranks={p} count=100 metric={metric}\n" for p in (12, 11)))
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"{file}\n" for file in files))
    together = prover.replies(["--model", files[0], "--others", listed, "--plan", plan])
    alone = [prover.replies(["--model", file, "--plan", plan]) for file in files]
    for i, reply in enumerate(together):
        assert reply["others_s"] == [replies[i]["model_s"] for replies in alone]
        assert reply["model_s"] == alone[0][i]["model_s"] and reply["rounds"] is None
        assert len(set(map(str, reply["others_s"]))) > 1, json.dumps(reply)


def test_a_list_that_cannot_be_used_is_refused_with_its_machine(tmp_path: Path) -> None:
    """A schedule may follow from where ranks sit, so that they sit there on all machines."""
    first, plan = machine(tmp_path, "first"), tmp_path / "plan.txt"
    plan.write_text("id=1 algorithm=bcast/linear ranks=4 count=1\n")
    more = machine(tmp_path, "more", ranks=13)
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("latency 1\n")
    for text, message in (
        ("", "names no machine"),
        (f"{first}\n{more}\n", "more.txt: ranks sit elsewhere than on the first machine"),
        (f"{tmp_path}/none.txt\n", "none.txt: No such file"),
        (f"{wrong}\n", "wrong.txt:1:"),
    ):
        listed = tmp_path / "list.txt"
        listed.write_text(text)
        with pytest.raises(UserError, match=message):
            prover.replies(["--model", first, "--others", listed, "--plan", plan])
    with pytest.raises(UserError, match="gone.txt: No such file"):
        prover.replies(["--model", first, "--others", tmp_path / "gone.txt", "--plan", plan])
