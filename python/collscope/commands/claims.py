"""The `claims` command: what the papers claim, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collscope.base import console, documents, paths
from collscope.base.errors import UsageError
from collscope.base.files import write_atomically
from collscope.base.grid import WORDS, Column, Grid

if TYPE_CHECKING:
    from collscope.studies.claims import Judged, PaperClaims


SENTENCE = 24  # characters of a line that a sentence can be read in


@click.command(
    "claims",
    short_help="Judge the papers' claims on the committed results.",
    epilog="\b\nExamples:\n  ./collscope claims bird_schooner --check\n  ./collscope claims B3       # with the numbers that decided",
)
@click.argument("names", nargs=-1, metavar="[STUDY|CLAIM]...")
@click.option("--check", is_flag=True, help="Write nothing.")
@click.option("--out", metavar="DIR", help="Write claims.md and claims.html there (default: results/).")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as JSON: claims, assertions, evidence (docs/json.md)."
)
def command(names: tuple[str, ...], check: bool, out: str | None, as_json: bool) -> None:
    """Judge every claim of every paper on the committed results of its study, and print the verdicts.

    Of studies (bird_schooner, or the first word of its name) or claims (B3) that are named, these alone,
    claims with their assertions; then nothing is written.
    Nothing is simulated. Exit status 1: a verdict differs from the one that is committed beside the results.
    """
    from collscope.studies import claims

    if names and out:
        raise UsageError("--out: pages are of all claims; leave out their names, or --out")
    check = check or bool(names)
    folder = Path(out) if out else paths.RESULTS
    if not check and (not folder.is_dir() or not paths.is_writable(folder)):
        raise UsageError(f"--out {folder}: not a folder that can be written to")
    papers = claims.every(names)
    if as_json:
        _print_document(papers)
    else:
        _print_tables(papers)
        for j in (j for p in papers for j in p.claims if j.claim.id.lower() in {name.lower() for name in names}):
            _print_assertions(j)
    if not check:
        for name, text in claims.written(papers, folder).items():
            write_atomically(folder / name, text)
            click.echo(paths.display(folder / name), err=as_json)
    changed = [j for p in papers for j in p.claims if j.changed]
    for j in changed:
        was = j.committed or "nothing"
        click.echo(f"{j.study}: {j.claim.id} {j.alternative}: {j.claim.verdict}; committed: {was}", err=True)
    if changed:
        click.get_current_context().exit(1)


def _print_document(papers: Sequence[PaperClaims]) -> None:
    from collscope.analysis.claims import MILD
    from collscope.studies import claims

    fields = {
        "papers": [
            {"study": p.study, "title": p.title, "claims": [_claim(j) for j in p.claims],
             "open": [{"id": name, "text": text} for name, text in p.tasks]}
            for p in papers
        ],
        "verdicts": claims.count(papers),
        "verdicts_mild": claims.count(papers, MILD),
    }  # fmt: skip
    documents.show("claims", fields)


def _claim(j: Judged) -> dict[str, Any]:
    c = j.claim
    return {
        "id": c.id, "text": c.text, "where": c.where, "alternative": j.alternative or None, "verdict": c.verdict,
        "expected": c.expected_verdict, "committed": j.committed or None, "readings": c.readings, "same_over_ranges": j.ranges or None,
        "explanation": c.explanation or None,
        "assertions": [
            {"text": a.text, "holds": a.holds, "evidence": a.evidence, "expected": a.expected, "theory": a.theory or None,
             "reading": a.reading or None}
            for a in c.assertions
        ],
    }  # fmt: skip


def _print_assertions(j: Judged) -> None:
    """A claim with what it is made of, and the numbers that decided."""
    c = j.claim
    console.say(f"\n{c.id}, {f'with {j.alternative}, ' * bool(j.alternative)}{c.verdict}: {c.text} ({c.where})")
    for a in c.assertions:
        held = {True: "Holds", False: "Fails", None: "Not testable"}[a.holds]
        console.say(f"  {held}: {a.text}: {a.evidence}" + (f" (theory: {a.theory})" if a.theory else ""))
    if c.explanation:
        console.say(f"  Found: {c.explanation}")


def _print_tables(papers: Sequence[PaperClaims]) -> None:
    from collscope.analysis.claims import MILD
    from collscope.studies import claims

    for paper in papers:
        grid = Grid(
            [Column("claim"), Column("with", goes=2), Column("verdict"), Column("hold", right=True),
             Column("readings", goes=5, pieces=WORDS), Column("expected", goes=3),
             Column("same over the ranges", goes=4, pieces=WORDS), Column("says", goes=1, pieces=WORDS, readable=SENTENCE)],
            title=f"{paper.title} ({paper.study})",
        )  # fmt: skip
        for j in paper.claims:
            hold = f"{j.claim.held} of {len(j.claim.testable)}"
            grid.add(
                j.claim.id,
                j.alternative,
                j.claim.verdict,
                hold,
                claims.readings(j.claim),
                j.claim.expected_verdict,
                j.ranges or "–",
                j.claim.text,
            )
        grid.show()
    counted = claims.count(papers)
    console.say(", ".join(f"{n} {verdict}" for verdict, n in counted.items()) + f" of {sum(counted.values())} claims.")
    milder = claims.count(papers, MILD)["reproduced"]
    console.say(
        f"Of sentences that can be read in two ways both readings are asked for; by the milder ones alone {milder} would be reproduced."
    )
