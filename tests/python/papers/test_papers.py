"""collscope.papers.papers: papers as files: what is said of one with mistakes, and that nothing outside papers/ knows any of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.papers import papers
from collscope.papers.names import names
from collscope.studies import reader

GOOD = """
title = "a paper"
source = "nobody"
theory = "nothing"
[tolerances]
wide = 0.25
[winners]
title = "Table 1"
tied = "wide"
rows.bcast = ["a"]
[[claim]]
id = "X1"
text = "a is faster"
where = "2"
tolerance = "at least {wide}"
[[claim.check]]
kind = "faster"
collective = "bcast"
name = "a"
than = "b"
by = "wide"
"""


def read(text: str) -> papers.Paper:
    return papers.parse(text, Path("papers/made.toml"))


def test_a_file_is_read_whole() -> None:
    made = read(GOOD)
    assert (made.name, [c.id for c in made.claim]) == ("made", ["X1"])
    assert made.winners
    assert made.winners.agreeing() == {"bcast": (["a"],)}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "a paper"', '', '1: title: is missing'),
        ('kind = "faster"', 'kind = "fastr"',
         "16: claim 1.check: must be tables [[claim.check]], not [{'kind': 'fastr', 'collective': 'bcast', 'name': 'a', "
         "'than': 'b', 'by': 'wide'…"),
        ('than = "b"', 'then = "b"', '20: claim 1.check a.then: unknown key; did you mean "than"?'),
        ('by = "wide"', 'by = "wied"', '21: claim 1.check a.by: "wied" is none of [tolerances]; did you mean "wide"?'),
        ('tied = "wide"', 'tied = "tied"', '9: winners.tied: "tied" is none of [tolerances]; did you mean "wide"?'),
        ('{wide}', '{wied}', '15: claim 1.tolerance: "wied" is none of [tolerances]; did you mean "wide"?'),
        ('by = "wide"', 'sizes = "4kb"',
         '21: claim 1.check a.sizes: cannot read the size "4kb": write 4KiB (1 KiB = 1024 bytes) or plain bytes'),
        ('by = "wide"', 'says = "{nam} wins"', '21: claim 1.check a.says: "nam" is none of name, than, by'),
        ('{wide}', '{', "15: claim 1.tolerance: Single '{' encountered in format string; a brace that is meant as it is stands twice: {{"),
        ('{wide}', '{wide:d}', '15: claim 1.tolerance: {wide} takes no format; a brace that is meant as it is stands twice: {{'),
        ('by = "wide"', 'says = "{name!z}"',
         '21: claim 1.check a.says: {name} takes no format; a brace that is meant as it is stands twice: {{'),
        ('wide = 0.25', 'wide = -0.25', '6: tolerances.wide: -0.25 is negative: a tolerance is a share of the time, 0 or more'),
        ('by = "wide"', 'by = -1.0', '21: claim 1.check a.by: -1 is negative: a tolerance is a share of the time, 0 or more'),
        ('theory = "nothing"', 'theory = ""\ncompares = ["a", "bb"]',
         '20: claim 1.check a.name: "b" is none of compares; did you mean "bb"?'),
        ('theory = "nothing"', 'theory = ""\ncompares = ["b"]', '11: winners.rows.bcast: "a" is none of compares'),
        ('rows.bcast = ["a"]', 'rows.bcast = ["a"]\nalso_agrees.bcast = [["x"]]\n[[claim]]\nid = "W"\ntext = ""\nwhere = ""\n'
         'check = [{ kind = "winners", collective = "bcst" }]',
         '16: claim 1.check 1.collective: "bcst" is none of [winners.rows]; did you mean "bcast"?'),
        ('[[claim]]', '[[claim]]\nid = "X1"\ntext = ""\nwhere = ""\ncheck = [{ kind = "winners", collective = "bcast" }]\n[[claim]]',
         '17: claim 2.id: "X1" stands twice'),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_and_line(old: str, new: str, complaint: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError) as found:
        read(GOOD.replace(old, new, 1))
    assert str(found.value) == f"papers/made.toml:{complaint}"


def test_every_paper_can_be_read_and_an_unknown_one_is_named() -> None:
    assert "bird" in names()
    for name in names():
        paper = papers.load(name)
        assert paper.name == name
        assert all(c.text and c.where for c in paper.claim)
    with pytest.raises(UsageError, match='unknown paper "brid"; did you mean "bird"'):
        papers.load("brid")


def test_nothing_outside_papers_knows_one_of_them() -> None:
    package = paths.ROOT / "python" / "collscope"
    known = re.compile(
        rf"\b({'|'.join(names())}|kandalla|cheetah|orfeo|donninelli)\b|\bTable III\b|\bsection V\b", re.IGNORECASE
    )
    found = [
        f"{path.relative_to(package)}: {line.strip()}"
        for path in sorted(package.rglob("*"))
        if path.suffix in (".py", ".j2", ".html") and path.parent.name != "papers"
        for line in path.read_text(encoding="utf-8").splitlines() if known.search(line)
    ]  # fmt: skip
    assert not found


def test_a_task_names_what_delivers_it_and_that_is_there() -> None:
    for name in names():
        for task in papers.load(name).task:
            assert bool(task.delivered) != bool(task.study), (name, task.id)
            assert not task.study or task.study in reader.names()
