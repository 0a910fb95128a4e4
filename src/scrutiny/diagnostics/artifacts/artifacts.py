"""Artifacts: how often a part of an item alone gives the right answer away."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType
from typing import ClassVar, Final

from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT, OPTIONS, Facts
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance
from scrutiny.diagnostics.artifacts.partial_input import LENGTHS, fit_part, shown_parts
from scrutiny.reliability.row_statistics import Additive

#: Share of items whose right answer a part of them gives away.
TOLD: Final = Additive(
    "told@1",
    "items whose answer the shown part gives away",
    ("told",),
    scale="logit",
    higher_is="worse",
    tolerance=0.05,
    row_range=(0.0, 1.0),
    is_mean=True,
    chance=Chance("shuffled answers"),
)
_WITHOUT_EXTRA: Final = (
    'artifacts was left out: its baselines need pip install "scrutiny[clusters]".'
)
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_NOT_FITTED: Final = Failure("needs_extra", status="skipped")
_TOO_FEW: Final = Failure("too_few_items", status="undefined")
#: Items below which a classifier has nothing to learn from.
_FEWEST: Final = 10


@dataclass(frozen=True, slots=True)
class ArtifactsParams:
    """Parts that are shown, and what may be told by one.

    Parameters
    ----------
    shown
        Names of the parts: text fields, ``lengths``, ``options``, ``question and options``; empty
        for all that the data has.
    folds
        Parts of the data, each answered by a baseline of the others; not used where the plan names
        the training set.
    tolerance
        Share of the items, beyond chance, whose answer a part may give away.
    """

    shown: tuple[str, ...] = ()
    folds: int = 5
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, folds=2)
        shares(self, "tolerance", zero=False)


class Artifacts(Diagnostic[ArtifactsParams]):
    """How often the right answer can be known from a part of the item alone, without reading it.

    A baseline is shown one part of each item: the hypothesis without its premise, the options
    without their question, the lengths of the texts and no word. It is fitted to the training set
    where the plan names it, else to the other folds of the data. Beside it stands the same baseline
    fitted to shuffled answers: what it is right about beyond that, the part gives away. The model's
    own answers are split by it: where the part tells the answer, and where it does not.

    **Measures**: artifacts of how the data was made, and how much of a model's score needs none of
    the rest of the item.

    **Misleads when**: little data is there to learn from: the baseline then finds less than a model
    that was trained on more; the part may tell the answer by right, as a question that can be
    answered without its text; items that a baseline misses are also harder in other ways, so a
    lower score on them is no proof that a model uses the artifact.

    **References**: Gururangan et al. (2018), Annotation artifacts in natural language inference
    data; Poliak et al. (2018), Hypothesis only baselines in natural language inference; Gardner et
    al. (2021), Competency problems. Shuffled answers as control, and folds that keep copies
    together, are ours.
    """

    id = "artifacts@1"
    needs = frozenset({"predict"})
    wants: ClassVar[tuple[Facts, ...]] = (
        Facts("label", "relation"),
        Facts("label", "anchor"),
        OPTIONS,
    )
    scope = "dataset"
    tolerates = MappingProxyType({"tolerance": TOLD.id})
    measures = (
        Measure("told", unit="items", row_range=(0.0, 1.0)),
        Measure("not_told", unit="items", row_range=(0.0, 1.0)),
        Measure("right_told", says="right where the part tells", among=("told",)),
        Measure("right_not_told", says="right where it does not", among=("not_told",)),
    )

    def design(self, params: ArtifactsParams, inputs: Inputs) -> Design:
        """What each part tells, beside shuffled answers; the risk that it tells too much."""
        known = shown_parts(inputs.task, inputs.data.fields)
        if unknown := [name for name in params.shown if name not in known]:
            raise PlanError(
                f"artifacts shows no part called {unknown[0]!r}: of {inputs.data.name} it can show "
                f"{', '.join(known)}."
            )
        if inputs.is_audit and not _can_fit():
            return Design(left_out=(_WITHOUT_EXTRA,))
        require_packages("Baselines that are shown a part of an item", "clusters", "sklearn")
        names = params.shown or known
        if inputs.is_audit and inputs.data.n_items < _FEWEST:
            return Design()
        estimates, claims = [], []
        for name in names:
            condition = {"shown": name}
            estimates += [
                EstimateSpec(f"told/{name}", TOLD.id, condition),
                EstimateSpec(f"chance/{name}", TOLD.id, condition, role="control"),
                EstimateSpec(f"beyond/{name}", f"beyond({TOLD.id.partition('@')[0]})@1", condition),
                EstimateSpec(f"easy/{name}", "mean(right_told)@1", condition),
                EstimateSpec(f"hard/{name}", "mean(right_not_told)@1", condition),
            ]
            claims.append(
                Claim(
                    id=f"told/{name}",
                    says=f"{_SUBJECT.get(name, f'the {name} alone')} gives the answer away",
                    components=(Component(f"beyond/{name}", 0.0),),
                    family="artifacts",
                    needs_control=False,
                    checks=("items", "datasets"),
                    risk=Risk(f"{_RISKS.get(name, f'{name} alone')}", params.tolerance, _COSTS),
                )
            )
        return Design(
            conditions=tuple({"shown": name} for name in names),
            estimates=tuple(estimates),
            claims=tuple(claims),
            families={"artifacts": "parts of the items give answers away"},
            notes=(
                "The baseline is a linear classifier over words and pairs of words of the part "
                "that is shown"
                + (
                    ", fitted to the training set."
                    if inputs.data.has_training
                    else f", fitted to the other items in {params.folds} folds."
                ),
                "It says what is in the data, not what a model uses.",
            ),
        )

    def measure(
        self, params: ArtifactsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """For each part two rows of each item: of its answer, and of a shuffled one."""
        known = [e for e in batch.examples if e.gold is not None]
        fields = tuple(dict.fromkeys(name for e in batch.examples for name in e.fields))
        names = params.shown or shown_parts(ctx.task, fields)
        if not _can_fit():
            for name in names:
                kind = RowKind.of({"shown": name})
                yield from (kind.row(e.id, _NOT_FITTED) for e in batch.examples)
            return
        training = tuple(e for e in ctx.training if e.gold is not None)
        answers = ctx.predict(batch.examples)
        for name in names:
            told: dict[str, tuple[int, int]] = {}
            if len(known) >= _FEWEST:
                fitted = ctx.once(
                    f"{self.id} {cell.dataset} {name} {params.folds}",
                    partial(_told, name, known, training, params.folds, ctx),
                )
                told = dict(zip((e.id for e in known), zip(*fitted, strict=True), strict=True))
            for example, answer in zip(batch.examples, answers, strict=True):
                for place, role in enumerate(("measured", "control")):
                    found: tuple[float, ...] | Failure = _TOO_FEW
                    if example.gold is None:
                        found = _NO_GOLD
                    elif isinstance(answer, Failure):
                        found = answer
                    elif example.id in told:
                        tells, right = told[example.id][place], answer.answer == example.gold
                        found = (tells, 1 - tells, tells * right, (1 - tells) * right)
                    yield RowKind.of({"shown": name}, role).row(example.id, found)


def _can_fit() -> bool:
    """Whether scikit-learn is there."""
    return find_spec("sklearn") is not None


def _told(
    name: str,
    known: Sequence[Example],
    training: Sequence[Example],
    folds: int,
    ctx: Context,
) -> list[list[int]]:
    """Whether the baseline of a part is right about each item, and that of shuffled answers."""
    rng = ctx.rng("folds", Artifacts.id, name)
    fitted = fit_part(name, known, rng=rng, folds=folds, training=training)
    return [one.astype(int).tolist() for one in fitted]


class TextArtifacts(Artifacts):
    """How often the label of a single text can be known from its length alone; its label words.

    As `Artifacts`, of items that have one text: the part that is shown is how long it is. Single
    words that go with a label stand in the section of the page.

    **Measures**: what the lengths tell, beyond shuffled labels; words that give a label away.

    **Misleads when**: length and words belong to the label by right: spam is long, and "awful" is
    not a trace of how reviews were collected. An audit asks it only by name, or in a study.

    **References**: Gardner et al. (2021), Competency problems: on finding and removing artifacts in
    language data.
    """

    id = "artifacts.one-text@1"
    wants = (ONE_TEXT, Facts("label", "marked"))


_SUBJECT: Final = {LENGTHS: "how long the texts are"}
_RISKS: Final = {LENGTHS: "lengths of the texts"}
_COSTS: Final = "gives {} % of the answers away"
