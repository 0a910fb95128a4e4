"""Whole studies of simulated heads: records of families whose truth is known, and their findings.

The design, its claims, their components, contrasts and verdicts are those of `attention.heads`;
only what a network would have answered is drawn.
"""

import numpy as np
import pyarrow as pa
from planted_heads import WORDS, attending, baselines, frames

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.design import DataShape, Inputs, SubjectShape
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.diagnostics.attention.heads import Heads, HeadsParams
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.estimating.estimates import estimate_all
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import RECORDS
from scrutiny.tasks.tasks import load_task

HEADS = 24
PARAMS = HeadsParams(presets=("default",))
MEASURES = (
    Measure("tp", (("layer", 1), ("head", HEADS))),
    Measure("predicted", (("layer", 1), ("head", HEADS))),
    Measure("gold"),
    Measure("baseline_tp", (("baseline", 3),)),
    Measure("baseline_predicted", (("baseline", 3),)),
)
_KIND = "attention.heads@1#simulated"
#: Mean number of targets of a frame, see `planted_heads.frames`.
_TARGETS = 14 * 0.6 * 0.88


def expected_f1(fidelity):
    """F1, over endless frames, of a head that attends from a target to the cue this often."""
    by_chance = (1 - np.asarray(fidelity)) / (WORDS - 1)
    tp = _TARGETS * (fidelity + by_chance)
    predicted = tp + (WORDS - _TARGETS) / (WORDS - 1)
    return 2 * tp / (predicted + _TARGETS)


def verdict(claim, families, *, rng, seed, n=60, draws=200):
    """Verdict of a claim about the family ``own``, from fidelities of families by role.

    Parameters
    ----------
    claim
        Its name in the design.
    families
        ``(replicate, head)`` by role: ``measured`` is the family that the claim is about; the
        others ``control``, ``null`` or ``base``. Pseudo-cues get what any word gets.
    rng, seed
        Of the frames and of the resampling.
    """
    records, items = _tables(families, rng, n=n)
    given = families.keys() - {"measured"}
    design = Heads().design(PARAMS, _inputs(given, n=n))
    (stated,) = (c for c in design.claims if c.id == claim)
    names = {component.estimate for component in stated.components}
    specs = {spec.id: spec for spec in design.estimates}
    own = [_assignment("measured", specs[name]) for name in names if name in specs]
    contrasts = [
        PlacedContrast(
            c.id,
            _assignment("measured", specs[c.a]),
            _assignment("measured" if c.minus == "own" else c.minus, specs[c.b]),
            is_paired=c.minus == "own",
        )
        for c in design.contrasts
        if c.id in names
    ]
    estimator = Estimator(
        RowGroups.of_table(records), items, resampling=Resampling(draws=draws), seed=seed
    )
    _, (found,) = estimate_all(estimator, own, [stated], contrasts=contrasts)
    return found


def _inputs(given, *, n):
    """What a design looks at."""
    return Inputs(
        load_task("anchored-spans"),
        DataShape("x", n),
        SubjectShape("measured", n_layers=1, n_heads=HEADS),
        base="base" if "base" in given else "",
        controls=frozenset(given - {"base"}),
    )


def _assignment(subject, spec):
    role = spec.role if subject in ("measured", "base") else subject
    return Assignment.of(
        spec,
        measure="heads",
        kind=_KIND,
        subject=subject,
        dataset="x",
        measures=MEASURES,
        role=role,
    )


def _tables(families, rng, *, n):
    """Records of all families on the same frames, and the frames."""
    gold = frames(rng, n)
    low = baselines(rng, gold)
    items = [f"frame {i}" for i in range(n)]
    parts, values = [], []
    for subject, fidelities in families.items():
        for replicate, fidelity in enumerate(fidelities):
            answers = {"measured": fidelity}
            if "null" in families:  # only beside untrained networks are pseudo-cues looked at
                answers["control"] = np.zeros(HEADS)
            for role, own in answers.items():
                values.append(np.column_stack([attending(rng, gold, own), gold, low]))
                parts.append((subject, canonical_json({"seed": str(replicate)}), role))
    subjects, replicates, roles = (np.repeat(column, n) for column in zip(*parts, strict=True))
    size = n * len(parts)
    table = np.concatenate(values).astype(float)
    offsets = pa.array(table.shape[1] * np.arange(size + 1), pa.int32())
    columns = {
        "kind": [_KIND] * size,
        "subject": subjects,
        "reference": [None] * size,
        "replicate": replicates,
        "dataset": ["x"] * size,
        "condition": [canonical_json({"preset": "default"})] * size,
        "role": roles,
        "item": items * len(parts),
        "variant": [None] * size,
        "status": ["ok"] * size,
        "reason": [None] * size,
        "values": pa.ListArray.from_arrays(offsets, table.ravel()),
    }
    halves = {"dataset": ["x"] * n, "item": items, "a_half": ["A", "B"] * (n // 2)}
    return pa.table(columns, schema=RECORDS), pa.table(halves)
