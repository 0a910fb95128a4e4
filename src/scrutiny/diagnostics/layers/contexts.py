"""Contextual similarity of each layer: words of a text, of a phrase, of one form in other texts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, LABELS, RUNNING_TEXT, SPANS
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.layers.probe_params import LAYER_CHOICES, LayerChoice, layers_of
from scrutiny.diagnostics.layers.word_labels import neighbors_in_phrases
from scrutiny.diagnostics.layers.word_vectors import (
    forms_of,
    in_blocks,
    width_of,
    word_vectors,
    words_there,
)
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.mean_cosines import CosineSums, cosine_matrix, unit_vectors

#: Pairs of words whose cosine is taken, and what they are called.
PAIRS: Final = {
    "text": "words of one text",
    "mean": "words and their text's mean",
    "neighbors": "neighbors",
    "word": "one word, other texts",
    "phrase": "neighbors in a phrase",
}
#: Bytes of running sums of words that are held at a time.
_MOST_HELD: Final = 2**27
_FEWEST_TEXTS: Final = 2


@dataclass(frozen=True, slots=True)
class LayerContextsParams:
    """Layers, texts and words whose cosines are taken.

    Parameters
    ----------
    layers
        ``all``, or ``few``: the embeddings, the middle and the last.
    most_items
        Texts that are read at most, drawn at random; 0 for all.
    most_words
        Most frequent words that are followed from text to text. Sums of their vectors are held: 8
        bytes x words x layers x dimension, of as many layers at a time as fit into 128 MB.
    """

    layers: LayerChoice = "all"
    most_items: int = 0
    most_words: int = 300

    def __post_init__(self) -> None:
        known("choice of layers", [self.layers], LAYER_CHOICES)
        at_least(self, most_items=0, most_words=1)


def context_of(pairs: str, layer: int) -> dict[str, object]:
    """Condition of the cosines of some pairs at a layer."""
    return {"pairs": pairs, "layer": layer}


class LayerContexts(Diagnostic[LayerContextsParams]):
    """How far the words of a text, and of a phrase, are alike at each layer, beyond random words.

    Cosines of word vectors at every layer: all pairs of a text, words with the mean of their text,
    neighbors, and one word in different texts. ``beside`` is the mean cosine of all pairs of words
    of different texts: the narrower the cone of all vectors, the higher it is. Of trees, neighbors
    in one base phrase beside those across two. Rows hold pseudo-values: their mean is the cosine,
    and resampled texts move it as other texts would, with their part in the baseline.

    **Measures**: how much of a word's vector is its context: one word in other texts is less alike
    the more contextual a layer is; whether phrases form groups.

    **Misleads when**: cosines are read without their baseline; a text is one topic, whose words are
    alike without a context; a few large dimensions decide all cosines; layer 0 of a transformer
    holds positions, so that one word in other places is not quite the same.

    **References**: Peters et al. (2018), Dissecting contextual word embeddings, 4.1; Ethayarajh
    (2019), How contextual are contextualized word representations?; Timkey & van Schijndel (2021),
    All bark and no bite: rogue dimensions in transformer language models.
    """

    id = "layers.contexts@1"
    needs = frozenset({"representations"})
    wants = (LABELS, RUNNING_TEXT, SPANS, ARCS)
    why_only = "cosines are of words of running texts"
    measures = (Measure("cosine"), Measure("beside"))
    scope = "dataset"
    reads_gold = False
    nulls = 3

    def audit_params(self, task: Task) -> LayerContextsParams:
        """Parameters in an audit: three layers and 300 texts."""
        return LayerContextsParams(layers="few", most_items=300)

    def design(self, params: LayerContextsParams, inputs: Inputs) -> Design:
        """Cosines of every layer, with and without their baseline, and claims on groups."""
        layers = layers_of(params.layers, inputs.subject.n_layers)
        pairs = [name for name in PAIRS if name != "phrase" or ARCS.are_of(inputs.task.facts)]
        specs: list[EstimateSpec] = []
        contrasts: list[ContrastSpec] = []
        claims: list[Claim] = []
        for name in pairs:
            metric = "phrase_cosine" if name == "phrase" else "context_cosine"
            for layer in layers:
                where = context_of(name, layer)
                place = f"{name}/{layer}"
                specs.append(EstimateSpec(place, f"{metric}@1", where))
                specs.append(EstimateSpec(f"beyond/{place}", f"beyond({metric})@1", where))
                contrasts += ContrastSpec.untrained([f"beyond/{place}"])
                if layer != layers[0] and name == "word":
                    a, b = f"beyond/word/{layers[0]}", f"beyond/{place}"
                    contrasts.append(ContrastSpec(f"context/{place}", a, b, minus="own"))
        for layer in layers[1:]:
            claims.append(_contextual(layer))
            if "phrase" in pairs:
                claims.append(_grouped(layer, inputs))
        return Design(
            conditions=tuple(context_of(name, layer) for name in pairs for layer in layers),
            estimates=tuple(specs),
            claims=tuple(claims),
            contrasts=tuple(contrasts),
            queries_per_item=2,
            notes=(
                "The baseline of words is the mean cosine of all pairs of words of different "
                f"texts. Followed from text to text: the {params.most_words} most frequent words.",
            ),
            families={
                "layers.contexts": f"layers of {inputs.subject.name} put contexts into words, and "
                "phrases into groups"
            },
        )

    def measure(
        self, params: LayerContextsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item, kind of pairs and layer."""
        examples = batch.examples
        most = params.most_items or len(examples)
        rng = ctx.rng("texts", stream_of(LayerContexts), cell.dataset)
        chosen = sorted(rng.permutation(len(examples))[:most].tolist())
        layers = layers_of(params.layers, ctx.model.n_layers)
        pairs = [name for name in PAIRS if name != "phrase" or ARCS.are_of(ctx.task.facts)]
        reading = _ContextReading([examples[i] for i in chosen], ctx.model, params)
        found = {i: row for i, row in zip(chosen, reading.rows(layers, pairs), strict=True)}
        lacking = Failure("not_drawn", status="skipped")
        for i, example in enumerate(examples):
            for name in pairs:
                for layer in layers:
                    own = found[i][name, layer] if i in found else lacking
                    yield RowKind.of(context_of(name, layer)).row(example.id, own)


