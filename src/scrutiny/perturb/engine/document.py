"""A text field with its analysis, computed on demand and at most once, and its allowed sites."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.answers.answer import fences_of, has_places, segments_of, spared_of
from scrutiny.core.edit import Borders
from scrutiny.core.example import EVIDENCE, Example, Span
from scrutiny.core.transformation import Site, Where
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.literals import find_literals, tokens_with
from scrutiny.text.tokens import sentences

if TYPE_CHECKING:
    from scrutiny.core.transformation import Transformation
    from scrutiny.text.entities import Entity
    from scrutiny.text.tagger import Tag


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class TextDocument:
    """One field of an example, as transformations read it.

    Nothing is computed before it is asked for: a text that a transformation has no place in costs
    no tagging.

    Parameters
    ----------
    example
        The example; its tokens layer, where there is one, gives the token borders.
    field
        Name of the field; the first one unless told.
    resources
        What the run brought, by name; ``tagger`` and ``entities`` have a light default.

    Examples
    --------
    >>> document = TextDocument(Example("1", {"text": "Isn't it 3.5?"}))
    >>> document.words
    ["Isn't", 'it', '3.5', '?']
    >>> document.word_count
    3
    """

    # what every change asks for; a cached property costs a lock the first time
    _tokens: Borders | None = None
    _words: list[str] | None = None
    _word_count = -1
    _literals: tuple[tuple[int, int], ...] | None = None

    def __init__(
        self, example: Example, field: str | None = None, resources: Mapping[str, Any] | None = None
    ) -> None:
        self.example = example
        self.field = next(iter(example.fields)) if field is None else field
        self.text = example.fields[self.field]
        self.language = example.language
        self.resources: Mapping[str, Any] = _NOTHING if resources is None else resources
        self._sites: dict[int, tuple[Transformation, Sequence[Site]]] = {}

    @property
    def tokens(self) -> Borders:
        """Boundaries of the tokens: of the tokens layer, or of our own tokenizer."""
        if self._tokens is None:
            layer = self.example.tokens
            given = layer.get(self.field) if layer is not None else None
            self._tokens = tokens_with(self.literals, self.text) if given is None else given
        return self._tokens

    def sites_of(self, transformation: "Transformation") -> "Sequence[Site]":
        """Sites of a transformation, looked for once: no draw has others."""
        known = self._sites.get(id(transformation))
        if known is None:  # held with its sites, so that no other gets its number
            known = transformation, transformation.sites(self)
            self._sites[id(transformation)] = known
        return known[1]

    @cached_property
    def starts(self) -> list[int]:
        """Start of each token, for lookup by bisection."""
        return [start for start, _ in self.tokens]

    @cached_property
    def ends(self) -> list[int]:
        """End of each token."""
        return [end for _, end in self.tokens]

    @property
    def words(self) -> list[str]:
        """Text of every token, including punctuation."""
        if self._words is None:
            text = self.text
            self._words = [text[start:end] for start, end in self.tokens]
        return self._words

    @property
    def word_count(self) -> int:
        """Number of tokens with a letter or a digit: the denominator of shares."""
        if self._word_count < 0:
            text, tokens = self.text, self.tokens
            heads = "".join([text[start] for start, _ in tokens])
            others: list[tuple[int, int]] = []
            if not heads.isalnum():  # most tokens begin with a letter or a digit
                others = [b for b, head in zip(tokens, heads, strict=True) if not head.isalnum()]
            inside = [1 for a, b in others if b - a > 1 and any(map(str.isalnum, text[a:b]))]
            self._word_count = len(tokens) - len(others) + len(inside)
        return self._word_count

    @cached_property
    def _tags(self) -> "list[Tag | None]":
        return [None] * len(self.tokens)

    def tagged(self, index: int) -> "Tag":
        """Penn and universal tag of one token."""
        tag = self._tags[index]
        if tag is None:
            tagger = find_resource(self.resources, "tagger")
            tag = self._tags[index] = tagger.tag_at(self.words, index)
        return tag

    def tag(self, index: int) -> str:
        """Penn tag of one token."""
        return self.tagged(index).xpos

    def upos(self, index: int) -> str:
        """Universal part of speech of one token."""
        return self.tagged(index).upos

    @cached_property
    def entities(self) -> "Sequence[Entity]":
        """Named entities that the run's finder sees."""
        found: Sequence[Entity] = find_resource(self.resources, "entities").entities(self.text)
        return found

    @cached_property
    def annotations(self) -> tuple[Span, ...]:
        """Gold spans and other annotations of this field, unordered."""
        return self._own((*fences_of(self.example.gold), *self.example.spans))

    def _own(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Spans of this field, but those that an answer rests on."""
        found = [s for s in spans if s.field == self.field]
        return tuple([s for s in found if not s.label.startswith(EVIDENCE)])

    @cached_property
    def spared(self) -> tuple[Span, ...]:
        """Annotations whose words are left alone by what changes texts around them."""
        return self._own((*spared_of(self.example.gold), *self.example.spans))

    @cached_property
    def protected(self) -> tuple[Span, ...]:
        """Parts of this field that may not be changed."""
        return tuple([s for s in self.example.protected if s.field == self.field])

    @property
    def literals(self) -> tuple[tuple[int, int], ...]:
        """Markup, code and addresses of this field, which nothing changes."""
        if self._literals is None:
            self._literals = find_literals(self.text)
        return self._literals

    @property
    def is_plain(self) -> bool:
        """Whether the field has no annotations, no protected parts and no literals."""
        example = self.example
        if self.literals:
            return False
        if not example.spans and not example.protected and not has_places(example.gold):
            return True
        return not (self.annotations or self.protected or self.has_words)

    @cached_property
    def has_words(self) -> bool:
        """Whether the gold answer speaks of each word of this field, so that edits state pieces."""
        return self.field in segments_of(self.example.gold)

    def is_protected(self, start: int, end: int) -> bool:
        """Whether any of these code points is protected."""
        return any(start < span.end and span.start < end for span in self.protected)

    def is_literal(self, start: int, end: int) -> bool:
        """Whether any of these code points belongs to a literal, or a place is within one."""
        return any(start < high and low < end for low, high in self.literals)


def document_of(
    text: str, *, language: str = "en", resources: Mapping[str, Any] | None = None
) -> TextDocument:
    """Document of a plain text, in a field named ``text``."""
    return TextDocument(Example("", {"text": text}, language=language), "text", resources)


def covered(document: TextDocument, spans: Sequence[Span]) -> bytearray:
    """One byte for each code point: 1 if one of these spans of the document covers it."""
    marks = bytearray(len(document.text))
    for span in spans:
        stretch = slice(span.start, span.end)
        marks[stretch] = b"\x01" * len(marks[stretch])
    return marks


def allowed_sites(sites: Sequence[Site], document: TextDocument, where: Where) -> Sequence[Site]:
    """Sites that touch no annotated span (``around``), only those that do (``within``), or all.

    ``beside`` are those that touch none, in the sentences that hold one. None touches a literal,
    such as a URL, and a closed field has none. The whole text as a site counts as around.
    """
    if document.example.protected and document.example.is_closed(document.field):
        return ()
    if document.literals:
        sites = [s for s in sites if s.token < 0 or not document.is_literal(s.start, s.end)]
    if where == "anywhere":
        return sites
    spans = _meant(document, where)
    if not spans:
        return sites if where == "around" else ()
    marks = covered(document, spans)
    if where == "beside":
        own = [Span("", a, b) for a, b in sentences(document.text) if any(marks[a:b])]
        near = covered(document, own)
        sites = [s for s in sites if s.token >= 0 and any(near[s.start : s.end])]
    return [
        s for s in sites if (s.token >= 0 and any(marks[s.start : s.end])) == (where == "within")
    ]


def tokens_where(document: TextDocument, where: Where) -> list[int]:
    """Indices of the tokens that a change may touch, as in `allowed_sites`.

    Examples
    --------
    >>> from scrutiny.core.example import EVIDENCE, Example, Span
    >>> from scrutiny.perturb.engine.document import TextDocument
    >>> gold = (Span("text", 3, 8, "LOC"),)
    >>> document = TextDocument(Example("1", {"text": "In Paris now"}, gold=gold))
    >>> tokens_where(document, "around"), tokens_where(document, "within")
    ([0, 2], [1])
    """
    is_free = where == "anywhere" or not _meant(document, where)
    if is_free and not document.literals:
        return [] if where in ("within", "beside") else list(range(len(document.tokens)))
    sites = [Site(start, end, i) for i, (start, end) in enumerate(document.tokens)]
    return [site.token for site in allowed_sites(sites, document, where)]


def _meant(document: TextDocument, where: Where) -> tuple[Span, ...]:
    """Spans that are left alone, or that are changed."""
    return document.spared if where == "around" else document.annotations
