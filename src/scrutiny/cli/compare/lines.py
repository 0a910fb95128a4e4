"""Two runs side by side, in lines of at most 80 columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scrutiny.cli.compare.agreement_lines import agreement_lines
from scrutiny.cli.compare.words import wrapped
from scrutiny.cli.narrow import WIDTH, fitted
from scrutiny.parts.wording.numbers import denominator, out_of

if TYPE_CHECKING:
    from scrutiny.core.claim import Finding
    from scrutiny.core.estimate import Estimate
    from scrutiny.run.comparing.flips import FlippedItems, Noise
    from scrutiny.run.comparing.items import DifferingInput
    from scrutiny.run.comparing.levels import Level, ShownChange, SideBySide
    from scrutiny.run.comparing.numbers import RunComparison
    from scrutiny.run.comparing.slices import Change

_SAYS: Final = {"supported": "lower", "not supported": "higher", "undecided": "undecided"}
_MOST_TESTS: Final = 6
_MOST_NAMED: Final = 3


def headline(whole: "SideBySide") -> str:
    """The one thing to know: which inputs changed, or that nothing is shown."""
    best = sorted([*_leads(whole), *_lost(whole)], key=lambda lead: lead[:2])
    if best:
        return best[0][2]
    found = whole.comparison
    items = _shared(found.n_shared)
    count = sum(f.verdict != "undecided" for f in found.findings)
    if count == 0:
        return f"No difference is shown, of {len(found.findings)} compared on {items}."
    return f"{count} of {len(found.findings)} numbers differ, on {items}."


def _shared(counts: Mapping[str, int]) -> str:
    """How many items of which datasets both runs have."""
    if len(counts) > _MOST_NAMED:
        return f"{sum(counts.values()):,} items of {len(counts)} datasets"
    return ", ".join(f"{n:,} items of {name}" for name, n in counts.items())


def _leads(whole: "SideBySide") -> Iterator[tuple[bool, float, str]]:
    """Whether it is a gain, its p, and the sentence, of every change that stands by itself."""
    for level in whole.levels:
        own = [found.change for found in level.shown if not found.goes_back_to]
        if not own and level.overall.is_shown:
            own = [level.overall]
        for change in own[:1]:
            gain = is_gain(change, level)
            yield gain, change.p_holm, _lead(change, level, is_better=gain)


def _lost(whole: "SideBySide") -> Iterator[tuple[bool, float, str]]:
    """The same of every invariance of the first that the second is shown to lose."""
    kept = () if whole.shared is None else whole.shared.kept
    for one in kept:
        if one.is_forward and one.outcome == "regression":
            counts = f"{denominator(one.hard)} changed texts of {one.dataset}"
            yield (
                False,
                1.0,  # behind what changes without any change of the text
                f"Less stable under {one.capability} changes: of those that keep the first's "
                f"answer, {one.hard.value:.3f} keep the second's (could be "
                f"{one.ceiling.value:.3f}; {counts}).",
            )


def is_gain(change: "Change", level: "Level") -> bool:
    """Whether a change is for the better."""
    return (change.value > 0) != level.lower_is_better


def _lead(change: "Change", level: "Level", *, is_better: bool) -> str:
    where = "overall" if change.name == "all" else f"on inputs {change.says}"
    of = f"{change.n:,} items" if change.name == "all" else f"{change.n:,} of {level.overall.n:,}"
    return (
        f"{'Better' if is_better else 'Worse'} {where}: {level_name(level)} {change.before:.3f} -> "
        f"{change.after:.3f} ({of} of {level.dataset})."
    )


def level_name(level: "Level") -> str:
    """What the level is called."""
    metric = level.metric.partition("@")[0]
    return f"{metric} ({level.condition})" if level.condition else metric


def lines_of(level: "Level", *, top: int, show_all: bool) -> Iterator[str]:
    """Everything that is said of one level."""
    yield fitted(
        f"{level_name(level)} of {level.reference} against {level.subject}, {level.dataset}"
    )
    yield from wrapped("noise floor", noise_words(level.noise))
    difference = level.difference
    if difference.value is not None and difference.low is not None:
        yield from wrapped("change", f"{_change(level)}; {out_of(difference, sign=' of ')}")
    if level.flips is not None:
        yield from wrapped("flips", flip_words(level.flips))
        name = "sign test" if level.flips.is_graded else "McNemar"
        yield from wrapped(name, test_words(level.flips))
    yield from agreement_lines(level.agreement)
    yield from _changes(level, show_all=show_all)
    yield from _inputs(level.disagreements[:top], total=len(level.disagreements))
    if level.detectable is not None:
        yield from wrapped(
            "could show", f"a difference of {level.detectable:.3f} (80 % power, these items)"
        )


def _change(level: "Level") -> str:
    """Second minus first, with its interval."""
    found = level.difference
    assert found.value is not None  # the caller has looked
    assert found.low is not None
    assert found.high is not None
    return (
        f"{level.overall.before:.3f} -> {level.overall.after:.3f}: "
        f"{0 - found.value:+.3f} [{0 - found.high:+.3f}, {0 - found.low:+.3f}]"  # no "-0.000"
    )


def noise_words(noise: "Noise") -> str:
    """What is known of the first model against itself."""
    if noise.share is None:
        return (
            "not known: the first model was run once. Give a second run of it with --again, or "
            "replicates."
        )
    share = f"{noise.share:.1%} of items flip"
    how = {
        "replicates": f"between two replicates of the first ({noise.n_pairs} pairs)",
        "another run": f"between two runs of the first ({noise.n_pairs} pairs)",
        "asked again": f"where the first is asked again ({noise.n_items} items, other batches)",
        "exact": "where the first is asked again: its adapter promises exact answers",
    }[noise.how]
    return f"{share} {how}"


def flip_words(flips: "FlippedItems") -> str:
    """Right to wrong and back, and answers that differ; of scores worse and better."""
    names = ("worse", "better") if flips.is_graded else ("right -> wrong", "wrong -> right")
    pairs = zip((flips.broken, flips.mended), names, strict=True)
    parts = [f"{_share(found)} {name}" for found, name in pairs]
    if flips.answers_differ is not None:
        parts.append(f"{flips.answers_differ:.1%} of answers differ")
    return ", ".join(parts)


def _share(found: "Estimate") -> str:
    if found.value is None or found.low is None or found.high is None:
        return "–"
    return f"{found.value:.1%} [{found.low:.1%}, {found.high:.1%}]"


def test_words(flips: "FlippedItems") -> str:
    """McNemar's test, of scores the sign test, of each pair of replicates."""
    said = [f"{_p(test.p_value)} ({test.n} flip)" for test in flips.tests[:_MOST_TESTS]]
    left = len(flips.tests) - len(said)
    more = f", {left} more pairs" if left else ""
    each = "" if len(flips.tests) == 1 else ", pair by pair"
    return f"p {', '.join(said)}{more} (mid-p{each})"


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"= {value:.3f}".replace("0.", ".", 1)


