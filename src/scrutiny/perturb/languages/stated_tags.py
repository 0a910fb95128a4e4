"""Parts of speech that the data state: in a tree, or as labels of single words."""

from collections.abc import Mapping
from functools import lru_cache

from scrutiny.core.answers.words import Words
from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.word_forms import UPOS_OF, content_tag
from scrutiny.tasks.tags import PENN, UNIVERSAL


@lru_cache(maxsize=8)
def _stated(document: Document) -> Mapping[int, str]:
    """Tag of each word whose part of speech the data state, by the place where it begins."""
    gold = document.example.gold
    if isinstance(gold, Words):
        tags = gold.xpos or gold.upos or ()
        return {start: tag for (start, _), tag in zip(gold.borders, tags, strict=False) if tag}
    labels = PENN | UNIVERSAL
    return {span.start: span.label for span in document.annotations if span.label in labels}


@lru_cache(maxsize=8)
def _annotated(document: Document) -> bytes:
    """One byte for each code point: 1 where an annotation is no part of speech."""
    marks = bytearray(len(document.text))
    for _, start, end, label in document.annotations:
        if label not in PENN and label not in UNIVERSAL:
            marks[start:end] = b"\x01" * (end - start)
    return bytes(marks)


def open_tag(document: Document, index: int) -> str:
    """Penn tag of a noun, verb, adjective or adverb; empty where the data state another one.

    What they state comes first: their own Penn tag, or else the tagger's where it is of the part of
    speech that they state. So does an entity or another annotation that is no part of speech: its
    words have no tag.
    """
    stated = _stated(document)
    start, end = document.tokens[index]
    tag = stated.get(start, "")
    if tag and tag not in UNIVERSAL:
        return tag if tag in UPOS_OF else ""
    if not tag and any(_annotated(document)[start:end]):
        return ""
    told = content_tag(document, index)
    is_open = told in UPOS_OF and (not tag or UPOS_OF[told] == tag)
    return told if is_open else ""
