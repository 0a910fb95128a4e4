"""What comes by its name: samples that ship with the package, corpora of published head scores."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import DataError
from scrutiny.data.readers import conll, delimited, json_rows, suites, templates
from scrutiny.data.readers.conll import read_conllu
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.annotated import AnchoredSpans, StoredHeads
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
    "behavior_sentiment": ("behavior_sentiment.suite.toml", "", "text label"),
    "behavior_paraphrase": ("behavior_paraphrase.suite.toml", "", "text text_pair"),
    "behavior_inference": ("behavior_inference.suite.toml", "", "text text_pair"),
    "behavior_reading": ("behavior_reading.suite.toml", "", "question context answers"),
    "dialogue": ("dialogue.suite.toml", "", "prompt system"),
    "overlap": ("overlap.suite.jsonl", "", "text text_pair group=construction"),
    "same_words": ("same_words.suite.jsonl", "", "text text_pair group=construction"),
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
    "suite.toml": templates.read,
}


def read_sample(source: DataSource) -> Table:
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
    defaults = {**table.defaults, **stated}
    return replace(table, rows=iter(rows), place=name, defaults=defaults, batches=None)


_COLUMNS: Final = ("id", "corpus")


@takes(corpus="which corpus of a file of scores is meant")
def read_head_scores(source: DataSource) -> Table:
    """One row: the corpus.

    Raises
    ------
    DataError
        If the file cannot be read, or does not hold the corpus, or holds several and none is named.
    """
    from scrutiny.store.head_scores import score_keys  # it imports numpy

    there = tuple(dict.fromkeys(key.corpus for key in score_keys(source.path)))
    wanted = source.option("corpus")
    if not wanted and len(there) > 1:
        raise DataError(
            f"{source.target} holds scores on {', '.join(there)}: choose one, as in "
            f"{source.scheme}:{source.target}#corpus={there[0]}."
        )
    corpus = wanted or there[0]
    if corpus not in there:
        raise DataError(f"{source.target} has no corpus {corpus!r}; it has {', '.join(there)}.")
    return corpus_table(
        source,
        StoredHeads.name,
        _COLUMNS,
        [RawRow(1, {"id": corpus, "corpus": corpus})],
        notes=("The corpus is one item: its published counts are sums over all of its sentences.",),
    )
