"""collscope.commands.cli: commands shown by README.md and docs run as they stand, in a copy of the tree; others are named here, with the
reason why not."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import tree_copy
from collscope.base import paths, programs

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]
PRESETS = ("prove", "smpi", "mpi")

PAGES = ["README.md", *(f"docs/{name}.md" for name in (
    "README", "decisions", "explain", "labs", "metrics", "preload", "schedules", "tuning", "validation",
    "your_own_algorithm", "your_own_cluster", "your_own_study"))]  # fmt: skip

ELSEWHERE = {
    r"^collscope test|^collscope twins": "a test of its own is the same",
    r"study run bird_schooner": "test_run of studies compares its rows",
    r"study run newest": "takes ten minutes; test_run of studies shows how a study runs, test_claims what its committed tables say",
    r"validate testbed|validate this_machine|--judge": "campaigns measure for minutes, and have their own tests",
    r"testbed|--on bed\b": "needs root; test_testbed runs it",
    r"calibrate|this_machine": "measures this machine; tests of calibration run it",
    r"explore": "needs Emscripten; tests of the explorer run it",
    r"--on mine.toml .*--source real": "measures the machine that the file describes",
    r"--hosts|slurm|--cluster|dask|node01": "needs other hosts",
    r"\blmp\b|^smpicc|--on schooner .*-- \./program": "needs packages; tests of the preloaded library run them",
    r"^source|^mpirun|rules/openmpi\.conf": "continues in a shell where a file was made",
    r"hand_ins": "many folders; test_command of labs grades them",
    r"bcast/linear_backwards|,linear_backwards": "once its file stands in the tree",
    r"validate orfeo_published$": "test_validate makes the same report",
    r"validate orfeo_published --predict": "wants a list of calls; test_blind of campaigns writes one",
    r"osu_bcast\.1|compare real|model\.csv real\.csv": "wants what another program printed",
}
"""What is not run here, and why."""

UNFINISHED = "collscope lab check lab2"
"""A skeleton lacks what the lab asks for, and the status says so."""

PROGRAM = Path(__file__).parents[1] / "helpers" / "ordinary.c"


def text_of(page: str) -> str:
    return (paths.ROOT / page).read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """The commands of a page's consoles, without their remarks."""
    consoles = re.findall(r"^```console\n(.*?)^```", text_of(page), re.M | re.S)
    lines = [line[2:] for text in consoles for line in text.replace("\\\n", " ").splitlines() if line.startswith("$ ")]
    return [re.sub(r"\s+# .*", "", line).replace("./collscope", "collscope") for line in lines]


def reason(command: str) -> str | None:
    return next((why for pattern, why in ELSEWHERE.items() if re.search(pattern, command)), None)


def block(page: str, kind: str, start: str) -> str:
    """The first block of that kind which begins so."""
    return next(
        text
        for text in re.findall(rf"^```{kind}\n(.*?)^```", text_of(page), re.M | re.S)
        if text.lstrip().startswith(start)
    )


def lay_out(folder: Path) -> None:
    """The files that the pages show, under the names that their commands use."""
    shown = {
        "mine.toml": ("docs/your_own_cluster.md", "toml", 'name = "mine"'),
        "six.toml": ("docs/your_own_study.md", "toml", 'title = "Broadcast on two nodes"'),
        "classes.toml": ("docs/your_own_study.md", "toml", 'title = "Broadcast and allgather'),
        "my.rules": ("docs/decisions.md", "", "# Behind #"),
        "ring.schedule": ("docs/schedules.md", "text", "collscope-schedule"),
        "linear_backwards.c": ("docs/your_own_algorithm.md", "c", "/* bcast/linear_backwards"),
    }
    for name, place in shown.items():
        (folder / name).write_text(block(*place), encoding="utf-8")


def lacking() -> str:
    """What a page's commands need and this machine lacks; "" if it lacks nothing."""
    found = {name: shutil.which(name) for name in ("mpicc", "smpirun")}
    found |= {file: (paths.BUILD / p / file).exists() for p in PRESETS for file in programs.BUILT[p].values()}
    found |= {"ortools": importlib.util.find_spec("ortools")}
    return ", ".join(name for name, there in found.items() if not there)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands write results and keep what they have computed; not the tree that is tested."""
    folder = tmp_path_factory.mktemp("tree") / "collscope"
    return tree_copy.made(folder, PRESETS, ("labs", "results"), whole_builds=True)


@pytest.fixture
def place(tree: Path, tmp_path: Path) -> Path:
    """The folder in which a user of these pages stands."""
    lay_out(tmp_path)
    subprocess.run(["mpicc", "-o", tmp_path / "program", PROGRAM], check=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "collscope").symlink_to(tree / "collscope")
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.skipif(bool(lacking()), reason=f"lacks {lacking()}")
def test_the_commands_of_a_page_run(page: str, place: Path) -> None:
    run = [command for command in commands(page) if not reason(command)]
    assert run
    if page == "docs/README.md":  # it names a profile, which the page on the preloaded library makes
        run.insert(0, "collscope profile --out profile.json -- mpirun -n 8 ./program")
    hidden = ("PYTHONPATH", "COLLSCOPE_ROOT", "COLLSCOPE_CACHE")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | {
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    for command in run:
        done = subprocess.run(command, shell=True, cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == (command == UNFINISHED), f"{page}: {command}\n{done.stdout}{done.stderr}"


def test_every_reason_is_needed() -> None:
    lines = [command for page in PAGES for command in commands(page)]
    assert [pattern for pattern in ELSEWHERE if not any(re.search(pattern, line) for line in lines)] == []
