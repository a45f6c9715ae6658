"""collscope.setup.own_algorithms, collscope.commands.own_files: algorithms of files outside the tree, beside the whole catalogue."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.catalogue import headers
from collscope.commands import own_files
from collscope.setup import own_algorithms
from open_mpi import needs_prover

PAGE = paths.ROOT / "docs" / "your_own_algorithm.md"


def example() -> str:
    """The algorithm of the page."""
    found = re.search(r"```c\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def collscope(*words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own: the programs are exchanged for the whole process."""
    return subprocess.run(
        [sys.executable, "-m", "collscope", *words],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(paths.ROOT / "python"), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/"},
    )


@needs_prover
def test_a_file_is_proven_and_timed_beside_the_catalogue(tmp_path: Path) -> None:
    """By its path in place of a key, and under the name in its descriptor."""
    mine = tmp_path / "mine.c"
    mine.write_text(example())
    done = collscope("show", str(mine), "--ranks", "3", "--no-pictures")
    assert done.returncode == 0 and re.search("^Scratch +none", done.stdout, re.M), done.stderr
    assert re.search("^ +2 +x +x +x$", done.stdout, re.M), "the picture of the opening comment"
    done = collscope("prove", str(mine), "--ranks", "1..5")
    assert done.returncode == 0 and "bcast/linear_backwards" in done.stdout and "proven" in done.stdout, done.stderr
    words = [
        "run",
        "--on",
        "schooner",
        "--ranks",
        "4",
        "-c",
        "bcast",
        "-a",
        f"mst,{mine}",
        "--bytes",
        "8",
        "--source",
        "model",
    ]
    done = collscope(*words, "--csv", "-")
    assert done.returncode == 0, done.stderr
    assert "bcast/mst" in done.stdout and "bcast/linear_backwards" in done.stdout


@pytest.mark.full
@needs_prover
def test_a_change_of_the_file_is_another_algorithm(tmp_path: Path) -> None:
    """Nothing of the one before is kept: one round too few is found, with file and line."""
    mine = tmp_path / "mine.c"
    mine.write_text(example())
    assert collscope("prove", str(mine), "--ranks", "3").returncode == 0
    mine.write_text(example().replace("r-- > 0", "r-- > 1"))
    done = collscope("prove", str(mine), "--ranks", "3")
    assert done.returncode == 1 and re.search(r"mine\.c:\d+, operation 0\) has no send", done.stderr), done.stderr


def test_an_opening_comment_in_another_encoding_is_read(tmp_path: Path) -> None:
    mine = tmp_path / "mine.c"
    mine.write_bytes(example().replace("this page", "caf\u00e9").encode("latin-1"))
    header = headers.read(mine)
    assert header and header.fields["Source"] == "caf\ufffd"
    assert own_algorithms.read(str(mine)).algorithms == {"bcast/linear_backwards": "bcast_linear_backwards"}


@pytest.mark.full
@needs_prover
def test_a_change_of_a_header_beside_the_file_is_another_algorithm(tmp_path: Path) -> None:
    """Also of one that another header includes."""
    mine = tmp_path / "mine.c"
    mine.write_text(
        example()
        .replace('#include "collscope.h"', '#include "collscope.h"\n#include "a.h"')
        .replace("r-- > 0", "r-- > LAST")
    )
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text("#define LAST 0\n")
    assert collscope("prove", str(mine), "--ranks", "3").returncode == 0
    (tmp_path / "b.h").write_text("#define LAST 1\n")
    done = collscope("prove", str(mine), "--ranks", "3")
    assert done.returncode == 1 and "has no send" in done.stderr, done.stderr


def test_a_header_is_looked_for_beside_the_file_that_includes_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, text in (
        ("mine.c", example() + '#include "sub/a.h"\n'),
        ("sub/a.h", '#include "b.h"\n'),
        ("sub/b.h", ""),
    ):
        (tmp_path / name).write_text(text)
    assert own_algorithms.read(str(tmp_path / "mine.c")).headers == (tmp_path / "sub/a.h", tmp_path / "sub/b.h")


def test_a_descriptor_in_one_line_and_a_string_with_slashes_are_read(tmp_path: Path) -> None:
    mine = tmp_path / "mine.c"
    mine.write_text(
        'const coll_alg a = { .summary = "see https://x.org/*", .key = "bcast/a", .run = run };\n'
        '// const coll_alg b = { .key = "bcast/b" };\nstatic int table[] = {\n  1,\n};\n'
        'const coll_alg c = {\n  /* .key = "bcast/d" */ .key = "bcast/c",\n};\n'
    )
    assert own_algorithms.read(str(mine)).algorithms == {"bcast/a": "a", "bcast/c": "c"}


