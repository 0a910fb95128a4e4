"""Scores of the words of some items by several methods, and which items are explained at all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.diagnostic import Context, Failure
from scrutiny.core.example import Example
from scrutiny.core.task import Task
from scrutiny.diagnostics.attribution.methods.listed import methods_for, named
from scrutiny.diagnostics.attribution.methods.method import Effort
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText, read_text
from scrutiny.diagnostics.attribution.targets import target_in_words


@dataclass(frozen=True, slots=True)
class AttributionParams:
    """What is explained, and how.

    Parameters
    ----------
    methods
        Names of methods; by default the usual ones that the model allows.
    texts
        Most items that are explained: those with the lowest hash of their name, the same for every
        model.
    steps, samples
        As in `scrutiny.diagnostics.attribution.methods.method.Effort`.
    """

    methods: tuple[str, ...] = ()
    texts: int = 200
    steps: int = 32
    samples: int = 64

    def __post_init__(self) -> None:
        named(self.methods)
        at_least(self, texts=1, steps=1, samples=4)

    def names(self, capabilities: Collection[str], task: Task) -> list[str]:
        """Names of the methods that a model and a task allow."""
        return [one.name for one in methods_for(self.methods, capabilities, task)]

    def asked(self, capabilities: Collection[str], task: Task) -> int:
        """How many texts are asked about for each item by all methods, and the item itself."""
        return 1 + sum(
            one.cost(self.effort) for one in methods_for(self.methods, capabilities, task)
        )

    @property
    def effort(self) -> Effort:
        """How much methods may ask."""
        return Effort(self.steps, self.samples)

    def note(self, n_items: int) -> str:
        """What is explained, in a sentence."""
        some = f"{self.texts:,} of {n_items:,}" if n_items > self.texts else "All"
        return f"{some} items were explained: the model's own answer to the unchanged text."


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """A text with the scores of its words by each method, or why there are none."""

    text: ReadText
    scores: Mapping[str, Floats | Failure]

    def kept(self) -> dict[str, Any]:
        """As pages read it, in plain values; words that stay have no score."""
        text = self.text
        fields = [*text.example.fields]
        order = sorted(
            [*enumerate(text.words), *((-1, word) for word in text.fixed)],
            key=lambda pair: (fields.index(pair[1].field), pair[1].start),
        )
        return {
            "item": text.example.id,
            "target": target_in_words(text.target, text.example),
            "score": text.score,
            "words": [text.example.fields[w.field][w.start : w.end] for _, w in order],
            "fields": [w.field for _, w in order],
            "fixed": [k for k, (i, _) in enumerate(order) if i < 0],
            "scores": {
                name: [float(own[i]) if i >= 0 else 0.0 for i, _ in order]
                for name, own in self.scores.items()
                if not isinstance(own, Failure)
            },
        }


def _drawn(params: AttributionParams, examples: Sequence[Example]) -> set[str]:
    """Names of the items that are explained, of these."""
    ranked = sorted((digest(one.id), one.id) for one in examples)
    return {name for _, name in ranked[: params.texts]}


def explain(
    params: AttributionParams,
    examples: Sequence[Example],
    asked: AskedModel,
    ctx: Context,
    targets: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
    among: Sequence[Example] = (),
) -> dict[str, Explained | Failure]:
    """Scores of the words of each item, by its name.

    Parameters
    ----------
    params
        What is explained.
    examples
        The items.
    asked
        The model that is explained: the context itself, or another one.
    ctx
        Knows the task and the whole dataset.
    targets
        Answers that are explained, by item; the model's own unless given.
    names
        Methods; those of the parameters unless given.
    among
        Items of which some are drawn; those of the whole dataset unless given.
    """
    kept = _drawn(params, among or ctx.dataset or examples)
    some = [one for one in examples if one.id in kept]
    found: dict[str, Explained | Failure] = {
        one.id: Failure("not_drawn", status="skipped") for one in examples
    }
    texts = []
    for example, answer in zip(some, asked.predict(some), strict=True):
        text = read_text(example, answer, asked.labels, (targets or {}).get(example.id))
        if isinstance(text, Failure):
            found[example.id] = text
        else:
            texts.append(text)
    methods = methods_for(names or params.methods, asked.model.capabilities, ctx.task)
    scores = {one.name: one.scores(texts, asked, params.effort) for one in methods}
    for i, text in enumerate(texts):
        own = {name: rows[i] for name, rows in scores.items()}
        found[text.example.id] = Explained(text, own)
    return found
