"""Cases as a terminal, a page and Markdown show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.cases import EvidenceItem, Segment, changed_words, stretches
from scrutiny.blocks.labels import capitalized, one_line
from scrutiny.blocks.terminal_and_markdown import WIDTH, cropped, escape, fold, wrapped
from scrutiny.core.record import grouped
from scrutiny.report.cases.changed_texts import (
    OTHERS,
    OUTCOMES,
    STATE_OF,
    UNANSWERED,
    CasesByTest,
    outcome_of,
    outcomes_in_words,
    rule_of,
)
from scrutiny.report.cases.explained import scored_text
from scrutiny.report.cases.explained_lines import LEGEND, explained_lines
from scrutiny.report.wording import mark
from scrutiny.text.edits import apply_to_text

MOST_CASES: Final = 20
MOST_OF_SUITE: Final = 60
_LONGEST_OUTCOME: Final = "no answer  "
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
        Of the table of cases, worst first; ``_explained`` ones have their explanation.
    """
    if not rows:
        yield from wrapped(f"{name}: no cases. {_NO_CASES}.", style="bold")
        return
    if all(row.get("case") for row in rows):
        yield from suite_lines(name, rows)
        return
    turned = [row for row in rows if row["flipped"] or row["broken"] or row["mended"]]
    broken = [row for row in turned if (row["broken"] or 0) > (row["mended"] or 0)]
    fixed = [row for row in turned if (row["mended"] or 0) > (row["broken"] or 0)]
    others = [row for row in turned if (row["mended"] or 0) == (row["broken"] or 0)]
    flipped = [row for row in rows if row["flipped"]]
    said = f"{len(flipped):,} of {len(rows):,} texts changed an answer"
    if len({row["replicate"] for row in rows}) > 1:  # a text of its own for each model
        n_items = [len({row["item"] for row in own}) for own in (flipped, rows)]
        said += f" (of {n_items[0]:,} of {n_items[1]:,} items, each in its models)"
    yield from wrapped(
        f"{name}: {said}; {len(broken):,} broken, {len(fixed):,} fixed.", style="bold"
    )
    if any(row.get("_explained") for row in turned):
        yield from wrapped(LEGEND, style="dim")
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
    if any(row.get("_explained") for row in rows):
        yield from wrapped(LEGEND, style="dim")
    ordered = sorted(cases, key=lambda case: OUTCOMES.index(outcomes[case]))
    edge = _INDENT + len(_LONGEST_OUTCOME)  # where texts and facts begin
    for case in ordered[:MOST_OF_SUITE]:
        outcome = outcomes[case]
        own = [row for row in cases[case] if row["outcome"] == outcome]
        row, style = own[0], {"failed": "red", "passed": "green"}.get(outcome, "yellow")
        first, *further = fold(f"{case}  {_near(one_line(row['after']), 0)}", WIDTH - edge) or [""]
        head = Text(f"  {mark(STATE_OF[outcome])} ")
        head.append(f"{outcome:<{len(_LONGEST_OUTCOME)}}", style=style)
        yield head.append(first)
        yield from (Text(" " * edge + piece) for piece in further)
        facts = [f"expected {row['label']}"]
        if outcome != UNANSWERED:
            facts.insert(0, f"answered {row['said_after']}")
        if row["edits"]:
            facts.append(f"changed: {_near(row['edits'], 0)}")
            facts.append(f"before: {row['said_before']}")
        facts += [f"in {len(own)} of {len(cases[case])} models"] * (len(cases[case]) > 1)
        for piece in fold("; ".join(facts), WIDTH - edge):
            yield Text(" " * edge + piece, style="dim")
        yield from _explained(row)
    if (more := len(ordered) - MOST_OF_SUITE) > 0:
        yield from wrapped(f'{more:,} more: scrutiny.load(RUN).cases("{name}")', style="dim")


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
    told = f"answer changed{of}" if row["flipped"] else "the same answer"
    facts = f"{row['item']}, {asked}right is {row['label']}, {told}; "
    facts += f"text: {_near(row['edits'], 0)}"
    yield from (Text(f"    {piece}", style="dim") for piece in fold(facts, WIDTH - _INDENT))
    yield from _explained(row)


def _explained(row: Mapping[str, Any]) -> Iterator[Text]:
    """Words that the answer to a case hangs on, where it was explained."""
    found = scored_text(row["_explained"]) if row.get("_explained") else None
    if found is not None:
        yield from explained_lines(found)


def _near(text: str, start: int) -> str:
    """Text, or the part of a long one that begins here."""
    if len(text) <= _MOST:
        return text
    part = text[start : start + _MOST]
    return "…" * (start > 0) + part + "…" * (start + _MOST < len(text))


