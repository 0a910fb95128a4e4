"""Sentences about what a time budget left out, and why."""

from collections.abc import Iterator, Sequence

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.grouping import grouped
from scrutiny.core.plan import MeasurePlan
from scrutiny.run.budgeting.durations import in_words, rounded_up
from scrutiny.run.planning.resolve import measurement_of
from scrutiny.run.planning.resolved import Measurement, Resolved


def risk_names(measurement: Measurement) -> dict[str, str]:
    """Names for people of the risks of a measurement, by claim: what a budget may leave out."""
    claims = (claim for design in measurement.designs.values() for claim in design.claims)
    return {claim.id: claim.risk.what for claim in claims if claim.risk is not None}


def left_out(
    resolved: Resolved,
    chosen: Sequence[MeasurePlan],
    *,
    seconds: float,
    too_much: Sequence[tuple[Measurement, float]],
) -> Iterator[str]:
    """A sentence for measurements that are reduced alike, and for each that is left out.

    Parameters
    ----------
    resolved
        The requested plan.
    chosen
        What is measured of it.
    seconds
        The time budget.
    too_much
        Of measurements that are left out, the smallest that was worth asking, and its seconds.
    """
    lead = f"For a budget of {in_words(seconds)}, "
    pairs = [(resolved.measurements[one.id], measurement_of(one, resolved)) for one in chosen]
    for said, names in grouped((_reduced(*pair), pair[0].plan.id) for pair in pairs).items():
        if said:
            *others, last = names
            who = f"{', '.join(others)} and {last} have" if others else f"{last} has"
            yield f"{lead}{who} {said}"
    for one, needed in too_much:
        first = ", ".join(risk_names(one).values())
        what = f"{first} on {items_of(one):,} items" if first else f"{items_of(one):,} items"
        yield f"{lead}{one.plan.id} was left out: {what} would take about {in_words(needed)}."


def too_little(few: Measurement, seconds: float, enough: float, whole: float) -> str:
    """Sentences: a budget is too little, which one would do, and what all of it takes.

    Parameters
    ----------
    few
        Measurement that would have too few items.
    seconds
        The budget.
    enough, whole
        Seconds that would do, and that everything takes.
    """
    enough, whole = rounded_up(enough), rounded_up(whole)
    last = "" if enough >= whole else f" Everything takes about {in_words(whole)}."
    return (
        f"A budget of {in_words(seconds)} is too little: {few.plan.id} would have "
        f"{items_of(few):,} items, from which nothing can be told. About {in_words(enough)} would "
        f"do.{last} Nothing was asked but what was timed: give a larger budget, or none."
    )


def _reduced(asked: Measurement, made: Measurement) -> str:
    """What a measurement has of what was requested; empty if all of it."""
    said = []
    if items_of(made) < items_of(asked):
        said.append(f"{items_of(made):,} of {items_of(asked):,} items")
    before, now = plain(asked.params), plain(made.params)
    for param, word in (("draws", "draws"), ("budget", "texts of each search")):
        if now.get(param) != before.get(param):
            said.append(f"{now[param]} of {before[param]} {word}")
    if before.get("control") and not now.get("control"):
        said.append("no random changes to compare with")
    kept = risk_names(made)
    gone = [title for claim, title in risk_names(asked).items() if claim not in kept]
    if gone:
        said.append(f"{len(kept)} of {len(kept) + len(gone)} risks ({', '.join(kept.values())})")
    why = f" Not asked, because each needs enough items: {', '.join(gone)}." if gone else ""
    return f"{', '.join(said)}.{why}" if said else ""


def items_of(measurement: Measurement) -> int:
    """Number of items of the largest dataset, or as many as the measurement draws of it."""
    most = plain(measurement.params).get("items")
    found = max(map(len, measurement.examples.values()))
    return min(found, most) if isinstance(most, int) else found
