"""Documents of spaCy from items, the annotation of words from documents, and what both rest on."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.example import Example
from scrutiny.models.answers.inputs import borders
from scrutiny.models.strings.lineage import FILE, HASHES
from scrutiny.store.files import hash_file

#: Documents that go through a pipeline together.
BATCH: Final = 64
#: Relation of a root, in spaCy and elsewhere.
_ROOTS: Final = {"ROOT": "root"}
#: Files beside a pipeline that are none of its own.
_OF_TRAINING: Final = {FILE, HASHES}


def documents(nlp: Any, examples: Sequence[Example], *, finds_words: bool) -> Iterator[Any]:
    """Documents with the data's words, or with those that the pipeline finds."""
    for example in examples:
        if finds_words:
            yield nlp.make_doc(example.text)
        else:
            yield document(nlp.vocab, example)


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


def versions() -> list[str]:
    """Versions of the packages that a pipeline's answers depend on."""
    return [f"{name} {version(name)}" for name in ("spacy", "thinc")]


def files_of(folder: Path) -> list[str]:
    """Each file of a pipeline, with the digest of its bytes."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in _OF_TRAINING)
    return [f"{path.relative_to(folder).as_posix()} {hash_file(path)}" for path in paths]
