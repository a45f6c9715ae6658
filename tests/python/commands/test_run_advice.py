"""collscope.commands.run_advice: which sizes have their words together, and where what a version has instead is its default."""

from __future__ import annotations

import pytest

from collscope.base import programs
from collscope.commands import run_winners
from collscope.commands.run_advice import Winner, advice
from collscope.points.table import make_row
from collscope.tuning import openmpi
from collscope.tuning.openmpi import DYNAMIC

V41 = openmpi.SERIES[1]
MST, LINEAR, BINOMIAL = "bcast/mst[dest=first]", "bcast/linear", "bcast/binomial[s=0]"

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def lacked(size: int, *losses: tuple[str, float], default: str = LINEAR) -> Winner:
    """Of mst, which Open MPI does not have, with how many times as long others take."""
    row = make_row(
        source="sim", platform="x", nodes=1, ranks=16, mapping="block", collective="bcast", bytes=size, block_bytes=size,
        type="float", in_place=0, root=0, metric="makespan", status="ok", algorithm=MST, median_s=1.0,
    )  # fmt: skip
    return Winner(row, {MST: 1.0, **dict(losses)}, {V41.decision: default})


@pytest.fixture
def v41_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words for one version."""
    monkeypatch.setattr(openmpi, "installed", lambda: V41)
    monkeypatch.setattr(openmpi, "libraries", lambda _: [V41])


@needs_prover
def test_sizes_have_their_words_together_while_the_best_that_a_version_has_is_the_same(
    v41_alone: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over both pairs binomial's worst loss would be the least, though at each size another loses less."""
    chain = "bcast/chain[chains=4,s=0]"
    found = [
        lacked(4, (LINEAR, 1.03), (BINOMIAL, 1.2), (chain, 3.0)),
        lacked(8, (LINEAR, 1.05), (BINOMIAL, 1.2), (chain, 3.0)),
        lacked(16, (chain, 1.04), (BINOMIAL, 1.2), (LINEAR, 3.0)),
        lacked(32, (chain, 1.005), (BINOMIAL, 1.2), (LINEAR, 3.0)),
    ]
    run_winners._show_advice(found, True)
    lines = [line for line in capsys.readouterr().out.splitlines() if "Open MPI" in line]
    assert [line.partition(": --mca")[0] for line in lines] == [
        "4 B … 8 B: Open MPI 4.1: no mst; of those timed linear (up to × 1.05), its default; to force it",
        "16 B … 32 B: Open MPI 4.1: no mst; of those timed chain (up to × 1.04)",
    ]


@needs_prover
def test_sizes_with_a_common_tie_that_a_version_has_have_their_words_together(
    v41_alone: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which of the tied is a little faster does not part them."""
    found = [
        lacked(4, (LINEAR, 1.003), (BINOMIAL, 1.006), default=BINOMIAL),
        lacked(8, (BINOMIAL, 1.003), (LINEAR, 1.006), default=BINOMIAL),
    ]
    run_winners._show_advice(found, True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 B … 8 B: tied within 1%: mst, binomial, linear"
    assert lines[1].startswith("4 B … 8 B: Open MPI 4.1 (binomial): default; to force it: --mca")


@needs_prover
def test_the_next_best_of_a_version_is_called_its_default_only_where_it_is_at_every_size() -> None:
    losses = (LINEAR, 1.5), (BINOMIAL, 2.0)
    (line,) = advice([lacked(4, *losses)], (V41,))
    assert line.startswith(f"Open MPI 4.1: no mst; of those timed linear (× 1.50), its default; to force it: {DYNAMIC}")
    (line,) = advice([lacked(4, *losses), lacked(8, *losses, default=BINOMIAL)], (V41,))
    assert line.startswith(f"Open MPI 4.1: no mst; of those timed linear (up to × 1.50): {DYNAMIC}")
