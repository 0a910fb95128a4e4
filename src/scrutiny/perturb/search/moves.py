"""Where a search starts and how it moves: the example, its places, the transformations."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from scrutiny.core.answers.answer import has_places
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, Transformation, Where, may_change_unless
from scrutiny.perturb.engine.changes import Candidates, Sites, word_sites
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import token_spans

# by move and field, with the move
SitesByMove = dict[tuple[int, str], tuple[object, Sequence[Site]]]
Documents = dict[str, TextDocument]  # of one example, by field
Key = tuple[Any, ...]  # what makes two texts the same question: texts, and token borders if given


@dataclass(eq=False, repr=False)
class Origin:
    """The example of a search, its documents and the name of its random streams.

    Parameters
    ----------
    example
        The base: the item as it is.
    seed, draw
        Seed of the run, and which of the independent draws this search is.
    resources
        What transformations and constraints may need, by name.
    excluded
        Keys of texts that may not be proposed; the base's own always belongs to them.
    documents
        Documents of its fields that another search has analyzed; those that it lacks come in.

    Attributes
    ----------
    sites
        Sites of the base by move and field, as far as a space has found them.
    places
        Places of the base that may be changed, once a space has found them, and that space.
    """

    example: Example
    seed: int = 0
    draw: int = 0
    resources: Mapping[str, Any] | None = None
    excluded: frozenset[Key] = frozenset()
    documents: Documents = field(default_factory=dict)
    sites: SitesByMove = field(default_factory=dict, init=False)
    places: "tuple[object, Sequence[Place]] | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        example = self.example
        self.names = tuple(example.fields)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.texts = tuple(example.fields.values())
        self.is_plain = not (
            example.spans or example.protected or example.tokens or has_places(example.gold)
        )
        self.excluded |= {key_of(example, self.texts)}
        self._borders: dict[str, tuple[list[int], list[int]]] = {}
        self._firsts: dict[str, int] = {}

    def document(self, field: str) -> TextDocument:
        """Document of one field of the base."""
        found = self.documents.get(field)
        if found is None:
            found = self.documents[field] = TextDocument(self.example, field, self.resources)
        return found

    @property
    def word_count(self) -> int:
        """Number of words of all fields of the base: the denominator of shares."""
        return sum(self.document(name).word_count for name in self.names)

    def touched(self, edit: Edit) -> range:
        """Tokens of the base that an edit changes, counted in its field.

        An insertion changes the token that it stands in, or whose letters it is glued to.
        """
        borders = self._borders.get(edit.field)
        if borders is None:
            tokens = self.document(edit.field).tokens
            borders = self._borders[edit.field] = [t[0] for t in tokens], [t[1] for t in tokens]
        starts, ends = borders
        first, last = bisect_right(ends, edit.start), bisect_left(starts, edit.end)
        if edit.start < edit.end or first < last:
            return range(first, last)
        text = self.texts[self.numbers[edit.field]]
        place, new = edit.start, edit.text
        if first and ends[first - 1] == place and _are_glued(text[place - 1], new[:1]):
            return range(first - 1, first)
        if first < len(starts) and starts[first] == place and _are_glued(text[place], new[-1:]):
            return range(first, first + 1)
        return range(first, first)

    def changed(self, edits: Sequence[Edit]) -> frozenset[int]:
        """Tokens of the base that edits change, counted through all fields in order."""
        if len(self.names) == 1:
            return frozenset([t for edit in edits for t in self.touched(edit)])
        first = self.first_token
        return frozenset([first(edit.field) + t for edit in edits for t in self.touched(edit)])

    def first_token(self, field: str) -> int:
        """Number of the first token of a field when tokens are counted through all fields."""
        if not self._firsts:  # counted once: a ranking has a field for each candidate
            counts = (len(self.document(name).tokens) for name in self.names)
            self._firsts = dict(zip(self.names, accumulate(counts, initial=0), strict=False))
        return self._firsts[field]

    def words_changed(self, edits: Sequence[Edit]) -> int:
        """Number of its tokens that edits change, plus inserted tokens."""
        return len(self.changed(edits)) + self.inserted_words(edits)

    def inserted_words(self, edits: Sequence[Edit]) -> int:
        """Number of tokens that edits insert between those of the base."""
        between = [e for e in edits if e.start == e.end and not self.touched(e)]
        return sum([len(token_spans(edit.text)) for edit in between])


def key_of(example: Example, texts: tuple[str, ...]) -> Key:
    """Key of a text in a search, equal for the same question: texts, and token borders if given."""
    return (*texts, *sorted((example.tokens or {}).items()))


def _are_glued(letter: str, new: str) -> bool:
    return letter.isalnum() and new.isalnum()


PlaceKey = tuple[str, int, int, int]


class Place(NamedTuple):
    """A place of the current text that may be changed, with the moves that can change it.

    Parameters
    ----------
    field
        Its text field.
    start, end
        Code points of the base that it comes from.
    token
        The token of the base that it comes from; -1 for new words, and for what is no word.
    low, high
        Where it stands in the current text.
    sites
        What can change it: number of the move, and the site in the current text.
    """

    field: str
    start: int
    end: int
    token: int
    low: int
    high: int
    sites: tuple[tuple[int, Site], ...]

    @property
    def key(self) -> PlaceKey:
        """Identifier of the place in all texts of a search."""
        return self[:4]


_is_stop_word = lru_cache(maxsize=1 << 16)(is_stop_word)


@dataclass(frozen=True, slots=True)
class Changeable:
    """Which words may be changed.

    Protected stretches never may. A place that is the whole text, or lies between words, is free
    from ``stop_words``, ``shortest`` and ``longest``.

    Parameters
    ----------
    stop_words
        Words that stay, in lower case and compared so; true for the package's own list of English
        function words, false for none.
    shortest, longest
        Code points that a word must have at least, and may have at most.
    is_once
        Whether a word that was changed, or came in, stays as it is from then on.
    fields
        Text fields that may be changed ("hypothesis" alone of a pair); empty for all.

    Examples
    --------
    >>> rule = Changeable(stop_words=True, shortest=4)
    >>> [rule.allows(word) for word in ("There", "there", "film", "ox")]
    [False, False, True, False]
    """

    stop_words: frozenset[str] | bool = False
    shortest: int = 1
    longest: int | None = None
    is_once: bool = True
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.stop_words, (bool, frozenset)):
            raise PlanError(  # the letters of "french" are no stop words
                f"stop_words is a set of words, or true for the English list that ships with the "
                f"package, not {self.stop_words!r}."
            )

    def allows(self, word: str) -> bool:
        """Whether a word may be changed, judging by its form."""
        if len(word) < self.shortest or (self.longest is not None and len(word) > self.longest):
            return False
        if self.stop_words is False:
            return True
        if self.stop_words is True:
            return not _is_stop_word(word)
        return word.lower() not in self.stop_words


@dataclass(frozen=True, slots=True)
class Move:
    """A transformation in a search.

    Parameters
    ----------
    transformation
        What proposes the edits.
    most
        How many of its candidates for one place are looked at; nothing for all of them.
    may_change
        Which words it may change.
    where
        Places relative to annotated spans; nothing for the transformation's own rule.
    """

    transformation: Transformation
    most: int | None = None
    may_change: Changeable = Changeable()
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    """Largest number of words that may be changed.

    Parameters
    ----------
    words
        So many, or nothing.
    share
        So large a part of the words of all fields, or nothing.
    least
        What the share always allows.

    Examples
    --------
    >>> Amount(share=0.1, least=4).limit(word_count=12), Amount().limit(word_count=12)
    (4, None)
    """

    words: int | None = None
    share: float | None = None
    least: int = 1

    def limit(self, *, word_count: int) -> int | None:
        """Largest number of words to change in a text of this length, or `None`."""
        limits = [] if self.words is None else [self.words]
        if self.share is not None:
            limits.append(max(self.least, int(self.share * word_count)))
        return min(limits, default=None)


@dataclass(frozen=True, slots=True)
class AnyWord(Transformation):
    """Every word, for methods that bring their own candidates.

    Sites without candidates: all words that are long enough.

    Parameters
    ----------
    shortest
        Words of fewer characters are left alone.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> [site.token for site in AnyWord(2).sites(document_of("In 2 words"))]
    [0, 2]
    """

    id = "any_word@1"
    languages = frozenset({"*"})
    effect = may_change_unless()
    where = "around"

    shortest: int = 1

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """No candidates."""
        return iter(())
