"""collscope.explorer.page: in a browser, what it shows is what the command line says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import accessibility
from collscope.base import paths

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The page, made by the command."""
    if not shutil.which("emcc"):
        pytest.skip("Emscripten is not installed")
    out = tmp_path_factory.mktemp("explorer") / "page"
    command = [paths.ROOT / "collscope", "explore", "results/bird_schooner", "--out", out]
    subprocess.run(command, cwd=paths.ROOT, check=True, capture_output=True)
    return out


@pytest.fixture
def page(browser, folder) -> Iterator[Any]:
    """A page that fails the test when it says an error on the console."""
    made = browser.new_page(viewport={"width": 1400, "height": 1000})
    faults: list[str] = []
    made.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: faults.append(str(error)))
    yield made
    made.close()
    assert not faults


def look(page, folder: Path, **state: object) -> None:
    """Opens the page in a state, and waits until it is shown."""
    page.goto("about:blank")
    page.goto(f"file://{folder}/index.html#{urlencode(state)}")
    page.wait_for_function("document.body.dataset.ready", timeout=300_000)


CALLS = [
    ("allreduce/ring", "schooner", 24, 4, "block", "--bytes", 65536, "uniform"),
    ("bcast/knomial[k=3]", "orfeo_epyc", 100, 2, "cyclic", "--bytes", 4096, "uniform"),
    ("alltoall/bruck", "ib_multicore", 13, 4, "block", "--block-bytes", 1024, "uniform"),
    ("allgather/neighbor_exchange", "jaguar", 48, 8, "block", "--block-bytes", 262144, "uniform"),
    ("barrier/dissemination", "orfeo_thin", 7, 1, "block", "", 0, "uniform"),
    ("allgatherv/bucket", "schooner", 16, 4, "cyclic", "--block-bytes", 4096, "zipf:1.5"),
    ("reduce_scatter/ring", "orfeo_epyc", 12, 2, "block", "--bytes", 65536, "one:3"),
]


