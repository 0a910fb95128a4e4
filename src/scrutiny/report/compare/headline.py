"""The first sentences of a comparison: better or worse, by how much, and on which inputs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.numbers import denominator, number
from scrutiny.blocks.scores import headline_of
from scrutiny.core.boundary.printable import and_more, hundred, percent, whole_percent
from scrutiny.core.boundary.printable import points as margin_of
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plugin_base import unversioned
from scrutiny.run.comparing.comparison_results import Level, SharedInvariances, SideBySide, is_gain
from scrutiny.run.comparing.paired_numbers import RunComparison

_MOST_NAMED: Final = 3
_SECOND: Final = "The second"
_SMALLEST: Final = 0.0005  # share that one decimal of points shows
#: What an outcome says of a loss, of what, and of how much.
_SAYS: Final = {
    "no regression": "PASS  a loss{} of {} or more is ruled out.",
    "regression": "FAIL  a loss{} of more than {} is shown.",
    "undecided": "UNDECIDED  a loss{} of {} is neither shown nor excluded.",
}
#: What is found of a score, the most important first.
Found = Literal["worse", "better", "no difference"]
_ORDER: Final[Sequence[Found]] = ("worse", "better", "no difference")
#: State of a risk that looks as what is found does; of neither, as what can't be told.
LOOKS_AS: Final = {"worse": "hurts", "better": "holds", "no difference": "can't tell"}


@dataclass(frozen=True, slots=True)
class Headline:
    """First sentences of a comparison.

    Parameters
    ----------
    found
        Of the score, or of any kind of input that is shown to be worse.
    lead
        Better or worse, by how much, and on how many items.
    rest
        On which inputs, and how many other numbers differ.
    """

    found: Found
    lead: str
    rest: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """State of a risk that looks so."""
        return LOOKS_AS[self.found]


def headline(whole: SideBySide) -> Headline:
    """First sentences of a comparison, what is worse first."""
    levels = sorted(whole.levels, key=lambda level: _ORDER.index(state_of(level)))
    said = [level_lead(level, is_first=not k) for k, level in enumerate(levels[:_MOST_NAMED])]
    if len(levels) > _MOST_NAMED:
        said.append(f"{len(levels) - _MOST_NAMED} more scores stand below.")
    rest = [*said[1:], *whole.without_skill, *map(_elsewhere, levels[:_MOST_NAMED])]
    judged = () if whole.shared is None else whole.shared.judged
    lost = [
        f"Less stable under {one.capability} changes: of those that keep the first's answer, "
        f"{number(one.hard.value)} keep the second's (could be {number(one.ceiling.value)}; "
        f"{denominator(one.hard)} changed texts of {one.hard.key.dataset})."
        for one in judged
        if SharedInvariances.outcome_of(one) == "regression"
    ]
    counted = _counted(whole.comparison, is_one=len(levels) == 1)
    if "for the better" in counted and whole.without_skill:
        counted += " Of a model without skill, what a change or an attack costs says nothing."
    first, second = (
        sum(pair[side] for pair in whole.comparison.n_unmatched.values()) for side in (0, 1)
    )
    apart = ""
    if first or second:
        apart = f"Left out, as only one run has them: {first:,} item{'s' * (first != 1)} "
        apart += f"of the first, {second:,} of the second."
    found = state_of(levels[0]) if levels else "no difference"
    if not said:
        items = and_more(
            [f"{n:,} items of {name}" for name, n in whole.comparison.n_shared.items()], _MOST_NAMED
        )
        said = [f"No difference is shown, of {len(whole.comparison.findings)} compared on {items}."]
    if lost and found != "worse":
        return Headline("worse", lost[0], _filled(said[0], apart, *lost[1:], *rest, counted))
    return Headline(found, said[0], _filled(apart, *lost, *rest, counted))


def _filled(*said: str) -> tuple[str, ...]:
    """Sentences that say something."""
    return tuple(filter(None, said))


def verdicts(whole: SideBySide, margin: float | None) -> Iterator[str]:
    """Whether a loss beyond the margin is shown, for levels and for shared invariances."""
    if whole.outcome_of_levels is not None and margin is not None:
        is_share = all(level.flips is not None for level in whole.judged)
        most = margin_of(margin) if is_share else f"{margin:g}"
        yield _SAYS[whole.outcome_of_levels].format("", most)
    if whole.shared is not None and whole.shared.outcome is not None:
        most = margin_of(whole.shared.judged[0].margin)
        yield _SAYS[whole.shared.outcome].format(" of invariances", most)


def level_name(level: Level) -> str:
    """Readable name of a level: its metric, and its condition if it has one."""
    metric = metric_name(level.metric, level.difference.key.diagnostic)
    return f"{metric} ({level.condition})" if level.condition else metric


def metric_name(metric: str, diagnostic: str) -> str:
    """Name of a metric for people: that of first screens, or its words."""
    return headline_of(metric) or metric_words(metric, diagnostic)


def state_of(level: Level) -> Found:
    """Whether the second is shown to be better or worse, overall or on some kind of input."""
    if any(not is_gain(one.change, level) for one in level.shown if not one.goes_back_to):
        return "worse"
    low, high = gains(level)
    if low is None or high is None or low <= 0.0 <= high:
        return "no difference"
    return "better" if low > 0.0 else "worse"


def gains(level: Level) -> tuple[float | None, float | None]:
    """Limits of the gain of all items, in the unit of the score; less is worse."""
    found = level.difference
    if found.low is None or found.high is None:
        return None, None
    return (found.low, found.high) if level.lower_is_better else (-found.high, -found.low)


def points(level: Level, value: float, *, decimals: int = 1) -> str:
    """Difference of a score: points where it is a share, else the number itself."""
    return number(value) if level.flips is None else f"{hundred(value, decimals)} points"


def _limits(level: Level, low: float, high: float) -> tuple[str, str]:
    """Limits of a gain without their signs; an end beside zero does not read as zero."""
    if level.flips is None:
        return number(abs(low)), number(abs(high))
    decimals = 1 if all(not end or abs(end) >= _SMALLEST for end in (low, high)) else 2
    return hundred(abs(low), decimals), hundred(abs(high), decimals)


def second_name(level: Level) -> str:
    """Name of the second model, where it tells the two apart."""
    return level.reference if level.reference != level.subject else _SECOND


def level_lead(level: Level, *, is_first: bool) -> str:
    """Better or worse, by how much, with the score before and after; the first has the level."""
    whole, who = level.overall, second_name(level)
    low, high = gains(level)
    sure = f" ({whole_percent(level.difference.level)})" * is_first
    on = f"{level_name(level)} {_score(level, whole.before)} \N{RIGHTWARDS ARROW} "
    on += f"{_score(level, whole.after)} on {whole.n:,} items of {level.dataset}"
    if low is None or high is None or level.difference.value is None:
        return f"No difference is shown, and without an interval none can be: {on}."
    if low <= 0.0 <= high:
        if not level.disagreements and low == high:
            return f"No difference is shown: both answer alike, {on}."
        worse, better = _limits(level, low, high)
        unit = " points" * (level.flips is not None)
        is_alike = not level.disagreements and level.flips is not None and not whole.n_moved
        alike = "both answer alike on these items, and " if is_alike else ""
        other = who if who != _SECOND else _SECOND.lower()
        what = f"{other} is between {worse}{unit} worse and {better} better"
        return f"No difference is shown: {alike}{what}{sure}, {on}."
    gain = (level.difference.value if level.lower_is_better else -level.difference.value) or 0.0
    ends = _limits(level, low, high)
    limits = ", ".join(ends if gain > 0 else ends[::-1])
    how = "better" if gain > 0 else "worse"
    return f"{who} is {how} by {points(level, abs(gain))} [{limits}]{sure}: {on}."


def _score(level: Level, value: float) -> str:
    """Score of a side: percent where it is a share."""
    return number(value) if level.flips is None else percent(value)


def _elsewhere(level: Level) -> str:
    """Kinds of input on which the second is shown to be worse or better, the worst first."""
    tested = len(level.changes) - 1
    own = [one.change for one in level.shown if not one.goes_back_to]
    said = []
    for how, is_better in (("Worse", False), ("Better", True)):
        found = [one for one in own if is_gain(one, level) == is_better]
        if found:
            names = [
                f"on inputs {one.says} by {points(level, abs(one.value))} "
                f"({_score(level, one.before)} \N{RIGHTWARDS ARROW} {_score(level, one.after)}, "
                f"{one.n:,} of {level.overall.n:,})"
                for one in found
            ]
            said.append(f"{how} {and_more(names, _MOST_NAMED)}.")
    if tested and not any(not is_gain(one, level) for one in own):
        # where all items together are worse, so is every kind of input, as far as is shown
        how = "lose more than the rest" if state_of(level) == "worse" else "be worse"
        said.insert(0, f"No kind of input is shown to {how} ({tested} looked at).")
    return " ".join(said)


def _counted(found: RunComparison, *, is_one: bool) -> str:
    """How many of the shared numbers differ, and which way; nothing where the score is all."""
    if len(found.findings) == 1 and is_one:
        return ""
    differing = found.differing
    if not differing:
        return f"None of the {len(found.findings)} numbers of both is shown to differ."
    ways = [way for _, way in differing]
    count = f"{len(differing)} of {len(found.findings)} numbers differ"
    if len(set(ways)) == 1 and ways[0]:
        return f"{count}, {'all ' * (len(ways) > 1)}for the {ways[0]}."
    told = [f"{ways.count(way)} for the {way}" for way in ("worse", "better") if way in ways]
    if "" in ways:
        told.append(f"{ways.count('')} neither better nor worse")
    worst = [one for one, way in differing if way == "worse"][:_MOST_NAMED]
    names = f" ({', '.join(number_name(one.key) for one in worst)})" if worst else ""
    return f"{count}: {told[0]}{names}{', ' * (len(told) > 1)}{', '.join(told[1:])}."


def number_name(key: EstimateKey) -> str:
    """Name of a shared number for people: its metric in words, and what it is under."""
    told = {name: v for name, v in key.condition.items() if name not in ("draw", "reference")}
    under = [unversioned(value) for value in told.values() if isinstance(value, str)]
    under += [] if key.group == "all" else [f"{key.group} items"]
    what = metric_name(key.metric, key.diagnostic)
    return f"{what} ({', '.join(under)})" if under else what
