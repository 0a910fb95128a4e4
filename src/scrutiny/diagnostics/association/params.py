"""Parameters of association tests and clusters, and the vectors that they need."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from scrutiny.core.boundary.limits import at_least, known
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.language import POOLINGS

#: What is asked of networks that see both sides of a token, and of those that see the left only.
#: The first token of a left-to-right model has seen nothing, so its vector is no sentence's.
BOTH_SIDES: Final = ("cls", "mean", "first-piece", "word")
LEFT_TO_RIGHT: Final = ("mean", "last", "word")

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
