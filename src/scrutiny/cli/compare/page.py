"""Two runs side by side as the report's page needs them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrutiny.cli.compare.agreement_lines import NAMES, UNITS, floor_words, why_not
from scrutiny.cli.compare.lines import flip_words, headline, level_name, noise_words, test_words
from scrutiny.cli.compare.shared_lines import OWN, UNTRAINED, ceiling_name, likeness_name
from scrutiny.cli.compare.words import outcome_words
from scrutiny.core.estimate import Estimate
from scrutiny.parts.wording.numbers import decimals_for, number
from scrutiny.report.compare.view import (
    AgreedFacts,
    CompareView,
    InputFacts,
    KeptFacts,
    LevelFacts,
    Rate,
    SharedFacts,
    SideFacts,
    SliceFacts,
    State,
)

if TYPE_CHECKING:
    from scrutiny.cli.compare.sides import Opened
    from scrutiny.run.comparing.kept import Kept, Likened, SharedInvariances
    from scrutiny.run.comparing.levels import Level, SideBySide
    from scrutiny.store.run_folder import RunFolder

MOST_INPUTS = 40


def view_of(found: "SideBySide", sides: "Opened", flags: Mapping[str, Any]) -> CompareView:
    """Return what the page says of two sides."""
    from importlib.metadata import version

    from scrutiny.cli.running.request import command_line

    margin = flags["margin"]
    is_kept = flags["out"] is not None
    return CompareView(
        headline=_with_arrows(headline(found)),
        outcome=found.outcome,
        outcome_says=" ".join(_outcome(found, margin)),
        first=_side(sides.first, flags["first"], is_kept=is_kept),
        second=_side(sides.second, flags["second"], is_kept=is_kept),
        levels=tuple(_level(level, margin=margin) for level in found.levels),
        findings=found.comparison.findings,
        differences=found.comparison.differences,
        shared=None if found.shared is None else _shared(found.shared),
        command=command_line(),
        version=version("scrutiny"),
    )


def _outcome(found: "SideBySide", margin: float | None) -> Iterator[str]:
    """Sentences on what is shown beyond the margins; none without a margin."""
    if found.outcome_of_levels is None:
        return
    verdict, _, rest = outcome_words(found.outcome_of_levels).partition("  ")
    yield f"{verdict.capitalize()}: {rest} {margin:g}."
    if found.shared is not None and found.shared.outcome is not None:
        yield f"Shared invariances: {found.shared.outcome} (margin {found.shared.margin:g})."


def _with_arrows(text: str) -> str:
    return text.replace("->", "\N{RIGHTWARDS ARROW}")


def _side(folder: "RunFolder", given: str, *, is_kept: bool) -> SideFacts:
    """Model of a run; of several the first that was measured."""
    models = folder.manifest["models"]
    measured = [name for name, one in models.items() if one.get("role", "measured") == "measured"]
    name = next(iter(measured or models), given)
    found = models.get(name, {})
    return SideFacts(
        name=str(name),
        source=given,
        replicates=len(found.get("replicates", ())) or 1,
        path=str(folder.path) if is_kept or Path(given).is_dir() else "",
    )


def _level(level: "Level", *, margin: float | None) -> LevelFacts:
    difference = level.difference
    return LevelFacts(
        name=level_name(level),
        dataset=level.dataset,
        first=level.subject,
        second=level.reference,
        change=_change(level),
        before=level.overall.before,
        after=level.overall.after,
        n=difference.counts.n,
        planned=difference.counts.planned,
        noise=noise_words(level.noise).rstrip(".") + ".",
        flips="" if level.flips is None else _with_arrows(flip_words(level.flips)),
        tests="" if level.flips is None else _tests(level),
        rates=tuple(_rates(level)),
        slices=tuple(_slices(level)),
        inputs=tuple(_inputs(level)),
        n_inputs=len(level.disagreements),
        detectable=level.detectable,
        margin=margin,
        outcome=level.outcome,
        lower_is_better=level.lower_is_better,
        agreement=tuple(_agreed(level)),
        agreement_floor=floor_words(level.agreement),
    )


def _agreed(level: "Level") -> Iterator[AgreedFacts]:
    """Measures of agreement under the names of the terminal."""
    for one in level.agreement.rows:
        unit = UNITS.get(one.measure)
        name = f"{NAMES[one.measure]}, {unit}" if unit else NAMES[one.measure]
        yield AgreedFacts(name, one.estimate, one.floor, why_not(one) if one.reason else "")


def _change(level: "Level") -> str:
    """Second minus first with its interval."""
    found = level.difference
    if found.value is None or found.low is None or found.high is None:
        return ""
    decimals = decimals_for(found.low, found.high, found.value)
    value, low, high = (
        number(-end, decimals, signed=True) for end in (found.value, found.high, found.low)
    )
    return f"{value} [{low}, {high}]"


def _tests(level: "Level") -> str:
    assert level.flips is not None
    name = "Sign test" if level.flips.is_graded else "McNemar"
    return f"{name}: {test_words(level.flips)}"


def _rates(level: "Level") -> Iterator[Rate]:
    """Noise floor first, then what flips."""
    flips = level.flips
    if level.noise.share is not None:
        yield Rate("noise floor", level.noise.share, is_noise=True)
    if flips is None:
        return
    names = ("worse", "better") if flips.is_graded else ("right to wrong", "wrong to right")
    yield Rate("flips, either way", flips.share)
    for name, found in zip(names, (flips.broken, flips.mended), strict=True):
        if found.value is not None:
            yield Rate(name, found.value, found.low, found.high)
    if flips.answers_differ is not None:
        yield Rate("another answer", flips.answers_differ)


def _slices(level: "Level") -> Iterator[SliceFacts]:
    """All items, then what is shown, the clearest first, then the rest by p."""
    shown = {one.change.name: one for one in level.shown}
    rank = {name: place for place, name in enumerate(shown)}
    rest = sorted(level.changes[1:], key=lambda one: (rank.get(one.name, len(rank)), one.p))
    for change in (level.changes[0], *rest):
        own = shown.get(change.name)
        state: State = "not shown"
        if change.name == "all":
            state = "all items"
        elif own is not None:
            state = "nothing of its own" if own.goes_back_to else "change shown"
        turn = "" if own is None or own.turn is None else f"{own.turn[0]} to {own.turn[1]}"
        yield SliceFacts(
            name="all items" if change.name == "all" else change.name,
            says="all items" if change.name == "all" else change.says,
            n=change.n,
            before=change.before,
            after=change.after,
            low=change.low,
            high=change.high,
            elsewhere=change.elsewhere,
            p=change.p_holm,
            state=state,
            turn=turn,
        )


def _inputs(level: "Level") -> Iterator[InputFacts]:
    for one in level.disagreements[:MOST_INPUTS]:
        yield InputFacts(
            item=one.item,
            source=one.source,
            text=one.text,
            gold=one.gold,
            first=one.first,
            second=one.second,
            before=one.before,
            after=one.after,
            rank=one.rank,
            slices=one.slices,
        )


def _shared(shared: "SharedInvariances") -> SharedFacts:
    likeness = shared.likeness
    return SharedFacts(
        kept=tuple(_kept(one) for one in shared.kept),
        margin=shared.margin,
        outcome=shared.outcome,
        vectors=() if likeness is None else tuple(_vectors(one) for one in likeness.rows),
        claims=() if likeness is None else likeness.findings,
    )


def _vectors(one: "Likened") -> tuple[str, dict[str, Estimate]]:
    """Name of a measure, and what it says of whom."""
    series = {"second beside first": one.value, OWN: one.own, UNTRAINED: one.untrained}
    return likeness_name(one), {name: e for name, e in series.items() if e is not None}


def _kept(one: "Kept") -> KeptFacts:
    return KeptFacts(
        change=one.capability,
        reference=one.reference,
        target=one.target,
        dataset=one.dataset,
        is_judged=one.is_forward,
        hard=one.hard,
        random=one.random,
        ceiling=one.ceiling,
        ceiling_name=ceiling_name(one),
        lift=one.further.get("scope_lift@1"),
        own_lift=one.further.get("lift of itself"),
        kappa=one.further.get("kappa_inv@1"),
        soft=one.further.get("soft_scope@1"),
        finding=one.finding,
    )
