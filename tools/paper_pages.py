"""Write the tables of a page in docs/papers from finished runs of its plans.

    scrutiny run examples/negation_tables.toml --out runs/negation-tables
    python tools/paper_pages.py docs/papers/zhao2020.md runs/negation-tables

What stands above the mark is written by hand and kept; all below is made anew, a section a
run: what the paper has, what the run has, and what came of it.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from scrutiny.core.grouping import grouped
from scrutiny.core.published import Reproduction
from scrutiny.parts.published import ours, sentence, why
from scrutiny.store.run_folder import RunFolder

MARK = (
    "<!-- Made by tools/paper_pages.py from the runs below; edit the plans, not these tables. -->"
)


def page(head: str, runs: list[RunFolder]) -> str:
    """Hand-written head of a page, and a section for each run."""
    return "\n".join(
        [head.partition(MARK)[0].rstrip(), "", MARK, *(x for r in runs for x in section(r))]
    )


def section(run: RunFolder) -> Iterator[str]:
    """One run: its command, the tally, and a table for each source."""
    published = run.published()
    yield f"\n```console no-run: the whole run\n$ {run.manifest['command']}\n```"
    yield f"\n{sentence(published)}"
    for source, rows in grouped((one.figure.source, one) for one in published).items():
        yield f"\n## {source or 'Other figures'}\n"
        yield "| figure or finding | published | ours | outcome | why |"
        yield "| --- | --- | --- | --- | --- |"
        yield from map(_row, rows)
    yield ""


def _row(one: Reproduction) -> str:
    """One row of a table."""
    figure = one.figure
    cells = (figure.id, figure.text, ours(one), _outcome(one), why(one))
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _outcome(one: Reproduction) -> str:
    """Outcome in a word, bold where the paper and the run part; released figures are called so."""
    said = f"{one.outcome}, released" if one.figure.released else one.outcome
    return f"**{said}**" if one.outcome in ("differs", "missing", "not seen") else said


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("page", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    given = parser.parse_args()
    runs = [RunFolder.open(path) for path in given.runs]
    given.page.write_text(page(given.page.read_text(encoding="utf-8"), runs), encoding="utf-8")


if __name__ == "__main__":
    main()
