"""The AFLite diagnostic: which items a linear classifier reads off features, and what is left."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, cast, get_args

import numpy as np

from scrutiny.core.boundary.parameters import one_of
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import DataError, PlanError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.model import KnowsTrainingText
from scrutiny.core.queries.language import Passage, Represents
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance
from scrutiny.data.overlap import overlap_with_hashes
from scrutiny.diagnostics.artifacts.aflite import (
    PUBLISHED,
    Array,
    Filtering,
    aflite,
    out_of_fold,
)
from scrutiny.models.words.linear_classifier import features_of
from scrutiny.reliability.row_statistics import ratio

Features = Literal["words", "model"]
IN_PROPORTION: Final = "in proportion"
VARIANTS: Final = (IN_PROPORTION, *PUBLISHED)
_FOLDS: Final = 5
#: Dimensions of the words' features, and texts of a batch of the model's.
_DIMENSIONS: Final = 100
_AT_A_TIME: Final = 256
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_TUNED: Final = Failure("tuned_on", status="skipped")

#: How far a linear classifier of what is left falls below always giving the commonest label. Few
#: items and many features alone do that, so beside it stands the same of as many items at random.
UNDER: Final = ratio(
    "under@1",
    "what AFLite left: commonest label minus linear classifier",
    ("under", "left"),
    lambda measures: (measures[..., 0], measures[..., 1]),
    higher_is="worse",
    chance=Chance("as many items at random"),
)


@dataclass(frozen=True, slots=True)
class AfliteParams:
    """Features, and sizes of the filter.

    Parameters
    ----------
    features
        ``words``, a hundred dimensions of tf-idf; or ``model``, the vectors of the model's last
        layer (mean over tokens).
    variant
        Sizes by name: ``winogrande`` or ``le_bras_snli`` as published, for data as large; ``in
        proportion`` has the proportions of WinoGrande.
    target_size, n_partitions, train_size, slice_size, tau
        What is stated in place of them (`Filtering`).
    tuned_on
        Group (``#group=NAME`` of the data string) that is ``yes`` for items that the feature model
        was tuned on, and ``no`` for others. They are left out of the filter and its result; so are
        items whose texts are in the training text of a model that knows it, where its vectors are
        the features.
    """

    features: Features = "words"
    variant: str = IN_PROPORTION
    target_size: int | None = None
    n_partitions: int | None = None
    train_size: int | None = None
    slice_size: int | None = None
    tau: float | None = None
    tuned_on: str = ""

    def __post_init__(self) -> None:
        one_of(self, features=get_args(Features), variant=VARIANTS)

    def sizes(self, n: int) -> Filtering:
        """Parameters of the filter on so many items."""
        stated: dict[str, Any] = {
            name: value
            for name in Filtering.__dataclass_fields__
            if (value := getattr(self, name)) is not None
        }
        if self.variant == IN_PROPORTION:
            return Filtering.in_proportion(n, **stated)
        return replace(PUBLISHED[self.variant], **stated)


class Aflite(Diagnostic[AfliteParams]):
    """Items that linear classifiers read off fixed features, removed in rounds (AFLite).

    What is left beside all items, and beside as many drawn at random: accuracy of a linear
    classifier in folds, and of the model. Where the classifier falls below always giving the
    commonest label, and further than on as many items at random, the filter went too far: of what
    features told, by an artifact or by chance, it left the opposite.

    **Measures**: how much of the data is told by what the features hold without effort, and the
    model's accuracy where it is not.

    **Misleads when**: features are the model's own, for what is left was then chosen to be hard for
    it, and not for others; it went too far; easy items without an artifact are gone as well.

    **References**: Sakaguchi et al. (2020), WinoGrande; Le Bras et al. (2020), Adversarial filters
    of dataset biases. Items at random as control of the alarm are ours.
    """

    id = "aflite@1"
    needs = frozenset({"predict"})
    wants = (LABELS,)
    why_only = "other answers are no labels"
    scope = "dataset"
    only_when_named = True
    measures = (
        Measure("removed", unit="items", says="items removed", row_range=(0.0, 1.0)),
        Measure("round", says="round that removed it, 0 of what is left"),
        Measure("held_out", row_range=(0.0, 1.0)),
        Measure("predictability", among=("held_out",), row_range=(0.0, 1.0)),
        Measure("kept", row_range=(0.0, 1.0)),
        Measure("drawn", row_range=(0.0, 1.0)),
        Measure("linear_all", row_range=(0.0, 1.0)),
        Measure("linear_kept", among=("kept",), row_range=(0.0, 1.0)),
        Measure("linear_random", among=("drawn",), row_range=(0.0, 1.0)),
        Measure("left", says="kept, where any was removed", row_range=(0.0, 1.0)),
        Measure("under", says="below the commonest label", among=("left",), row_range=(-1.0, 1.0)),
        Measure("right", row_range=(0.0, 1.0)),
        Measure("right_kept", among=("kept",), row_range=(0.0, 1.0)),
    )

    def design(self, params: AfliteParams, inputs: Inputs) -> Design:
        """Shares and accuracies, and the alarm that the filter went too far."""
        require_packages("AFLite", "clusters", "sklearn")
        if params.features == "model" and "representations" not in inputs.subject.capabilities:
            raise PlanError(
                f"aflite with features = 'model' needs vectors, which {inputs.subject.name} lacks. "
                "Leave features out: those of words need no model."
            )
        if params.tuned_on and f"a_{params.tuned_on}" not in inputs.data.columns:
            raise PlanError(
                f"aflite: {inputs.data.name} has no group {params.tuned_on!r} that says yes or no "
                "of each item. A column becomes a group in the data string: "
                f"#group={params.tuned_on}."
            )
        means = ("linear_all", "linear_kept", "linear_random", "right", "right_kept")
        return Design(
            estimates=(
                EstimateSpec("removed", "share(removed)@1"),
                EstimateSpec("predictability", "mean(predictability)@1"),
                *(EstimateSpec(name, f"mean({name})@1") for name in means),
                EstimateSpec("under", UNDER.id),
                EstimateSpec("under at random", UNDER.id, role="control"),
                EstimateSpec("beyond", "beyond(under)@1"),
            ),
            claims=(
                Claim(
                    id="too far",
                    says="AFLite went too far: what is left is told worse than by chance",
                    components=(
                        Component("under", 0.0),
                        Component("beyond", 0.0, "control: as many items at random"),
                    ),
                    needs_control=False,
                    checks=("items",),
                ),
            ),
            notes=(
                f"Features are of {params.features}; sizes: "
                + ", ".join(f"{k} {v}" for k, v in _named(params.sizes(inputs.data.n_items)))
                + ".",
            ),
        )

    def measure(
        self, params: AfliteParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows of each item with a gold label: of what is left, and of as many at random."""
        known = [e for e in batch.examples if e.gold is not None]
        if not known:
            raise DataError(
                f"aflite: none of the {len(batch.examples):,} items has a gold label, so there is "
                "nothing that features could tell. Name the column of labels in the data string."
            )
        tuned = _tuned(params, known, ctx)
        make = partial(_filtered, params, known, tuned, ctx)
        # words are the same for every model and seed, and the filter takes long
        key = f"{self.id} {cell.dataset} {params}"
        made = ctx.once(key, make) if params.features == "words" else make()
        place = {e.id: i for i, e in enumerate(known)}
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            i = place.get(example.id)
            found: dict[str, float] | Failure
            dealt: dict[str, float] | Failure
            if i is None:
                found = dealt = _NO_GOLD
            elif tuned[i]:
                found = dealt = _TUNED
            elif isinstance(answer, Failure):
                found = dealt = answer
            else:
                right = float(answer.answer == example.gold)
                own = {name: values[i] for name, values in made["measured"].items()}
                found = {**own, "right": right, "right_kept": right * own["kept"]}
                dealt = {name: values[i] for name, values in made["control"].items()}
            yield RowKind().named_row(example.id, self.measures, found)
            yield RowKind(role="control").named_row(example.id, self.measures, dealt)


def _filtered(
    params: AfliteParams, known: Sequence[Example], tuned: Array, ctx: Context
) -> dict[str, dict[str, list[float]]]:
    """Measures of each item that need no answer of the model, by role and name."""
    used = ~tuned
    sizes = params.sizes(int(used.sum()))
    sizes.check(int(used.sum()))
    features = _of_model(known, ctx.model) if params.features == "model" else _of_words(known, ctx)
    golds = np.array([str(e.gold) for e in known])
    rng = ctx.rng("partitions", Aflite.id, params.features)
    made = aflite(features, golds, sizes, rng=rng, tuned=tuned)
    drawn = np.zeros(len(known), dtype=np.bool_)
    drawn[rng.permutation(np.flatnonzero(used))[: int(made.kept.sum())]] = True
    linear = {}
    for name, rows in (("all", used), ("kept", made.kept), ("random", drawn)):
        linear[name] = np.zeros(len(known))
        linear[name][rows] = out_of_fold(features[rows], golds[rows], folds=_FOLDS, rng=rng)
    left = made.kept & made.removed.any()
    measured = {
        "removed": made.removed,
        "round": made.round,
        "held_out": np.isfinite(made.predictability),
        "predictability": np.nan_to_num(made.predictability),
        "kept": made.kept,
        "drawn": drawn,
        **{f"linear_{name}": right for name, right in linear.items()},
        "left": left,
        "under": left * _under(golds, made.kept, linear["kept"]),
    }
    chosen = drawn & made.removed.any()
    control = {"left": chosen, "under": chosen * _under(golds, drawn, linear["random"])}
    roles = {"measured": measured, "control": control}
    return {
        role: {name: values.astype(float).tolist() for name, values in own.items()}
        for role, own in roles.items()
    }


def _under(golds: Array, kept: Array, right: Array) -> Array:
    """Whether the commonest label of what is kept is right, minus whether the classifier is."""
    commonest = Counter(golds[kept].tolist()).most_common(1)[0][0]
    return np.asarray(kept * ((golds == commonest) - right))


def _named(sizes: Filtering) -> list[tuple[str, object]]:
    return [(name.replace("_", " "), getattr(sizes, name)) for name in sizes.__dataclass_fields__]


def _tuned(params: AfliteParams, examples: Sequence[Example], ctx: Context) -> Array:
    """Whether the feature model was tuned on an item, by its column or its training text."""
    stated = [str(e.attributes.get(f"a_{params.tuned_on}", "no")) for e in examples]
    if params.tuned_on and (odd := sorted(set(stated) - {"yes", "no"})):
        raise PlanError(
            f"aflite: the group {params.tuned_on!r} says {odd[0]!r} of an item. It says yes of "
            "items that the feature model was tuned on, and no of others, in lower case."
        )
    found = np.array([said == "yes" for said in stated], dtype=np.bool_)
    if params.features == "model" and isinstance(ctx.model, KnowsTrainingText):
        hashes = ctx.model.training_hashes()
        known = np.ones(len(examples), dtype=np.bool_)  # of an item, all of its texts
        for name in dict.fromkeys(name for e in examples for name in e.fields):
            texts = [e.fields.get(name, "") for e in examples]
            there = {pair.a for pair in overlap_with_hashes(texts, hashes).pairs}
            known &= [i in there or not text for i, text in enumerate(texts)]
        found |= known
    return found


def _of_model(examples: Sequence[Example], model: Any) -> Array:
    """Vectors ``(item, dimension)`` of the last layer, mean over tokens."""
    texts = [tuple(e.fields.values()) for e in examples]
    passages = [
        Passage(own[0], pair=own[1]) if len(own) == 2 else Passage(" ".join(own)) for own in texts
    ]
    vectors = [
        cast("Represents", model).representations(
            passages[start : start + _AT_A_TIME], poolings=("mean",), layers=(model.n_layers,)
        )[:, 0, 0]
        for start in range(0, len(passages), _AT_A_TIME)
    ]
    return np.concatenate(vectors)


def _of_words(examples: Sequence[Example], ctx: Context) -> Array:
    """A hundred dimensions ``(item, dimension)`` of the tf-idf of words, each text by itself."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = [
        [f"{n} {w}" for n, text in e.fields.items() for w in features_of(text, has_pairs=False)]
        for e in examples
    ]
    counts = TfidfVectorizer(analyzer=list, sublinear_tf=True).fit_transform(rows)
    most = min(_DIMENSIONS, min(counts.shape) - 1)
    seed = int(ctx.rng("dimensions", Aflite.id, "words").integers(2**31))
    made = TruncatedSVD(max(1, most), random_state=seed).fit_transform(counts)
    # of unit spread: the usual penalty of the classifier is made for such
    return np.asarray(made / np.maximum(made.std(axis=0), 1e-12))
