"""The headline of a comparison: which inputs changed, and whether a loss is shown."""

from collections.abc import Iterator, Mapping
from typing import Final

from scrutiny.parts.wording.numbers import denominator, number
from scrutiny.run.comparing.levels import Level, SideBySide, is_gain
from scrutiny.run.comparing.shared import SharedInvariances

_MOST_NAMED: Final = 3
#: What an outcome says of a loss, of what, and of how much.
_SAYS: Final = {
    "no regression": "PASS  the loss{} is shown to be less than {:g}.",
    "regression": "FAIL  a loss{} of more than {:g} is shown.",
    "undecided": "UNDECIDED  a loss{} of {:g} is neither shown nor excluded.",
}


def headline(whole: SideBySide) -> str:
    """First sentence: which inputs changed, or that no change is shown."""
    leads = sorted([*_changed(whole), *_lost(whole)])
    if leads:
        return leads[0][2] + _unmatched(whole.comparison.n_unmatched)
    found = whole.comparison
    count = sum(f.verdict != "undecided" for f in found.findings)
    items = _shared(found.n_shared) + _unmatched(found.n_unmatched)
    if count == 0:
        return f"No difference is shown, of {len(found.findings)} compared on {items}."
    return f"{count} of {len(found.findings)} numbers differ, on {items}."


def verdicts(whole: SideBySide, margin: float | None) -> Iterator[str]:
    """Whether a loss beyond the margin is shown, for levels and for shared invariances."""
    if whole.outcome_of_levels is not None:
        yield _SAYS[whole.outcome_of_levels].format("", margin)
    if whole.shared is not None and whole.shared.outcome is not None:
        yield _SAYS[whole.shared.outcome].format(" of invariances", whole.shared.judged[0].margin)


def level_name(level: Level) -> str:
    """Readable name of a level: its metric, and its condition if it has one."""
    metric = level.metric.partition("@")[0]
    return f"{metric} ({level.condition})" if level.condition else metric


def _shared(counts: Mapping[str, int]) -> str:
    """Number of items and datasets that both runs have."""
    if len(counts) > _MOST_NAMED:
        return f"{sum(counts.values()):,} items of {len(counts)} datasets"
    return ", ".join(f"{n:,} items of {name}" for name, n in counts.items())


def _unmatched(counts: Mapping[str, tuple[int, int]]) -> str:
    """Number of items of each run that the other lacks; empty if there are none."""
    first, second = (sum(pair[side] for pair in counts.values()) for side in (0, 1))
    if not (first or second):
        return ""
    return f" (only one run has, so left out: {first:,} of the first, {second:,} of the second)"


def _changed(whole: SideBySide) -> Iterator[tuple[bool, float, str]]:
    """Direction, p, and sentence of the clearest change of each level."""
    for level in whole.levels:
        own = [found.change for found in level.shown if not found.goes_back_to]
        if not own and level.overall.is_shown:
            own = [level.overall]
        for change in own[:1]:
            is_all, is_better = change.name == "all", is_gain(change, level)
            where = "overall" if is_all else f"on inputs {change.says}"
            of = f"{change.n:,} items" if is_all else f"{change.n:,} of {level.overall.n:,}"
            yield (
                is_better,
                change.p_holm,
                f"{'Better' if is_better else 'Worse'} {where}: {level_name(level)} "
                f"{number(change.before)} \N{RIGHTWARDS ARROW} {number(change.after)} "
                f"({of} of {level.dataset}).",
            )


def _lost(whole: SideBySide) -> Iterator[tuple[bool, float, str]]:
    """The same for every invariance of the first that the second is shown to lose."""
    for one in () if whole.shared is None else whole.shared.judged:
        if SharedInvariances.outcome_of(one) == "regression":
            yield (
                False,
                1.0,  # behind what changes without any change of the text
                f"Less stable under {one.capability} changes: of those that keep the first's "
                f"answer, {number(one.hard.value)} keep the second's (could be "
                f"{number(one.ceiling.value)}; {denominator(one.hard)} changed texts of "
                f"{one.hard.key.dataset}).",
            )
