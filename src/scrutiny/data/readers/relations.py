"""Relations of two marked parts: SemEval-2010 task 8 as published, and lists of entities in JSON.

A file of SemEval has blocks: a number and a sentence in quotes with ``<e1>`` and ``<e2>``, the
relation, a comment. The other format, of SpERT and PFN (ADE, SciERC), is a list of sentences with
``tokens``, ``entities`` and ``relations`` between two of them by their numbers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import blocks, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.classification import RelationClassification
from scrutiny.tasks.tags import token_borders

_SENTENCE: Final = re.compile(r'(\d+)\t\s*"?(.*?)"?\s*')
_COMMENT: Final = "Comment:"
#: Label of SemEval's pairs without a relation, and of those that no relation of a list joins.
_OTHER, _NONE = "Other", "none"


@takes("encoding")
def read(source: DataSource) -> Table:
    """Sentences of SemEval-2010 task 8, or pairs of entities of a JSON list of sentences.

    In JSON an item is a pair of entities whose types are those of a relation of the file, in its
    order; a pair that no relation joins has the label ``none``. Pairs that overlap, and so cannot
    both be marked, are bad rows.

    Raises
    ------
    DataError
        If it is no such file.
    """
    first = next(iter(lines(source)), "")
    if first.lstrip()[:1] == "[":
        pairs = _pairs(source)
        columns: tuple[str, ...] = ("id", "text", "e1", "e2", "label", "no_relation", "sentence")
    else:
        pairs, columns = _of(source), ("id", "text", "label", "no_relation")
    return corpus_table(source, RelationClassification.name, columns, pairs)


def _of(source: DataSource) -> Iterator[RawRow]:
    """Rows of SemEval's blocks."""
    for line, (first, *others) in blocks(lines(source)):
        found, label = _SENTENCE.fullmatch(first), others[0].strip() if others else ""
        if found is None:
            said = f"{first!r:.60} is no number, a tab and a sentence, as in SemEval-2010 task 8"
            yield RawRow(line, {}, said)
        else:
            told = "" if label.startswith(_COMMENT) else label
            row = {"id": found[1], "text": found[2], "label": told, "no_relation": _OTHER}
            yield RawRow(line, row)


def _pairs(source: DataSource) -> Iterator[RawRow]:
    """Rows of the pairs of entities in a list of sentences."""
    try:
        sentences = parse_json("".join(lines(source)))
        kinds = {
            tuple(one["entities"][relation[end]]["type"] for end in ("head", "tail"))
            for one in sentences
            for relation in one["relations"]
        }
        yield from (
            RawRow(number, row)
            for number, one in enumerate(sentences, 1)
            for row in _of_sentence(one, f"{source.path.stem}/{number}", kinds)
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"{source.target} is no list of sentences with tokens, entities (type, start, end) and "
            f"relations (type, head, tail): {error}."
        ) from None


def _of_sentence(
    one: Mapping[str, Any], name: str, kinds: set[tuple[str, ...]]
) -> Iterator[dict[str, Any]]:
    """Pairs of a sentence, named after it and the numbers of both entities."""
    borders = token_borders(one["tokens"])
    places = [[borders[e["start"]][0], borders[e["end"] - 1][1]] for e in one["entities"]]
    told = {(r["head"], r["tail"]): r["type"] for r in one["relations"]}
    types: Sequence[str] = [e["type"] for e in one["entities"]]
    for head, first in enumerate(types):
        for tail, second in enumerate(types):
            if head != tail and (first, second) in kinds:
                yield {
                    "id": f"{name}/{head}-{tail}",
                    "text": " ".join(one["tokens"]),
                    "e1": places[head],
                    "e2": places[tail],
                    "label": told.get((head, tail), _NONE),
                    "no_relation": _NONE,
                    "sentence": name,
                }
