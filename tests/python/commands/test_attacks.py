"""collscope.commands.errors, collscope.base.paths, collscope.base.files: what nobody should type ends with one line that says why.

One row per attack: the command line, and a fact in its message. The files that rows name are made below.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base import paths, programs
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

MINE = """\
name = "mine"
nodes = 4
sockets = 1
cores_per_socket = 4
[curve]
socket = [[0, 4e-7, 1e-10]]
network = [[0, 2e-6, 2e-10], [4096, 3e-6, 1.6e-10]]
"""
TORUS = """\
[topology]
kind = "torus"
dims = [2, 2]
link_bytes_per_s = 9e9
"""
SIX = """\
title = "<script>alert(1)</script>"
setting = { platform = "schooner", nodes = [2], ranks = [8], source = "model" }
sizes = { bytes = "4KiB" }
[[collective]]
name = "bcast"
algorithms = ["bcast/mst", "bcast/chain"]
"""
OSU = "# OSU MPI Latency Test\n# Size          Latency (us)\n"
LATENCIES = "4 1.75\n1024 2.26\n8192 5.85\n65536 9.44\n"
FILES = {
    "mine.toml": MINE,
    "negative.toml": f"{MINE}{TORUS}hop_latency_s = -1e-6\n",
    "stranger.toml": f'{MINE}{TORUS}hop_latency_s = 1e-6\nallocation = "file:~nosuch/x"\n',
    "noisy.toml": f"{MINE}[[noise.network]]\nfrom_bytes = 0\nquantiles_s = [[-0.1, 0], [1, 2e-6]]\n",
    "words.toml": MINE.replace("2e-6, 2e-10", '"-1us", 2e-10'),
    "six.toml": SIX,
    "campaign.toml": 'title = "x"\ntype = "x"\nplatform = "schooner"\n',
    "mine/notes.txt": "not a result of ours\n",
    "words.txt": f"{OSU}{LATENCIES}four one\n",
    "below.txt": f"{OSU}-4 1.1\n{LATENCIES}",
    "good.txt": f"{OSU}{LATENCIES}",
    "zero.txt": f"{OSU}4 0\n{LATENCIES}",
}
ELOOP = "Too many levels of symbolic links"
RUN = "run --on mine.toml --ranks 4 -a bcast/mst --bytes 4 --source model"
FROM = "calibrate --name n --shape nodes=4,sockets=1,cores_per_socket=4 --out c.toml --from"


@pytest.fixture
def attacked(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the rows, and `loop`, a link to itself."""
    monkeypatch.chdir(workplace)
    (workplace / "mine").mkdir()
    for name, text in FILES.items():
        (workplace / name).write_text(text)
    (workplace / "loop").symlink_to("loop")
    return workplace


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        # A link to itself.
        (f"{RUN} --csv loop", "loop: a link to itself"),
        (f"{RUN} --csv loop/x.csv", ELOOP),
        (f"{RUN} --plot loop/x.svg", ELOOP),
        ("show bcast/mst --ranks 2 --kind graph --out loop", "--out loop: not a folder"),
        ("show bcast/mst --ranks 2 --kind graph --out loop/x", "/loop is not a folder"),
        ("claims --out loop/x", "not a folder that can be written to"),
        ("study run loop", 'unknown study "loop"'),
        ("study run six.toml --out loop", "--out loop: not a folder"),
        ("study run six.toml --out loop/x", "/loop is not a folder"),
        (f"{FROM} network=loop", ELOOP),
        (f"{FROM} loop", ELOOP),
        (f"{FROM} network=good.txt --contention loop", ELOOP),
        # A user that does not exist.
        ("run --on ~nosuch/x.toml --ranks 4 -a bcast/mst --bytes 4 --source model", "~nosuch/x.toml: there is no such file"),
        (f"{RUN} --skew file:~nosuch/x", "there is no such file"),
        ("run --on this_machine --ranks 4 -a bcast/mst --bytes 4 --source real --hosts ~nosuch/x", "no such file"),
        ("run --on stranger.toml --ranks 4 -a bcast/mst --bytes 4 --source model", "~nosuch/x:1: cannot be read"),
        (f"{FROM} ~nosuch/x.csv", "there is no such file"),
        (f"{FROM} network=~nosuch/x", "there is no such file"),
        # Empty words.
        (f"{RUN} --csv ''", "--csv needs the name of a file"),
        (f"{RUN} --plot ''", "--plot needs the name of a file"),
        # Numbers that cannot be.
        ("run --on negative.toml --ranks 4 -a bcast/mst --bytes 4 --source model", "hop_latency_s: must not be negative"),
        ("run --on noisy.toml --ranks 4 -a bcast/mst --bytes 4 --source model", "noisy.toml:10: noise.network"),
        ("run --on words.toml --ranks 4 -a bcast/mst --bytes 4 --source model", "words.toml:7: curve.network.latency_s: must be"),
        (f"{FROM} network=zero.txt", "zero.txt:3"),
        (f"{FROM} network=words.txt", 'words.txt:7: "four one"'),
        (f"{FROM} network=below.txt", 'below.txt:3: "-4 1.1"'),
        # Options that cannot be meant.
        (f"{FROM} network=good.txt --jumps nosuch=8KiB", "class nosuch"),
        (f"{FROM} network=good.txt --where a=b", "--where is for tables"),
        (f"{FROM} network=good.txt --class a=network", "--class is for tables"),
        ("calibrate --name n --from network=good.txt --shape nodes=4,nodes=5,sockets=1,cores_per_socket=4", "nodes is given twice"),
        ("validate campaign.toml", "campaign.toml:1: measure: is missing"),
        # A folder of somebody else.
        ("show bcast/mst --ranks 2 --kind graph --out mine", "--out mine: contains files that are not pictures"),
        ("study run six.toml --out mine", "--out mine: contains files that are not study results"),
    ],
)  # fmt: skip
def test_an_attack_is_refused_in_one_line(
    attacked: Path, capsys: pytest.CaptureFixture[str], words: str, fact: str
) -> None:
    status, _, err = call(capsys, *shlex.split(words))
    assert status in (1, 2)
    assert fact in err, err
    assert err.startswith("collscope: ") and "Traceback" not in err
    assert (attacked / "loop").is_symlink(), "a link is not replaced"


