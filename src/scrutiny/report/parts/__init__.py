"""Parts of the report on reliability: one small file each, made of any run that has what it needs.

A part is a module with a function ``part(view)`` that gives a `Part`, or nothing where the run
lacks the ingredients (replicates, conditions, margins). To add one, write the file and add its
name to `PARTS`. No part knows a diagnostic by name.
"""

from importlib import import_module
from typing import Final

from scrutiny.report.parts.part import Part
from scrutiny.report.reading.view import RunView
from scrutiny.report.table.head_study import head_study

#: In the order of the page.
PARTS: Final = (
    "published",
    "matrices",
    "layer_grid",
    "attacks",
    "seeds",
    "flip_histogram",
    "specification",
    "over_steps",
    "agreement",
    "convergent",
    "abstention",
    "seed_spread",
    "relations",
    "comparisons",
)
#: Parts on single heads of attention, in the order of the page.
HEAD_PARTS: Final = (
    "heads_maps",
    "heads_changes",
    "heads_layers",
    "heads_tau",
    "heads_examples",
)


def reliability_parts(view: RunView) -> tuple[Part, ...]:
    """Parts that the run has the ingredients for."""
    made = (import_module(f"{__name__}.{name}").part(view) for name in PARTS)
    return tuple(part for part in made if part is not None)


def head_parts(view: RunView) -> tuple[Part, ...]:
    """Parts on single heads of attention; none for runs without any."""
    study = head_study(view)
    if not study.maps:
        return ()
    made = (import_module(f"{__name__}.{name}").part(view, study) for name in HEAD_PARTS)
    return tuple(part for part in made if part is not None)
