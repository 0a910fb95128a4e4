"""Linear probes of each layer: labels of words, beside labels at random, embeddings and a list."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Integers, Singles
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, SPANS
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.layers.layer_metrics import OF_PROBES
from scrutiny.diagnostics.layers.probe_design import condition_of, designed, word_list_of
from scrutiny.diagnostics.layers.probe_fits import (
    NO_LABEL,
    LinearProbe,
    ProbesOfLayer,
    TrainingText,
    commonest_labels,
    fit_linear_probes,
    sampled_texts,
)
from scrutiny.diagnostics.layers.probe_params import LayerProbesParams, layers_of
from scrutiny.diagnostics.layers.word_labels import KINDS, control_labels, kinds_of
from scrutiny.diagnostics.layers.word_vectors import (
    forms_of,
    in_blocks,
    width_of,
    word_vectors,
    words_there,
)
from scrutiny.stats.arrays import StatisticsError
from scrutiny.tasks.item_hashes import half_of

#: Bytes of vectors that are held at a time.
MOST_HELD: Final = 2**28
_ROLES: Final = ("measured", "control")


class LayerProbes(Diagnostic[LayerProbesParams]):
    """Whether the layers of a model hold more of the labels of words than the words themselves do.

    Accuracy and online code length of linear probes at every layer, beside control labels.

    A softmax regression on the principal components of the vectors of one layer is fitted to some
    words of one half of the texts and asked about all words of the other half, both ways. Role
    ``control`` is the same with one label at random for each word, wherever it stands. Layer 0 are
    the embeddings; ``probe=word list`` answers with the commonest label of each word. The online
    code of the training labels gives bits a word. Draws are other training texts, other orders and
    other control labels.

    **Measures**: what a simple reader finds in a layer that is in no list of words: more than at
    layer 0, more than the list, and beyond what networks with random weights give.

    **Misleads when**: read as what the model itself uses; labels follow from the words alone; the
    training words are few (accuracies and compressions grow with them); layers have information in
    directions of little variance, which are cut off.

    **References**: Peters et al. (2018), Dissecting contextual word embeddings; Hewitt & Liang
    (2019), Designing and interpreting probes with control tasks; Voita & Titov (2020),
    Information-theoretic probing with minimum description length; Zhang & Bowman (2018), Language
    modeling teaches you more than translation does (random weights).
    """

    id = "layers.probes@1"
    needs = frozenset({"representations"})
    wants = (ARCS, SPANS)
    why_only = "probes are asked for labels of words"
    measures = tuple(Measure(name) for name in OF_PROBES)
    scope = "dataset"
    nulls = 3

    def audit_params(self, task: Task) -> LayerProbesParams:
        """Parameters in an audit: three layers and one draw."""
        return LayerProbesParams(layers="few", n_training=1500, draws=1)

    def design(self, params: LayerProbesParams, inputs: Inputs) -> Design:
        """Accuracies and code lengths of every layer, and a claim for each above the embeddings."""
        kinds = kinds_of(inputs.task.facts, params.kinds)
        return designed(params, kinds, layers_of(params.layers, inputs.subject.n_layers), inputs)

    def measure(
        self, params: LayerProbesParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item, kind of labels, role, draw and layer."""
        layers = layers_of(params.layers, ctx.model.n_layers)
        kinds = kinds_of(ctx.task.facts, params.kinds)
        probing = _Probing(params, cell, batch.examples, ctx, kinds)
        found = _Counts(len(batch.examples))
        found.unlabeled = {i for i, half in enumerate(probing.halves) if not half}
        for half in ("A", "B"):
            probing.word_lists(half, found)
            held = params.n_training * params.draws * 4 * probing.width
            for block in in_blocks(layers, each=held, most=MOST_HELD):
                probing.layers(half, block, found)
        for i, example in enumerate(batch.examples):
            for condition, role in _kinds_of_rows(params, kinds, layers):
                row = found.row(condition, role, i)
                yield RowKind.of(condition, role).named_row(example.id, self.measures, row)


