"""What a transformation is: it proposes edits and never rewrites."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from scrutiny.core.edit import Edit

if TYPE_CHECKING:
    import numpy as np

Effect = Literal["keeps", "flips", "sets", "may change"]


class Site(NamedTuple):
    """A place that a transformation could change.

    Parameters
    ----------
    start, end
        Code-point offsets of the unit in the field.
    token
        Index of the token there, or -1 for the whole text.
    """

    start: int
    end: int
    token: int = -1


@dataclass(frozen=True, slots=True)
class Intensity:
    """How many of the eligible units are changed.

    Parameters
    ----------
    share
        Of all *words* of the text, the share to change.
    least, most
        Bounds of the number of units; ``most`` may be nothing.
    """

    share: float = 0.1
    least: int = 1
    most: int | None = 10

    def units(self, words: int, eligible: int) -> int:
        """Number of units to change in a text of so many words.

        Examples
        --------
        >>> Intensity(share=0.2).units(words=20, eligible=3)
        3
        """
        wanted = max(self.least, int(self.share * words))
        if self.most is not None:
            wanted = min(wanted, self.most)
        return min(wanted, eligible)


class Document(Protocol):
    """A text field with its analysis, made lazily and at most once.

    ``tokens`` are ``(start, end)`` borders. Tags, entities and the parse come from the tagger that
    the run was given.
    """

    text: str
    field: str
    language: str
    resources: Mapping[str, Any]

    @property
    def tokens(self) -> Sequence[tuple[int, int]]:
        """Borders of all tokens."""
        ...

    @property
    def words(self) -> Sequence[str]:
        """Surface of all tokens, punctuation among them."""
        ...

    def tag(self, index: int) -> str:
        """Penn tag of one token."""
        ...

    def is_protected(self, start: int, end: int) -> bool:
        """Whether any of these code points may not be touched."""
        ...


class Transformation(Protocol):
    """A way to change a text; one small file each.

    ``effect`` says what it does to the gold answer, by task ("*" for all others); only ``keeps``
    may be scored against the old gold without a check. ``resources`` names what it needs
    ("tagger", "wordnet", "masked_lm", "vectors", "translator").

    Eight more members are optional. ``allowed`` names the values that a parameter may have where
    its type does not (the regions of a table): others are refused. ``where`` says what it may do to
    annotated spans unless the recipe says otherwise: "anywhere" (also without the member),
    "around" or "within" them.
    ``warm(documents, resources)`` is called before a chunk of documents is perturbed, so that a
    model can be asked in batches. ``is_for_search`` is true where its candidates are meant for a
    search to choose among: it runs where it is named, and no list of defaults has it. Nor has
    one whose ``is_default`` is false: its outputs are too seldom texts that somebody would write.
    ``is_local`` is true where the word alone decides whether it is a site, so that a search need
    not look at the others again. ``stream`` names its random numbers where it has been renamed
    (`scrutiny.core.randomness.stream_of`). ``at_once(document, sites, shares)`` is a quick way for
    one whose candidates draw a single ``rng.random()`` and are one edit inside of their token each:
    with these numbers, the first candidates of these sites, or nothing where one of them does not
    change the text.
    """

    id: str
    summary: str
    languages: frozenset[str]
    resources: tuple[str, ...]
    effect: Mapping[str, Effect]
    intensity: Intensity

    def sites(self, document: Document) -> Sequence[Site]:
        """Places that could be changed, in the order of the text; draws nothing."""
        ...

    def candidates(
        self, document: Document, site: Site, rng: "np.random.Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Ways to change one place, lazily; each is a set of disjoint edits."""
        ...


class Constraint(Protocol):
    """A veto on candidates; ``reason`` is the stable code that goes into the records.

    ``screen(document, candidates, context)`` is an optional member that answers for several
    sets of edits of one document at once, so that a model can be asked in batches: a list of
    truth values.
    """

    id: str
    reason: str

    def allows(self, document: Document, edits: Sequence[Edit], context: Any) -> bool:
        """Whether this set of edits may stand."""
        ...
