"""CoNLL-U: sentences with dependencies, one word a line.

Words are the syntactic ones, which heads are counted by: lines of multiword tokens (``3-4``) and
of empty nodes (``8.1``) are passed over.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from scrutiny.data.readers.files import blocks, lines
from scrutiny.data.readers.options import one_of, reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.annotated.token_classes import TokenClasses
from scrutiny.tasks.dependencies.dependency_arcs import DependencyArcs
from scrutiny.text.tokens import offsets_of_words

_COMMENT: Final = re.compile(r"#\s*(sent_id|newdoc id|text)\s*=\s*(.*)")
#: Numbers of multiword tokens and of empty nodes.
_NO_WORD: Final = re.compile(r"\d+[-.]\d+$")
#: Tag of an entity in MISC, behind its key.
_TAG: Final = re.compile(r"(?:^|\|)([\w.-]+)=[BS]-[A-Za-z]\w*(?:\||$)")
_PEEKED: Final = 100  # sentences that are looked at for one
_WIDTH: Final = 10
#: Digits of a number of a word.
_LONGEST_HEAD: Final = 9
_FORM, _HEAD, _DEPREL = 1, 6, 7
#: Column of the classes, for token classes.
_CLASSES: Final = {"upos": 3, "xpos": 4}
_ARCS: Final = "arcs"


@takes(
    "encoding",
    annotation="arcs (default), or upos or xpos: the words' classes",
    subtypes="drop leaves out what follows the colon of a relation",
    spacing="raw keeps the sentence as it was written, where its words stand in it one by one",
)
def read(source: DataSource) -> Table:
    """Sentences with ``words``, ``heads``, ``relations`` and tags, or the words' ``classes``.

    The ``sent_id`` is the item's id; a sentence without one is named by its place in the file.

    Raises
    ------
    DataError
        If an option has a value that is not allowed.
    """
    kind = one_of(source, "annotation", _ARCS, *_CLASSES)
    drops = one_of(source, "subtypes", "keep", "drop") == "drop"
    is_raw = one_of(source, "spacing", "single", "raw") == "raw"
    own = ("classes",) if kind in _CLASSES else ("heads", "relations", *_CLASSES)
    own += ("raw",) if is_raw else ()
    columns = ("id", "words", *own, "sentence", "document")
    task = TokenClasses.name if kind in _CLASSES else DependencyArcs.name
    return Table(
        columns=columns,
        rows=_rows(source, kind, drops=drops, is_raw=is_raw),
        place=source.target,
        defaults=reader_defaults(task, columns),
        notes=_notes(source),
    )


def _notes(source: DataSource) -> tuple[str, ...]:
    """Sentence about tags of entities in the last column, which another reader reads."""
    peeked = (row for _, _, words in islice(_blocks(source), _PEEKED) for row in words)
    found = next(filter(None, (_TAG.search(row[-1]) for row in peeked)), None)
    if found is None:
        return ()
    how = f"conll:{source.target}#token=1,key={found[1]}"
    return (f"The last column holds tags of entities ({found[1]}=): {how} reads them.",)


def _rows(source: DataSource, kind: str, *, drops: bool, is_raw: bool) -> Iterator[RawRow]:
    stem = source.path.stem
    document = stem
    for position, (line, comments, words) in enumerate(_blocks(source), 1):
        document = comments.get("newdoc id", document)
        problem = _problem(words)
        if problem:
            yield RawRow(line, {}, problem)
            continue
        name = comments.get("sent_id") or f"{stem}/{position}"
        values: dict[str, Any] = {"id": name, "sentence": name, "document": document}
        values["words"] = [row[_FORM] for row in words]
        text = comments.get("text", "")
        values["raw"] = text if is_raw and offsets_of_words(text, values["words"]) else None
        yield RawRow(line, values | _annotation(words, kind, drops=drops))


def _annotation(words: Sequence[list[str]], kind: str, *, drops: bool) -> dict[str, Any]:
    tags = {
        name: ["" if row[place] == "_" else row[place] for row in words]
        for name, place in _CLASSES.items()
    }
    if kind in _CLASSES:
        return {"classes": tags[kind]}
    relations = [row[_DEPREL].partition(":")[0] if drops else row[_DEPREL] for row in words]
    return {"heads": [int(row[_HEAD]) for row in words], "relations": relations, **tags}


def _blocks(source: DataSource) -> Iterator[tuple[int, dict[str, str], list[list[str]]]]:
    """Line of the first word, values in comments, and words of each sentence."""
    for first, block in blocks(lines(source, every_end=True)):
        stated = filter(None, map(_COMMENT.match, block))
        cells = [(n, s.split("\t")) for n, s in enumerate(block, first) if not s.startswith("#")]
        words = [(number, row) for number, row in cells if not _NO_WORD.match(row[0])]
        if words:
            comments = {match[1]: match[2].strip() for match in stated}
            yield words[0][0], comments, [row for _, row in words]


def _problem(words: Sequence[list[str]]) -> str:
    """Problem with the words of a sentence; empty if there is none."""
    for number, cells in enumerate(words, 1):
        if len(cells) != _WIDTH:
            said = f"word {number} has {len(cells)} columns, not the {_WIDTH} of CoNLL-U"
            return said + "; a token and its tag on each line are conll:" * (
                not cells[0].isdecimal()
            )
        if cells[0] != str(number):
            return f"word {number} bears the number {cells[0]!r}"
        if not cells[_HEAD].isdecimal():
            return f"word {number} has the head {cells[_HEAD]!r:.60}, which is no number"
        if len(cells[_HEAD]) > _LONGEST_HEAD:
            return f"word {number} has a head of {len(cells[_HEAD])} digits"
    return ""
