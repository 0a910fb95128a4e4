"""The finite verb of a main clause by a dependency parse, where the run brought a parser."""

from typing import Any, Final, Protocol

from scrutiny.core.transformation import Document
from scrutiny.perturb.english.verbs import finite_kind

_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARIES: Final = frozenset({"aux", "auxpass"})


class Parse(Protocol):
    """Dependencies by token; the head of a sentence's root is -1."""

    heads: tuple[int, ...]
    deprels: tuple[str, ...]


def parse_of(document: Document) -> Parse | None:
    """Parse of a document by the run's tagger, if that is a parser and agrees on the tokens."""
    resources: Any = getattr(document, "resources", None) or {}
    parser = resources.get("tagger")
    if parser == "spacy":
        from scrutiny.perturb.resources.loading import load_resource

        parser = load_resource("tagger", "spacy")
    if not hasattr(parser, "annotate"):
        return None
    parse: Any = parser.annotate([document.text])[0]
    return parse if len(parse.heads) == len(document.tokens) else None


def parsed_main_verb(document: Document, first: int, last: int, parse: Parse) -> int | None:
    """Index of the finite verb of a sentence's main clause, or nothing where there is none.

    That is the root of the parse or its first auxiliary, with a subject in front of it.
    """
    for root in range(first, last):
        if parse.heads[root] != -1:
            continue
        children = [i for i in range(first, last) if parse.heads[i] == root]
        group = [i for i in children if parse.deprels[i] in _AUXILIARIES] + [root]
        has_subject = any(parse.deprels[i] in _SUBJECTS and i < root for i in children)
        finite = next((i for i in sorted(group) if finite_kind(document, i)), None)
        if finite is None and group == [root] and document.tag(root) in ("VBN", "VBD"):
            finite = root  # a participle's form, but with a subject and no auxiliary: the past
        if finite is None:
            continue
        if has_subject:
            return finite
        if finite == root and document.tag(root) == "VBZ" and root == first:
            return finite
    return None
