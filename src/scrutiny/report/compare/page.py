"""The page of a comparison: its scales, and a card for each way that inputs or numbers differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from scrutiny.blocks.drawings import Axis, CostSpan
from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import interval
from scrutiny.blocks.terminal_and_markdown import answer_cell, cropped
from scrutiny.core.boundary.printable import percent_within, whole_percent
from scrutiny.core.boundary.printable import points as margin_of
from scrutiny.report.compare.certified import certified
from scrutiny.report.compare.headline import (
    LOOKS_AS,
    gains,
    headline,
    level_name,
    number_name,
    points,
    state_of,
    verdicts,
)
from scrutiny.report.compare.sections import parts_of
from scrutiny.report.page import LARGEST, render_parts
from scrutiny.run.comparing.comparison_results import Level, SideBySide, is_gain
from scrutiny.store.run_folder import RunFolder

#: Inputs of each level on a page, tried in this order until it is small enough.
INPUTS: Final = (40, 20, 10, 5, 0)


def page_of(
    found: SideBySide,
    sides: Sequence[tuple[str, RunFolder]],
    *,
    margin: float | None,
    command: str,
    inputs: Sequence[int] = INPUTS,
) -> str:
    """Page of a comparison, with as many inputs as keep it small enough.

    ``sides`` are what was given and its run, of the first and of the second.
    """
    text, ((first, one), (second, other)) = "", sides
    said = [("First", _side(one, first)), ("Second", _side(other, second))]
    for most in inputs:
        text = render_parts(
            [*parts_of(found, margin=margin, top=most, is_whole=True)],
            title=f"{second} against {first}",
            headline=headline(found),
            scales=[*scales_of(found, margin)],
            cards=[*cards_of(found)] if most else [],
            verdicts=[*verdicts(found, margin)],
            certified=[*certified(found, margin)],
            facts=said,
            command=command,
            version=version("scrutiny"),
        )
        if len(text.encode("utf-8", "backslashreplace")) < LARGEST:
            break
    return text


def _side(folder: RunFolder, given: str) -> str:
    """A side's argument, and the models of its run with their numbers of replicates."""
    models = folder.manifest["models"].items()
    counts = {name: len(one.get("replicates", "1")) for name, one in models}
    if len(counts) == 1:
        (count,) = counts.values()
        return f"{given} ({count} models)" if count > 1 else given
    return f"{given} (models: {', '.join(f'{name} {count}' for name, count in counts.items())})"


_CASES: Final = 3
_ROWS: Final = 6
_LONGEST: Final = 200  # code points of a text on a card


@dataclass(frozen=True, slots=True)
class Card:
    """A card: what differs one way, by how much, and cases or numbers of it.

    Parameters
    ----------
    way
        "worse", "better", or nothing.
    title, cost
        What differs, and by how much.
    cases
        Texts, each with the answers before and after and what is right.
    rows
        Names of numbers, each with its difference.
    note
        How many more there are.
    """

    way: str
    title: str
    cost: str
    cases: tuple[tuple[str, str, str], ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def state(self) -> str:
        """State of a risk that looks so."""
        return LOOKS_AS[self.way or "no difference"]


@dataclass(frozen=True, slots=True)
class GainScale:
    """The difference of a score on an axis of gains, with what is tolerable.

    Parameters
    ----------
    title
        The score, and what is counted to the right.
    state
        State of a risk that looks so.
    span, axis
        The gain, and where it lies.
    """

    title: str
    state: str
    span: CostSpan
    axis: Axis


def scales_of(whole: SideBySide, margin: float | None) -> Iterator[GainScale]:
    """Bars of the differences of scores that are shares, in points of gain."""
    for level in whole.levels:
        low, high = gains(level)
        value = level.difference.value
        if level.flips is None or value is None or low is None or high is None:
            continue
        gain = value if level.lower_is_better else -value
        span = CostSpan(100 * gain, 100 * low, 100 * high, -100 * (margin or 0.0))
        axis = Axis.of([span])
        shown = state_of(level) if not low <= 0.0 <= high else "no difference"
        state = LOOKS_AS[shown]
        title = (
            f"Points of {level_name(level)} gained on {level.dataset}: left of 0 is a loss, the "
        )
        title += f"line is the {whole_percent(level.difference.level)} interval"
        yield GainScale(
            (f"{title}, shaded is a loss of less than {margin_of(margin)}" if margin else title),
            state,
            span,
            axis,
        )


def cards_of(whole: SideBySide) -> Iterator[Card]:
    """Cards, what is worse first: inputs, items with cases, and other numbers that differ."""
    cards = [card for level in whole.levels for card in _cards_of_level(level)]
    own = {(level.metric, level.dataset, level.difference.key.diagnostic) for level in whole.levels}
    others = [  # but for the scores themselves
        (found, way)
        for found, way in whole.comparison.differing
        if (found.key.metric, found.key.dataset, found.key.diagnostic) not in own
        or found.key.group != "all"
        or found.key.condition
    ]
    titles = {
        "worse": "Other numbers that are worse",
        "better": "Other numbers that are better",
        "": "Numbers that differ, neither better nor worse",
    }
    for way, title in titles.items():
        found = [one for one, its in others if its == way]
        if found:
            told = [(number_name(one.key), interval(one, signed=True)) for one in found]
            more = len(told) - _ROWS
            note = f"{more} more stand below" if more > 0 else ""
            cost = f"{len(found)} number{'s' * (len(found) > 1)}, second minus first"
            cards.append(Card(way, title, cost, (), tuple(told[:_ROWS]), note))
    yield from sorted(cards, key=lambda card: ("worse", "better", "").index(card.way))


def _cards_of_level(level: Level) -> Iterator[Card]:
    """Kinds of input that differ, then items that broke and were fixed, with cases."""
    for one in level.shown:
        if not one.goes_back_to:
            change = one.change
            way = "better" if is_gain(change, level) else "worse"
            cost = f"{points(level, abs(change.value))} {way} ({change.n:,} items)"
            yield Card(way, f"Inputs {change.says}", cost, _cases(level, change.name, way))
    if level.flips is None:
        return
    names = ("Worse than before", "Better than before")
    if not level.flips.is_graded:
        names = ("Right before, wrong after", "Wrong before, right after")
    flips = (level.flips.broken, level.flips.mended)
    for way, name, found in zip(("worse", "better"), names, flips, strict=True):
        if found.value:
            said = percent_within(found.value or 0.0, found.low, found.high)
            share, bracket, ends = said.partition(" [")
            of = f"{found.divided_by:,.1f}".removesuffix(".0")
            yield Card(way, name, f"{share} of {of} items{bracket}{ends}", _cases(level, "", way))


def _cases(level: Level, inside: str, way: str) -> tuple[tuple[str, str, str], ...]:
    """Inputs that went one way, of one kind where it is named, clearest first."""
    fitting = [
        one
        for one in level.disagreements
        if one.after != one.before
        and ((one.after > one.before) != level.lower_is_better) == (way == "better")
        and (not inside or inside in one.slices)
    ]
    cases = []
    for one in fitting[:_CASES]:  # text, answers, gold
        said = ""
        if one.first is not None:
            said = f"before: {answer_cell(one.first)}, now: {answer_cell(str(one.second))}"
        gold = "" if one.gold is None else answer_cell(one.gold)
        cases.append((cropped(one_line(one.text), _LONGEST), said, gold))
    return tuple(cases)
