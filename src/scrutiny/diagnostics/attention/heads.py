"""Attention heads as unsupervised classifiers of an anchored annotation: cue and scope.

A few examples of a shard are kept with the words that each head predicted, for a report to draw.

Records hold counts. Which words they count stands, for a handful of examples, in two arrays:
``example_words`` ``(word, 5)``, for every word the example's position in the shard, its borders in
the text, and whether it is an anchor and a target; and ``example_heads`` ``(layer, head, byte)``,
the predictions of these words as bits. Examples are chosen by the hash of their id, so that they
are the same for every model, whatever it predicts.

Claims: C1 some head beats every baseline, and C1/offsets every fixed offset, as published; C3 heads
agree between corpora more than untrained ones do; C4 fine-tuning strengthens the encoding; C5 more
than a control task does; C6 tuned heads agree between corpora more than control-tuned ones. (C2,
attention beyond distance, is `attention.regression`.)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
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
    UNSCORED,
    cases_of,
    gold_of,
    is_unscored,
    pseudo_cue,
    span_baselines,
)
from scrutiny.diagnostics.attention.head_counts import KINDS
from scrutiny.diagnostics.attention.presets import (
    Made,
    PresetParams,
    Sentence,
    attention_contrasts,
    claimed_presets,
    each_example,
    measures_of_heads,
    preset_claim,
    spec_of,
)


@dataclass(frozen=True, slots=True)
class HeadsParams(PresetParams):
    """Encoding and presets of the heads diagnostic.

    Parameters
    ----------
    presets
        Ways from pieces to words, each a condition: ``default``, ``as_released``,
        ``as_published``. Claims are of the first.
    options
        Choices of the user's own, on top of the first preset; they become a further condition,
        ``own``: ``{"into": "max", "weighting": "value-norm"}``.
    encoding
        Hypothesis: ``attends-to``, ``attended-by``, ``path-to``, ``rollout-to``.
    margin
        Smallest difference of F1 worth a claim.
    tau_margin
        Smallest difference of tau worth a claim.
    baselines
        What C1 compares the chosen head with, each a claim: ``every``, all baselines, pseudo-cues
        and untrained networks; ``offsets``, fixed offsets alone, as published.
    unscored
        What is left out of all counts: ``empty``, examples without a target; ``anchors``, the
        anchor's own words.

    Raises
    ------
    PlanError, UnknownNameError
        If a preset, option, encoding or baseline is not there.
    """

    presets: tuple[str, ...] = ("default", "as_released", "as_published")
    encoding: str = "attends-to"
    margin: float = 0.02
    tau_margin: float = 0.10
    baselines: tuple[str, ...] = ("every",)
    unscored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        PresetParams.__post_init__(self)
        known("encoding", [self.encoding], ENCODINGS)
        known("set of baselines", self.baselines, ("every", "offsets"))
        known("unscored part", self.unscored, UNSCORED)


#: What is compared with other families, and what a claim about it is called.
_COMPARED: Final = ("mean_head(f1)", "selected_head(f1)")
#: Family of claims whose baselines are the paper's; the stronger ones are of ``attention``.
_PUBLISHED: Final = "attention.as_published"
#: What tuned checkpoints must have learned of their own task on held-out sentences.
_SKILL: Final = ("task_skill",)


#: Sentences for "how this was measured".
_COUNTED: Final = (
    "counts are summed over all examples (micro averages), and sentences are resampled with all "
    "their examples."
)
_NOTES: Final = (
    "Heads and baselines are chosen on one half of the sentences and scored on the other, in both "
    "directions; best_head(f1) is chosen and scored on the same data, as published.",
    "f1_over_baseline tests every head against the best baseline of the same data, together: "
    "p-values are adjusted by max-T from shared draws.",
    "Pseudo-cues are words that are not a cue, matched in position and number of tokens; untrained "
    "networks show the effect of the architecture alone.",
)
_OF_OFFSETS: Final = (
    "C1/offsets has the fixed offsets of the paper alone to beat; C1 has everything behind the "
    "cue, pseudo-cues and untrained networks as well."
)
_AS_PRINTED: Final = (
    "as_published reads equation 3 as it is printed (self and special tokens compete); as_released "
    "is what the released code does. No claim depends on the former."
)


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
        names = tuple(params.conditions())
        has_offsets = "offsets" in params.baselines
        families = {
            "attention": f"heads of {inputs.subject.name} encode the annotation beyond baselines, "
            "untrained networks and control tasks"
        }
        notes = [
            f"The encoding {params.encoding} predicts which words belong to an anchor; {_COUNTED}",
            *_NOTES,
        ]
        if has_offsets:
            families[_PUBLISHED] = f"heads of {inputs.subject.name} beat fixed offsets"
            notes.append(_OF_OFFSETS)
        if params.unscored:
            left_out = " and ".join(UNSCORED[name] for name in params.unscored)
            notes.append(f"Not scored: {left_out}.")
        if "as_published" in params.presets:
            notes.append(_AS_PRINTED)
        specs = [spec for name in names for spec in _specs(name, inputs, has_offsets=has_offsets)]
        specs.append(_spec(names[0], "f1_over_baseline", along=("layer", "head")))
        return Design(
            conditions=tuple({"preset": name} for name in names),
            estimates=tuple(specs),
            claims=tuple(_claims(params, inputs, names)),
            queries_per_item=params.readings,
            notes=tuple(notes),
            families=families,
            contrasts=tuple(_contrasts(names, inputs)),
        )

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
                (
                    role,
                    np.array(one.anchors, dtype=np.int64),
                    span_baselines(one, cases).ravel().tolist(),
                )
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


def _specs(name: str, inputs: Inputs, *, has_offsets: bool) -> Iterator[EstimateSpec]:
    """Estimates of one preset."""
    for kind in KINDS:
        yield _spec(name, f"head({kind})", along=("layer", "head"))
        yield _spec(name, f"mean_head({kind})")
        yield _spec(name, f"split_half_tau({kind})")
        for other in inputs.data.beside:
            yield _spec(name, f"heads_tau({kind})", other, beside=(other,))
        for metric in ("gain_tau", "gain_tau_other_half") if inputs.base else ():
            base = Selector("measured", {"preset": name}, of="base")
            yield _spec(name, f"{metric}({kind})", sides={"base": base})
    yield _spec(name, "mean_head(f1)", "layers", along=("layer",))
    for metric in (
        "best_head",
        "selected_head",
        "selected_baseline",
        "selected_head_over_baseline",
    ):
        yield _spec(name, f"{metric}(f1)")
    if has_offsets:
        yield _spec(name, "selected_head_over_offset(f1)")
    for metric in _COMPARED:
        yield _spec(name, metric, "pseudo", role="control", group="pseudo-cues")


def _spec(name: str, metric: str, *ends: str, **stated: Any) -> EstimateSpec:
    """One specification, named by preset, metric and what else tells it apart."""
    # what is chosen on one half and scored on the other has halves as strata
    is_of_halves = metric.startswith(("selected", "split_half")) or "other_half" in metric
    strata = "a_half" if is_of_halves else None
    return spec_of({"preset": name}, metric, *ends, strata=strata, **stated)


def _contrasts(names: Sequence[str], inputs: Inputs) -> Iterator[ContrastSpec]:
    """Differences from other families, and from pseudo-cues."""
    for name in names:
        compared = [f"{name}/{metric}" for metric in _COMPARED]
        for metric in compared:
            yield ContrastSpec(f"pseudo/{metric}", metric, f"{metric}/pseudo", minus="own")
        compared += [f"{name}/heads_tau(f1)/{other}" for other in inputs.data.beside]
        yield from attention_contrasts(compared)
        for metric in ("gain_tau(f1)", "gain_tau_other_half(f1)") if inputs.base else ():
            spec = f"{name}/{metric}"
            yield ContrastSpec(f"control/{spec}", spec, spec, minus="control")


def _claims(params: HeadsParams, inputs: Inputs, names: Sequence[str]) -> Iterator[Claim]:
    """The claims for the first preset, with the others as choices."""
    choices = {name: name for name in claimed_presets(names)}
    claim = partial(
        preset_claim, choices=choices, margin=params.margin, family="attention", gates=()
    )
    of_tau = partial(claim, margin=params.tau_margin)
    beyond = f"by {params.margin:g} F1, on the half it was not chosen on"
    untrained = "control: untrained", "untrained/{}"
    control = "control: control task", "control/{}"
    if "every" in params.baselines:
        parts = [
            ("selected_head_over_baseline(f1)", "baselines", "{}"),
            ("selected_head(f1)", "control: pseudo-cues", "pseudo/{}"),
            ("selected_head(f1)", *untrained),
        ]
        yield claim("C1", f"some head beats every baseline {beyond}", parts)
    if "offsets" in params.baselines:
        parts = [("selected_head_over_offset(f1)", "baselines: offsets", "{}")]
        says = f"some head beats every fixed offset {beyond}"
        yield claim("C1/offsets", says, parts, family=_PUBLISHED)
    for other in inputs.data.beside:
        tau, more = f"heads_tau(f1)/{other}", f"by {params.tau_margin:g} tau more"
        says = (
            f"the ranking of heads agrees with that on {other}, {more} than for untrained networks"
        )
        yield of_tau(f"C3/{other}", says, [(tau, *untrained)])
        if "control" in inputs.controls:
            says = (
                f"the ranking of fine-tuned heads agrees with that on {other}, {more} than after "
                "the control task"
            )
            yield of_tau(f"C6/{other}", says, [(tau, *control)], gates=_SKILL)
    says = f"fine-tuning raises the average head's F1 by {params.margin:g}"
    if inputs.base:
        parts = [("mean_head(f1)", "before fine-tuning", "base/{}")]
        yield claim("C4", says, parts, gates=_SKILL)
    if "control" in inputs.controls:
        says = f"{says} more than the control task does"
        yield claim("C5", says, [("mean_head(f1)", *control)], gates=_SKILL)
