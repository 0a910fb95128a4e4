"""Parameters of dependency heads: relations, baselines, claims."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from scrutiny.core.boundary.limits import known
from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.attention.params import PresetParams

#: Condition of all scored words together.
ALL: Final = "all"
#: Universal relations that are frequent enough for a head to be found; see `ArcsParams.relations`.
RELATIONS: Final = (
    "nsubj",
    "obj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "advcl",
    "advmod",
    "aux",
    "cop",
    "mark",
    "nmod",
    "amod",
    "nummod",
    "det",
    "case",
    "compound",
    "conj",
    "cc",
    "acl",
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
        found: dict[str, object] = {"preset": self.preset, "relation": self.relation}
        return {**found, "tree": self.tree} if self.tree else found

    def named(self, metric: str) -> str:
        """Identifier of a specification.

        Examples
        --------
        >>> ArcGroup("default", "nsubj").named("best_head(accuracy)")
        'default/nsubj/best_head(accuracy)'
        """
        return "/".join(part for part in (*self, metric) if part)


@dataclass(frozen=True, slots=True)
class ArcsParams(PresetParams):
    """Relations, presets and offsets of the dependency diagnostic.

    Parameters
    ----------
    presets
        Ways from pieces to words, each a condition (see `scrutiny.diagnostics.attention.params`).
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
