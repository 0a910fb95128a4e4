"""Word sets of association tests, the vectors of their items, and claims over kinds of vectors.

Claims hold in every representation, and beyond untrained networks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import Context
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import POOLINGS, Passage
from scrutiny.models.answers.language_answers import ItemVectors, answered_vectors
from scrutiny.models.strings.training_records import LANGUAGE_GATES
from scrutiny.text.letters import lowered

#: What is asked of networks that see both sides of a token, and of those that see the left only.
#: The first token of a left-to-right model has seen nothing, so its vector is no sentence's.
BOTH_SIDES: Final = ("cls", "mean", "first-piece", "word")
LEFT_TO_RIGHT: Final = ("mean", "last", "word")
OF_ONE_KIND: Final = (
    "One representation: the effect of this choice on the numbers was not measured."
)
Layers = Literal["last", "all"] | tuple[int, ...]


class Kind(NamedTuple):
    """One kind of vector of a text; ``layer`` is `None` if only the last layer is used."""

    representation: str
    layer: int | None = None

    @property
    def condition(self) -> dict[str, object]:
        """Condition of its records."""
        layer = {} if self.layer is None else {"layer": self.layer}
        return {"representation": self.representation, **layer}

    @property
    def name(self) -> str:
        """Name of the kind among the estimates of a test."""
        return self.representation + ("" if self.layer is None else f"/{self.layer}")


@dataclass(frozen=True, slots=True)
class VectorParams:
    """Kinds of vectors, and the representation that claims are about."""

    representations: tuple[str, ...] = ()
    layers: Layers = "last"
    claimed: str = "mean"

    def __post_init__(self) -> None:
        known("representation", (*self.representations, self.claimed), POOLINGS)
        if len(set(self.representations)) < len(self.representations):
            raise PlanError(f"A representation occurs twice in {', '.join(self.representations)}.")


@dataclass(frozen=True, slots=True)
class SeatParams(VectorParams):
    """Parameters of `association.seat@1`.

    Parameters
    ----------
    representations
        What one vector for a text is made of (cls, mean, first-piece, last, word); empty for those
        that fit the model: the first four but ``last``, and ``word``, of networks that see both
        sides; mean, last and word of those that see the left only.
    layers
        "last", "all" (the embeddings, numbered 0, included), or a list of layers.
    claimed
        Representation that claims are about; the others are choices that claims must survive.
        ``mean`` unless told: it exists for every model and every text, needs no special token that
        some recipes never train, and is what most published tables report.
    margin
        Smallest effect size worth a claim.
    ddof
        1 for the standard deviation of a sample, as sent-bias has it; 0 as WEFE has it.
    procedure
        ``default``, or ``may2019``: the published encoder's own way, lower-cased text without
        special tokens and by itself, vector of its first piece (of the last token for
        left-to-right models). Its permutation of sentences is ``sentence_permutation@1``, which
        every run has.
    """

    margin: float = 0.2
    ddof: Literal[0, 1] = 1
    procedure: Literal["default", "may2019"] = "default"


@dataclass(frozen=True, slots=True)
class ClustersParams(VectorParams):
    """Parameters of `association.clusters@1`.

    Parameters
    ----------
    representations, layers, claimed
        As `SeatParams`; ``mean``, ``cls`` (``last`` of left-to-right models) unless told.
    parts
        Which sets are clustered: "targets" (X and Y), "attributes" (A and B).
    starts
        Starts of k-means; the one with the least inertia counts.
    scaled_to_unit
        Whether vectors are brought to length 1 first.
    margin
        Smallest share of items beyond permuted labels that is worth a claim.
    procedure
        ``default``, or ``as_published``: one start, as its seed has it.
    start_seed
        Seed of the first start, for trying published procedures again.
    """

    parts: tuple[Literal["targets", "attributes"], ...] = ("targets", "attributes")
    starts: int = 50
    scaled_to_unit: bool = False
    margin: float = 0.02
    procedure: Literal["default", "as_published"] = "default"
    start_seed: int = 0

    def __post_init__(self) -> None:
        VectorParams.__post_init__(self)
        at_least(self, starts=1)
        if not self.parts:
            raise PlanError("parts is empty; name targets, attributes, or both.")

    @property
    def n_starts(self) -> int:
        """Number of starts."""
        return 1 if self.procedure == "as_published" else self.starts


def kinds_of_vectors(
    representations: tuple[str, ...], layers: Layers, n_layers: int | None
) -> tuple[Kind, ...]:
    """Kinds of vectors that an association test asks for, by representation."""
    named = (None,) if layers == "last" else layers_of_vectors(layers, n_layers)
    return tuple(Kind(name, layer) for name in representations for layer in named)


def _is_left_to_right(capabilities: frozenset[str]) -> bool:
    """Whether a model's tokens only attend to earlier tokens."""
    return "token_logprobs" in capabilities


def seat_representations(params: SeatParams, capabilities: frozenset[str]) -> tuple[str, ...]:
    """Representations that association tests use for a model."""
    if params.procedure == "may2019":
        return ("last",) if _is_left_to_right(capabilities) else ("first-piece",)
    usual = LEFT_TO_RIGHT if _is_left_to_right(capabilities) else BOTH_SIDES
    return params.representations or usual


