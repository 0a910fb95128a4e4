"""Influence of training examples on decisions, tested by removing them and training anew."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.queries.language import Passage
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.influence.influence_checks import (
    Sample,
    artifact_in,
    artifacts,
    of_gradients,
    of_head,
    of_model,
    other_sample,
    placed,
    removed_rows,
)
from scrutiny.diagnostics.influence.influence_params import (
    GRADIENTS,
    HEAD,
    MISLABELED,
    MODEL,
    InfluenceParams,
    design_of,
)
from scrutiny.models.answers.language_answers import answered_vectors
from scrutiny.stats.influence.influences import influences
from scrutiny.stats.influence.logistic_heads import (
    TrainingRows,
    fit_head,
    log_probabilities,
)
from scrutiny.stats.influence.shared_features import shared_features
from scrutiny.store.stored_forms import packed

#: Array of a task with influential examples in words.
EXAMPLES: Final = "influential"
_SAMPLE_SHARE: Final = 0.8
_SHOWN_DECISIONS: Final = 10
_SHOWN_EXAMPLES: Final = 3
_MEASURES: Final = (
    Measure("drop", says="confidence lost", row_range=(-1.0, 1.0), no_effect=0.0),
    Measure("rank", says="rank correlation of influences", row_range=(-1.0, 1.0)),
    Measure("placed", says="AUC of wrong labels by self-influence", row_range=(0.0, 1.0)),
    Measure("present", says="the artifact", row_range=(0.0, 1.0)),
    Measure("right", unit="items", says="accuracy of the head", row_range=(0.0, 1.0)),
    Measure(
        "same", unit="items", says="the model's answer given by the head", row_range=(0.0, 1.0)
    ),
    Measure("gradient", says="rank correlation with products of gradients", row_range=(-1.0, 1.0)),
)


class _OfHeads(Diagnostic[InfluenceParams]):
    """Influence on the decisions of a logistic head of a model's features."""

    wants = (LABELS,)
    why_only = "a logistic head decides between labels"
    measures = _MEASURES
    scope = "dataset"

    def reads_training(self, params: InfluenceParams) -> bool:
        """Always."""
        return True

    def audit_params(self, task: Task) -> InfluenceParams:
        """Fewer decisions."""
        return InfluenceParams(decisions=20)

    def enough_items(self, n_rows: int) -> int:
        """A few decisions suffice."""
        return 10

    def design(self, params: InfluenceParams, inputs: Inputs) -> Design:
        """What removal costs beyond random removal, other samples, wrong labels, an artifact."""
        return design_of(params, inputs)

    def measure(
        self, params: InfluenceParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Rows of the drawn decisions in every check and sample; of others the head's answer."""
        if not ctx.training:  # a plan without it is refused
            lacking = Failure("no_training", status="skipped")
            yield from (RowKind().row(example.id, lacking) for example in batch.examples)
            return
        training = [e for e in ctx.training if e.gold is not None]
        kept = ctx.rng("training", self.id, "").permutation(len(training))[: params.train]
        training = [training[i] for i in sorted(kept.tolist())]
        order = ctx.rng("decisions", self.id, "").permutation(len(batch.examples))
        chosen = sorted(order[: params.decisions].tolist())
        labels = sorted({str(e.gold) for e in training})
        if len(labels) < 2:
            raise PlanError(
                f"{self.id}: the training data have {len(labels)} labels in {len(training)} "
                "examples; a decision needs two. Name the data that the model was trained on."
            )
        made = self._of(training, batch.examples, chosen, labels, params, cell, ctx)
        found = {(row.item, RowKind(row.condition, row.role)): row for row in made}
        kinds = dict.fromkeys(kind for _, kind in found)
        away = Failure("not_drawn", status="skipped")
        for example in batch.examples:
            for kind in kinds:
                yield found.get((example.id, kind)) or kind.row(example.id, away)

    @abstractmethod
    def features(self, model: Any, examples: Sequence[Example]) -> Any:
        """Features ``(example, dimension)``, dense or sparse."""

    def _of(
        self,
        training: Sequence[Example],
        examples: Sequence[Example],
        chosen: Sequence[int],
        labels: Sequence[str],
        params: InfluenceParams,
        cell: Cell,
        ctx: Context,
    ) -> Iterator[Row]:
        """Rows of the chosen decisions, and of all items whether the head is right."""
        X, every = shared_features(
            self.features(ctx.model, training), self.features(ctx.model, examples)
        )
        T, decisions = every[chosen], [examples[i] for i in chosen]
        answers = ctx.predict(decisions) if ctx.model.gives_answers else ()
        y = np.array([labels.index(str(e.gold)) for e in training])
        samples = []
        for draw in range(params.draws):
            order = ctx.rng("sample", self.id, cell.replicate or "", draw).permutation(
                len(training)
            )
            rows = np.sort(order[: max(2, round(_SAMPLE_SHARE * len(training)))])
            strength = 1 / (params.strength * len(rows))
            head = fit_head(TrainingRows(X[rows], y[rows], len(labels), strength))
            decided = head.answers(T)
            influence = influences(head, T, decided, method=params.method)
            samples.append(Sample(rows, head, decided, influence))
        has_artifact = artifact_in(params, training, decisions)
        for draw, sample in enumerate(samples):

            def rng(purpose: str, item: str = "", draw: int = draw) -> Rng:
                return ctx.rng(purpose, self.id, item, draw)

            for check, found in (
                *removed_rows(params, sample, T, decisions, rng),
                *other_sample(samples, draw, params, T, rng),
                (MISLABELED, placed(params, sample, len(decisions), rng)),
                *artifacts(params, sample, has_artifact, y, decisions, rng),
                (HEAD, of_head(sample, every, examples, labels)),
                (GRADIENTS, of_gradients(sample, T)),
                (MODEL, of_model(sample, len(decisions), labels, answers)),
            ):
                for role, values in found:
                    kind = RowKind.of({"check": check, "draw": draw}, role)
                    whose = examples if check == HEAD else decisions
                    for example, value in zip(whose, values, strict=True):
                        yield kind.named_row(example.id, self.measures, value)
        ctx.array(
            EXAMPLES,
            packed(list(_in_words(samples[0], T, training, decisions, labels, params, cell))),
        )


class Influence(_OfHeads):
    """Which training examples a decision of a small classifier rests on, and whether they matter.

    The model's features (words of a linear model, the vector before the last layer of a network)
    are held fixed, and a logistic head is fitted to the training examples. The influence of an
    example is the derivative of the loss at the decision by the example's weight; positive is
    helpful. Each decision is taken anew by heads trained without the most helpful, most harmful,
    least influential and as many random examples; by heads of another sample of the examples; by
    one of labels at random. A share of the labels is made wrong to see whether influence of
    examples on themselves finds them.

    **Measures**: whether the named examples matter for the decision more than as many at random,
    would be named again, and share an artifact.

    **Misleads when**: the head answers otherwise than the model (see ``mean(same)``): what the
    layers below learned from an example is not in it; several copies of an example make each look
    unimportant; ``lissa-2020`` damps so much that only gradients are left.

    **References**: Koh & Liang (2017), Understanding black-box predictions via influence functions;
    Han, Wallace & Tsvetkov (2020), Explaining black box predictions and unveiling data artifacts
    through influence functions; Pruthi et al. (2020), Estimating training data influence by tracing
    gradient descent; Hampel (1974), The influence curve and its role in robust estimation.
    """

    id = "influence@1"
    needs = frozenset({"predict", "last_layer"})

    def features(self, model: Any, examples: Sequence[Example]) -> Any:
        """What the model's last layer reads."""
        return model.last_layer(examples)


class VectorInfluence(_OfHeads):
    """Which training examples a head of a frozen encoder rests on, and whether they matter.

    As `influence@1`, with a head of the encoder's last layer (mean over tokens); the model's own
    answers are compared where it gives any.

    **Measures**: whether the examples that are named as influential for the head matter more than
    as many at random, would be named again, and share an artifact.

    **Misleads when**: read as the influence on a fine-tuned model: the encoder has not seen the
    training examples; several copies of an example make each look unimportant.

    **References**: Koh & Liang (2017), Understanding black-box predictions via influence functions;
    Han, Wallace & Tsvetkov (2020), Explaining black box predictions and unveiling data artifacts
    through influence functions.
    """

    id = "influence.vectors@1"
    needs = frozenset({"representations"})

    def features(self, model: Any, examples: Sequence[Example]) -> Floats:
        """Mean of the last layer's vectors of each text, or of a pair read together.

        Raises
        ------
        PlanError
            If a text has none.
        """
        layer = int(model.n_layers)
        texts = [tuple(e.fields.values()) for e in examples]
        passages = [
            Passage(t[0], pair=t[1]) if len(t) == 2 else Passage(" ".join(t)) for t in texts
        ]
        found = answered_vectors(model, passages, layers=[layer], poolings=("mean",))
        vectors = cast("Floats", found.of(layer, "mean").astype(float))
        if not np.isfinite(vectors).all():
            bad = next(
                e.id for e, v in zip(examples, vectors, strict=True) if not np.isfinite(v).all()
            )
            raise PlanError(
                f"{self.id}: the model has no vector of {bad!r}; it may be too long. Leave such "
                "texts out, or use an encoder that reads longer ones."
            )
        return vectors


def _in_words(
    sample: Sample,
    T: Floats,
    training: Sequence[Example],
    decisions: Sequence[Example],
    labels: Sequence[str],
    params: InfluenceParams,
    cell: Cell,
) -> Iterator[dict[str, Any]]:
    """The most helpful and most harmful examples of the first decisions."""
    way = 1.0 if params.sign == "helpful" else -1.0
    confidence = np.exp(log_probabilities(T, sample.head.weights))
    for i, example in enumerate(decisions[:_SHOWN_DECISIONS]):
        order = np.argsort(-sample.influence[i], kind="stable").tolist()
        told = [*order[:_SHOWN_EXAMPLES], *order[-_SHOWN_EXAMPLES:]]
        yield {
            "subject": cell.subject,
            "replicate": cell.replicate,
            "dataset": cell.dataset,
            "item": example.id,
            "text": " | ".join(example.fields.values()),
            "label": labels[int(sample.decided[i])],
            "confidence": float(confidence[i, sample.decided[i]]),
            "examples": [
                {
                    "influence": way * float(sample.influence[i, row]),
                    "text": " | ".join(training[int(sample.rows[row])].fields.values()),
                    "label": str(training[int(sample.rows[row])].gold),
                }
                for row in dict.fromkeys(told)
            ],
        }
