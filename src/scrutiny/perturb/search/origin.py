"""Start of one search: an example, analyzed once."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrutiny.core.answers.answer import has_places
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.transformation import Site
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.text.tokens import token_spans

if TYPE_CHECKING:
    from scrutiny.perturb.search.move import Place

Sites = dict[tuple[int, str], tuple[object, Sequence[Site]]]  # by move and field, with the move
Documents = dict[str, TextDocument]  # of one example, by field
Key = tuple[Any, ...]  # what makes two texts the same question: texts, and token borders if given


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

    __slots__ = (
        "_borders",
        "_documents",
        "draw",
        "example",
        "excluded",
        "is_plain",
        "names",
        "numbers",
        "places",
        "resources",
        "seed",
        "sites",
        "texts",
    )

    def __init__(
        self,
        example: Example,
        *,
        seed: int = 0,
        draw: int = 0,
        resources: Mapping[str, Any] | None = None,
        excluded: frozenset[Key] = frozenset(),
        documents: Documents | None = None,
    ) -> None:
        self.example = example
        self.seed = seed
        self.draw = draw
        self.resources = resources
        self.names = tuple(example.fields)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.texts = tuple(example.fields.values())
        self.is_plain = not (
            example.spans or example.protected or example.tokens or has_places(example.gold)
        )
        self.excluded = excluded | {key_of(example, self.texts)}
        self._documents: Documents = {} if documents is None else documents
        self._borders: dict[str, tuple[list[int], list[int]]] = {}
        self.sites: Sites = {}
        self.places: tuple[object, Sequence[Place]] | None = None

    def document(self, field: str) -> TextDocument:
        """Document of one field of the base."""
        found = self._documents.get(field)
        if found is None:
            found = self._documents[field] = TextDocument(self.example, field, self.resources)
        return found

    @property
    def word_count(self) -> int:
        """Number of words of all fields of the base: the denominator of shares."""
        return sum(self.document(name).word_count for name in self.names)

    def touched(self, edit: Edit) -> range:
        """Tokens of the base that an edit changes, counted in its field.

        An insertion changes the token that it stands in, or whose letters it is glued to.
        """
        starts, ends = self._borders.get(edit.field) or self._find_borders(edit.field)
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

    def _find_borders(self, field: str) -> tuple[list[int], list[int]]:
        """Start and end of the tokens of a field."""
        tokens = self.document(field).tokens
        found = self._borders[field] = [t[0] for t in tokens], [t[1] for t in tokens]
        return found

    def changed(self, edits: Sequence[Edit]) -> frozenset[int]:
        """Tokens of the base that edits change, counted through all fields in order."""
        if len(self.names) == 1:
            return frozenset([t for edit in edits for t in self.touched(edit)])
        before = {name: self.first_token(name) for name in self.names}
        return frozenset([before[edit.field] + t for edit in edits for t in self.touched(edit)])

    def first_token(self, field: str) -> int:
        """Number of the first token of a field when tokens are counted through all fields."""
        return sum(len(self.document(name).tokens) for name in self.names[: self.numbers[field]])

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
