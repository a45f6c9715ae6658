"""collscope.commands.requests, collscope.commands.run_points: what a command refuses before any work, with exit status 2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tiny_platform
from collscope.base.errors import UsageError
from collscope.commands import requests, run_points
from collscope.points.plan import Layout
from collscope.points.sweep import Sweep
from collscope.sources import launcher
from command_line import call

USUAL = {"--on": "tiny", "--ranks": "4", "-a": "bcast/mst", "--bytes": "4"}
NAMED = "a word of up to 60 letters, digits, _ . and -"
SKEWED = "--skew goes with --metric makespan, root or delay, not with "


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"--noise": "3"}, "--noise is for modelled times: add model to --source, or drop --noise"),
        ({"--noise": "3", "--source": "model"},
         "--noise: tiny does not say how much its messages' times vary ([[noise.CLASS]] in its specification); "
         "./collscope calibrate measures it"),
        ({"--launcher": "slurm"}, "--launcher is for measured times: add real to --source, or drop --launcher"),
        ({"--hosts": "a,b"}, "--hosts is for measured times: add real to --source, or drop --hosts"),
        ({"--cluster": "local:2", "--source": "model"}, "--cluster is for simulated times: add sim to --source, or drop --cluster"),
        ({"--csv": "a.png"}, "--csv a.png: a table's name must end in .csv, .parquet or .json"),
        ({"--csv": ""}, "--csv needs the name of a file"),
        ({"--csv": "."}, "--csv .: is a folder"),
        ({"--csv": "file/x/t.csv"}, "--csv file/x/t.csv: there is no folder file/x; make it first"),
        ({"--csv": "no/where/t.csv"}, "--csv no/where/t.csv: there is no folder no/where; make it first"),
        ({"--plot": "no/t.svg"}, "--plot no/t.svg: there is no folder no; make it first"),
        ({"--plot": "a.gif"}, "--plot a.gif: the name must end in .svg, .png, .pdf"),
        ({"--skew": "linear:1us", "--metric": "osu_avg"}, f"{SKEWED}osu_avg"),
        ({"--skew": "linear:1us", "--metric": "loop"}, f"{SKEWED}loop"),
        ({"--block-bytes": "4"}, "give --bytes or --block-bytes, not both"),
        ({"--bytes": None}, "give the sizes: --bytes 1KiB..4MiB, or --block-bytes for the size of one block"),
        ({"--skew": "one_late:1us:9"}, "--skew one_late:T:9: with 4 ranks the late one is 0 … 3"),
        ({"--op": "affine", "--type": "int"},
         "--op affine with --type int: affine maps have their own operator and type; add --type affine"),
        ({"--op": "sum", "--type": "affine"},
         "--op sum with --type affine: affine maps have their own operator and type; add --op affine, or leave out --op"),
        ({"--op": "summ"}, 'unknown operator "summ"; did you mean "sum"?'),
        ({"--ranks": None}, "give the number of ranks: --ranks in all, or --ranks-per-node"),
        ({"--ranks-per-node": "2"}, "give the number of ranks: --ranks in all, or --ranks-per-node"),
        ({"--ranks-per-node": "x", "--ranks": None}, 'cannot read the ranks per node "x"; write for example 8, 2,4,8 or 1..64'),
        ({"--nodes": "x"}, 'cannot read the nodes "x"; write for example 8, 2,4,8 or 1..64'),
        ({"-a": "all"}, "-a all: name the collective with -c"),
        ({"-a": "all", "-c": "gather,barrier"}, "-a all: there is no such algorithm of gather or barrier yet"),
        ({"-a": "twins", "-c": "bcast"}, "-a twins: there is no such algorithm of bcast yet"),
        ({"-a": "linear", "-c": "bcast,gatherr"}, 'unknown collective "gatherr"; did you mean "gather"?'),
        ({"-a": "linear,nothing", "-c": "scatter,bcast"},
         'unknown scatter algorithm "nothing"; known: linear, builtin (see ./collscope list -c scatter)'),
        ({"--root": "1", "-a": "bucket", "-c": "allgather"}, "--root 1: allgather has no root"),
        ({"--root": "4"}, "--root 4: with 4 ranks the root is 0 … 3"),
        ({"--nodes": "5", "--ranks": "5"}, "tiny has 4 nodes; 5 were requested"),
        ({"--nodes": ""}, 'cannot read "": there is an empty number of nodes in the list'),
        ({"--without": ""}, "--without: names no element to switch off; --help lists them"),
        ({"--plot": ""}, "--plot needs the name of a file"),
        ({"-c": ""}, '"": there is an empty name in the list'),
        ({"--bytes": ""}, 'cannot read "": there is an empty size in the list'),
    ],
)  # fmt: skip
def test_run_says_why_not(
    tiny: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, str | None], says: str
) -> None:
    (tiny / "file").touch()
    words = [word for pair in ({**USUAL, **changed}).items() if pair[1] is not None for word in pair]
    assert call(capsys, "run", *words) == (2, "", f"collscope: {says}\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("show bcast/mst --without gap", "--without switches elements of a platform off: name it with --on"),
        ("explain bcast/mst --without gap", "--without switches elements of a platform off: name it with --on"),
        ("explain bcast/mst --plot=", "--plot needs the name of a file"),
        ("decide -c bcast --ranks 4 --plot=", "--plot needs the name of a file"),
        ("show bcast/mst --out=", "--out needs the name of a file or folder"),
        ("show bcast/mst --on tiny --without=", "--without: names no element to switch off; --help lists them"),
        *((f"show bcast/mst --point-timeout {text}",
           f'--point-timeout: cannot read "{text}"; write a time with its unit, such as 500ms, 5s or 2min')
          for text in ("60", "0s", "nan", "-1s", "1h")),
        ("show bcast/mst --out x.jpg",
         "--out x.jpg: pictures are .svg, .png, .pdf, exports .schedule, .goal, .xml, .trace.json, .paje, .json; a folder is x.jpg/"),
        ("show bcast/mst --out x.json --source model,sim",
         "--out x.json holds the times of one source, not of model,sim; choose one with --source"),
        ("show bcast/mst --out /dev/null/x", "--out /dev/null/x: /dev/null is not a folder"),
        *((f"show {words}", says) for words, says in {
            "bcast/linear --ranks 4 --root 4": "--root 4: there are 4 ranks, 0 to 3",
            "allgather/bucket --root 1": "--root 1: allgather has no root",
            "bcast/linear --ranks 1025": "--ranks 1025: pictures are drawn for 1 to 1024 ranks",
            "bcast/builtin":
                "bcast/builtin is the MPI library's own and has no schedule to draw; take decision/… of that library",
            "bcast/linear --source model,bound": "--source bound: a bound has no schedule to draw; take model, sim, real",
            "bcast/linear --source reel": 'unknown source "reel"; did you mean "real"?',
            "bcast/linear --source model,sim":
                "--source sim: say on which platform, with --on; ./collscope list --platforms names them",
            "bcast/linear --source model,real":
                "--source real beside others: give --on this_machine, so that all are of the same machine",
            "bcast/linear --mapping fill": "--mapping fill: say on which platform, with --on",
            "bcast/linear --ranks 4 --nodes 5": "4 ranks cannot occupy 5 nodes; use --nodes 4",
        }.items()),
        ("show bcast/mst --kind gant", 'unknown kind of picture "gant"; did you mean "gantt"?'),
        ("show bcast/mst --out x.svg",
         "--out x.svg is one file; say which picture with --kind graph|gantt|table|matrix, or name a folder"),
        ("prove bcast/builtin", "bcast/builtin is the MPI library's own; it can be run, not proved"),
        ("prove bcast/mst,decision/ompi_4_1 --ranks 2", "a decision and algorithms are proven apart: ./collscope prove decision/…"),
        ("prove bcast/mst --root 9 --ranks 2..4", "--root 9 needs at least 10 ranks; --ranks 2..4 has no such number"),
        ("decide -c bcast --ranks 4", "give one of --bytes and --block-bytes"),
        ("decide -c allgather --ranks 4 --bytes 4 --root 3", "--root 3: allgather has no root"),
        ("decide -c bcast --ranks 4 --bytes 4 --all-ranks", "--all-ranks is of a map: add --map or --plot FILE"),
        ("decide -c bcast --ranks 4 --map --block-bytes 4", "--map goes over all sizes up to --bytes of the whole vector"),
        ("decide -c scatter --ranks 4 --bytes 4", "no decision table knows scatter"),
        ("explain bcast/mst bcast/linear bcast/knomial", "explain takes one algorithm, or two that are compared"),
        ("explain bcast/mst scatter/linear", "bcast/mst[dest=first] and scatter/linear are of two collectives; take two of one"),
        ("synthesise -c reduce --bytes 16 --ranks 4 --on tiny --op affine",
         "--op affine with --type float: affine maps have their own operator and type; add --type affine"),
        ("explain bcast/mst --ranks 4 --skew one_late:10us:4", "--skew one_late:T:4: with 4 ranks the late one is 0 … 3"),
        ("explain bcast/mst --source bound", "--source bound: choose one of model, sim, real"),
        ("explain bcast/mst --source sim --skew linear:1us",
         "--skew with --source sim: explain knows it in the model; run --skew has it in every source"),
        ("twins --ranks 1..4", "--ranks: one rank sends nothing; begin with 2"),
        ("twins -a bcast", "bcast has no twin in Open MPI"),
        ("list -c bcst", 'unknown collective "bcst"; did you mean "bcast"?'),
        ("calibrate --out a.txt", "--out a.txt: a specification's name ends in .toml"),
        *((f"calibrate {option} --from x=y --name n",
           f"{option.split()[0]} is for measuring, and --from takes times from files; leave one out")
          for option in ("--hosts a", "--launcher slurm", "--nodes 2", "--ranks-per-node 2", "--quick")),
        *((f"calibrate --hosts a,b {name}", f"--hosts needs the cluster's --name: {NAMED}") for name in ("", "--name a/b")),
        *((f"calibrate --nodes 2 --name {name}", f"--name {name}: is taken; give the cluster another name")
          for name in ("this_machine", "ideal")),
        *((f"calibrate --nodes 2 --quick --name n {option} x", f"{option} goes with --from FILE; a cluster is measured")
          for option in ("--contention", "--where", "--class", "--shape", "--jumps")),
        *((f"{words} -- true", f"No such option '{wrong}'. Did you mean '{right}'?\n  ./collscope {command} --help says more")
          for words, command, wrong, right in (
              ("exec --rule a", "exec", "--rule", "--rules"), ("profile --output a", "profile", "--output", "--out"),
              ("testbed run -n 2 --host 4", "testbed run", "--host", "--hosts"))),
        *((f"calibrate --from a=b {name}", f"--from needs the machine's --name: {NAMED}") for name in ("", "--name a/b")),
        *((f"calibrate {option} x", f"{option} goes with --from FILE; without it this machine is measured")
          for option in ("--contention", "--where", "--class", "--shape", "--jumps")),
        *((f"calibrate {name}",
           "--name goes with --from FILE, --hosts, --launcher or --nodes; without these this machine is measured")
          for name in ("--name n", "--name=")),
        *((f"{words} {option}=", f"{option} is empty: name one, or leave the option out to measure this machine")
          for option in ("--hosts", "--launcher")
          for words in ("calibrate", "run --on tiny --ranks 2 -c bcast -a mst --bytes 4 --source real",
                        "tune --on tiny --for openmpi --out rules --confirm")),
        ("list -c bcast reduce", "reduce and -c bcast: name the collective once"),
    ],
)  # fmt: skip
def test_other_commands_say_why_not(tiny: Path, capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    assert call(capsys, *words.split()) == (2, "", f"collscope: {says}\n")


def test_a_page_for_a_machine_that_is_not_there_is_refused_before_anything_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collscope.setup.machine.ensure_wasm", lambda _: pytest.fail("the page's prover was built"))
    status, _, err = call(capsys, "explore", "--on", "nothing", "--out", str(tmp_path / "page"))
    assert err.startswith('collscope: unknown platform "nothing"')
    assert status == 2


def test_turns_on_cores_are_of_real_ranks(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher.Launcher, "share_cores", lambda *_: True)
    request = run_points.Points(platform="tiny", ranks="2,3,4", algorithms="mst")
    run_points.read_layouts(request, ["sim"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(requests, "check_real", lambda *_: None)
    run_points.read_layouts(request, ["sim", "real"])
    assert capsys.readouterr().err == (
        "collscope: 2..4 ranks: more ranks than cores (oversubscribed), so times are not meaningful\n"
    )


def test_noise_is_drawn_only_where_every_machine_has_some() -> None:
    silent = tiny_platform.tiny()
    noisy = replace(silent, machine=replace(silent.machine, noise={"network": ((0, ((0.0, 0.0), (1.0, 1e-6))),)}))
    run_points.check_noise(Sweep([], [], [Layout(noisy, 1, 4)]), "a", 3)
    with pytest.raises(UsageError, match="--noise: a,b does not say how much its messages' times vary"):
        run_points.check_noise(Sweep([], [], [Layout(noisy, 1, 4), Layout(silent, 1, 4)]), "a,b", 3)


@pytest.mark.parametrize(("nodes", "note"), [(1, ""), (2, ""), (3, "fill 2 of 3 nodes; the others stay empty\n")])
def test_nodes_that_stay_empty_are_named(capsys: pytest.CaptureFixture[str], nodes: int, note: str) -> None:
    here = tiny_platform.tiny()  # four cores per node
    ranks = 4 * min(nodes, 2)
    assert requests.make_layout(here, nodes, ranks, "fill", False) == Layout(here, min(nodes, 2), ranks, "fill")
    assert capsys.readouterr().err == (f"collscope: --mapping fill: 8 ranks {note}" if note else "")
    assert requests.make_layout(here, None, 9, "block", False).nodes == 3


@pytest.mark.parametrize("name", ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"])
def test_inside_a_batch_job_a_cluster_is_measured(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for other in requests.ALLOCATIONS:
        monkeypatch.delenv(other, raising=False)
    with pytest.raises(UsageError) as caught:
        requests.check_real("schooner")
    assert str(caught.value) == (
        "--source real measures the machine that this runs on: use --on this_machine instead of schooner "
        "(or start it inside a batch job on that cluster, or name it: --hosts, --launcher)"
    )
    monkeypatch.setenv(name, "7")
    requests.check_real("schooner")


def test_a_launcher_measures_a_machine_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in requests.ALLOCATIONS:
        monkeypatch.delenv(name, raising=False)
    far = launcher.launcher_of(None, "a,b")
    requests.check_real("schooner", far)
    requests.check_real("this_machine", launcher.LOCAL)
    with pytest.raises(UsageError) as caught:
        requests.check_real("this_machine", far)
    assert str(caught.value) == (
        f"--on this_machine is the machine you sit at; with {far.describe()} name the cluster's specification "
        "(./collscope calibrate --name NAME makes one, with the same launcher)"
    )


@pytest.mark.parametrize("command", ["show gather/mst", "explain gather/mst", "prove gather/mst", "decide -c gather"])
def test_a_size_of_one_block_is_offered_where_the_command_takes_one(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = call(capsys, *command.split(), "--ranks", "6", "--bytes", "4KiB")
    offered = "or give the size of one block with --block-bytes" in err
    _, page, _ = call(capsys, command.split()[0], "--help")
    assert status == 2 and "nearest: 4080 B or 4104 B" in err and offered == ("--block-bytes" in page)