@pytest.mark.parametrize(("key", "machine", "ranks", "nodes", "mapping", "option", "size", "counts"), CALLS)
def test_its_times_are_those_of_run(page, folder, key, machine, ranks, nodes, mapping, option, size, counts) -> None:
    collective = key.partition("/")[0]
    look(
        page,
        folder,
        collective=collective,
        algorithm=key,
        machine=machine,
        ranks=ranks,
        nodes=nodes,
        mapping=mapping,
        bytes=size,
        counts=counts,
    )
    shown = float(page.get_attribute("#makespan", "data-seconds"))
    words = [
        "run",
        "--on",
        machine,
        "--nodes",
        nodes,
        "--ranks",
        ranks,
        "--mapping",
        mapping,
        "-c",
        collective,
        "-a",
        key,
    ]
    words += [option, size] if option else []
    words += ["--counts", counts] if counts != "uniform" else []
    done = subprocess.run(
        [paths.ROOT / "collscope", *map(str, words), "--source", "model", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    (row,) = [row for row in json.loads(done.stdout)["rows"] if row["source"] == "model"]
    assert shown == row["median_s"]


def test_arrow_keys_step_through_the_rounds(page, folder) -> None:
    look(page, folder, collective="bcast", algorithm="bcast/binomial", ranks=8)
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#round_name") == "round 1 of 3"
    assert "0→" in page.inner_text("#round_text")
    page.keyboard.press("End")
    assert page.inner_text("#round_name") == "round 3 of 3"
    assert "4 messages" in page.inner_text("#round_text")


def test_a_link_keeps_what_is_shown(page, folder) -> None:
    look(page, folder)
    page.select_option("#collective", "allgather")
    page.select_option("#algorithm", "allgather/bruck")
    page.select_option("#machine", "schooner")
    page.fill("#ranks", "12")
    page.press("#ranks", "Enter")
    page.wait_for_function("location.hash.includes('ranks=12')")
    page.click("#tab_traffic")
    link = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_function("document.body.dataset.ready")
    assert page.input_value("#algorithm") == "allgather/bruck"
    assert page.input_value("#ranks") == "12"
    assert page.is_visible("#view_traffic")


def test_a_parameter_becomes_part_of_the_key(page, folder) -> None:
    look(page, folder, collective="bcast", algorithm="bcast/knomial", ranks=16)
    page.fill("#param_k", "7")
    page.press("#param_k", "Enter")
    page.wait_for_function("document.getElementById('about_name').textContent === 'bcast/knomial[k=7]'")


def test_blocks_may_be_of_unequal_lengths_where_the_collective_has_such(page, folder) -> None:
    """A link that names what does not exist shows blocks of one length."""
    look(page, folder, collective="bcast", algorithm="bcast/binomial", counts="linear")
    assert not page.is_visible("#counts") and "--counts" not in page.inner_text("#command")
    look(page, folder, collective="allgatherv", algorithm="allgatherv/bucket", ranks=8, counts="one:8")
    assert page.input_value("#counts") == "uniform"
    page.select_option("#counts", "one:0")
    page.wait_for_function("document.getElementById('command').textContent.endsWith('--counts one:0')")
    page.wait_for_function("document.getElementById('status').textContent.includes('proven')")
    assert "counts=one%3A0" in page.evaluate("location.href")
    assert page.inner_text("#bytes_name") == "bytes per block, on average"


def test_a_call_that_an_algorithm_cannot_do_says_why(page, folder) -> None:
    look(page, folder, collective="allgather", algorithm="allgather/two_proc", ranks=8)
    assert re.search(r"2 ranks|two ranks", page.inner_text("#status"))


def test_two_algorithms_stand_side_by_side(page, folder) -> None:
    look(page, folder, collective="allreduce", algorithm="allreduce/ring", other="allreduce/recursive_doubling", view="compare",
         machine="schooner", ranks=32, nodes=2, bytes=1024)  # fmt: skip
    page.wait_for_function("document.getElementById('compare_text').textContent.includes('wins')")
    assert page.inner_text("#compare_text").startswith("allreduce/recursive_doubling wins")
    assert "difference" in page.inner_text("#compare_parts")


def test_times_by_size_name_the_fastest(page, folder) -> None:
    look(
        page,
        folder,
        collective="gather",
        algorithm="gather/binomial",
        view="times",
        machine="schooner",
        ranks=32,
        nodes=2,
    )
    page.wait_for_function("document.getElementById('times_text').textContent.startsWith('Shaded')", timeout=120_000)
    assert "1 MiB" in page.inner_text("#times_table")
    assert page.locator("#times_chart svg path").count() > 3


def test_results_are_loaded_when_they_are_chosen(page, folder) -> None:
    look_results = f"file://{folder}/index.html#{urlencode({'view': 'results', 'study': 'bird_schooner', 'ofCollective': 'bcast'})}"
    page.goto(look_results)
    page.wait_for_selector("#results_table tbody tr", timeout=30_000)
    assert "bird_schooner" in page.inner_text("#results_text")
    assert page.locator("#results_chart svg circle").count() > 10


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_window(page, folder, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for view in ("schedule", "timeline", "traffic", "compare", "times"):
        look(
            page,
            folder,
            collective="allreduce",
            algorithm="allreduce/ring",
            machine="schooner",
            ranks=32,
            nodes=2,
            view=view,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["schedule", "timeline", "traffic", "compare", "times", "results"])
def test_keyboards_and_screen_readers_can_use_it(page, folder, view: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    look(
        page,
        folder,
        collective="allreduce",
        algorithm="allreduce/ring",
        machine="schooner",
        ranks=8,
        nodes=2,
        view=view,
    )
    assert page.is_visible(f"#view_{view}")
    assert accessibility.faults(page) == []


def test_its_files_name_no_other_host(folder) -> None:
    for file in ("index.html", "app.js"):
        assert not re.findall(r"https?://(?!www\.w3\.org)", (folder / file).read_text())
