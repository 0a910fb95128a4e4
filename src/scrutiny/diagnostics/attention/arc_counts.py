"""Dependency arcs: relations to ask for, and how often heads and offsets find them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scrutiny.core.answers.words import ROOT
from scrutiny.core.arrays import Booleans, Floats, Integers, Singles
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.annotation import Arcs
from scrutiny.diagnostics.attention.presets import PresetParams
from scrutiny.diagnostics.attention.word_maps import WordMap, strongest_of
from scrutiny.stats.trees import maximum_arborescence
from scrutiny.tasks.dependency_arcs import main_of

#: Condition of all scored words together.
ALL: Final = "all"
#: Universal relations that are frequent enough for a head to be found; see `ArcsParams.relations`.
RELATIONS: Final = tuple(
    "nsubj obj csubj ccomp xcomp obl advcl advmod aux cop mark nmod amod nummod det case compound "
    "conj cc acl".split()
)
#: Fixed offsets from a word to its head; +1 is right-branching.
OFFSETS: Final = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)
#: What a head is asked: the word that a word attends to, or the word that attends to it most.
DIRECTIONS: Final = ("dependent to head", "head to dependent")
#: Trees as conditions: arcs as they point, and whichever way they point.
TREES: Final = ("directed", "undirected")
PROCEDURES: Final[Mapping[str, str]] = {
    "default": "punctuation and roots are no cases of all; offsets -5 to +5 that leave the "
    "sentence are wrong",
    "as_released": "every word is a case of all; offsets -3 to +2, and those that leave the "
    "sentence point to the root before it or to its last word",
}


class ArcGroup(NamedTuple):
    """A unit of scoring: a preset, a relation, and a kind of tree or `None`."""

    preset: str
    relation: str
    tree: str = ""

    @property
    def condition(self) -> dict[str, object]:
        """Condition of the records."""
        return {name: value for name, value in self._asdict().items() if value}


@dataclass(frozen=True, slots=True)
class ArcsParams(PresetParams):
    """Relations, presets and offsets of the dependency diagnostic.

    Parameters
    ----------
    presets
        Ways from pieces to words, each a condition (see `scrutiny.diagnostics.attention.presets`).
        Claims are of the first.
    options
        Choices of the user's own, on top of the first preset; a further condition, ``own``.
        ``{"into": "sum", "out_of": "first"}`` is what the code of Clark et al. does, ``{"into":
        "sum"}`` what their paper says.
    relations
        Conditions beside ``all``. A relation stands for its subtypes as well (``nmod`` for
        ``nmod:poss``); a subtype stands for itself.
    procedure
        ``default``, or ``as_released``: the cases and offsets of the code of Clark et al. (2019).
    has_trees
        Whether heads are also scored by their maximum spanning trees with the annotated root.
    claimed
        Relations of which it is claimed that some head knows them beyond offsets.
    tuned
        Relations of which it is claimed that fine-tuning strengthens them.
    margin
        Smallest difference of accuracy worth a claim.

    Raises
    ------
    PlanError, UnknownNameError
        If a name is not there, or a claim is of a relation that is not looked for.
    """

    relations: tuple[str, ...] = RELATIONS
    procedure: str = "default"
    has_trees: bool = False
    claimed: tuple[str, ...] = ("nsubj", "obj", "amod", "advmod")
    tuned: tuple[str, ...] = ("advcl", "csubj")
    margin: float = 0.02

    def __post_init__(self) -> None:
        PresetParams.__post_init__(self)
        known("procedure", [self.procedure], PROCEDURES)
        if ALL in self.relations or len(set(self.relations)) < len(self.relations):
            raise PlanError(f"relations are distinct, and {ALL!r} is always there.")
        if "direction" in self.options:
            raise PlanError("options: both directions are scored; there is none to choose.")
        for name in (*self.claimed, *self.tuned):
            if name not in (ALL, *self.relations):
                raise PlanError(
                    f"A claim is of the relation {name!r}, which is not among relations: "
                    f"{', '.join(self.relations) or 'none'}."
                )

    def cases(self) -> list["ArcGroup"]:
        """Units of scoring, by preset, in the order of the records."""
        trees = [(ALL, tree) for tree in TREES] if self.has_trees else []
        of_preset = [(ALL, ""), *trees, *((relation, "") for relation in self.relations)]
        return [ArcGroup(name, *one) for name in self.conditions() for one in of_preset]


#: What points to no word.
NOWHERE: Final = -2
#: Offsets that the released code of Clark et al. tries.
_RELEASED: Final = (-3, -2, -1, 1, 2)


class GoldArcs(NamedTuple):
    """Gold heads ``(word,)``: a word, `ROOT`, or `NOWHERE` without an arc; and the relations."""

    heads: Integers
    relations: tuple[str, ...]

    @classmethod
    def of(cls, view: Arcs) -> "GoldArcs":
        """Gold heads of an annotated sentence."""
        heads = [NOWHERE if head is None else head for head in view.heads]
        return cls(np.array(heads, dtype=np.int64), view.relations)

    @property
    def is_punctuation(self) -> Booleans:
        """Whether each word is attached as punctuation."""
        return np.array([main_of(name) == "punct" for name in self.relations], dtype=bool)

    def cases(self, relation: str, *, procedure: str = "default") -> Integers:
        """Words that are scored for a relation.

        ``all`` leaves out roots and punctuation, unless as in the released code; words without an
        arc are never scored, nor is a root under a relation's own name.
        """
        has_arc = self.heads != NOWHERE
        if relation == ALL:
            if procedure == "default":
                has_arc &= (self.heads != ROOT) & ~self.is_punctuation
            return np.flatnonzero(has_arc)
        named = [name == relation or main_of(name) == relation for name in self.relations]
        return np.flatnonzero(has_arc & (self.heads != ROOT) & np.array(named, dtype=bool))

    @property
    def root(self) -> int | None:
        """The first root, or `None`."""
        roots = np.flatnonzero(self.heads == ROOT)
        return int(roots[0]) if roots.size else None


def guessed_arcs(found: WordMap) -> Integers:
    """Dependency arcs that heads guess: for each word the one of most attention, both directions.

    Word ``(direction, layer, head, word)``: first the word that it attends to most, then the word
    that attends to it most; the first of equals. `NOWHERE` for a special token, no attention at
    all, or a word without a piece.

    **Measures**: the head's guess at every word's syntactic head.

    **Misleads when**: rows are compared: in the second direction a word that is looked at by all
    goes to whichever looks hardest.

    **References**: Clark et al. (2019), What does BERT look at?, section 4.2.
    """
    both = np.stack([found.weights, np.swapaxes(found.weights, -1, -2)])
    unit = strongest_of(both)[..., found.is_word]
    is_there = (unit >= 0) & found.is_word[unit]
    return found.by_word(np.where(is_there, found.words[unit], NOWHERE), NOWHERE)


def guessed_trees(found: WordMap, root: int) -> Integers | None:
    """Dependency trees that heads guess: maximum spanning trees of both directions.

    Syntactic heads ``(direction, layer, head, word)``; `ROOT` at the root; nothing where the root
    has no piece.

    **Measures**: the tree over all words that a head's map is nearest to.

    **Misleads when**: the root is the annotated one, which a parser is not given.

    **References**: Htut et al. (2019), Do attention heads in BERT track syntactic dependencies?
    """
    kept = np.flatnonzero(found.is_word)
    words = found.words[kept]
    place = np.flatnonzero(words == root)
    if not place.size:
        return None
    weights: Singles = found.weights[..., kept[:, None], kept]
    both = np.stack([weights, np.swapaxes(weights, -1, -2)]).astype(np.float64)
    heads = maximum_arborescence(both, root=int(place[0]))  # (direction, layer, head, unit)
    only_words = WordMap(weights, words, found.n_words)
    return only_words.by_word(np.where(heads >= 0, words[np.maximum(heads, 0)], ROOT), NOWHERE)


def right_undirected_arcs(guessed: Integers, gold: Integers) -> Booleans:
    """Whether an arc joins each word and the one that a head guesses, ``(..., word)``, any way."""
    word = np.arange(gold.size)
    back = guessed[..., np.maximum(gold, 0)] == word  # the head hangs on the word
    return np.asarray((guessed == gold) | (back & (gold >= 0)))


def arcs_at_offsets(gold: Integers, *, procedure: str = "default") -> Booleans:
    """Baseline of heads: whether an arc leads to the word at each of `OFFSETS` ``(offset, word)``.

    Offsets that leave the sentence are wrong; in the released code they stop at the root that
    stands before it and at its last word, and only -3 to +2 are tried.

    **Measures**: what a relation's usual distance alone gives.

    **Misleads when**: the best offset is chosen on the words it is scored on.

    **References**: Clark et al. (2019); released code: `range(-3, 3)`.
    """
    target = np.arange(gold.size) + np.array(OFFSETS)[:, None]
    if procedure == "default":
        return np.asarray((target == gold) & (target >= 0))
    target = np.clip(target, ROOT, gold.size - 1)
    return np.asarray((target == gold) & np.isin(OFFSETS, _RELEASED)[:, None])


def undirected_at_offsets(gold: Integers) -> Booleans:
    """Baseline of dependency arcs: whether a word's arc has each of these lengths, either way."""
    apart = np.abs(gold - np.arange(gold.size))
    return np.asarray((apart == np.abs(OFFSETS)[:, None]) & (gold >= 0))


def counted(right: Booleans, cases: Sequence[int] | Integers) -> Floats:
    """Number of correct words among the scored ones, flattened."""
    return np.asarray(right[..., cases].sum(axis=-1).ravel().astype(np.float64))