@needs_prover
@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("return;", "return", "does not compile:"),
        ("linear_backwards", "mst", "bcast/mst is in algorithms/bcast/mst.c already; choose another name"),
        ("const coll_alg", "static coll_alg", "no algorithm: expected `const coll_alg NAME"),
        ('.key = "bcast/linear_backwards",', "", "bcast_linear_backwards has no key"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused(tmp_path: Path, old: str, new: str, fact: str) -> None:
    mine = tmp_path / "mine.c"
    mine.write_text(example().replace(old, new))
    done = collscope("prove", str(mine), "--ranks", "3")
    assert done.returncode == 1 and fact in done.stderr and not done.stdout, done.stderr


def test_a_file_is_linked_anew_with_a_program_that_was_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, base = tmp_path / "mine.c", tmp_path / "collscope-prove"
    mine.write_text(example())
    base.write_text("one")
    monkeypatch.setattr(own_algorithms, "programs_of", lambda preset: tmp_path)
    monkeypatch.setattr(paths, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(own_algorithms, "recipe", lambda tree, target: (["cc", "-c", "r.c"], ["ld", "-o", "x"]))

    def run(command: Sequence[str], tree: Path, source: Path) -> None:
        Path(command[command.index("-o") + 1]).write_text("made")

    monkeypatch.setattr(own_algorithms, "_run", run)
    files = [own_algorithms.read(str(mine))]
    made = [own_algorithms._build("prove", "collscope-prove", files) for _ in range(2)]
    base.write_text("another")
    made.append(own_algorithms._build("prove", "collscope-prove", files))
    assert made[0] == made[1] != made[2] and all(program.exists() for program in made)


@needs_prover
def test_a_wrong_algorithm_is_shown_without_what_its_ranks_hold(tmp_path: Path) -> None:
    """The other pictures show what it does, right or wrong."""
    mine = tmp_path / "mine.c"
    mine.write_text(example().replace("coll_send(c, a->out, a->count, r)", "coll_send(c, a->out, a->count / 2, r)"))
    done = collscope("show", str(mine), "--ranks", "3", "--out", str(tmp_path / "drawn"))
    assert done.returncode == 1 and "bcast/linear_backwards is wrong, and so are its times" in done.stderr, done.stderr
    assert "no table: bcast/linear_backwards: the proof fails, so what its ranks hold is not known" in done.stderr
    assert "matrix.svg" in done.stdout and "table.svg" not in done.stdout


def test_a_missing_file_and_two_of_one_key_are_refused(tmp_path: Path) -> None:
    """The second with both files."""
    with pytest.raises(UserError, match=r"none\.c: No such file or directory"):
        own_algorithms.read(str(tmp_path / "none.c"))
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text(example())
    both = [own_algorithms.read(str(tmp_path / name)) for name in ("a.c", "b.c")]
    with pytest.raises(UserError, match=r"b\.c: bcast/linear_backwards is in .*a\.c already"):
        own_algorithms.check_keys(both, paths.ROOT / "algorithms")


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["prove", "--json", "FILE"], ["prove", "--json", "bcast/linear_backwards"]),
        (["prove", "--ranks=3", "FILE"], ["prove", "--ranks=3", "bcast/linear_backwards"]),
        (["show", "--no-pictures", "FILE"], ["show", "--no-pictures", "bcast/linear_backwards"]),
        (["run", "-aFILE,mst", "--check"], ["run", "-abcast/linear_backwards,mst", "--check"]),
        (["prove", "bcast/mst", "--out", "FILE"], ["prove", "bcast/mst", "--out", "FILE"]),
    ],
)
def test_a_file_stands_for_its_keys_behind_any_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], made: list[str]
) -> None:
    """A flag takes no value, nor does an option that has its own behind =."""
    mine = tmp_path / "mine.c"
    mine.write_text(example())
    monkeypatch.setattr(own_algorithms, "programs_of", lambda preset: tmp_path)  # nothing is built
    monkeypatch.setattr(programs, "OWN", ())
    monkeypatch.setattr(headers, "add", lambda path: None)
    assert own_files.replaced([word.replace("FILE", str(mine)) for word in words]) == [
        word.replace("FILE", str(mine)) for word in made
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["run", "-a", "mst,knomial[k=2|4]", "--csv", "x.c"],
        ["prove", "bcast/mst", "--out", "x.c"],
        ["list", "x.c"],
        ["show", "bcast/knomial[k=4]"],
        [],
    ],
)
def test_other_files_and_keys_are_left_alone(words: list[str]) -> None:
    """A C file stands for its keys only where keys are expected."""
    assert own_files.replaced(words) == words
