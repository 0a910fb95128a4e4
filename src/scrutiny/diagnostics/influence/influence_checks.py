"""Checks of influences: removal, another sample, wrong labels, an artifact, the head itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng
from scrutiny.core.registry import registry
from scrutiny.data.attribute import Attribute, words_of
from scrutiny.diagnostics.influence.influence_params import (
    ARTIFACT,
    REMOVED,
    SAMPLE,
    WORD,
    InfluenceParams,
    artifact_of,
)
from scrutiny.stats.association.correlation import rank_agreement
from scrutiny.stats.influence.influences import confidence_without, influences, self_influences
from scrutiny.stats.influence.logistic_heads import LogisticHead, fit_head

#: Values of each decision by measure, or why there are none, by role.
Columns = list[tuple[str, list[dict[str, float] | Failure]]]
#: Random numbers of a purpose, and of an item where they are its own.
Rngs = Callable[..., Rng]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A head of one sample of the training examples, with influences on the decisions.

    ``rows`` are places in the training set, ``influence`` is ``(decision, row)``.
    """

    rows: Integers
    head: LogisticHead
    decided: Integers
    influence: Floats


def removed_rows(
    params: InfluenceParams, sample: Sample, T: Floats, decisions: Sequence[Example], rng: Rngs
) -> Iterator[tuple[str, Columns]]:
    """Confidence lost without helpful, harmful, least influential, random examples."""
    count = min(max(1, round(params.share * len(sample.rows))), len(sample.rows) - 1)
    before = np.exp(-sample.head.losses(T, sample.decided))
    found: dict[str, list[Any]] = {name: [] for name in (*REMOVED, "random")}
    for i, example in enumerate(decisions):
        own = sample.influence[i]
        order = np.argsort(-own, kind="stable")
        removed = {
            "helpful": order[:count],
            "harmful": order[-count:],
            "least": np.argsort(np.abs(own), kind="stable")[:count],
            "random": rng("removed", example.id).permutation(len(own))[:count],
        }
        for name, rows in removed.items():
            after = confidence_without(sample.head, rows, T[[i]], sample.decided[[i]])
            found[name].append({"drop": float(before[i] - after[0])})
    for name in REMOVED:
        yield name, [("measured", found[name]), ("control", found["random"])]


def other_sample(
    samples: Sequence[Sample], draw: int, params: InfluenceParams, T: Floats, rng: Rngs
) -> Iterator[tuple[str, Columns]]:
    """Rank correlation with influences of the next sample, and of labels at random."""
    if len(samples) < 2:
        return
    sample, other = samples[draw], samples[(draw + 1) % len(samples)]
    shuffled = fit_head(
        other.head.rows.with_labels(rng("labels").permutation(other.head.rows.labels))
    )
    _, mine, theirs = np.intersect1d(sample.rows, other.rows, return_indices=True)
    columns = []
    for head in (other.head, shuffled):
        found = influences(head, T, sample.decided, method=params.method)
        pairs = zip(sample.influence[:, mine], found[:, theirs], strict=True)
        columns.append([_ranked(a, b, "rank") for a, b in pairs])
    yield SAMPLE, [("measured", columns[0]), ("control", columns[1])]


def _ranked(one: Floats, other: Floats, name: str) -> dict[str, float] | Failure:
    """Rank correlation as a measure of this name."""
    value = rank_agreement(one, other).spearman
    return Failure("no_order", status="undefined") if value is None else {name: value}


def placed(params: InfluenceParams, sample: Sample, count: int, rng: Rngs) -> Columns:
    """Share of rightly labeled examples that wrong ones exceed in self-influence; one a decision.

    Their mean is the area under the curve of finding wrong labels. Each wrong label counts once:
    where there are fewer of them than decisions, the other decisions have none.
    """
    rows, draws = sample.head.rows, rng("mislabeled")
    flipped = draws.permutation(len(rows.labels))[
        : max(1, round(params.flipped * len(rows.labels)))
    ]
    labels = rows.labels.copy()
    labels[flipped] = (labels[flipped] + draws.integers(1, rows.n_labels, len(flipped))) % (
        rows.n_labels
    )
    own = self_influences(fit_head(rows.with_labels(labels)))
    others = np.sort(np.delete(own, flipped))
    if not others.size:
        return [("measured", [Failure("all_flipped", status="undefined")] * count)]
    below = np.searchsorted(others, own[flipped], "left")
    ties = np.searchsorted(others, own[flipped], "right") - below
    placed = (below + ties / 2) / len(others)
    found: list[dict[str, float] | Failure] = [{"placed": one} for one in placed[:count].tolist()]
    lacking = Failure("fewer_wrong_labels", status="skipped")
    return [("measured", found + [lacking] * (count - len(found)))]


