"""Cards of a comparison's page: items that broke or were fixed, inputs and numbers that differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from scrutiny.cli.compare.headline import gains, level_name, number_name, points, state_of
from scrutiny.core.estimate import Estimate
from scrutiny.core.shares import percent_within, whole_percent
from scrutiny.core.shares import points as margin_of
from scrutiny.diagnostics.similarity.side_by_side.inputs import DifferingInput
from scrutiny.parts.charts.forest_rows import Axis, Bar
from scrutiny.parts.charts.tables import answer_cell
from scrutiny.parts.run.found_risks import Span
from scrutiny.parts.terminal.layout import cropped
from scrutiny.parts.wording.labels import one_line
from scrutiny.parts.wording.numbers import interval
from scrutiny.run.comparing.levels import Level, SideBySide, is_gain

_CASES: Final = 3
_ROWS: Final = 6
_LONGEST: Final = 200  # code points of a text on a card
#: Class of a card or a bar by what was found.
STATES: Final = {"worse": "hurts", "better": "holds", "": "can-t-tell"}


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
        """Class of its color."""
        return STATES[self.way]


@dataclass(frozen=True, slots=True)
class Scale:
    """The difference of a score on an axis of gains, with what is tolerable.

    Parameters
    ----------
    title
        The score, and what is counted to the right.
    state
        Class of its color.
    bar, axis
        Where the gain lies.
    """

    title: str
    state: str
    bar: Bar
    axis: Axis


def scales_of(whole: SideBySide, margin: float | None) -> Iterator[Scale]:
    """Bars of the differences of scores that are shares, in points of gain."""
    for level in whole.levels:
        low, high = gains(level)
        value = level.difference.value
        if level.flips is None or value is None or low is None or high is None:
            continue
        gain = value if level.lower_is_better else -value
        span = Span(100 * gain, 100 * low, 100 * high, -100 * (margin or 0.0))
        axis = Axis.of([span])
        shown = state_of(level) if not low <= 0.0 <= high else ""
        state = STATES["" if shown == "no difference" else shown]
        yield Scale(_scale_title(level, margin), state, axis.bar(span), axis)


def _scale_title(level: Level, margin: float | None) -> str:
    """Title of the chart of a score: its axis, its line and its shade."""
    title = f"Points of {level_name(level)} gained on {level.dataset}: left of 0 is a loss, the "
    title += f"line is the {whole_percent(level.difference.level)} interval"
    return f"{title}, shaded is a loss of less than {margin_of(margin)}" if margin else title


def cards_of(whole: SideBySide) -> Iterator[Card]:
    """Cards, what is worse first: inputs, items with cases, and other numbers that differ."""
    cards = [card for level in whole.levels for card in _of_level(level)]
    cards += _of_numbers(whole)
    yield from sorted(cards, key=lambda card: ("worse", "better", "").index(card.way))


def _of_level(level: Level) -> Iterator[Card]:
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
            yield Card(way, name, _share_words(found), _cases(level, "", way))


def _share_words(found: Estimate) -> str:
    """Share of the items in percent, with limits and denominator."""
    said = percent_within(found.value or 0.0, found.low, found.high)
    share, bracket, ends = said.partition(" [")
    of = f"{found.divided_by:,.1f}".removesuffix(".0")
    return f"{share} of {of} items{bracket}{ends}"


def _cases(level: Level, inside: str, way: str) -> tuple[tuple[str, str, str], ...]:
    """Inputs that went one way, of one kind where it is named, clearest first."""
    fitting = (
        one
        for one in level.disagreements
        if one.after != one.before
        and ((one.after > one.before) != level.lower_is_better) == (way == "better")
        and (not inside or inside in one.slices)
    )
    return tuple(map(_case, islice(fitting, _CASES)))


def _case(one: DifferingInput) -> tuple[str, str, str]:
    """Text, answers and gold of an input."""
    said = ""
    if one.first is not None:
        said = f"before: {answer_cell(one.first)}, now: {answer_cell(str(one.second))}"
    gold = "" if one.gold is None else answer_cell(one.gold)
    return cropped(one_line(one.text), _LONGEST), said, gold


def _of_numbers(whole: SideBySide) -> Iterator[Card]:
    """Numbers that differ one way, but for the scores themselves."""
    own = {(level.metric, level.dataset, level.difference.key.diagnostic) for level in whole.levels}
    others = [
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
            yield _numbers_card(way, title, found)


def _numbers_card(way: str, title: str, found: Sequence[Estimate]) -> Card:
    """Card of numbers that differ one way."""
    told = [(number_name(one.key), interval(one, signed=True)) for one in found]
    more = len(told) - _ROWS
    note = f"{more} more stand below" if more > 0 else ""
    cost = f"{len(found)} number{'s' * (len(found) > 1)}, second minus first"
    return Card(way, title, cost, (), tuple(told[:_ROWS]), note)
