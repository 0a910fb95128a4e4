"""Attention probes: how much of a dependency tree all maps together encode."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.words import ROOT
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import ARCS
from scrutiny.core.queries.annotation import Arcs
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attention.arc_counts import GoldArcs
from scrutiny.diagnostics.attention.presets import Made, preset
from scrutiny.diagnostics.attention.probe_data import (
    Parsed,
    chosen_for_training,
    embeddings_of,
    parsed,
    probed_maps,
    read_training,
    reduced,
    scored_words,
    vocabulary,
)
from scrutiny.diagnostics.attention.probe_fitting import KINDS, WITH_WORDS, FittedProbe, fit_probe
from scrutiny.diagnostics.attention.word_maps import MapOptions
from scrutiny.tasks.item_hashes import half_of

#: Baseline without a parameter: every word hangs on the next one.
RIGHT: Final = "right-branching"
_OF_ATTENTION: Final = ("attention", "attention-words")
_PAIR: Final = ("attention-words", "distances-words")


def _condition_of(kind: str, draw: int) -> dict[str, object]:
    """Condition of the records of one probe and one random initialization."""
    return {"probe": kind, "draw": draw}


def _name(kind: str, draw: int) -> str:
    return f"{kind}/{draw}"


def _contrasts(own: Sequence[str], draws: int, *, is_paired: bool) -> Iterator[ContrastSpec]:
    """Differences from distances with words, right-branching, and untrained networks."""
    for draw in range(1, draws + 1):
        if is_paired:
            a, b = (_name(kind, draw) for kind in _PAIR)
            yield ContrastSpec(f"beyond-distances/{a}", a, b, minus="own")
        for kind in own:
            a = _name(kind, draw)
            yield ContrastSpec(f"beyond-right/{a}", a, _name(RIGHT, 1), minus="own")
            yield from ContrastSpec.untrained([a])


def _claims(own: Sequence[str], params: "ProbeParams", *, is_paired: bool) -> Iterator[Claim]:
    """Claims: maps add to words and distances, in every draw."""
    draws, margin = params.draws, params.margin
    baselines = {"attention": ("beyond-right", "baseline: right-branching")}
    if is_paired:
        baselines["attention-words"] = ("beyond-distances", "baseline: distances and words")
    for kind in (kind for kind in own if kind in baselines):
        against = [baselines[kind], ("untrained", "control: untrained")]
        components = [
            Component(
                f"{place}/{_name(kind, draw)}",
                margin,
                guard if draw == 1 else f"choice: draw {draw}, {guard}",
            )
            for draw in range(1, draws + 1)
            for place, guard in against
        ]
        yield Claim(
            id=kind,
            says=f"a probe of attention{' and words' if kind != 'attention' else ''} finds "
            f"{margin:g} more of the syntactic heads than its baseline and untrained maps do",
            components=tuple(components),
            family="attention.probe",
            checks=Claim.checks_with(draw=range(draws)),
        )


@dataclass(frozen=True, slots=True)
class ProbeParams:
    """Probes, number of sentences, and settings of the fit.

    Parameters
    ----------
    probes
        Of ``attention``, ``attention-words``, ``distances-words``; those with words only where the
        model's embeddings can be had.
    preset
        Way from pieces to words; special tokens are kept for the root.
    n_training
        Most sentences of a half that a probe is fitted to. Their maps are all that is held:
        2 bytes x maps x words x (words + 2) each, 70 MB for 1,000 sentences of 15 words and 144
        maps; one half at a time.
    draws
        Fits of each probe, from other first weights and in another order; each is a condition.
    epochs, learning_rate
        Of Adam, one sentence at a time. A tenth of the sentences is held out, and the epoch that
        does best on it is kept. The paper has one epoch of 40,000 sentences.
    dimensions
        Principal components of the embeddings that probes are given.
    margin
        Smallest difference of UAS worth a claim.

    Raises
    ------
    PlanError, UnknownNameError
        If a name or number cannot be.
    """

    probes: tuple[str, ...] = ("attention", "attention-words", "distances-words")
    preset: str = "default"
    n_training: int = 1000
    draws: int = 3
    epochs: int = 10
    learning_rate: float = 0.002
    dimensions: int = 100
    margin: float = 0.02

    def __post_init__(self) -> None:
        preset(self.preset)
        known("probe", self.probes, KINDS)
        at_least(self, n_training=1, draws=1, epochs=1, dimensions=1)

    @property
    def options(self) -> MapOptions:
        """Options of the maps: special tokens stand for the root."""
        return replace(preset(self.preset), special="keep", missing="drop-word")

    def kinds(self, capabilities: frozenset[str]) -> tuple[str, ...]:
        """Probes that a model supports."""
        has_words = "representations" in capabilities
        return tuple(name for name in self.probes if has_words or name not in WITH_WORDS)

    def places(self, kinds: Sequence[str]) -> list[tuple[str, int]]:
        """Kind and number of each fitted probe."""
        return [(kind, draw) for kind in kinds for draw in range(1, self.draws + 1)]


class AttentionProbe(Diagnostic[ProbeParams]):
    """Dependency trees predicted by probes of all attention maps.

    Unlabeled attachment score of probes with weights on all maps, and of probes without maps.

    The head of a word is a softmax over sum_k w_k a_ij + u_k a_ji, the root by attention to the
    special tokens. ``attention`` has one weight a map and direction; in ``attention-words`` weights
    are linear in the two words' vectors; ``distances-words`` sees words and distances and no map;
    ``right-branching`` hangs every word on the next. Fitted on one half of the sentences, tested
    on the other, both ways. Word vectors are the model's own input embeddings (the paper's are
    GloVe).

    **Measures**: how much syntax all heads hold together, for a reader who may combine them.

    **Misleads when**: attention-words is compared with attention alone: words by themselves tell
    much, which ``distances-words`` shows; probes are fitted to few sentences; untrained networks
    are left out, whose maps with words reach 30 in the paper.

    **References**: Clark et al. (2019), What does BERT look at?, section 5; Hewitt & Liang (2019),
    Designing and interpreting probes with control tasks.
    """

    id = "attention.probe@1"
    needs = frozenset({"attentions"})
    wants = (ARCS,)
    measures = (Measure("right_heads", unit="words"), Measure("arcs", unit="words"))
    scope = "dataset"
    nulls = 3

    def audit_params(self, task: Task) -> ProbeParams:
        """Parameters in an audit: one fit with few epochs."""
        return ProbeParams(n_training=300, draws=1, epochs=4)

    def design(self, params: ProbeParams, inputs: Inputs) -> Design:
        """UAS of every probe and draw, and the contribution of the maps."""
        words = (
            "Word vectors: the model's input embeddings, the pieces of a word averaged, in "
            f"{params.dimensions} principal components."
        )
        kinds = params.kinds(inputs.subject.capabilities)
        places = [*params.places(kinds), (RIGHT, 1)]
        own = [kind for kind in _OF_ATTENTION if kind in kinds]
        is_paired = set(_PAIR) <= set(kinds)
        return Design(
            conditions=tuple(_condition_of(*place) for place in places),
            estimates=tuple(
                EstimateSpec(_name(*place), "uas@1", _condition_of(*place)) for place in places
            ),
            claims=tuple(_claims(own, params, is_paired=is_paired)),
            queries_per_item=2,
            notes=(
                "Fitted on one half of the sentences and tested on the other, both ways; "
                f"punctuation is no scored word, the root is. At most {params.n_training} "
                f"sentences a half; of {params.epochs} epochs of Adam at {params.learning_rate:g}, "
                "the best on a held-out tenth of them.",
                *((words,) if set(kinds) & set(WITH_WORDS) else ()),
            ),
            families={
                "attention.probe": f"attention of {inputs.subject.name} encodes syntax beyond "
                "distances and words, and beyond untrained networks"
            },
            contrasts=tuple(_contrasts(own, params.draws, is_paired=is_paired)),
        )

    def measure(self, params: ProbeParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each sentence, probe and draw."""
        views = [Arcs.of(example) for example in batch.examples]
        golds = [GoldArcs.of(view) for view in views]
        words, types = vocabulary([view.words for view in views])
        halves = [str(e.attributes.get("a_half", half_of(e.id))) for e in batch.examples]
        kinds = params.kinds(ctx.model.capabilities)
        has_words = bool(set(kinds) & set(WITH_WORDS)) and bool(words)
        embeddings = embeddings_of(ctx.model, words) if has_words else None

        def maps_of(rows: Iterable[int]) -> Iterator[Made]:
            return probed_maps(ctx.model, [views[i].words for i in rows], params.options)

        def fitted_to(half: str, rows: Sequence[int]) -> dict[tuple[str, int], FittedProbe]:
            learned = [golds[i] for i in rows], [types[i] for i in rows]
            sentences = read_training(maps_of(rows), *learned)  # let go with this call
            return _fitted(params, params.places(kinds), sentences, embeddings, half=half, ctx=ctx)

        rng = ctx.rng("probe-training", stream_of(AttentionProbe), cell.dataset)
        chosen = chosen_for_training(halves, most=params.n_training, rng=rng)
        probes = {half: fitted_to(half, rows) for half, rows in chosen.items()}
        for i, made in enumerate(maps_of(range(len(views)))):
            fitted = next((own for half, own in probes.items() if half != halves[i]), {})
            gold, scored = golds[i], scored_words(golds[i])
            sentence = None if isinstance(made, Failure) else parsed(made, gold, types[i])
            for place in (*params.places(kinds), (RIGHT, 1)):
                found: tuple[float, ...] | Failure
                if not scored.size:
                    found = Failure("nothing_scored", status="skipped")
                elif isinstance(made, Failure):
                    found = made
                elif place[0] != RIGHT and place not in fitted:
                    found = Failure("no_other_half", status="undefined")
                else:
                    heads = _guessed(gold.heads.size, sentence, fitted.get(place))
                    found = (heads[scored] == gold.heads[scored]).sum(), scored.size
                yield RowKind.of(_condition_of(*place)).row(batch.examples[i].id, found)


