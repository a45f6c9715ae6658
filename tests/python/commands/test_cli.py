"""What the command line says to requests that cannot be met: message, exit status, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.catalogue.registry import Registry
from command_line import RUN, call


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rnu",), 'unknown command "rnu"; did you mean "run"'),
        (("run", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4"), "--on"),
        ((*RUN, "-a", "bcast/mts", "--bytes", "4"), 'did you mean "bcast/mst"'),
        ((*RUN, "-c", "bcats", "-a", "mst", "--bytes", "4"), 'did you mean "bcast"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4KB"), "write 4KiB"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "5"), "nearest: 4 B or 8 B"),
        ((*RUN, "-c", "bcast", "-a", "mst"), "say which sizes"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--block-bytes", "4"), "not both"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "sim,reel"), 'did you mean "real"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "real"), "use --on this_machine"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--metric", "makspan"), 'did you mean "makespan"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--type", "flaot"), 'did you mean "float"'),
        ((*RUN, "-c", "allreduce", "-a", "bucket", "--bytes", "4", "--op", "sun"), 'did you mean "sum"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--root", "4"), "the root is 0 … 3"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--mapping", "blok"), 'did you mean "block"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--nodes", "9"), "tiny has 4 nodes"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--plot", "x.gif"), ".svg, .png, .pdf"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--csv", "/etc/passwd/x.csv"), "cannot be written"),
        (("run", "--on", "tiny", "--ranks", "5", "-a", "bcast/mst", "--bytes", "4"), "5 ranks do not fit on 1"),
        (("run", "--on", "tiny", "--ranks", "x", "-a", "bcast/mst", "--bytes", "4"), "cannot read the ranks"),
        ((*RUN, "-a", "all", "--bytes", "4"), "with -c"),
        (("list", "-c", "gahter"), 'did you mean "gather"'),
        (("prove", "bcast/mts"), 'did you mean "bcast/mst"'),
        (("prove", "bcast/builtin"), "not proved"),
        ((*RUN, "-a", "bcast/mst", "--bytes", "999999999999GiB"), "too large"),
        ((*RUN, "-a", "allgather/bucket", "--block-bytes", "4..2048TiB"), "too large"),
        (("run", "--no-such-option"), "No such option"),
    ],
)
def test_usage_errors(tiny: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    status, out, err = call(capsys, *words)
    assert status == 2
    assert says in err
    assert err.startswith("collscope: ")
    assert out == ""
    assert not list(tiny.iterdir())


def test_a_platform_that_does_not_load_is_a_failure(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "run", "--on", "big", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, err) == (1, 'collscope: unknown platform "big"\n')


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("study", "run", "--help"), ("prove", "-h")])
def test_help_has_examples(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    status, out, _ = call(capsys, *words)
    assert status == 0
    assert "./collscope " in out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("schooner[nic=1]", 'no parameter "nic"'),
        ("schooner[nic_bytes_per_s=-1]", "0 or more"),
        ("schooner[nic_bytes_per_s=fast]", "must be a number"),
        ("schooner[nodes=nan]", "1 or more"),
        ("schooner[nodes=inf]", "1 or more"),
        ("nothere.xml", "no such file"),
        ("nothere", "unknown platform"),
    ],
)
def test_what_was_typed_of_a_platform(
    known: Registry, workplace: Path, capsys: pytest.CaptureFixture[str], name: str, says: str
) -> None:
    status, out, err = call(capsys, "run", "--on", name, "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, out) == (2, "")
    assert says in err
