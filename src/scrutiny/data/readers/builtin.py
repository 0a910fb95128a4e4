"""Sample data that ships with the package."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Final

from scrutiny.core.boundary.parameters import known
from scrutiny.data.readers import conll, delimited, json_rows, suites
from scrutiny.data.readers.conll import read_conllu
from scrutiny.data.source import DataSource
from scrutiny.data.table import Table
from scrutiny.tasks.annotated import AnchoredSpans
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.tasks.stereotypes import AssociationTest, MinimalPairs, SentencePairs, SentenceTriples

#: File and columns of each sample.
SAMPLES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "reviews": ("reviews.tsv", {"text": "text", "label": "label", "id": "id", "group": "topic"}),
    "messages": ("messages.tsv", {"text": "text", "label": "label", "id": "id"}),
    "pairs": (
        "pairs.tsv",
        {"text": "text", "text_pair": "text_pair", "label": "label", "id": "id"},
    ),
    "entities": ("entities.conll", {"tokens": "tokens", "tags": "tags"}),
    "agreement": (
        "agreement_pairs.jsonl",
        {
            "task": MinimalPairs.name,
            "good": "good",
            "bad": "bad",
            "construction": "construction",
            "template": "frame",
            "group": "number",
            "id": "id",
        },
    ),
    "negation": (
        "negation.jsonl",
        {
            "task": AnchoredSpans.name,
            "words": "words",
            "anchor": "anchor",
            "target": "target",
            "sentence": "sentence_id",
            "id": "id",
        },
    ),
    "arcs": (
        "arcs.conllu",
        {
            "task": DependencyArcs.name,
            "words": "words",
            "heads": "heads",
            "relations": "relations",
            "upos": "upos",
            "xpos": "xpos",
            "sentence": "sentence",
            "document": "document",
            "id": "id",
        },
    ),
    "behavior": ("behavior.suite.jsonl", {"text": "text", "label": "label"}),
    "stereotypes": (
        "stereotypes.tsv",
        {
            "task": SentencePairs.name,
            "more": "more",
            "less": "less",
            "category": "category",
            "set": "set",
            "pair": "pair",
            "id": "id",
        },
    ),
    "continuations": (
        "continuations.tsv",
        {
            "task": SentenceTriples.name,
            "context": "context",
            "stereotype": "stereotype",
            "antistereotype": "antistereotype",
            "unrelated": "unrelated",
            "kind": "kind",
            "category": "category",
            "term": "term",
            "id": "id",
        },
    ),
    "associations": (
        "associations.tsv",
        {
            "task": AssociationTest.name,
            "text": "text",
            "test": "test",
            "set": "set",
            "category": "category",
            "start": "start",
            "end": "end",
            "word": "word",
            "id": "id",
        },
    ),
}
_READERS: Final = {
    "tsv": delimited.read_tsv,
    "conll": conll.read,
    "conllu": read_conllu,
    "jsonl": json_rows.read_jsonl,
    "suite.jsonl": suites.read,
}


def read(source: DataSource) -> Table:
    """Rows of a sample, by its name.

    Raises
    ------
    UnknownNameError
        If there is no such sample.
    """
    known("sample", [source.target], SAMPLES)
    name, columns = SAMPLES[source.target]
    with as_file(files("scrutiny.data") / "samples" / name) as path:
        table = _READERS[name.partition(".")[2]](DataSource(source.scheme, str(path)))
        rows = list(table.rows)  # within the block: a zipped package unpacks for its length only
    return replace(table, rows=iter(rows), place=name, defaults={**table.defaults, **columns})
