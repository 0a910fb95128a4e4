"""Whether attributions name what an answer hangs on: words are removed, and as many at random."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.boundary.parameters import at_least, known, shares
from scrutiny.core.boundary.printable import points
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.record import Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attribution.erasing import (
    AOPC,
    MEASURES,
    Aopc,
    Effects,
    WordOrder,
    erased,
    most_asked,
)
from scrutiny.diagnostics.attribution.explained import AttributionParams, Explained, explain
from scrutiny.diagnostics.attribution.methods.random_words import (
    RANDOM,
    beside_random,
    random_scores,
    ranking,
)
from scrutiny.diagnostics.attribution.targets import EXPLAINED, WHY_ONLY
from scrutiny.store.stored_forms import packed

#: Array of the texts that are kept with their scores.
KEPT: Final = "attributions"
_WHAT: Final = ("comprehensiveness", "sufficiency", "flip_share", "infidelity")


@dataclass(frozen=True, slots=True)
class RemovalParams(AttributionParams):
    """What is explained, and how removal is counted.

    Parameters
    ----------
    draws
        Random attributions of each text, of whose effects the mean counts.
    aopc
        Mean over bins as in ERASER's released ``code``, or as in its ``paper`` (5/6 of it).
    margin
        Loss of probability beyond that of random removal that is worth a claim.
    kept
        Most texts of a batch that are stored with their scores, for pages and ERASER's format.
    """

    draws: int = 5
    aopc: Aopc = "code"
    margin: float = 0.01
    kept: int = 12

    def __post_init__(self) -> None:
        AttributionParams.__post_init__(self)
        at_least(self, draws=1, kept=0)
        shares(self, "margin")
        known("mean over bins", [self.aopc], AOPC)


class Attribution(Diagnostic[RemovalParams]):
    """Whether the words that an explanation names are those that the answer hangs on.

    Words are removed in the order of each method's scores, and in random order.

    Records of an item, for each ``method``: ``comprehensiveness`` (loss of the answer's probability
    without the words named) and ``sufficiency`` (loss with these words alone), each a mean over 1,
    5, 10, 20 and 50 % of the words; ``flip_share``, the share of the words that is removed until
    the answer flips (1 if it never does), and ``flips``; ``infidelity``, the squared distance of
    sums of scores, times the best factor, from what removing these words costs; ``curve``, the loss
    in each bin. Role ``control`` holds the mean of the same over random attributions of the same
    text. The answer is the model's own for the unchanged text, whatever is removed.

    **Measures**: whether an attribution says anything about the model: removing what it names must
    change the answer more than removing as much at random.

    **Misleads when**: a text without words is none that the model was trained on, so a loss may be
    one of strange texts: random removal has it, too, which is why the difference counts. Words that
    say the same twice can each be removed at no cost. An attribution can name what a model uses,
    and the model uses the wrong thing: this says nothing of right answers. Occlusion removes words
    itself, and is at home in this test.

    **References**: DeYoung et al. (2020), ERASER: a benchmark to evaluate rationalized NLP models;
    Sundararajan, Taly & Yan (2017), Axiomatic attribution for deep networks; Samek et al. (2017),
    Evaluating the visualization of what a deep neural network has learned; Yeh et al. (2019), On
    the (in)fidelity and sensitivity of explanations.
    """

    id = "attribution@1"
    needs = frozenset({"predict"})
    over_seeds = "attribution.seeds"
    wants = EXPLAINED
    why_only = WHY_ONLY
    measures = MEASURES
    asks_other_texts = True
    reads_gold = False
    searches = True

    def audit_params(self, task: Task) -> RemovalParams:
        """Fewer texts, and fewer samples of each."""
        return RemovalParams(texts=40, samples=32, draws=3)

    def design(self, params: RemovalParams, inputs: Inputs) -> Design:
        """Effects of removal by method, beside random removal, and a claim for each."""
        names = params.names(inputs.subject.capabilities, inputs.task)
        return Design(
            conditions=(*({"method": name} for name in names), RANDOM),
            estimates=tuple(_estimates(names)),
            claims=tuple(_claim(name, params.margin) for name in names),
            queries_per_item=params.asked(inputs.subject.capabilities, inputs.task)
            + most_asked(len(names) + params.draws),
            notes=(
                params.note(inputs.data.n_items),
                "Random attributions of the same text are the null: the mean of "
                f"{params.draws} for each text, the same for every model.",
            ),
            families={
                "uses": f"methods that explain {inputs.subject.name} name what it uses, more than "
                "chance"
            },
        )

    def measure(
        self, params: RemovalParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """A row for each method, and one for random attributions."""
        names = params.names(ctx.model.capabilities, ctx.task)
        found = explain(params, batch.examples, ctx, ctx)
        known_ones = [one for one in found.values() if isinstance(one, Explained)]
        orders = [[*_orders(one, names, params.draws, ctx)] for one in known_ones]
        effects = erased([one.text for one in known_ones], orders, ctx, aopc=params.aopc)
        by_item = dict(zip((one.text.example.id for one in known_ones), effects, strict=True))
        ctx.array(KEPT, packed([one.kept() for one in known_ones[: params.kept]]))
        for example in batch.examples:
            one = found[example.id]
            for name in names:
                kind = RowKind.of({"method": name})
                if isinstance(one, Failure):
                    yield kind.row(example.id, one)
                    continue
                own = one.scores[name]
                if isinstance(own, Failure):
                    yield kind.row(example.id, own)
                else:
                    yield kind.row(example.id, _values(by_item[example.id].pop(0)))
            drawn = one if isinstance(one, Failure) else _mean(by_item[example.id])
            yield RowKind.of(RANDOM, "control").row(example.id, drawn)


def _orders(one: Explained, names: Sequence[str], draws: int, ctx: Context) -> Iterator[WordOrder]:
    """Orders of the words of a text by each method that has scores, and by random ones."""
    scores = [one.scores[name] for name in names]
    scores += [random_scores(one.text, ctx, draw) for draw in range(draws)]
    for own in scores:
        if not isinstance(own, Failure):
            yield WordOrder(own, ranking(own, one.text, ctx))


def _values(effects: Effects | Failure) -> tuple[float, ...] | Failure:
    return effects if isinstance(effects, Failure) else effects.values()


def _mean(effects: Sequence[Effects | Failure]) -> tuple[float, ...] | Failure:
    """Mean of the effects of random attributions."""
    failed = next((one for one in effects if isinstance(one, Failure)), None)
    rows = [one.values() for one in effects if isinstance(one, Effects)]
    return failed or tuple(np.mean(rows, axis=0).tolist())


def _estimates(names: Sequence[str]) -> Iterator[EstimateSpec]:
    """Numbers beside those of random attributions, and the curves."""
    yield from beside_random(_WHAT, names)
    yield EstimateSpec("curve/random", "mean(curve)@1", RANDOM, role="control", along=("bin",))
    for name in names:
        yield EstimateSpec(f"curve/{name}", "mean(curve)@1", {"method": name}, along=("bin",))


def _claim(name: str, margin: float) -> Claim:
    """Claim that a method names what the model uses more than chance does."""
    return Claim(
        id=f"uses/{name}",
        says=f"removing the words that {name} names changes the answer more than removing as many "
        f"at random, by {points(margin)} of probability or more",
        components=(
            Component(f"comprehensiveness/{name} - random", margin, "control: random attributions"),
        ),
        family="uses",
        checks=Claim.checks_with(),
    )
