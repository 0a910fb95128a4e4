"""Scores in words: beside those of no skill, and of each class.

Of a model that is not shown to be better than no skill next to nothing can be told: what it loses
under a change, or to an attack, is measured on answers that are right by chance. So this is the
first thing that a report says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.blocks.labels import capitalized, short_names
from scrutiny.blocks.numbers import NO_VALUE, decimal_of, denominator, percent_of
from scrutiny.core.boundary.printable import percent
from scrutiny.core.claim import NO_SKILL, Finding
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import measures_of

_MOST_SAID: Final = 3
#: No skill is often a mistake in how a model is asked.
_CHECK: Final = "Check the labels, the prompt and how answers are read."
#: Where a score lies above that of no skill, but its interval holds it.
_ABOVE: Final = "Not shown to be better"
_MORE: Final = "More items would decide; also check the labels and how answers are read."
#: Where a gate, and no limits, kept the score from being compared.
_UNKNOWN: Final = "It can't be told whether this is better than no skill"


@dataclass(frozen=True, slots=True)
class NoSkill:
    """Models and data without shown skill, in words.

    Parameters
    ----------
    says
        The first line of a report, with the figures.
    short
        The same without figures: "No better than always answering 'spam'".
    is_everywhere
        Whether no model of the run has shown skill on any of its data.
    advice
        What to do about it; nothing where the first line says it.
    """

    says: str
    short: str
    is_everywhere: bool
    advice: str = _CHECK


def no_skill_in(findings: Sequence[Finding]) -> NoSkill | None:
    """Models of a run without shown skill; None if all have it, or nobody asked.

    Where the run has a main score, that is what tells; else what was not tested for want of skill.
    """
    scores = [finding for finding in findings if finding.claim.is_headline]
    lacking = [finding for finding in scores if finding.verdict != "supported"]
    if not scores:
        return _untested(findings)
    if not lacking:
        return None
    names = _names(scores)
    of_each = [names.get(id(finding), "") for finding in lacking]
    said = [f"{of}{_sentence(f)}" for of, f in zip(of_each, lacking, strict=True)]
    short = _and_more(of_each[0] + _short(lacking[0]), said)
    shorts = [_short(finding) for finding in lacking]
    # of a good score on few items, ask more
    advice = _MORE if any(one.startswith(_ABOVE) for one in shorts) else _CHECK
    advice = "" if all(one == _UNKNOWN for one in shorts) else advice
    return NoSkill(_first_of(said), short, len(lacking) == len(scores), advice)


def _untested(findings: Sequence[Finding]) -> NoSkill | None:
    """Models and data without skill, by the reason why their risks were not tested."""
    asked = [finding for finding in findings if finding.claim.risk]
    lacking = [finding for finding in asked if finding.lacks_skill]
    if not lacking:
        return None
    names = _names(asked)
    reasons: dict[str, str] = {}
    for finding in lacking:
        reasons.setdefault(names.get(id(finding), ""), f"{capitalized(finding.reason)}.")
    said = [of + reason for of, reason in reasons.items()]
    short = _and_more(f"{next(iter(reasons))}{capitalized(NO_SKILL)} shown", said)
    return NoSkill(_first_of(said), short, len(lacking) == len(asked))


def _first_of(said: Sequence[str]) -> str:
    """The first of several sentences, and how many there are beside them."""
    more = len(said) - _MOST_SAID
    return " ".join([*said[:_MOST_SAID], *[f"{more} more so."] * (more > 0)])


def _and_more(short: str, said: Sequence[str]) -> str:
    return f"{short}, and {len(said) - 1} more" if len(said) > 1 else short


def _names(scores: Sequence[Finding]) -> dict[int, str]:
    """Model and data of each score, as the beginning of a sentence, where there are several."""
    keys = [finding.estimate.key for finding in scores if finding.estimate]
    models = short_names(list(dict.fromkeys(key.subject for key in keys)))
    data = short_names(list(dict.fromkeys(key.dataset for key in keys)))
    found = {}
    for finding in scores:
        if finding.estimate is not None:
            key = finding.estimate.key
            parts = [models[key.subject]] if len(models) > 1 else []
            parts += [data[key.dataset]] if len(data) > 1 else []
            found[id(finding)] = f"{' on '.join(parts)}: " if parts else ""
    return found


def _short(finding: Finding) -> str:
    """How a score lies to that of no skill, in words."""
    found, claim = finding.estimate, finding.claim
    if not finding.lacks_skill or found is None or found.value is None:
        return _UNKNOWN
    least, of = claim.components[0].limit, claim.no_skill or NO_SKILL
    if found.high is not None and found.high < least:
        return f"Worse than {of}"
    return f"No better than {of}" if found.value <= least else f"{_ABOVE} than {of}"


def _sentence(finding: Finding) -> str:
    """The same with the figures, or why it can't be told."""
    short, found = _short(finding), finding.estimate
    if short == _UNKNOWN or found is None:
        return f"{short}: {finding.reason}."
    name = metric_of(found.key.metric, measures_of(found.key.diagnostic)).says
    least = percent(finding.claim.components[0].limit)
    return f"{short} ({least}): {name} {percent_of(found)}."


#: Headlines of the numbers of a class, in the order of their columns.
_COLUMNS: Final = ("recall", "precision", "F1")


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One label: its items, and its numbers in words.

    ``lowest`` is its F1, by which labels are ordered; ``given`` is how many answers have it, the
    mean over replicates.
    """

    label: str
    items: str
    given: str
    recall: str
    precision: str
    f1: str
    lowest: float


def label_lines(estimates: Sequence[Estimate]) -> dict[tuple[str, str], list[LabelLine]]:
    """Lines of a report on each label, the worst F1 first, by model and dataset of the run."""
    plain = ("measured", "all", None)
    own = (
        e
        for e in estimates
        if (e.key.role, e.key.group, e.key.replicate) == plain
        and set(e.key.condition) == {"label"}
        and headline_of(e.key.metric) in _COLUMNS
    )
    return {
        place: sorted(_lines(found), key=lambda line: line.lowest)
        for place, found in grouped(((e.key.subject, e.key.dataset), e) for e in own).items()
    }


@lru_cache(maxsize=1024)  # asked for each estimate of a screen, and an unknown name is dear
def headline_of(metric: str) -> str:
    """Name of a metric on the first screen; empty if it does not stand there."""
    try:
        return metric_of(metric).headline
    except ScrutinyError:  # of a plug-in that is not here
        return ""


def _lines(estimates: Sequence[Estimate]) -> Iterator[LabelLine]:
    by_label = grouped((str(e.key.condition.get("label")), e) for e in estimates)
    for label, found in by_label.items():
        recall, precision, f1 = (
            next((e for e in found if headline_of(e.key.metric) == column), None)
            for column in _COLUMNS
        )
        yield LabelLine(
            label=label,
            items=NO_VALUE if recall is None else denominator(recall),
            given=NO_VALUE if precision is None else denominator(precision),
            recall=percent_of(recall),
            precision=percent_of(precision),
            f1=decimal_of(f1),
            lowest=0.0 if f1 is None or f1.value is None else f1.value,
        )