def _contextual(layer: int) -> Claim:
    """Claim that a layer puts more of the context into words than the embeddings do."""
    return Claim(
        id=f"context/{layer}",
        says=f"layer {layer} puts more of the context into a word than layer 0",
        components=(Component(f"context/word/{layer}", 0.0, "baseline: layer 0"),),
        family="layers.contexts",
        checks=("items", "seeds", "datasets"),
        needs_control=False,  # layer 0 is itself what has no context
    )


def _grouped(layer: int, inputs: Inputs) -> Claim:
    """Claim that the words of a phrase are alike beyond neighbors, and beyond random weights."""
    return Claim(
        id=f"phrases/{layer}",
        says=f"layer {layer} makes the words of a phrase more alike than neighbors across phrases",
        components=(
            Component(f"beyond/phrase/{layer}", 0.0, "control: neighbors across phrases"),
            *inputs.beyond_untrained(f"beyond/phrase/{layer}", 0.0),
        ),
        family="layers.contexts",
        checks=("items", "seeds", "datasets"),
    )


#: Cosine and its baseline of an item, or why it has none, by kind of pairs and layer.
ItemRows = dict[tuple[str, int], tuple[float, float] | Failure]


@dataclass(eq=False)
class _ContextReading:
    """Texts that are read twice: for sums over all of them, and for each beside these."""

    examples: Sequence[Example]
    model: Any
    params: LayerContextsParams
    groups: list[Integers] = field(init=False, repr=False)
    n_words: int = field(init=False)

    def __post_init__(self) -> None:
        forms = [[word.lower() for word in forms_of(example)] for example in self.examples]
        texts = Counter(word for own in forms for word in set(own) if word.isalpha())
        often = sorted(texts.items(), key=lambda one: (-one[1], one[0]))
        kept = [word for word, count in often if count >= _FEWEST_TEXTS][: self.params.most_words]
        number = {word: i for i, word in enumerate(kept)}
        self.groups = [np.array([number.get(w, -1) for w in own], dtype=np.int64) for own in forms]
        self.n_words = len(kept)

    def rows(self, layers: Sequence[int], pairs: Sequence[str]) -> list[ItemRows]:
        """Rows of each text."""
        width = width_of(self.model, self.examples)
        found: list[ItemRows] = [{} for _ in self.examples]
        for block in in_blocks(layers, each=8 * (self.n_words + 1) * width, most=_MOST_HELD):
            words = CosineSums(len(block), max(1, self.n_words), width)
            every = CosineSums(len(block), 1, width)
            for group, units in self._read(block):
                if not isinstance(units, Failure):
                    every.add(units, np.zeros(units.shape[1], dtype=np.int64))
                    words.add(units[:, group >= 0], group[group >= 0])
            for i, (group, units) in enumerate(self._read(block)):
                own = self._of_text(i, group, units, every, words, pairs)
                for place, layer in enumerate(block):
                    for name in pairs:
                        found[i][name, layer] = own[name][place]
        return found

    def _read(self, block: Sequence[int]) -> Iterator[tuple[Integers, Floats | Failure]]:
        """Numbers of the words that have vectors, and these ``(layer, word, dimension)``."""
        read = word_vectors(self.model, self.examples, block)
        for group, vectors in zip(self.groups, read, strict=True):
            if isinstance(vectors, Failure):
                yield group, vectors
            else:
                there = words_there(vectors)
                yield group[there], unit_vectors(vectors[:, there])

    def _of_text(
        self,
        item: int,
        group: Integers,
        units: Floats | Failure,
        every: CosineSums,
        words: CosineSums,
        pairs: Sequence[str],
    ) -> dict[str, list[tuple[float, float] | Failure]]:
        """Cosine and baseline at each layer, by kind of pairs."""
        count = every.layers
        if isinstance(units, Failure):
            return {name: [units] * count for name in pairs}
        try:
            random = every.pseudo(units, np.zeros(units.shape[1], dtype=np.int64))
        except StatisticsError:
            return {name: [Failure("one_text", status="undefined")] * count for name in pairs}
        cosines = cosine_matrix(units)  # (layer, word, word)
        n = units.shape[1]
        values: dict[str, Floats | None] = dict.fromkeys(pairs)
        if n > 1:
            values["text"] = (cosines.sum(axis=(1, 2)) - n) / (n * (n - 1))
            values["mean"] = (unit_vectors(units.mean(axis=1))[:, None] * units).sum(-1).mean(1)
            values["neighbors"] = np.diagonal(cosines, 1, 1, 2).mean(axis=-1)
        found: dict[str, list[tuple[float, float] | Failure]] = {}
        lacking = Failure("no_pair", status="skipped")
        if self.n_words:
            values["word"] = words.pseudo(units[:, group >= 0], group[group >= 0])
        for name in pairs:
            own = values[name]
            found[name] = (
                [lacking] * count
                if own is None
                else [*zip(own.tolist(), random.tolist(), strict=True)]
            )
        if "phrase" in pairs:
            found["phrase"] = self._of_phrases(item, cosines) or [lacking] * count
        return found

    def _of_phrases(self, item: int, cosines: Floats) -> list[tuple[float, float] | Failure]:
        """Cosines of neighbors in a phrase and across phrases; empty without one of both."""
        inside = np.array(neighbors_in_phrases(self.examples[item]), dtype=bool)
        if not inside.any() or inside.all() or len(inside) + 1 != cosines.shape[1]:
            return []
        beside = np.diagonal(cosines, 1, 1, 2)  # (layer, pair)
        both = (beside[:, inside].mean(axis=1), beside[:, ~inside].mean(axis=1))
        return [*zip(*(one.tolist() for one in both), strict=True)]
