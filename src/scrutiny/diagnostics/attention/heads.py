"""Attention heads as unsupervised classifiers of an anchored annotation: cue and scope.

A few examples of a shard are kept with the words that each head predicted, for a report to draw.

Records hold counts. Which words they count stands, for a handful of examples, in two arrays:
``example_words`` ``(word, 5)``, for every word the example's position in the shard, its borders in
the text, and whether it is an anchor and a target; and ``example_heads`` ``(layer, head, byte)``,
the predictions of these words as bits. Examples are chosen by the hash of their id, so that they
are the same for every model, whatever it predicts.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ANCHORED_SPANS
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import HEADS, LAYERS, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attention.encodings import (
    ENCODINGS,
    LEFT_OUT,
    SPAN_BASELINES,
    cases_of,
    gold_of,
    is_unscored,
    pseudo_cue,
    span_baselines,
)
from scrutiny.diagnostics.attention.heads_design import HeadsParams, make_heads_design
from scrutiny.diagnostics.attention.presets import Made, Sentence, each_example, measures_of_heads

MOST: Final = 12
WORDS: Final = "example_words"
HEADS_OF: Final = "example_heads"


class KeptExamples:
    """Predictions for the stored examples of a shard, collected one by one."""

    def __init__(self, examples: Sequence[Example], views: Sequence[AnchoredWords]) -> None:
        with_both = [i for i, view in enumerate(views) if view.anchors and view.targets]
        chosen = sorted(with_both, key=lambda i: (digest(examples[i].id, size=8), i))[:MOST]
        self._views = {i: views[i] for i in sorted(chosen)}
        tokens = {i: examples[i].tokens or {} for i in self._views}  # borders by field
        self._borders = {i: next(iter(own.values()), ()) for i, own in tokens.items()}
        self._found: dict[int, NDArray[np.bool_]] = {}

    def see(self, position: int, made: Made, encoding: str) -> None:
        """Store the predictions of all heads for an example, if it is selected and has a map."""
        if position in self._views and not isinstance(made, Failure):
            anchors = np.asarray(self._views[position].anchors)
            self._found[position] = ENCODINGS[encoding](made, anchors)  # (layer, head, word)

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Both arrays by name; none if no example has a map."""
        if not self._found:
            return {}
        rows = []  # of each word: example, start, end, whether it is an anchor, a target
        for position in sorted(self._found):
            view = self._views[position]
            for word, (start, end) in enumerate(self._borders[position]):
                rows.append((position, start, end, word in view.anchors, word in view.targets))
        predicted = np.concatenate([own for _, own in sorted(self._found.items())], axis=-1)
        return {WORDS: np.array(rows, dtype=np.int32), HEADS_OF: np.packbits(predicted, axis=-1)}


_NO_ROOM: Final = Failure("no_pseudo_cue", status="undefined")


class Heads(Diagnostic[HeadsParams]):
    """Attention heads as classifiers of an annotation (negation cue and scope).

    Precision, recall and F1 of every head for anchored annotations.

    Records hold, for each example and preset, the words that each head predicted and those that
    were right, beside the same counts of baselines that need no model; role ``control`` holds the
    counts for a pseudo-cue in the cue's place. Which words were predicted is kept for a handful of
    examples of measured families, as arrays.

    **Measures**: whether some head's attention runs between an anchor and the words that belong to
    it, more than words' places explain, more than in untrained networks, in other corpora as well.

    **Misleads when**: read as what the model uses: attention is not its explanation (see
    `attention.faithfulness`). The best of 144 heads, chosen and scored on the same data, looks
    better than it is. Summing over the pieces of a word inflates heads where cues split. Agreement
    between corpora is high in untrained networks too.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
    analysis methodology and a case study in negation scope, ACL; Clark et al. (2019), What does
    BERT look at?; Hewitt & Liang (2019), Designing and interpreting probes with control tasks.
    """

    id = "attention.heads@1"
    needs = frozenset({"attentions"})
    wants = (ANCHORED_SPANS,)
    measures = measures_of_heads("words", (LAYERS, HEADS), (("baseline", len(SPAN_BASELINES)),))
    nulls = 20
    audit_data = "builtin:negation"

    def audit_params(self, task: Task) -> HeadsParams:
        """Parameters in an audit: the presets of the claims."""
        return HeadsParams(presets=("default", "as_released"))

    def design(self, params: HeadsParams, inputs: Inputs) -> Design:
        """Every head in every preset, the average and the chosen head, and the claims."""
        return make_heads_design(params, inputs)

    def measure(self, params: HeadsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Two rows for each example and preset: the cue's and a pseudo-cue's."""
        presets = params.conditions()
        views = [AnchoredWords.of(example) for example in batch.examples]
        kept = KeptExamples(batch.examples, views if cell.role == "measured" else ())

        def use(position: int, sentence: Sentence) -> list[Row]:
            example = batch.examples[position]
            kept.see(position, sentence[0][params.presets[0]], params.encoding)
            rng = ctx.rng("pseudo-cue", stream_of(self), example.id)
            view, (made, pieces) = views[position], sentence
            other = pseudo_cue(view.anchors, len(view.words), pieces=pieces, rng=rng)
            cases = cases_of(view, params.unscored)  # the same for both, so that they are paired
            asked = [
                (role, np.array(one.anchors, dtype=np.int64), span_baselines(one, cases).ravel().tolist())
                for role, one in (("measured", view), ("control", view.anchored_at(other)))
            ]
            # columns (word, 2) that count predictions: of targets, and of all cases
            counted = np.zeros((len(view.words), 2), dtype=np.float32)
            counted[sorted(cases & set(view.targets)), 0] = 1.0
            counted[sorted(cases), 1] = 1.0
            rows = []
            for name, (role, anchors, baselines) in product(presets, asked):
                kind = RowKind.of({"preset": name}, role)
                found = LEFT_OUT if is_unscored(view, params.unscored) else made[name]
                if isinstance(found, Failure) or not anchors.size:
                    lacking = found if isinstance(found, Failure) else _NO_ROOM
                    rows.append(kind.row(example.id, lacking))
                    continue
                predicted = ENCODINGS[params.encoding](found, anchors)  # (layer, head, word)
                counts = predicted.reshape(-1, len(counted)).astype(np.float32) @ counted
                # the released code counts a target as often as it is listed
                gold = gold_of(view, cases, is_listed=name.startswith("as_"))
                rows.append(kind.row(example.id, (*counts.T.ravel().tolist(), gold, *baselines)))
            return rows

        yield from each_example(ctx.model, [view.words for view in views], presets, use=use)
        for name, value in kept.arrays().items():
            ctx.array(name, value)
