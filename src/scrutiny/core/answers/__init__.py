"""Answers by type, gold or predicted: each type is one file, known by its name and its values.

::

    answer      AnswerType: encode, decode, check, agree, show, brief, labels, differences, carry
                type_of(answer), label_in(answer), labels_in(answer), renamed(answer, name),
                has_places(answer), fences_of(answer); Agreement(equal, compared)
    track       Track: spans and words after edits; CarriedWord
    stored      to_json(answer), from_json(value); answer_json(answer) -> str,
                answer_text(answer) -> str; answer_of(text) of either
    label       LABEL: str
    spans       SPANS: tuple[Span, ...]
    text        TEXT: Text
    words       WORDS: Words(field, borders, heads, relations, upos, xpos)
    extract     EXTRACT: Extract(text, field, start), words copied from a text
    clusters    CLUSTERS: Clusters(field, clusters of (start, end)); clusters_of(field, clusters)
    any_of      AnyOf(answers): several right answers
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