def test_a_table_goes_into_a_pipe(attacked: Path) -> None:
    words = [sys.executable, "-m", "collscope", *RUN.split(), "--csv", "/dev/stdout", "--quiet"]
    env = {**os.environ, "PYTHONPATH": str(paths.ROOT / "python")}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    head, row = done.stdout.splitlines()
    assert head.startswith("source,platform") and row.startswith("model,mine")


@pytest.mark.parametrize(
    ("column", "value"), [("median_s", "inf"), ("median_s", "-1"), ("bytes", "-4"), ("ranks", "0")]
)
def test_rows_that_cannot_be_compared_are_counted(
    attacked: Path, capsys: pytest.CaptureFixture[str], column: str, value: str
) -> None:
    assert (
        call(capsys, *RUN.replace("bcast/mst", "bcast/mst,bcast/linear").split(), "--csv", "model.csv", "--quiet")[0]
        == 0
    )
    with open("model.csv", newline="", encoding="utf-8") as file:
        modelled = list(csv.DictReader(file))
    measured = [row | {"source": "real"} for row in modelled]
    measured[0][column] = value
    with open("both.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, modelled[0])
        table.writeheader()
        table.writerows(modelled + measured)
    status, out, err = call(capsys, "compare", "both.csv")
    assert status == 0 and "1 row" in err and "left out" in err, err
    assert not re.search(r"\b(inf|nan)\b", out)
    with open("both.csv", "a", encoding="utf-8") as file:
        file.write("real,mine,1\n")
    status, _, err = call(capsys, "compare", "both.csv")
    assert status == 1 and "both.csv:6: a row of 3 cells" in err


def test_a_report_keeps_no_script(attacked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "study", "run", "six.toml", "--out", "new")[0] == 0
    for name in ("report.md", "report.html"):
        assert "<script>alert" not in Path("new", name).read_text(encoding="utf-8")
