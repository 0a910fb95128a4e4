"""How few words a model's answers need: texts of which only the most attributed words are left.

Words are ranked by how often they are among those that explanations name. The ranking that a text
is read with is made of the texts of the other half, so that no text chooses its own words.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from scrutiny.core.answers.texts import is_right
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import EXTRACTS, LABELS, OPTIONS
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attribution.explained import AttributionParams, Explained, explain
from scrutiny.diagnostics.attribution.likeness import TOP
from scrutiny.diagnostics.attribution.methods.random_words import ranking
from scrutiny.diagnostics.attribution.read_texts import ReadText, Said, ask_changed

_SHARE: Final = (0.0, 1.0)
_NO_OTHERS: Final = Failure("no_other_texts", "no other text names words", "undefined")


@dataclass(frozen=True, slots=True)
class OverstabilityParams(AttributionParams):
    """What is explained, and how many words are kept.

    Parameters
    ----------
    kept
        Sizes of the vocabulary that is left of all texts, in ascending order.
    few
        The size that the claim is about.
    """

    kept: tuple[int, ...] = (0, 1, 2, 5, 10, 20, 50, 100)
    few: int = 10

    def __post_init__(self) -> None:
        AttributionParams.__post_init__(self)
        if self.few not in self.kept or min(self.kept) < 0:
            raise PlanError(f"kept are sizes from 0 on, and {self.few} (few) is one of them.")


class Overstability(Diagnostic[OverstabilityParams]):
    """How few words of its texts a model needs to give the answers that it gives.

    Texts are read with only those of their words that are among the K most often named by
    explanations of other texts.

    Records of an item, for each K (``kept``): ``same``, whether the answer is the one to the whole
    text, and ``hit``, whether it is right (of items with a right answer: ``scored``). Role
    ``control`` holds the same with K random words of them, drawn as often as they stand there.

    **Measures**: over-stability: a model whose answers stay when hardly anything is left of its
    texts has not read the rest.

    **Misleads when**: a task needs no more: sentiment may hang on fifty words for good reasons. An
    empty text has an answer, too: K = 0 is where the curve begins, and the commonest label may be
    right often.

    **References**: Mudrakarta et al. (2018), Did the model understand the question?; Feng et al.
    (2018), Pathologies of neural models make interpretations difficult.
    """

    id = "attribution.overstability@1"
    needs = frozenset({"predict"})
    wants = (LABELS, OPTIONS, EXTRACTS)
    scope = "dataset"
    measures = (
        Measure("same", unit="items", says="answers that stay", row_range=_SHARE),
        Measure(
            "hit",
            unit="items",
            says="right answers",
            row_range=_SHARE,
            higher_is="better",
            among=("scored",),
        ),
        Measure("scored", unit="items", row_range=_SHARE),
    )
    asks_other_texts = True
    reads_gold = False
    searches = True

    def audit_params(self, task: Task) -> OverstabilityParams:
        """Fewer texts and sizes."""
        return OverstabilityParams(texts=60, samples=32, kept=(0, 1, 5, 10, 50))

    def design(self, params: OverstabilityParams, inputs: Inputs) -> Design:
        """Answers that stay, and right ones, by size; and a claim on a few words."""
        name = _method(params, inputs.subject.capabilities, inputs.task)
        few = params.few
        return Design(
            conditions=tuple({"kept": k} for k in params.kept),
            estimates=tuple(_estimates(params)),
            claims=(
                Claim(
                    id="few words",
                    says=f"of the {few} words that {name} names most often in other texts, it "
                    f"gives its answers more often than of {few} random ones",
                    components=(Component(f"same/{few} - random", 0.0, "control: random words"),),
                    family="few words",
                    checks=Claim.checks_with(),
                ),
            ),
            queries_per_item=params.asked(inputs.subject.capabilities, inputs.task)
            + 2 * len(params.kept),
            notes=(
                params.note(inputs.data.n_items),
                f"Words are ranked by how often {name} names them in the other half of the texts.",
            ),
        )

    def measure(
        self, params: OverstabilityParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows for each size."""
        name = _method(params, ctx.model.capabilities, ctx.task)
        found = explain(params, batch.examples, ctx, ctx, names=[name])
        known = [one for one in found.values() if isinstance(one, Explained)]
        order = _vocabularies(known, name, ctx)
        asked, places = [], []
        for one in known:
            half = _half(one.text, ctx)
            for k in params.kept:
                for role, words in zip(("measured", "control"), order[half], strict=True):
                    kept = {*words[:k]}
                    some = [i for i, word in enumerate(_words(one.text)) if word in kept]
                    asked.append((one.text, one.text.only(some)))
                    places.append((one.text.example.id, k, role))
        said = dict(zip(places, ask_changed(asked, ctx), strict=True))
        for example in batch.examples:
            explained = found[example.id]
            for k in params.kept:
                for role in ("measured", "control"):
                    kind = RowKind.of({"kept": k}, role)
                    if isinstance(explained, Failure):
                        yield kind.row(example.id, explained)
                        continue
                    if not order[_half(explained.text, ctx)][0]:
                        yield kind.row(example.id, _NO_OTHERS)
                        continue
                    answer = said[example.id, k, role]
                    yield kind.row(example.id, _values(answer, explained.text))


def _method(params: OverstabilityParams, capabilities: Iterable[str], task: Task) -> str:
    """The first method that is named, or that the model allows."""
    return params.names({*capabilities}, task)[0]


def _words(text: ReadText) -> list[str]:
    """Words of a text in lower case."""
    fields = text.example.fields
    return [fields[word.field][word.start : word.end].lower() for word in text.words]


def _half(text: ReadText, ctx: Context) -> int:
    """Half of the texts that one belongs to."""
    return int(ctx.rng("half", "attribution", text.example.id).integers(2))


def _vocabularies(
    known: Sequence[Explained], name: str, ctx: Context
) -> Mapping[int, tuple[list[str], list[str]]]:
    """Words for the texts of each half: most often named in the other one first; and drawn."""
    found = {}
    for half in (0, 1):
        named: Counter[str] = Counter()
        every: list[str] = []
        for one in known:
            scores = one.scores[name]
            if _half(one.text, ctx) == half or isinstance(scores, Failure):
                continue
            words = _words(one.text)
            every += words
            n = ceil(TOP * len(words))
            named.update({words[i] for i in ranking(scores, one.text, ctx)[:n]})
        best = sorted({*every}, key=lambda word: (-named[word], word))
        rng = ctx.rng("random words", "overstability", str(half))
        found[half] = best, [*dict.fromkeys(every[i] for i in rng.permutation(len(every)).tolist())]
    return found


def _values(said: Said | Failure, text: ReadText) -> tuple[float, ...] | Failure:
    """Whether an answer stays, and whether it is right where that can be told."""
    if isinstance(said, Failure):
        return said
    gold = text.example.gold
    hit = gold is not None and said.answer is not None and is_right(said.answer, gold)
    return float(said.is_same), float(hit), float(gold is not None)


def _estimates(params: OverstabilityParams) -> Iterator[EstimateSpec]:
    """Both numbers of each size, with random words, and the difference."""
    for what in ("same", "hit"):
        for k in params.kept:
            own = {"kept": k}
            yield EstimateSpec(f"{what}/{k}", f"mean({what})@1", own)
            yield EstimateSpec(f"{what}/{k}/random", f"mean({what})@1", own, role="control")
            if what == "same":
                yield EstimateSpec(
                    f"same/{k} - random",
                    "gap(mean(same))@1",
                    {"kept": f"{k} - random"},
                    sides={"first": Selector("measured", own), "other": Selector("control", own)},
                )
