"""What a look says beside its history: as before, changed, or that it could not be found out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from scrutiny.core.randomness import generator
from scrutiny.run.watching.baseline import Baseline
from scrutiny.run.watching.history import LookLine, Trace, trace_of
from scrutiny.run.watching.looking import Look
from scrutiny.stats.significance import binomial
from scrutiny.stats.significance.exact_tests import mcnemar
from scrutiny.stats.significance.odd_one_out import odd_needed, share_found

WatchState = Literal["as before", "changed", "could not find out"]
#: Share of the items that have to be answered.
_ANSWERED: Final = 0.9
_SAME: Final = 0.98  # share of equal answers from which on probabilities alone have changed


@dataclass(frozen=True, slots=True)
class Watched:
    """Outcome of one look.

    Parameters
    ----------
    state
        As the exit code says it.
    says
        The first sentence.
    details
        Name and sentence of each further line.
    numbers
        What was measured, for machines.
    """

    state: WatchState
    says: str
    details: tuple[tuple[str, str], ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)


def line_of(look: Look, baseline: Baseline, *, when: str) -> LookLine:
    """The look as the history keeps it, without its state."""
    return LookLine(
        when=when,
        baseline=baseline.run,
        dataset=baseline.dataset,
        asked=look.asked,
        answered=len(look.symbols),
        same=look.same(baseline),
        outcomes="".join("1" if one else "0" for one in look.outcomes),
        retired=tuple(look.retired),
        served=tuple(sorted(look.served)),
    )


def judge(look: Look, baseline: Baseline, lines: Sequence[LookLine], *, level: float) -> Watched:
    """Outcome of the last of some looks.

    Parameters
    ----------
    look
        The last look.
    baseline
        What it is compared with.
    lines
        All looks, this one included.
    level
        Chance of ever a false alarm in this history.
    """
    trace = trace_of(lines, level=level)
    needed = _needed(baseline, lines, level)
    is_open = needed is not None and trace.since is None
    reach = _reach(look, baseline, lines, level) if is_open else None
    numbers = _numbers(look, baseline, trace, reach, level)
    details = tuple(_details(look, baseline, lines, numbers))
    if trace.since is not None:
        return Watched("changed", _changed(look, baseline, lines, trace, numbers), details, numbers)
    if why := _not_known(look, baseline, needed):
        return Watched("could not find out", f"Could not find out: {why}.", details, numbers)
    says = f"As before: {_same(numbers)}, {_noise(numbers)}."
    return Watched("as before", says, details, numbers)


def _not_known(look: Look, baseline: Baseline, needed: int | None) -> str:
    """Why nothing is known; empty if it is."""
    answered = len(look.symbols)
    if answered < _ANSWERED * look.asked or not answered:
        named = ", ".join(f"{reason}: {count}" for reason, count in look.reasons.most_common(3))
        came = look.requests - sum(look.reasons.values())
        why = f"the endpoint answered {came} of {look.requests}"
        return f"{why} ({named})" if named else why
    if needed is None:
        return (
            f"too few of the baseline's {len(baseline.examples)} items are left to show any change "
            "(each counts until its answer first differs): make a new baseline of more items"
        )
    return ""


def _needed(baseline: Baseline, lines: Sequence[LookLine], level: float) -> int | None:
    """Changed answers that would show a change from here on; None if too few items are left."""
    outcomes = [int(digit) for line in lines for digit in line.outcomes]
    left = _left(baseline, lines)
    return odd_needed(outcomes, level, most=left) if left else None


def _reach(look: Look, baseline: Baseline, lines: Sequence[LookLine], level: float) -> float | None:
    """Share of changed answers that another such look would show in 8 of 10 cases."""
    outcomes = [int(digit) for line in lines for digit in line.outcomes]
    retired = {item for line in lines[:-1] for item in line.retired}
    counted = len(look.symbols.keys() - retired)
    # half an answer more: none among few items does not show that there is no noise
    noise = (len(look.retired) + 0.5) / (counted + 1)
    items = round(len(look.symbols) * _left(baseline, lines) / len(baseline.examples))
    rng = generator(0, "watch", name="reach@1", item=baseline.run, draw=len(lines))
    return share_found(outcomes, level, items=items, noise=min(noise, 1.0), rng=rng)


def _left(baseline: Baseline, lines: Sequence[LookLine]) -> int:
    """Items of the baseline that count in later looks."""
    return len(baseline.examples) - len({item for line in lines for item in line.retired})


def _numbers(
    look: Look, baseline: Baseline, trace: Trace, reach: float | None, level: float
) -> dict[str, Any]:
    right = [
        (baseline.is_right(item, baseline.symbols[item]), baseline.is_right(item, symbol))
        for item, symbol in look.symbols.items()
    ]
    known = [pair for pair in right if None not in pair]
    gained, lost = known.count((False, True)), known.count((True, False))
    odd, told = sum(look.outcomes), len(look.outcomes)
    noise = (
        baseline.noise
        if baseline.noise is not None
        else look.noise_changed / look.noise_asked
        if look.noise_asked
        else None
    )
    return {
        "asked": look.asked,
        "answered": len(look.symbols),
        "same": look.same(baseline),
        "requests": look.requests,
        "noise": noise,
        "noise_of": baseline.noise_of or look.noise_asked,
        "came_again": odd,
        "told": told,
        "p_of_this_look": float(binomial.sf(odd - 1, told, 0.5)) if told else None,
        "evidence": trace.evidence,
        "evidence_needed": 1.0 / level,
        "level": level,
        "would_find": reach,
        "of_labels": len(known),
        "accuracy_before": _share(sum(bool(one) for one, _ in known), len(known)),
        "accuracy": _share(sum(bool(two) for _, two in known), len(known)),
        "gained": gained,
        "lost": lost,
        "p_of_accuracy": mcnemar(gained, lost).p_value if known else None,
        "shift": look.shift(baseline),
        "served": sorted(look.served),
    }


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


def _same(numbers: dict[str, Any]) -> str:
    return f"{numbers['same']} of {numbers['answered']} answers the same"


def _noise(numbers: dict[str, Any]) -> str:
    if numbers["noise"] is None:
        return "noise floor not known"
    return f"noise floor {100 * numbers['noise']:.1f} % (of {numbers['noise_of']})"


def _changed(
    look: Look,
    baseline: Baseline,
    lines: Sequence[LookLine],
    trace: Trace,
    numbers: dict[str, Any],
) -> str:
    """Sentence about a change: since when, and what has changed."""
    assert trace.since is not None
    since = "the baseline" if not trace.since else lines[trace.since].when[:10]
    if not look.symbols:
        return f"Changed since {since}; this time the endpoint did not answer."
    if numbers["same"] >= _SAME * numbers["answered"] and numbers["shift"] is not None:
        return (
            f"Changed since {since}: {_same(numbers)}, but their probabilities have moved (log of "
            f"the odds by {numbers['shift']:.2g}): another engine, precision or quantization."
        )
    said = [_same(numbers), _noise(numbers)]
    if numbers["accuracy"] is not None:
        before, after = 100 * numbers["accuracy_before"], 100 * numbers["accuracy"]
        said.append(f"accuracy {before:.1f} → {after:.1f} %")
    if numbers["shift"]:
        said.append(f"log of the odds moved by {numbers['shift']:.2g}")
    return f"Changed since {since}: {', '.join(said)}."


def _details(
    look: Look, baseline: Baseline, lines: Sequence[LookLine], numbers: dict[str, Any]
) -> list[tuple[str, str]]:
    """Further lines: what the sentence rests on."""
    level = f"{100 * numbers['level']:g} %"
    found = [
        (
            "evidence",
            f"{numbers['evidence']:.3g}, a change is shown at {numbers['evidence_needed']:g}: an "
            f"alarm without a change has a chance of at most {level}, over all looks of this "
            "history together",
        )
    ]
    if numbers["told"]:
        what = "answers or probabilities" if baseline.by_scores else "answers"
        found.append(
            (
                "this look",
                f"of {numbers['told']} {what} that differ for the first time "
                f"{numbers['came_again']} came again, where noise makes at most half "
                f"(p = {numbers['p_of_this_look']:.2g})",
            )
        )
    if numbers["accuracy"] is not None:
        found.append(
            (
                "accuracy",
                f"{100 * numbers['accuracy_before']:.1f} → {100 * numbers['accuracy']:.1f} % of "
                f"{numbers['of_labels']} ({numbers['lost']} lost, {numbers['gained']} gained; "
                f"McNemar mid-p {numbers['p_of_accuracy']:.2g})",
            )
        )
    if numbers["shift"] is not None:
        found.append(("log of the odds", f"moved by {numbers['shift']:.2g} (median)"))
    if numbers["evidence"] < numbers["evidence_needed"]:
        share = numbers["would_find"]
        says = "no change for sure in one such look: too few items count, or too many vary"
        if share is not None:
            says = (
                f"a change of {100 * share:.2g} % of the answers, in 8 of 10 such looks (simulated "
                "with the noise of this one)"
            )
        found.append(("would find", says))
    if look.reasons:
        named = ", ".join(f"{reason}: {count}" for reason, count in look.reasons.most_common())
        found.append(("no reply", named))
    if look.stopped:
        found.append(("stopped", look.stopped))
    if said := _served(lines):
        found.append(("served by", said))
    left = _left(baseline, lines)
    found.append(
        (
            "history",
            f"look {len(lines)}; {left} of {len(baseline.examples)} items count on; "
            f"{look.requests} requests",
        )
    )
    return found


def _served(lines: Sequence[LookLine]) -> str:
    """Names under which the endpoint says it has answered, where they are others than before."""
    *before, last = [", ".join(line.served) for line in lines if line.served] or [""]
    if before and before[-1] != last:
        return f"{last}; before: {before[-1]}"
    return last
