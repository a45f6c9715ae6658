"""collscope.sources.model, model: the band of a prediction:
quantiles of the times that a planted noise makes, which are known; nothing else changes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import model
from collscope.sources.source import Options
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

DRAWS = 4000
WIDTH = 1e-6
SPEC = f"""\
name = "noisy"
nodes = 5
sockets = 1
cores_per_socket = 1
[curve]
network = [[0, 5e-6, 1e-9]]
[[noise.network]]
from_bytes = 0
quantiles_s = [[0, 0], [1, {WIDTH}]]
"""


def noisy(folder: Path, text: str = SPEC) -> str:
    path = folder / "noisy.toml"
    path.write_text(text)
    return str(path)


def rows(on: str, ranks: int, key: str, noise: int = DRAWS) -> model.Row:
    layout = Layout(find.load(on), ranks, ranks, "block")
    return model.run_tasks([(layout, Point("bcast", key, 4, type="byte"))], Options(noise=noise))[0]


@pytest.mark.parametrize(
    ("ranks", "low", "middle", "high"), [(2, 0.05, 0.5, 0.95), (3, math.sqrt(0.1), 1.0, 2 - math.sqrt(0.1))]
)
def test_one_message_and_a_chain_of_two_have_the_band_that_follows(
    tmp_path: Path, ranks: int, low: float, middle: float, high: float
) -> None:
    """Evenly distributed noise: of one message quantiles are the parts themselves, of two those of a triangle."""
    row = rows(noisy(tmp_path), ranks, "bcast/chain[chains=1,s=0]")
    found = [(row[f"noise_{name}_s"] - row["median_s"]) / WIDTH for name in ("low", "median", "high")]
    assert found == pytest.approx([low, middle, high], abs=0.03)


def test_a_chain_of_four_has_the_band_of_its_sum(tmp_path: Path) -> None:
    """P(sum of four below x) = x^4/24 for x below 1; symmetric about 2."""
    row = rows(noisy(tmp_path), 5, "bcast/chain[chains=1,s=0]")
    low, high = ((row[f"noise_{name}_s"] - row["median_s"]) / WIDTH for name in ("low", "high"))
    limit = next(x / 1e4 for x in range(40_000) if irwin_hall(x / 1e4) >= 0.05)
    assert low == pytest.approx(limit, abs=0.05) and high == pytest.approx(4 - limit, abs=0.05)


def irwin_hall(x: float, n: int = 4) -> float:
    """P(the sum of n even distributions from 0 to 1 is at most x)."""
    return sum((-1) ** k * math.comb(n, k) * (x - k) ** n for k in range(int(x) + 1)) / math.factorial(n)


def test_the_time_itself_stays_and_draws_repeat(tmp_path: Path) -> None:
    on = noisy(tmp_path)
    plain, first, again = (rows(on, 4, "bcast/binomial[s=0]", noise) for noise in (0, 50, 50))
    assert "noise_low_s" not in plain and first == again
    assert {k: v for k, v in first.items() if k in plain} == plain


def test_run_shows_the_band_and_refuses_where_none_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "--nodes", "2", "--ranks", "2", "-a", "bcast/linear", "--bytes", "4", "--noise", "200")
    file = tmp_path / "t.csv"
    status, out, _ = call(capsys, *words, "--on", noisy(tmp_path), "--source", "model", "--csv", str(file))
    assert status == 0 and "5 … 95 %" in out
    head, line = file.read_text().splitlines()
    assert head.endswith("skew,noise_low_s,noise_median_s,noise_high_s") and not line.endswith(",,")
    status, _, err = call(capsys, *words, "--on", "schooner", "--source", "model")
    assert status == 2 and "calibrate measures it" in err
    status, _, err = call(capsys, *words, "--on", "schooner", "--source", "bound")
    assert status == 2 and "add model to --source" in err


def test_a_platform_whose_noise_nobody_knows_has_no_band() -> None:
    row = rows("schooner", 2, "bcast/linear", noise=9)
    assert row["kind"] == "ok" and row.get("noise_low_s") is None