def artifact_in(
    params: InfluenceParams, training: Sequence[Example], decisions: Sequence[Example]
) -> tuple[Floats, Booleans] | None:
    """Artifact of each training example, and whether a decision is asked about; None for none."""
    name = artifact_of(params, tuple(decisions[0].fields))
    if not name:
        return None
    if name.startswith(WORD):
        word = name.removeprefix(WORD).lower()
        values = [[float(word in words_of(e)) for e in part] for part in (training, decisions)]
    else:
        attribute: Attribute = registry().load("attribute", name)
        if attribute.gives == "a word" or attribute.of_training:
            raise PlanError(
                f"artifact = {name!r} is no number and no yes or no of one item; there are, for "
                "instance, overlap, negated, length, and word:WORD for a word."
            )
        values = [
            [float(attribute.function(e) or 0.0) for e in part] for part in (training, decisions)
        ]
    own, of_decisions = map(np.array, values)
    own = own / max(1.0, own.max())  # a number beyond 1 as a share of the largest
    is_yes_or_no = set(np.unique(own).tolist()) <= {0.0, 1.0}
    # of an artifact that is there or not, decisions without it say nothing
    return own, of_decisions > 0 if is_yes_or_no else np.ones(len(decisions), dtype=bool)


def artifacts(
    params: InfluenceParams,
    sample: Sample,
    artifact: tuple[Floats, Booleans] | None,
    y: Integers,
    decisions: Sequence[Example],
    rng: Rngs,
) -> Iterator[tuple[str, Columns]]:
    """Mean of the artifact over the most influential examples, and random ones of their labels."""
    if artifact is None:
        return
    values, labels = artifact[0][sample.rows], y[sample.rows]
    found: list[list[Any]] = [[], []]
    for i, example in enumerate(decisions):
        if not artifact[1][i]:
            for column in found:
                column.append(Failure("lacks_artifact", status="skipped"))
            continue
        top = np.argsort(-sample.influence[i], kind="stable")[: params.top]
        draws = rng("artifact", example.id)
        twins = [int(draws.choice(np.flatnonzero(labels == labels[row]))) for row in top.tolist()]
        for column, rows in zip(found, (top, np.array(twins)), strict=True):
            column.append({"present": float(values[rows].mean())})
    yield ARTIFACT, [("measured", found[0]), ("control", found[1])]


def of_head(
    sample: Sample, T: Floats, examples: Sequence[Example], labels: Sequence[str]
) -> Columns:
    """Whether the head is right, of all items."""
    return [
        (
            "measured",
            [
                Failure("no_gold", status="skipped")
                if example.gold is None
                else {"right": float(labels[answer] == str(example.gold))}
                for example, answer in zip(examples, sample.head.answers(T).tolist(), strict=True)
            ],
        )
    ]


def of_gradients(sample: Sample, T: Floats) -> Columns:
    """How near influences are to products of gradients."""
    plain = influences(sample.head, T, sample.decided, method="gradient")
    pairs = zip(sample.influence, plain, strict=True)
    return [("measured", [_ranked(*pair, "gradient") for pair in pairs])]


def of_model(sample: Sample, count: int, labels: Sequence[str], answers: Sequence[Any]) -> Columns:
    """Whether the head answers as the model does, where that gives answers."""
    if not answers:
        return [("measured", [Failure("no_answer", status="undefined")] * count)]
    found = [
        one
        if isinstance(one, Failure)
        else {"same": float(str(one.answer) == labels[int(sample.decided[i])])}
        for i, one in enumerate(answers)
    ]
    return [("measured", found)]
