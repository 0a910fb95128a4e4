"""Cases of one change in a terminal: before, after, what changed, what the models said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from scrutiny.parts.terminal.layout import WIDTH, fold, wrapped
from scrutiny.parts.wording.labels import one_line

MOST_CASES: Final = 20
_INDENT: Final = 4
_BEFORE: Final = 160  # letters of a long text in front of the first change
_MOST: Final = 800  # letters of a long text


def cases_lines(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Text]:
    """Lines on the cases whose answers changed: what broke first, then what was mended.

    Parameters
    ----------
    name
        The change.
    rows
        Of the table of cases, worst first.
    """
    turned = [row for row in rows if row["flipped"]]
    broken = [row for row in turned if (row["broken"] or 0) > (row["mended"] or 0)]
    mended = [row for row in turned if (row["mended"] or 0) > (row["broken"] or 0)]
    others = [row for row in turned if (row["mended"] or 0) == (row["broken"] or 0)]
    is_said = any(map(_is_changed, turned))
    what = "changed an answer" if is_said or not turned else "have a wrong answer"
    said = f"{len(turned):,} of {len(rows):,} texts {what}"
    yield from wrapped(
        f"{name}: {said}; {len(broken):,} broken, {len(mended):,} mended.", style="bold"
    )
    for title, own in (("broken", broken), ("mended", mended), ("changed", others)):
        share = max(1, MOST_CASES * len(own) // max(len(turned), 1)) if own else 0
        if own:
            yield Text()
            yield Text(f"{title} ({min(share, len(own)):,} of {len(own):,})", style="bold")
        for row in own[:share]:
            yield from _case(row)
    yield Text()
    yield from wrapped(f'all of them: scrutiny.load(RUN).cases("{name}")', style="dim")


def _case(row: Mapping[str, Any]) -> Iterator[Text]:
    """One case: both texts, what changed, what was said of how many."""
    texts = [one_line(row[side]) for side in ("before", "after")]
    changed = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    start = max(changed - _BEFORE, 0)
    answers = row["said_before"], row["said_after"]
    sides = list(zip("-+", texts, answers, strict=True))
    for sign, text, answer in sides if row["edits"] else [(" ", texts[1], answers[1])]:
        for i, piece in enumerate(fold(f"{_near(text, start)}  [{answer}]", WIDTH - _INDENT)):
            yield Text(f"  {sign if not i else ' '} {piece}")
    of = f" in {row['flipped']} of {row['replicates']} models" if row["replicates"] > 1 else ""
    asked = f"{row['replicate']}, " if row["replicate"] else ""
    edits = _near(row["edits"], 0)
    what = "answer changed" if _is_changed(row) else "answer wrong"
    facts = f"{row['item']}, {asked}right is {row['label']}, {what}{of}"
    facts += f": {edits}" if edits else ""
    yield from (Text(f"    {piece}", style="dim") for piece in fold(facts, WIDTH - _INDENT))


def _is_changed(row: Mapping[str, Any]) -> bool:
    """Whether another answer was given to a changed text."""
    return bool(row["edits"]) and row["said_before"] != row["said_after"]


def _near(text: str, start: int) -> str:
    """Text, or the part of a long one that begins here."""
    if len(text) <= _MOST:
        return text
    part = text[start : start + _MOST]
    return "…" * (start > 0) + part + "…" * (start + _MOST < len(text))
