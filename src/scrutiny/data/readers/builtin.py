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

#: File of each sample, its task where it states one, and its columns, each by its role: the names
#: of both, with ``=`` between them where they differ.
SAMPLES: Final[Mapping[str, tuple[str, str, str]]] = {
    "reviews": ("reviews.tsv", "", "text label id group=topic"),
    "messages": ("messages.tsv", "", "text label id"),
    "pairs": ("pairs.tsv", "", "text text_pair label id"),
    "entities": ("entities.conll", "", "tokens tags"),
    "agreement": (
        "agreement_pairs.jsonl",
        MinimalPairs.name,
        "good bad construction template=frame group=number id",
    ),
    "negation": (
        "negation.jsonl",
        AnchoredSpans.name,
        "words anchor target sentence=sentence_id id",
    ),
    "arcs": (
        "arcs.conllu",
        DependencyArcs.name,
        "words heads relations upos xpos sentence document id",
    ),
    "behavior": ("behavior.suite.jsonl", "", "text label"),
    "stereotypes": ("stereotypes.tsv", SentencePairs.name, "more less category set pair id"),
    "continuations": (
        "continuations.tsv",
        SentenceTriples.name,
        "context stereotype antistereotype unrelated kind category term id",
    ),
    "associations": (
        "associations.tsv",
        AssociationTest.name,
        "text test set category start end word id",
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
    name, task, columns = SAMPLES[source.target]
    with as_file(files("scrutiny.data") / "samples" / name) as path:
        table = _READERS[name.partition(".")[2]](DataSource(source.scheme, str(path)))
        rows = list(table.rows)  # within the block: a zipped package unpacks for its length only
    pairs = (one.partition("=") for one in columns.split())
    stated = {role: column or role for role, _, column in pairs} | ({"task": task} if task else {})
    return replace(table, rows=iter(rows), place=name, defaults={**table.defaults, **stated})