def _kinds_of_rows(
    params: LayerProbesParams, kinds: Sequence[str], layers: Sequence[int]
) -> Iterator[tuple[dict[str, object], str]]:
    """Condition and role of the rows of an item."""
    for kind in kinds:
        for draw in range(params.draws):
            yield word_list_of(kind, draw), "measured"
            for layer in layers:
                for role in _ROLES:
                    yield condition_of(kind, layer, draw), role


@dataclass(eq=False)
class _Counts:
    """Measures of each item by condition and role, and why items have none."""

    items: int
    values: dict[str, Any] = field(default_factory=dict)
    failures: dict[int, Failure] = field(default_factory=dict)
    unlabeled: set[int] = field(default_factory=set)

    def add(self, condition: Any, role: str, item: int, **measures: float) -> None:
        """Add measures of an item."""
        key = RowKind.of(condition, role)
        found = self.values.setdefault(
            f"{key.role} {key.condition}", np.zeros((self.items, len(OF_PROBES)))
        )
        for name, value in measures.items():
            found[item, OF_PROBES.index(name)] += value

    def row(self, condition: Any, role: str, item: int) -> dict[str, float] | Failure:
        """Measures of an item, or why it has none."""
        if failure := self.failures.get(item):
            return failure
        if item in self.unlabeled:
            return Failure("no_labels", status="skipped")
        key = RowKind.of(condition, role)
        found = self.values.get(f"{key.role} {key.condition}")
        if found is None:
            return Failure("no_probe", status="undefined")
        return dict(zip(OF_PROBES, found[item].tolist(), strict=True))


