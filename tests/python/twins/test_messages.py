"""collscope.twins.messages: the programs that write messages down."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.twins import messages
from collscope.twins.library import Installed, Library, compiled, find_library
from collscope.twins.mpich_messages import Mpich
from open_mpi import needs_open_mpi, needs_prover


@pytest.mark.full
@needs_open_mpi
def test_a_table_of_another_layout_is_noticed(tmp_path: Path) -> None:
    """Were Open MPI's functions in another order, the program must not begin."""
    library = find_library()
    source = tmp_path / "messages.c"
    text, number = re.subn(r"enum \{ BEFORE = \d \}", "enum { BEFORE = 5 }", Library.sources[0].read_text())
    assert number == 2
    source.write_text(text)
    (tmp_path / "plan").write_text("comm\ncall 0 barrier 0 0 1 0\n")
    library.call(library.mpicc, "-std=gnu11", f"-I{paths.ROOT}", "-o", tmp_path / "shifted", source)
    with pytest.raises(UserError):
        library.call(library.mpirun, "-np", "1", tmp_path / "shifted", tmp_path / "plan", tmp_path / "out")
    assert not (tmp_path / "out.0").exists() or not (tmp_path / "out.0").read_text()


@needs_prover
def test_a_malformed_call_is_not_unsupported() -> None:
    for line, why in (
        ("0 bcast/no_such 4 10 0 1 0", "unknown algorithm"),
        ("0 bcast/linear[k=2] 4 10 0 1 0", "not one of its parameters"),
        ("0 decision/ompi_4_1 4 10 0 1 0", "needs a collective"),
        ("0 bcast/linear 4 ten 0 1 0", "cannot be read"),
        ("0 bcast/linear 4 10 0 1 0\n1 bcast/linear", "cannot be read"),
    ):
        with pytest.raises(UserError, match=why):
            messages.recorded(line + "\n")
    assert "root 7" in messages.recorded("0 bcast/linear 4 10 7 1 0\n").unsupported[0].reason


@pytest.mark.parametrize("kind", [Library, Mpich])
def test_whatever_the_program_is_made_of_makes_it_anew(kind: type[Installed]) -> None:
    """Its own headers: those of the MPI library follow its version."""
    source, *headers = kind.sources
    included = re.findall(r'#include "([^"]+)"', source.read_text())
    assert included and {paths.ROOT / name for name in included} == {*headers}


@needs_prover
def test_a_call_says_its_own_messages_and_nothing_of_the_call_before() -> None:
    """A recording is used again: what a longer one left behind the end must not be read."""
    done = messages.recorded("0 bcast/linear 5 10 0 1 0\n\n1 bcast/linear 3 2 1 1 0 8\n2 bcast/linear 1 2 0 1 0\n")
    assert done.keys == dict.fromkeys(range(3), "bcast/linear") and not done.unsupported
    printed = {place: str(found) for place, found in done.messages.items()}
    assert set(printed) == {*((0, r) for r in range(5)), *((1, r) for r in range(3)), (2, 0)}
    assert printed[1, 1] == str(messages.parse(["S0:16", "S2:16"])) and printed[1, 0] == str(messages.parse(["R1:16"]))
    assert printed[2, 0] == str(messages.parse([])) and printed[0, 0] == str(
        messages.parse([f"S{r}:40" for r in range(1, 5)])
    )


def test_the_program_is_made_once_for_a_library(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a cache that holds nothing yet."""
    made: list[Path] = []

    def call(_: Library, *command: str | Path) -> str:
        made.append(Path(command[command.index("-o") + 1]))
        made[-1].write_text("a program")
        return ""

    monkeypatch.setattr(Library, "call", call)
    monkeypatch.setattr(Library, "check", lambda _: None)
    monkeypatch.setattr(Library, "version", "4.1.4")
    of = Library("mpicc", "mpirun")
    program = compiled(of)
    assert program.read_text() == "a program" and program.name.startswith("messages-4.1.4-")
    assert compiled(of) == program and len(made) == 1 and not made[0].exists()
    assert compiled(Library("other/mpicc", "mpirun")) != program and len(made) == 2
