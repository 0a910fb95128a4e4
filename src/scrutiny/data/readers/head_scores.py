"""Corpora of a file of published scores of heads: ``head-scores:FILE.npz#corpus=NAME``."""

from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.store.head_scores import score_keys
from scrutiny.tasks.annotated import StoredHeads

_COLUMNS: Final = ("id", "corpus")


@takes(corpus="which corpus of a file of scores is meant")
def read(source: DataSource) -> Table:
    """One row: the corpus.

    Raises
    ------
    DataError
        If the file cannot be read, or does not hold the corpus, or holds several and none is named.
    """
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