def _changes(level: "Level", *, show_all: bool) -> Iterator[str]:
    """Slices whose change is shown; all that were tested where they are asked for."""
    tested = len(level.changes) - 1
    if not tested:
        yield from wrapped("inputs", "no slice has 20 items on either side")
        return
    if not level.shown:
        yield from wrapped(
            "inputs", f"no slice is shown to change otherwise than the rest ({tested} tested)"
        )
    for found in level.shown:
        yield from _shown(found, level)
    if show_all:
        for change in level.changes[1:]:
            yield fitted(
                f"    {change.before:.3f} -> {change.after:.3f}  {change.n:>6,}  "
                f"p {_p(change.p_holm)}  {change.says}"
            )


def _shown(found: "ShownChange", level: "Level") -> Iterator[str]:
    """A slice whose change is shown."""
    change = found.change
    limits = ""
    if change.low is not None and change.high is not None:
        limits = f" [{change.low:+.3f}, {change.high:+.3f}]"
    word = "better" if is_gain(change, level) else "worse"
    words = (
        f"{change.says}: {change.before:.3f} -> {change.after:.3f}, {change.value:+.3f}{limits}, "
        f"{change.n:,} items, p {_p(change.p_holm)}"
    )
    if change.elsewhere is not None:
        words += f"; elsewhere {change.elsewhere:+.3f}"
    if found.goes_back_to:
        words += f" (nothing of its own beside {found.goes_back_to!r})"
    elif found.turn is not None:
        before, after, count, total = found.turn
        if len(before) + len(after) < WIDTH // 2:
            words += f"; mostly {before} -> {after} ({count} of {total} changed answers)"
    yield from wrapped(word, words)


def _inputs(found: Sequence["DifferingInput"], *, total: int) -> Iterator[str]:
    """Inputs that differ most beyond noise."""
    if not found:
        return
    yield fitted(f"  inputs that differ most beyond noise, {len(found)} of {total:,}")
    for one in found:
        answers = "" if one.first is None else f"  {one.first} -> {one.second}"
        text = " ".join(one.text.split())
        yield fitted(f"    {one.rank:.2f}  {one.item}{answers}  {text}")


def findings_of(comparison: "RunComparison", *, show_all: bool) -> Iterator[str]:
    """Every number that both runs have, where it differs; all of them where asked for."""
    differing = [f for f in comparison.findings if f.verdict != "undecided"]
    chosen = list(comparison.findings) if show_all else differing
    if chosen:
        count = len(comparison.findings)
        yield f"Numbers of both runs, second minus first (Holm over {count})"
    for finding in chosen:
        yield from _finding(finding)


def _finding(finding: "Finding") -> list[str]:
    """Two lines for one difference."""
    name = finding.claim.says.replace(" is lower in the second run", "")
    estimate = finding.estimate
    if estimate is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return [fitted(f"  {name}"), fitted(f"    {finding.reason}")]
    return [
        fitted(f"  {name}"),
        f"    {_SAYS[finding.verdict]:<10} {estimate.value:+.3f} "
        f"[{estimate.low:+.3f}, {estimate.high:+.3f}]  n = {out_of(estimate, sign=' of ')}",
    ]
