"""Documents of spaCy from items, and the annotation of words from documents."""

from typing import Any, Final

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.example import Example
from scrutiny.models.answers.inputs import borders

#: Relation of a root, in spaCy and elsewhere.
_ROOTS: Final = {"ROOT": "root"}


def document(vocab: Any, example: Example, annotation: Words | None = None) -> Any:
    """Document with the words of an item's first field, and spaces where the text has some.

    Parameters
    ----------
    vocab
        Of the pipeline.
    example
        Item; its tokens are the data's, or ours where it has none.
    annotation
        What is known of exactly these words, to learn from.
    """
    from spacy.tokens import Doc

    text, places = example.text, borders(example)
    words = [text[start:end] for start, end in places]
    spaces = [text[end : end + 1].isspace() for _, end in places]
    if annotation is None:
        return Doc(vocab, words=words, spaces=spaces)
    layers = {"pos": annotation.upos, "tags": annotation.xpos}
    return Doc(
        vocab,
        words=words,
        spaces=spaces,
        sent_starts=[number == 0 for number in range(len(words))],
        **{name: list(layer) for name, layer in layers.items() if layer is not None},
        **_arcs(annotation),
    )


def _arcs(annotation: Words) -> dict[str, Any]:
    """Heads and relations in spaCy's words; a word without a head is one of its own, unnamed."""
    if annotation.heads is None or annotation.relations is None:
        return {}
    heads = [
        number if head is None or head == ROOT else head
        for number, head in enumerate(annotation.heads)
    ]
    pairs = zip(annotation.heads, annotation.relations, strict=True)
    named = ["ROOT" if h == ROOT else r.partition(":")[0] for h, r in pairs]
    return {"heads": heads, "deps": named}


def annotation(doc: Any, field: str, places: list[tuple[int, int]] | None = None) -> Words:
    """Annotation of a document's words; whitespace that spaCy's tokenizer keeps is no word.

    Parameters
    ----------
    doc
        Document that a pipeline has read.
    field
        Name of its text.
    places
        Borders of its words in the text; default: spaCy's own.
    """
    tokens = [token for token in doc if not token.is_space]
    number = {token.i: k for k, token in enumerate(tokens)}
    if places is None:
        places = [(token.idx, token.idx + len(token)) for token in tokens]
    heads = relations = None
    if doc.has_annotation("DEP"):
        heads = tuple([ROOT if t.head.i == t.i else number.get(t.head.i) for t in tokens])
        relations = tuple([_ROOTS.get(t.dep_, t.dep_) for t in tokens])
    upos = tuple([t.pos_ for t in tokens]) if doc.has_annotation("POS") else None
    xpos = tuple([t.tag_ for t in tokens]) if doc.has_annotation("TAG") else None
    return Words(field, tuple(places), heads, relations, upos, xpos)
