"""Cases of one change in a terminal: before, after, what changed, what the models said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from scrutiny.core.grouping import grouped
from scrutiny.parts.terminal.layout import WIDTH, fold, wrapped
from scrutiny.parts.wording.labels import one_line
from scrutiny.parts.wording.verdicts import mark
from scrutiny.report.reading.cases import OUTCOMES
from scrutiny.report.reading.small_suites import outcome_of, outcomes_in_words

MOST_CASES: Final = 20
MOST_OF_SUITE: Final = 60
_LONGEST: Final = "no answer  "
_INDENT: Final = 4
_NO_CASES: Final = "It changed no text of these data, or searched and found none that fools a model"
_BEFORE: Final = 160  # letters of a long text in front of the first change
_MOST: Final = 800  # letters of a long text


def cases_lines(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Text]:
    """Lines on the cases whose answers changed: what broke first, then what was fixed.

    Parameters
    ----------
    name
        The change.
    rows
        Of the table of cases, worst first.
    """
    if not rows:
        yield from wrapped(f"{name}: no cases. {_NO_CASES}.", style="bold")
        return
    if all(row.get("case") for row in rows):
        yield from suite_lines(name, rows)
        return
    turned = [row for row in rows if row["flipped"]]
    broken = [row for row in turned if (row["broken"] or 0) > (row["mended"] or 0)]
    fixed = [row for row in turned if (row["mended"] or 0) > (row["broken"] or 0)]
    others = [row for row in turned if (row["mended"] or 0) == (row["broken"] or 0)]
    said = f"{len(turned):,} of {len(rows):,} texts changed an answer"
    if len({row["replicate"] for row in rows}) > 1:  # a text of its own for each model
        n_items = [len({row["item"] for row in own}) for own in (turned, rows)]
        said += f" (of {n_items[0]:,} of {n_items[1]:,} items, each in its models)"
    yield from wrapped(
        f"{name}: {said}; {len(broken):,} broken, {len(fixed):,} fixed.", style="bold"
    )
    for title, own in (("broken", broken), ("fixed", fixed), ("changed", others)):
        share = max(1, MOST_CASES * len(own) // max(len(turned), 1)) if own else 0
        if own:
            yield Text()
            yield Text(f"{title} ({min(share, len(own)):,} of {len(own):,})", style="bold")
        for row in own[:share]:
            yield from _case(row)
    yield Text()
    yield from wrapped(f'all of them: scrutiny.load(RUN).cases("{name}")', style="dim")


def suite_lines(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Text]:
    """Lines on the cases of a test: each one failed, passed or without an answer.

    Parameters
    ----------
    name
        The test.
    rows
        Of the table of cases, one for each case and model.
    """
    cases = grouped((row["case"], row) for row in rows)
    outcomes = {case: outcome_of(own) for case, own in cases.items()}
    yield from wrapped(f"'{name}': {outcomes_in_words(outcomes.values())}.", style="bold")
    ordered = sorted(cases, key=lambda case: OUTCOMES.index(outcomes[case]))
    for case in ordered[:MOST_OF_SUITE]:
        yield from _suite_case(case, outcomes[case], cases[case])
    if (more := len(ordered) - MOST_OF_SUITE) > 0:
        yield from wrapped(f'{more:,} more: scrutiny.load(RUN).cases("{name}")', style="dim")


def _suite_case(case: str, outcome: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Text]:
    """A case of a suite: its text, and what was answered and expected, of how many models."""
    own = [row for row in rows if row["outcome"] == outcome]
    row, style = own[0], {"failed": "red", "passed": "green"}.get(outcome, "yellow")
    sign = mark({"failed": "hurts", "passed": "holds"}.get(outcome, "can't tell"))
    room = WIDTH - _INDENT
    first, *more = fold(f"{case}  {_near(one_line(row['after']), 0)}", room - len(_LONGEST)) or [""]
    head = Text(f"  {sign} ")
    head.append(f"{outcome:<{len(_LONGEST)}}", style=style)
    yield head.append(first)
    yield from (Text(" " * (_INDENT + len(_LONGEST)) + piece) for piece in more)
    facts = [f"expected {row['label']}"]
    if outcome != "no answer":
        facts.insert(0, f"answered {row['said_after']}")
    if row["edits"]:
        facts.append(f"changed: {_near(row['edits'], 0)}")
        facts.append(f"before: {row['said_before']}")
    facts += [f"in {len(own)} of {len(rows)} models"] * (len(rows) > 1)
    for piece in fold("; ".join(facts), room - len(_LONGEST)):
        yield Text(" " * (_INDENT + len(_LONGEST)) + piece, style="dim")


def _case(row: Mapping[str, Any]) -> Iterator[Text]:
    """One case: both texts, what changed, what was said of how many."""
    texts = [one_line(row[side]) for side in ("before", "after")]
    changed = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    start = max(changed - _BEFORE, 0)
    answers = row["said_before"], row["said_after"]
    for sign, text, answer in zip("-+", texts, answers, strict=True):
        for i, piece in enumerate(fold(f"{_near(text, start)}  [{answer}]", WIDTH - _INDENT)):
            yield Text(f"  {sign if not i else ' '} {piece}")
    of = f" in {row['flipped']} of {row['replicates']} models" if row["replicates"] > 1 else ""
    asked = f"{row['replicate']}, " if row["replicate"] else ""
    facts = f"{row['item']}, {asked}right is {row['label']}, answer changed{of}; "
    facts += f"text: {_near(row['edits'], 0)}"
    yield from (Text(f"    {piece}", style="dim") for piece in fold(facts, WIDTH - _INDENT))


def _near(text: str, start: int) -> str:
    """Text, or the part of a long one that begins here."""
    if len(text) <= _MOST:
        return text
    part = text[start : start + _MOST]
    return "…" * (start > 0) + part + "…" * (start + _MOST < len(text))
