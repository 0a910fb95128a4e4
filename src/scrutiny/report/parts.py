"""Parts of the report: registered parts for which the run has data."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.plugin import family_name
from scrutiny.core.registry import registry
from scrutiny.parts.part import Part, ReportPart
from scrutiny.parts.run.view import RunView


def registered(estimates: Sequence[Estimate]) -> Iterator[ReportPart]:
    """Parts that need nothing, or what some estimate has, in the order of their registration.

    A line of the registry needs a diagnostic ("leakage"), a metric ("attack_success") or a
    coordinate of conditions ("condition.layer"). What a part needs beyond it finds out by itself.
    """
    keys = [e.key for e in estimates]
    known = {"", *map(family_name, {key.diagnostic for key in keys})}
    known |= {name_and_arguments(metric)[0] for metric in {key.metric for key in keys}}
    known |= {f"condition.{name}" for key in keys for name in key.condition}
    for (kind, _), entry in registry().entries.items():
        if kind == "part" and entry.registration.needs in known:
            yield entry.load()


def parts(view: RunView) -> tuple[Part, ...]:
    """Parts of a run, in the order of the page; without texts of the data where it shows none."""
    made = (one.make(view) for one in registered(view.estimates))
    found = (part for part in made if part is not None)
    if view.has_texts:
        return tuple(found)
    numbers = (replace(p, charts=tuple(c for c in p.charts if not c.has_texts)) for p in found)
    return tuple(part for part in numbers if part.charts)
