"""Write the tables of a page in docs/papers from finished runs of its plans.

    scrutiny run examples/negation_tables.toml --out runs/negation-tables
    python tools/paper_pages.py docs/papers/zhao2020.md runs/negation-tables

What stands above the mark is written by hand and kept; all below is made anew, a section a
run: what the paper has, what the run has, and what came of it. Figures stand in a grid for each
source; findings in words have a row each. A reason that several share stands once, below.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.core.published import Reproduction
from scrutiny.core.record import grouped
from scrutiny.report.sections.published import ours, sentence, why
from scrutiny.store.run_folder import RunFolder

MARK = (
    "<!-- Made by tools/paper_pages.py from the runs below; edit the plans, not these tables. -->"
)
LEGEND = (
    "A cell has the published number and ours: `92.9 / 82.9`. One number stands for both where "
    "ours rounds to its digits."
)
OF_RELEASED = " In italics: not printed, but following from what the authors released."
_NUMBER = re.compile(r"<?[-+]?\.?\d[-+.\de]*")
_VALUE = re.compile(r"(?:\D*: )?(-?[\d.]+) \[(-?[\d.]+), (-?[\d.]+)\] ")
_CLAUSE = re.compile(r"\([a-z][^()]{30,}\)|[^;()]{32,}")
_OFTEN = 3


def page(head: str, runs: list[RunFolder]) -> str:
    """Hand-written head of a page, and a section for each run."""
    return "\n".join(
        [head.partition(MARK)[0].rstrip(), "", MARK, *(x for r in runs for x in section(r))]
    )


def section(run: RunFolder) -> Iterator[str]:
    """One run: its command, the tally, and what each source has."""
    published = run.published()
    yield f"\n```console no-run: the whole run\n$ {run.manifest['command']}\n```"
    yield f"\n{sentence(published)}"
    if any(map(_is_number, published)):
        is_more = any(one.figure.released for one in published)
        yield f"\n{LEGEND}{OF_RELEASED if is_more else ''}"
    for source, rows in grouped((one.figure.source, one) for one in published).items():
        yield f"\n## {source or 'Other figures'}"
        figures = [one for one in rows if _is_number(one)]
        if figures:
            yield from _grid(figures)
        if len(figures) < len(rows):
            yield from _rows([one for one in rows if one not in figures])
    yield ""


def _is_number(one: Reproduction) -> bool:
    """Whether a number is published, whose name has what it is of before the first comma."""
    text = one.figure.text.replace(" ", "")
    is_named = ", " in one.figure.id
    return not one.figure.claim and is_named and _NUMBER.fullmatch(text) is not None


def _grid(figures: Sequence[Reproduction]) -> Iterator[str]:
    """Figures of one source: what they are of against what is counted, the longer side down."""
    notes = _Notes(figures)
    cells = {_place(one): f"{_pair(one)}{notes.mark(one)}" for one in figures}
    down, across = (_together([place[side] for place in cells]) for side in (0, 1))
    is_turned = len(across) > len(down)
    if is_turned:
        down, across = across, down
        cells = {(number, of): cell for (of, number), cell in cells.items()}
    yield from _table(
        ["", *across], ([of, *(cells.get((of, n), "") for n in across)] for of in down)
    )
    yield from notes.lines()


def _together(names: Sequence[str]) -> list[str]:
    """Names in their order, but those that add to another one's name ("P, sd") behind it."""
    own = list(dict.fromkeys(names))
    root = {
        name: min(n for n in range(len(own)) if f"{name}, ".startswith(f"{own[n]}, "))
        for name in own
    }
    return sorted(own, key=root.__getitem__)


def _place(one: Reproduction) -> tuple[str, str]:
    """Name of a figure, as what it is of and which number of it."""
    of, _, number = one.figure.id.partition(", ")
    return of, number


def _pair(one: Reproduction) -> str:
    """Published number and ours, once if they are the same; bold where they part."""
    printed, own = one.figure.text, ours(one)
    both = printed if one.outcome == "agrees" and own == printed else f"{printed} / {own}"
    both = f"*{both}*" if one.figure.released else both
    return f"**{both}**" if one.outcome in ("differs", "missing") else both


def _rows(findings: Sequence[Reproduction]) -> Iterator[str]:
    """A row for each finding, with the comparison that decided."""
    reasons = [_decided(one) for one in findings]
    counts = Counter(clause.strip() for reason in reasons for clause in _CLAUSE.findall(reason))
    shared = {clause: f"({at})" for at, clause in enumerate(_often(counts), 1)}
    rows = []
    for one, reason in zip(findings, reasons, strict=True):
        for clause, sign in shared.items():
            reason = reason.replace(clause, sign)
        rows.append([one.figure.id, one.figure.text, ours(one), _outcome(one), reason])
    yield from _table(["figure or finding", "published", "ours", "outcome", "why"], rows)
    yield from _below({clause.strip("()"): sign for clause, sign in shared.items()})


def _often(counts: Counter[str]) -> list[str]:
    """Clauses that several rows share."""
    return [clause for clause, count in counts.items() if count >= _OFTEN]


def _decided(one: Reproduction) -> str:
    """Why, without the number that the row has and the words that its outcome says."""
    reason = why(one)
    found = _VALUE.match(reason)
    if found is None:
        return reason
    own = re.findall(r"-?[\d.]+", ours(one).replace("\N{MINUS SIGN}", "-"))
    scale = 100 if one.figure.percent else 1
    is_same = len(own) == len(found.groups()) and all(
        abs(float(shown) - scale * float(said))
        <= 0.51 * 10 ** -len(shown.partition(".")[2]) + scale * 0.0005
        for shown, said in zip(own, found.groups(), strict=True)
    )
    return reason[found.end() if is_same else found.start(1) :]


def _outcome(one: Reproduction) -> str:
    """Outcome in a word, bold where the paper and the run part; released figures are called so."""
    said = f"{one.outcome}, released" if one.figure.released else one.outcome
    return f"**{said}**" if one.outcome in ("differs", "missing", "not seen") else said


class _Notes:
    """Reasons of a grid, each with a sign; that of all empty cells has none."""

    def __init__(self, figures: Sequence[Reproduction]) -> None:
        gone = {why(one) for one in figures if one.outcome == "unavailable"}
        self._of_gone = gone.pop() if len(gone) == 1 else ""
        noted = dict.fromkeys(why(one) for one in figures)
        others = [reason for reason in noted if reason not in ("", self._of_gone)]
        self._signs = {reason: f"({at})" for at, reason in enumerate(others, 1)}

    def mark(self, one: Reproduction) -> str:
        """Sign behind a cell."""
        sign = self._signs.get(why(one), "")
        return f" {sign}" if sign else ""

    def lines(self) -> Iterator[str]:
        """Reasons below a grid."""
        of_gone = {self._of_gone: f"`{NO_VALUE}`"} if self._of_gone else {}
        yield from _below(of_gone | self._signs)


def _table(header: list[str], rows: Iterator[list[str]] | list[list[str]]) -> Iterator[str]:
    """Table in Markdown."""
    yield ""
    for cells in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _below(reasons: dict[str, str]) -> Iterator[str]:
    """Reasons with their signs, as lines below a table."""
    if reasons:
        yield ""
        yield "  \n".join(f"{sign} {reason}" for reason, sign in reasons.items())


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