def _fitted(
    params: ProbeParams,
    places: Sequence[tuple[str, int]],
    sentences: Sequence[Parsed],
    embeddings: NDArray[np.float32] | None,
    *,
    half: str,
    ctx: Context,
) -> dict[tuple[str, int], FittedProbe]:
    """Probes of each kind and draw, fitted to sentences of a half; none without any."""
    if not sentences:
        return {}
    vectors = None
    if embeddings is not None:
        known_types = np.unique(np.concatenate([one.types for one in sentences]))
        vectors = reduced(embeddings, known_types, dimensions=params.dimensions)
    return {
        (kind, draw): fit_probe(
            kind,
            sentences,
            vectors=vectors if kind in WITH_WORDS else None,
            epochs=params.epochs,
            learning_rate=params.learning_rate,
            rng=ctx.rng(f"probe-{kind}", stream_of(AttentionProbe), half, draw),
        )
        for kind, draw in places
    }


def _guessed(n_words: int, sentence: Parsed | None, probe: FittedProbe | None) -> NDArray[np.int64]:
    """Predicted head ``(word,)`` of every word; right-branching without a probe.

    A word without a piece hangs on itself, which is no head.
    """
    heads = np.arange(n_words)
    if probe is None or sentence is None:
        heads = heads + 1
        heads[-1] = ROOT
        return heads
    if sentence.words.size:
        heads[sentence.words] = np.append(sentence.words, ROOT)[probe.heads(sentence)]
    return heads