def small_suite_lines(tests: CasesByTest) -> Iterator[Text]:
    """Each case of suites that are small enough to be read, test by test, under how many failed."""
    told = [rows for cases in tests.values() for rows in cases.values()]
    if told:
        said = capitalized(outcomes_in_words(map(outcome_of, told)))
        yield from wrapped(f"{said}. {rule_of(told[0])}".rstrip(), style="bold")
    for name, cases in tests.items():
        yield from suite_lines(name, [row for own in cases.values() for row in own])
    if told:
        yield Text()
        yield from wrapped(OTHERS)


_CONTEXT: Final = 24
_SHORT_CELLS: Final = 40  # cells of an answer that stands behind its text


def case_words(case: EvidenceItem) -> str:
    """Line of the terminal on a case: "broken in 3 of 5 models; right is positive"."""
    of = len(case.answers)
    turned = f"{case.turn} in {case.n_flipped} of {of} models" if of > 1 else case.note or case.turn
    right = f"right is {case.gold}" if case.turned else ""
    return "; ".join(filter(None, [turned, case.points, right]))


def case_sides(case: EvidenceItem) -> Iterator[Text]:
    """Text before and after, around the first change, with what was answered."""
    name = next((e.field for e in case.edits), next(iter(case.fields)))
    pieces = stretches(case.fields[name], case.edits_of(name), context=_CONTEXT)
    sides = [("-", "inserted", case.told.before), ("+", "removed", case.told.after)]
    if not case.edits:  # a text of its own
        sides = [(" ", "removed", case.told.after)]
    for sign, kind, answer in sides:
        line = one_line("".join(piece.text for piece in pieces if piece.kind != kind))
        answer = one_line(answer)
        if cell_len(answer) <= _SHORT_CELLS:
            yield Text(f"  {sign} {cropped(line, WIDTH - len(answer) - 6)}  {answer}")
            continue
        yield Text(f"  {sign} {cropped(line, WIDTH - 4)}")
        yield from (Text(f"    {piece}", style="dim") for piece in fold(answer, WIDTH - 4))


_SHORT_ANSWER: Final = 40  # code points of an answer beside which others are told


@dataclass(frozen=True, slots=True)
class CasePage:
    """An item behind a verdict, its changes marked; answers that are alike are counted."""

    case: EvidenceItem
    fields: tuple[tuple[str, tuple[Segment, ...]], ...]

    @property
    def said(self) -> tuple[tuple[str, str, int], ...]:
        """Answers before and after, and how many replicates gave them, changed ones first."""
        pairs = grouped(((a.before, a.after), a) for a in self.case.answers)
        counted = [(before, after, len(own)) for (before, after), own in pairs.items()]
        return tuple(sorted(counted, key=lambda pair: (pair[0] == pair[1], -pair[2])))

    @property
    def told(self) -> tuple[tuple[str, str, int], ...]:
        """Changed answers as a card has room for them: of long ones the commonest alone."""
        changed = [pair for pair in self.said if pair[0] != pair[1]]
        is_long = any(len(before) > _SHORT_ANSWER for before, _, _ in changed)
        return tuple(changed[:1] if is_long else changed)


@dataclass(frozen=True, slots=True)
class ToldCase:
    """A case of a small suite: the row that shows its outcome, and in how many models it has it."""

    test: str
    outcome: str
    row: Mapping[str, Any]
    models: str


def told_cases(tests: CasesByTest) -> list[ToldCase]:
    """Cases of small suites, what failed first."""
    told = []
    for test, cases in tests.items():
        for rows in cases.values():
            outcome = outcome_of(rows)
            own = [row for row in rows if row["outcome"] == outcome]
            models = f"in {len(own)} of {len(rows)} models" if len(rows) > 1 else ""
            told.append(ToldCase(test, outcome, own[0], models))
    return sorted(told, key=lambda case: OUTCOMES.index(case.outcome))


def case_page(case: EvidenceItem, *, context: int = 160) -> CasePage:
    """An item on the page with its texts' changes; fields that did not change are left out."""
    names = [name for name in case.fields if case.edits_of(name)] or [*case.fields]
    found = (stretches(case.fields[n], case.edits_of(n), context=context) for n in names)
    return CasePage(case, tuple(zip(names, map(tuple, found), strict=True)))


_LONGEST_TEXT: Final = 240


def case_item(case: EvidenceItem) -> str:
    """One case: text after the change, what changed, what was answered."""
    edited = [(text, case.edits_of(name)) for name, text in case.fields.items()]
    pairs = [pair for text, edits in edited for pair in changed_words(text, edits)]
    words = "; ".join(f"{old} \N{RIGHTWARDS ARROW} {new}" for old, new in pairs)
    texts = [apply_to_text(text, edits) for text, edits in edited if edits]
    text = " / ".join(texts or case.fields.values())
    text = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}\N{HORIZONTAL ELLIPSIS}"
    of = len(case.answers)
    answered = f"{escape(case.told.before)} \N{RIGHTWARDS ARROW} **{escape(case.told.after)}**"
    times = f" in {case.n_flipped} of {of} models" if of > 1 else ""
    return f"- {case.turn}: {escape(text)} ({escape(words)}): {answered}{times}"
