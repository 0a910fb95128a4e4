"""Numbers and claims of linear probes, layer by layer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.diagnostics.layers.probe_params import LayerProbesParams
from scrutiny.diagnostics.layers.word_labels import IN_WORDS

#: Numbers of each layer: how they are called in a design, and their metric.
_OF_LAYER = {
    "accuracy": "probe_accuracy@1",
    "known": "known_word_accuracy@1",
    "selectivity": "beyond(known_word_accuracy)@1",
    "bits": "label_bits@1",
    "compression": "label_compression@1",
    "compression beyond control": "beyond(label_compression)@1",
}
_OF_CONTROL = {"known": "known_word_accuracy@1", "compression": "label_compression@1"}


def condition_of(kind: str, layer: int, draw: int | None = None) -> dict[str, object]:
    """Condition of a layer, of one draw or of all of them."""
    found: dict[str, object] = {"labels": kind, "layer": layer}
    return found if draw is None else {**found, "draw": draw}


def word_list_of(kind: str, draw: int | None = None) -> dict[str, object]:
    """Condition of a list of words without a model."""
    found: dict[str, object] = {"labels": kind, "probe": "word list"}
    return found if draw is None else {**found, "draw": draw}


def designed(
    params: LayerProbesParams, kinds: Sequence[str], layers: Sequence[int], inputs: Inputs
) -> Design:
    """Numbers of every layer, differences between layers, and a claim for each but the first."""
    specs: list[EstimateSpec] = []
    contrasts: list[ContrastSpec] = []
    claims: list[Claim] = []
    conditions: list[dict[str, object]] = []
    for kind in kinds:
        for draw in range(params.draws):
            conditions.append(word_list_of(kind, draw))
            conditions += [condition_of(kind, layer, draw) for layer in layers]
        specs.append(_spec(f"list/{kind}", "probe_accuracy@1", word_list_of(kind), params))
        contrasts += ContrastSpec.untrained([f"accuracy/{kind}/{layers[0]}"])
        for layer in layers:
            specs += _numbers(kind, layer, params)
        for before, layer in pairwise(layers):
            contrasts += _differences(kind, layer, before, layers[0], params)
            claims.append(_claim(kind, layer, params, inputs))
    return Design(
        conditions=tuple(conditions),
        estimates=tuple(specs),
        claims=tuple(claims),
        contrasts=tuple(contrasts),
        queries_per_item=2,
        notes=(
            f"Softmax regression on {params.dimensions} principal components of the vectors, "
            f"fitted to about {params.n_training} words of one half of the texts and asked about "
            "all words of the other half, both ways. The penalty is the one with the shortest "
            "online code of the training labels.",
            "Control labels: one at random for each word, with the frequencies of the labels. "
            "Selectivity is over words that the probe was trained on.",
            *(
                (f"Numbers are means over {params.draws} draws of texts and of control labels.",)
                if params.draws > 1
                else ()
            ),
        ),
        families={
            "layers.probes": f"layers of {inputs.subject.name} hold more of the labels than words "
            "alone, and than networks with random weights"
        },
    )


def _spec(
    name: str, metric: str, condition: dict[str, object], params: LayerProbesParams
) -> EstimateSpec:
    """Mean over all draws of a number; of one draw, that number."""
    if params.draws == 1:
        return EstimateSpec(name, metric, {**condition, "draw": 0})
    return EstimateSpec(name, metric, condition, draws=params.draws)


def _numbers(kind: str, layer: int, params: LayerProbesParams) -> Iterator[EstimateSpec]:
    """Numbers of a layer, those of the control labels, and the accuracy of each draw."""
    where = condition_of(kind, layer)
    for name, metric in _OF_LAYER.items():
        yield _spec(f"{name}/{kind}/{layer}", metric, where, params)
    for name, metric in _OF_CONTROL.items():
        own = _spec(f"control {name}/{kind}/{layer}", metric, where, params)
        yield replace(own, role="control")
    if params.draws > 1:
        for draw in range(params.draws):
            place = condition_of(kind, layer, draw)
            yield EstimateSpec(f"accuracy/{kind}/{layer}/{draw}", "probe_accuracy@1", place)


def _differences(
    kind: str, layer: int, before: int, first: int, params: LayerProbesParams
) -> Iterator[ContrastSpec]:
    """Differences of a layer from the embeddings, the list, the layer before, random weights."""
    accuracy, bits = f"accuracy/{kind}/{layer}", f"bits/{kind}/{layer}"
    yield ContrastSpec(
        f"over embeddings/{kind}/{layer}", accuracy, f"accuracy/{kind}/{first}", minus="own"
    )
    yield ContrastSpec(f"over list/{kind}/{layer}", accuracy, f"list/{kind}", minus="own")
    yield ContrastSpec(f"bits saved/{kind}/{layer}", f"bits/{kind}/{first}", bits, minus="own")
    if before != first:
        name = f"over layer {before}/{kind}/{layer}"
        yield ContrastSpec(name, accuracy, f"accuracy/{kind}/{before}", minus="own")
    yield from ContrastSpec.untrained([accuracy])
    if params.draws > 1:
        for draw in range(params.draws):
            a, b = (f"accuracy/{kind}/{one}/{draw}" for one in (layer, first))
            yield ContrastSpec(f"over embeddings/{kind}/{layer}/{draw}", a, b, minus="own")


def _claim(kind: str, layer: int, params: LayerProbesParams, inputs: Inputs) -> Claim:
    """Claim that a layer holds more of the labels than words alone do."""
    place, margin = f"{kind}/{layer}", params.margin
    draws = range(params.draws if params.draws > 1 else 0)
    return Claim(
        id=place,
        says=f"layer {layer} holds more of the {IN_WORDS[kind]} than its words alone",
        components=(
            Component(f"over embeddings/{place}", margin, "baseline: layer 0"),
            Component(f"over list/{place}", margin, "baseline: commonest label of each word"),
            Component(f"selectivity/{place}", 0.0, "control: labels at random"),
            Component(f"bits saved/{place}", 0.0, "choice: online code"),
            *(
                Component(f"over embeddings/{place}/{draw}", margin, f"choice: draw {draw}")
                for draw in draws
            ),
            *inputs.beyond_untrained(f"accuracy/{place}", 0.0),
        ),
        family="layers.probes",
        checks=Claim.checks_with(draw=draws),
    )
