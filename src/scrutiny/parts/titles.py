"""Titles of charts in parts, and signs of intervals."""

from collections.abc import Sequence

from scrutiny.core.estimate import EstimateKey
from scrutiny.parts.run.references import own_subjects
from scrutiny.parts.run.view import OwnInterval, RunView
from scrutiny.parts.wording.labels import estimate_words, key_parts

ABOVE, BELOW = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def title_of(keys: Sequence[EstimateKey], view: RunView) -> str:
    """Title of a chart in a part: the metric, and what its estimates have in common."""
    parts = [key_parts(key) for key in keys]
    shared = {n: v for n, v in parts[0].items() if all(p.get(n, "") == v for p in parts)}
    datasets = {e.key.dataset for e in view.estimates if e.key.diagnostic == keys[0].diagnostic}
    several = {
        "subject": len(own_subjects(view)) > 1,
        "dataset": len(datasets) > 1,
        "role": shared.get("role") != "measured",
        "group": shared.get("group") not in ("all", None),
    }
    said = [v for n, v in shared.items() if n.startswith("condition.") and v]
    said += [shared[n] for n, holds in several.items() if holds and shared.get(n)]
    name = estimate_words(keys[0])
    name = f"{keys[0].diagnostic_name}: {name}"
    return " \N{MIDDLE DOT} ".join([name, *said])


def side_of(own: OwnInterval | None, reference: float | None) -> str:
    """Sign of an interval that excludes the reference value; empty otherwise."""
    if own is None or reference is None:
        return ""
    return ABOVE if own.low > reference else BELOW if own.high < reference else ""