class _Probing:
    """Probes of a model on the words of some items.

    Parameters
    ----------
    params, cell, examples, ctx, kinds
        What is measured, of whom, on what; and the kinds of labels.
    """

    def __init__(
        self,
        params: LayerProbesParams,
        cell: Cell,
        examples: Sequence[Example],
        ctx: Context,
        kinds: Sequence[str],
    ) -> None:
        self.params, self.model, self.examples = params, ctx.model, examples
        self.forms = [forms_of(example) for example in examples]
        both = [*zip(examples, self.forms, strict=True)]
        own = {
            kind: [_of_all(KINDS[kind](example), len(forms)) for example, forms in both]
            for kind in kinds
        }
        self.names = {
            kind: sorted({label for labels in by_text for label in labels if label})
            for kind, by_text in own.items()
        }
        self.width = width_of(ctx.model, examples)
        self.halves = [
            str(e.attributes.get("a_half", half_of(e.id)))
            if any(any(labels[i]) for labels in own.values())
            else ""
            for i, e in enumerate(examples)
        ]
        stream = stream_of(LayerProbes)
        counts = [len(one) for one in self.forms]
        self.samples: dict[tuple[str, int], list[int]] = {}
        #: Number of each word's label in each text, by kind, role and draw.
        self.labels: dict[tuple[str, str, int], list[Integers]] = {}
        for draw in range(params.draws):
            for half in ("A", "B"):
                rng = ctx.rng(f"probe texts {half}", stream, cell.dataset, draw)
                places = [i for i, one in enumerate(self.halves) if one == half]
                self.samples[half, draw] = sampled_texts(
                    counts, places, most=params.n_training, rng=rng
                )
            for kind, labeled in own.items():
                rng = ctx.rng(f"control labels {kind}", stream, cell.dataset, draw)
                control = control_labels(self.forms, labeled, rng)
                at_random = [
                    [control[word] if label else "" for word, label in zip(words, one, strict=True)]
                    for words, one in zip(self.forms, labeled, strict=True)
                ]
                self.labels[kind, "measured", draw] = self._numbers(kind, labeled)
                self.labels[kind, "control", draw] = self._numbers(kind, at_random)

    def _numbers(self, kind: str, by_text: Sequence[Sequence[str]]) -> list[Integers]:
        """Numbers of the labels of each text's words."""
        number = {name: i for i, name in enumerate(self.names[kind])}
        return [np.array([number.get(n, NO_LABEL) for n in own], dtype=np.int64) for own in by_text]

    def word_lists(self, half: str, found: _Counts) -> None:
        """Answers of a list of the words of one half about those of the other."""
        for (kind, role, draw), labels in self.labels.items():
            chosen = self.samples[half, draw]
            if role != "measured" or not chosen:
                continue
            listed, usual = commonest_labels(
                (self.forms[i] for i in chosen), (labels[i] for i in chosen)
            )
            for i in self._others(half):
                own = labels[i]
                said = np.array([listed.get(w, usual) for w in self.forms[i]], dtype=np.int64)
                known = np.array([w in listed for w in self.forms[i]], dtype=bool)
                self._count(found, word_list_of(kind, draw), role, i, said == own, known, own)

    def _others(self, half: str) -> list[int]:
        """Places of the items of the other half that have labels."""
        return [i for i, one in enumerate(self.halves) if one not in ("", half)]

    def _count(
        self,
        found: _Counts,
        condition: Any,
        role: str,
        item: int,
        is_right: Any,
        known: Any,
        own: Any,
    ) -> None:
        """Count the right words of an item."""
        there = own != NO_LABEL
        found.add(
            condition,
            role,
            item,
            right=float((is_right & there).sum()),
            words=float(there.sum()),
            right_known=float((is_right & there & known).sum()),
            known_words=float((there & known).sum()),
        )

    def layers(self, half: str, block: Sequence[int], found: _Counts) -> None:
        """Fit probes of some layers to one half, and ask them about the other."""
        drawn = sorted(
            {i for (own, _), items in self.samples.items() if own == half for i in items}
        )
        read = word_vectors(self.model, (self.examples[i] for i in drawn), block)
        held = {
            i: vectors
            for i, vectors in zip(drawn, read, strict=True)
            if not isinstance(vectors, Failure)
        }
        probes = [
            self._fitted(half, held, place, layer, found) for place, layer in enumerate(block)
        ]
        known = {
            draw: {word for i in self.samples[half, draw] for word in self.forms[i]}
            for draw in range(self.params.draws)
        }
        others = self._others(half)
        read = word_vectors(self.model, (self.examples[i] for i in others), block)
        for i, vectors in zip(others, read, strict=True):
            if isinstance(vectors, Failure):
                found.failures[i] = vectors
                continue
            is_there = words_there(vectors)
            seen = {
                draw: np.array([word in words for word in self.forms[i]], dtype=bool)[is_there]
                for draw, words in known.items()
            }
            for place, layer in enumerate(block):
                for (kind, role, number), said in probes[place].answers(vectors[place][is_there]):
                    draw = int(number)
                    own = self.labels[kind, role, draw][i][is_there]
                    where = condition_of(kind, layer, draw)
                    self._count(found, where, role, i, said == own, seen[draw], own)

    def _fitted(
        self, half: str, held: dict[int, Singles], place: int, layer: int, found: _Counts
    ) -> ProbesOfLayer:
        """Probes of a layer, by kind of labels, role and draw; their codes are counted."""
        made: dict[tuple[str, ...], LinearProbe] = {}
        for draw in range(self.params.draws):
            texts = [
                TrainingText(i, words_there(held[i])) for i in self.samples[half, draw] if i in held
            ]
            asked = {
                f"{kind} {role}": [labels[text.item][text.is_there] for text in texts]
                for (kind, role, of), labels in self.labels.items()
                if of == draw and len(self.names[kind]) > 1
            }
            if not texts or not asked:
                continue
            vectors = np.concatenate([held[text.item][place][text.is_there] for text in texts])
            numbers = {name: len(self.names[name.partition(" ")[0]]) for name in asked}
            try:
                fitted = fit_linear_probes(
                    vectors, texts, asked, n_labels=numbers, dimensions=self.params.dimensions
                )
            except StatisticsError:  # nothing varies, or nothing is labeled
                continue
            for name, probe in fitted.items():
                kind, _, role = name.partition(" ")
                made[kind, role, str(draw)] = probe
                where = condition_of(kind, layer, draw)
                for item, (bits, count) in probe.bits.items():
                    uniform = count * probe.uniform
                    sizes = {"bits": bits, "coded_words": count, "uniform_bits": uniform}
                    found.add(where, role, item, **sizes)
        return ProbesOfLayer(made)


def _of_all(labels: Sequence[str], count: int) -> Sequence[str]:
    """Labels of all words of a text; none where it has not one for each."""
    return labels if len(labels) == count else [""] * count
