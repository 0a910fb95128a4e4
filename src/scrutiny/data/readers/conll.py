"""CoNLL files: one word a line; tags, CoNLL-U's trees and agreement in them, cut words.

Words of CoNLL-U are the syntactic ones, which heads are counted by: lines of multiword tokens
(``3-4``) and of empty nodes (``8.1``) are passed over.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import blocks, chosen_by, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import (
    RawRow,
    Table,
    corpus_table,
    one_of,
    takes,
    with_columns,
)
from scrutiny.tasks.annotated import TokenClasses
from scrutiny.tasks.classification import TextClassification
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.tasks.segmentation import WordSegmentation
from scrutiny.text.agreement import SUBJECTS, agreements
from scrutiny.text.tokens import offsets_of_words

_COMMENT = re.compile(r"#\s*([\w.-]+)\s*=\s*(.*)")
_WIDTH = 10  # columns of CoNLL-U
_CONLLU = (
    "it is CoNLL-U, whose trees conllu: reads, and whose tags the options token, tag and key of "
    "conll: (see docs/data.md)"
)
#: Numbers of CoNLL-U of a word of several tokens (2-3), and of one that is not there (3.1).
_NO_TOKEN = re.compile(r"[0-9]+[-.][0-9]+")
_HEADING = re.compile(r"#\s*(newdoc|newpar)\b")
_KEY = "name of the tag within its column, as in MISC of CoNLL-U: name for name=B-PER"


@takes("encoding", "token", "tag", key=_KEY)
def read(source: DataSource) -> Table:
    """Sentences with their ``tokens``, ``tags`` and the values of ``# key = value`` lines.

    Columns are separated by tabs if a line has one, else by white space. ``-DOCSTART-`` lines are
    left out, and so are words of several tokens in CoNLL-U, where the first column has numbers. The
    line of a sentence is that of its first token.
    """
    token = _index(source, "token", 0)
    tag = _index(source, "tag", -1)
    key = source.option("key")
    is_stated = bool(source.option("token") or source.option("tag") or key)
    found = _sentences(lines(source, every_end=True), (token, tag), key, is_stated=is_stated)
    table = with_columns(found, source.target)
    return replace(table, defaults={"tokens": "tokens", "tags": "tags"})


def _sentences(
    text: Iterator[str], columns: tuple[int, int], key: str, *, is_stated: bool
) -> Iterator[RawRow]:
    token, tag = columns
    for first, block in blocks(text):
        values: dict[str, object] = {}
        tokens: list[str] = []
        tags: list[str] = []
        start, problem = 0, ""
        for number, line in enumerate(block, first):
            if line.startswith("-DOCSTART-"):
                continue
            if line.startswith("#") and not tokens:
                comment = _COMMENT.match(line)
                if comment or _HEADING.match(line):
                    values |= {comment[1]: comment[2].strip()} if comment else {}
                    continue
            start = start or number
            cells = line.split("\t") if "\t" in line else line.split()
            if not is_stated and len(cells) == _WIDTH and cells[0].isdecimal():
                problem = problem or _CONLLU
            if (key and not cells[0].isdecimal()) or (token and _NO_TOKEN.fullmatch(cells[0])):
                continue
            try:
                tokens.append(cells[token])
                tags.append(_tag(cells[tag].strip(), key))
                if len(cells) < 2:
                    problem = problem or f"line {number} has a single column"
            except IndexError:
                said = f"line {number} has {len(cells)} columns, too few for {token=},{tag=}"
                problem = problem or said
        if start:
            found = values | {"tokens": tokens, "tags": tags}
            yield RawRow(start, {} if problem else found, problem)


def _tag(cell: str, key: str) -> str:
    """Tag in a cell, or behind its key in a cell of several (``name=B-PER|SpaceAfter=No``).

    Examples
    --------
    >>> _tag("name=B-PER|SpaceAfter=No", "name"), _tag("_", "name"), _tag("B-PER", "")
    ('B-PER', 'O', 'B-PER')
    """
    if not key:
        return cell
    parts = dict(part.partition("=")[::2] for part in cell.split("|"))
    return parts.get(key) or "O"


def _index(source: DataSource, name: str, default: int) -> int:
    given = source.option(name) or str(default)
    try:
        return int(given)
    except ValueError:
        raise DataError(
            f"{name}={given} in {source}: columns of a CoNLL file are counted from 0; -1 is the "
            "last."
        ) from None


_KNOWN_COMMENT: Final = re.compile(r"#\s*(sent_id|newdoc id|text)\s*=\s*(.*)")
#: Numbers of multiword tokens and of empty nodes.
_NO_WORD: Final = re.compile(r"\d+[-.]\d+$")
#: Tag of an entity in MISC, behind its key.
_TAG: Final = re.compile(r"(?:^|\|)([\w.-]+)=[BS]-[A-Za-z]\w*(?:\||$)")
_PEEKED: Final = 100  # sentences that are looked at for one
_COLUMNS_OF_CONLLU: Final = 10
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
def read_conllu(source: DataSource) -> Table:
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
    # tags of entities in the last column are what another reader reads
    peeked = (row for _, _, words in islice(_blocks(source), _PEEKED) for row in words)
    found = next(filter(None, (_TAG.search(row[-1]) for row in peeked)), None)
    notes: tuple[str, ...] = ()
    if found is not None:
        how = f"conll:{source.target}#token=1,key={found[1]}"
        notes = (f"The last column holds tags of entities ({found[1]}=): {how} reads them.",)
    return corpus_table(
        source, task, columns, _rows(source, kind, drops=drops, is_raw=is_raw), notes=notes
    )


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
        tags = {
            tag: ["" if row[place] == "_" else row[place] for row in words]
            for tag, place in _CLASSES.items()
        }
        if kind in _CLASSES:
            values["classes"] = tags[kind]
        else:
            relations = [row[_DEPREL] for row in words]
            if drops:
                relations = [relation.partition(":")[0] for relation in relations]
            heads = [int(row[_HEAD]) for row in words]
            values |= {"heads": heads, "relations": relations, **tags}
        yield RawRow(line, values)


def _blocks(source: DataSource) -> Iterator[tuple[int, dict[str, str], list[list[str]]]]:
    """Line of the first word, values in comments, and words of each sentence."""
    for first, block in blocks(lines(source, every_end=True)):
        stated = filter(None, map(_KNOWN_COMMENT.match, block))
        cells = [(n, s.split("\t")) for n, s in enumerate(block, first) if not s.startswith("#")]
        words = [(number, row) for number, row in cells if not _NO_WORD.match(row[0])]
        if words:
            comments = {match[1]: match[2].strip() for match in stated}
            yield words[0][0], comments, [row for _, row in words]


def _problem(words: Sequence[list[str]]) -> str:
    """Problem with the words of a sentence; empty if there is none."""
    for number, cells in enumerate(words, 1):
        if len(cells) != _COLUMNS_OF_CONLLU:
            said = (
                f"word {number} has {len(cells)} columns, not the {_COLUMNS_OF_CONLLU} of CoNLL-U"
            )
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


@takes("encoding")
def read_segmented(source: DataSource) -> Table:
    """Sentences of a text file, or of a file of CoNLL-U (``.conllu``), with their words.

    The bakeoffs of SIGHAN have a sentence a line with spaces between its words, treebanks of
    Chinese, Japanese or Thai the second form. A sentence of a text file is named by its line; blank
    lines are none.
    """
    if source.path.suffix == ".conllu":
        columns = ("id", "segmented", "text")
        return corpus_table(source, WordSegmentation.name, columns, _words_of_treebank(source))
    return corpus_table(source, WordSegmentation.name, ("id", "segmented"), _words_of_lines(source))


def _words_of_lines(source: DataSource) -> Iterator[RawRow]:
    """Sentences of a text file."""
    for number, line in enumerate(lines(source), 1):
        if words := line.split():
            yield RawRow(number, {"id": f"{source.path.stem}/{number}", "segmented": words})


def _words_of_treebank(source: DataSource) -> Iterator[RawRow]:
    """Sentences of CoNLL-U, as they were written where that is their words one after the other."""
    for row in read_conllu(replace(source, options={"spacing": "raw"})).rows:
        values: dict[str, Any] = dict(row.values)
        if values:
            words = values["words"]
            values = {**values, "segmented": words, "text": values["raw"] or "".join(words)}
        yield row._replace(values=values)


_AGREEING: Final = ("id", "text", "label", "attractors", "distance", "subject", "sentence")


@takes(
    "encoding",
    files="files of a folder to read, by name, separated by bars; * stands for anything",
    subjects="all (default), or nouns: without pronouns, which show their number themselves",
)
def read_agreement(source: DataSource) -> Table:
    """Words before a verb, with the ``label`` that the verb's number is; of a file or a folder.

    Other columns are the number of ``attractors``, the ``distance`` in words from the subject's
    head to the verb, and what the ``subject`` is. Items of one sentence are resampled together.

    Raises
    ------
    DataError
        If an option has a value that is not allowed, or a folder has no such file.
    """
    kinds = {"all": tuple(SUBJECTS.values()), "nouns": ("noun", "name")}
    kept = kinds[one_of(source, "subjects", *kinds)]
    rows = (row for file in _files(source) for row in _agreement_rows(file, kept))
    table = corpus_table(source, TextClassification.name, _AGREEING, rows)
    own = {"group": "attractors|distance|subject", "unit": "sentence"}
    return replace(table, defaults={**table.defaults, **own})


def _files(source: DataSource) -> list[DataSource]:
    """The file, or the chosen ones of a folder."""
    if not source.path.is_dir():
        return [source]
    names = {path: path.name for path in sorted(source.path.glob("*.conllu"))}
    chosen = chosen_by("files", source, names, what="file", most=8)
    return [source.inside(path.name) for path in chosen]


def _outside(words: Sequence[Sequence[str]]) -> str:
    """Problem of a word whose head is no word of the sentence; empty if there is none."""
    far = (str(i) for i, word in enumerate(words, 1) if int(word[_HEAD]) > len(words))
    number = next(far, "")
    return f"word {number} has a head beyond the {len(words)} words" if number else ""


def _agreement_rows(source: DataSource, kept: Sequence[str]) -> Iterator[RawRow]:
    stem, place = source.path.stem, source.target
    for position, (line, comments, words) in enumerate(_blocks(source), 1):
        name = comments.get("sent_id") or f"{stem}/{position}"
        if problem := _problem(words) or _outside(words):
            yield RawRow(line, {}, problem, place)
            continue
        for one in agreements(words):
            if one.kind in kept:
                values = {
                    "id": f"{name}/{one.subject + 1}",
                    "text": " ".join(word[_FORM] for word in words[: one.verb]),
                    "label": one.number,
                    "attractors": one.attractors,
                    "distance": one.verb - one.subject,
                    "subject": one.kind,
                    "sentence": name,
                }
                yield RawRow(line, values, place=place)