def cluster_representations(
    params: ClustersParams, capabilities: frozenset[str]
) -> tuple[str, ...]:
    """Representations of the clustered vectors."""
    usual = ("mean", "last") if _is_left_to_right(capabilities) else ("mean", "cls")
    return params.representations or usual


def claimed_first(kinds: Sequence[Kind], claimed: str) -> list[Kind]:
    """Kinds of vectors of an association test at the last layer, that of the claims first.

    Lower layers are described, and no claim has to hold in them.
    """
    last = {kind.representation: kind for kind in kinds}
    own = last.get(claimed, kinds[0])
    return [own, *(kind for kind in last.values() if kind != own)]


def layers_of_vectors(layers: Layers, n_layers: int | None) -> tuple[int, ...]:
    """Layers that an association test asks for, as numbers, for a model with this many.

    Raises
    ------
    PlanError
        If it has no such layer, or does not say how many it has.
    """
    if isinstance(layers, tuple) and n_layers is None:
        return layers
    if n_layers is None:
        raise PlanError("The model does not say how many layers it has; list them: [1, 2].")
    if layers == "last":
        return (n_layers,)
    numbers = tuple(range(n_layers + 1)) if layers == "all" else tuple(layers)
    strange = [number for number in numbers if not 0 <= number <= n_layers]
    if strange:
        raise PlanError(
            f"There is no layer {strange[0]}: the model has {n_layers}, counted from 1; 0 are the "
            "embeddings."
        )
    return numbers


SETS: Final = ("X", "Y", "A", "B")


@dataclass(frozen=True, slots=True, eq=False)
class WordSets:
    """One test: positions of its items ``(item,)`` by set."""

    name: str
    members: dict[str, NDArray[np.int64]]


def word_sets(examples: Sequence[Example]) -> list[WordSets]:
    """Tests of the examples, in the order of their first items.

    Raises
    ------
    DataError
        If an item names no set.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for position, example in enumerate(examples):
        which = example.attributes.get("a_set")
        if which not in SETS:
            raise DataError(
                f"{example.source or example.id}: a_set is {which!r}; it is X or Y for targets, A "
                "or B for attributes."
            )
        test = str(example.attributes.get("a_test", "all"))
        found.setdefault(test, {name: [] for name in SETS})[str(which)].append(position)
    return [
        WordSets(name, {s: np.array(places, dtype=np.int64) for s, places in members.items()})
        for name, members in found.items()
    ]


def words_of(examples: Sequence[Example], places: NDArray[np.int64]) -> NDArray[np.str_]:
    """Target word of each item ``(item,)``; an item without one is its own."""
    return np.array(
        [str(examples[i].attributes.get("u_word", examples[i].id)) for i in places.tolist()]
    )


def passages_of(
    examples: Sequence[Example], *, lower: bool, needs_word: bool
) -> tuple[list[Passage], NDArray[np.int64]]:
    """Distinct passages of the word sets' examples, and the index of each example's passage.

    A text that stands in several tests is there once; where words are asked for, once for each of
    its words. Where a text has no word, the passage with one serves it too.
    """
    ends = [(e.attributes.get("a_start"), e.attributes.get("a_end")) for e in examples]
    spans = [
        None if not needs_word or start is None or end is None else (int(start), int(end))
        for start, end in ends
    ]
    texts = [lowered(e.text) if lower else e.text for e in examples]
    worded = {text: span for text, span in zip(texts, spans, strict=True) if span is not None}
    wanted = [
        Passage(text, worded.get(text) if span is None else span)
        for text, span in zip(texts, spans, strict=True)
    ]
    index = {passage: i for i, passage in enumerate(dict.fromkeys(wanted))}
    return list(index), np.array([index[passage] for passage in wanted], dtype=np.int64)


def word_set_vectors(
    examples: Sequence[Example],
    ctx: Context,
    *,
    representations: tuple[str, ...],
    layers: Layers,
    as_published: bool = False,
) -> ItemVectors:
    """Vectors of the words or sentences of all sets, from one query to the model.

    As published: texts in lower case, one forward pass for each. Vectors of one text in several
    batches differ in their last digits, which shows where associations hardly vary.
    """
    passages, places = passages_of(
        examples, lower=as_published, needs_word="word" in representations
    )
    found = answered_vectors(
        ctx.model,
        passages,
        layers=layers_of_vectors(layers, ctx.model.n_layers),
        poolings=representations,
        one_by_one=as_published,
    )
    return replace(found, passage=places)


def has_direction(vectors: Floats) -> Booleans:
    """Whether a word's vector ``(item, dimension)`` can be associated: there, and not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.isfinite(lengths) & (lengths > 0))


def claim_of_every_kind(
    test: str, estimates: Mapping[str, str], *, margin: float, says: str, family: str
) -> Claim:
    """Claim that a test finds an association, in every representation.

    Parameters
    ----------
    test
        Name of the test, and of the claim.
    estimates
        Name of the estimate of each kind, the declared one first; the others are choices.
    margin
        What it has to exceed, and exceed that of untrained networks by.
    says, family
        Of the claim.
    """
    return Claim(
        id=test,
        says=says,
        components=tuple(Component.beside_untrained("representation", estimates, margin)),
        family=family,
        checks=Claim.checks_with(representation=estimates),
        gates=LANGUAGE_GATES,
    )
