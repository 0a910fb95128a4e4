"""Word and sentence association tests as published with SEAT: one JSON file per test.

May, Wang, Bordia, Bowman and Rudinger 2019 (``tests/``, ``tests-hidden/``); Meade, Poole-Dayan and
Reddy 2022 add four (``seat/``). Sentences of SEAT put a word into a template ("This is a flower.").
The tests give the sentences alone; the word that a sentence is about is found again by the list of
words that the test was made from, in any of the forms that the templates need.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import chosen_by, lines
from scrutiny.data.readers.json_rows import no_json
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.stereotypes import AssociationTest

_SETS: Final = {"targ1": "X", "targ2": "Y", "attr1": "A", "attr2": "B"}
_FOLDERS: Final = ("tests", "seat")
_COLUMNS: Final = ("id", "text", "test", "set", "category", "start", "end", "word")
_BARE: Final = re.compile(r"This (?:is an?|is|will) (.+)\.")
_CONTEXT: Final = re.compile(r"_(1|1-|1\+3-|one_sentence)$")  # of the double bind


class _Test(NamedTuple):
    """Association test: its name, file, sets with their texts, and file content."""

    name: str
    source: DataSource
    sets: Mapping[str, tuple[str, list[str]]]
    content: str


@takes("encoding", tests="tests to read, by name, separated by bars; * stands for anything")
def read(source: DataSource) -> Table:
    """Items of all tests, one for each text of each set.

    A folder is read with its subfolders ``tests`` and ``seat``. Each text has the word that it is
    about (``word``, ``start``, ``end``); a text without one is a unit of its own.
    """
    names = {path: path.stem for path in _files(source)}
    chosen = chosen_by("tests", source, names, what="test", most=12)
    tests = [_load(source, path) for path in chosen]
    rows = [row for test in tests for row in _rows(test)]
    lost = [row for row in rows if row.values["start"] is None]
    n = len(rows)
    notes = [f"The word of {n - len(lost):,} of {n:,} texts in {len(tests)} tests was found."]
    if lost:
        notes.append(
            f"{len(lost):,} texts without a known word are units of their own; the first is "
            f"{lost[0].values['text']!r} in {lost[0].values['test']}."
        )
    return corpus_table(source, AssociationTest.name, _COLUMNS, rows, notes=tuple(notes))


def _files(source: DataSource) -> list[Path]:
    """Files of tests, in natural order: weat2 before weat10."""
    path = source.path
    if not path.is_dir():
        return [path]
    inside = [path, *(path / name for name in _FOLDERS)]
    found = [p for folder in inside for p in folder.glob("*.jsonl")]
    if not found:
        raise DataError(
            f"{source.target} holds no tests: sent-bias: reads the .jsonl files of a folder and of "
            f"its subfolders {' and '.join(_FOLDERS)}."
        )
    parts = {path: re.split(r"(\d+)", path.stem) for path in found}  # numbers by their value
    numbered = {p: [(int(s), "") if s.isdecimal() else (-1, s) for s in parts[p]] for p in found}
    return sorted(found, key=numbered.__getitem__)


def _load(source: DataSource, path: Path) -> _Test:
    is_in_folder = source.path.is_dir()
    one = source.inside(path.relative_to(source.path).as_posix()) if is_in_folder else source
    text = "".join(lines(one))
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        rest = "; a file of sent-bias is one object, in spite of its suffix."
        raise no_json(one, error, rest) from None
    sets = {}
    for key, name in _SETS.items():
        try:
            category, texts = str(value[key]["category"]), list(value[key]["examples"])
        except (KeyError, TypeError):
            raise DataError(
                f"{one.target} is no association test: it lacks {key} with a category and examples."
            ) from None
        if not texts or not all(isinstance(text, str) for text in texts):
            raise DataError(f"{one.target}: the examples of {key} are not a list of texts.")
        sets[name] = (category, texts)
    return _Test(path.stem, one, sets, text)


def _line_numbers(test: _Test) -> Iterator[int]:
    """Line number of each text, assuming the order of sets in the published files."""
    place, line = 0, 1
    for _, texts in test.sets.values():
        for text in texts:
            quoted = json.dumps(text, ensure_ascii=False)
            found = test.content.find(quoted, place)
            if found < 0:  # written differently, or in another order
                found = max(test.content.find(quoted), 0)
                line = test.content.count("\n", 0, found) + 1
            else:
                line += test.content.count("\n", place, found)
            place = found
            yield line


def _rows(test: _Test) -> Iterator[RawRow]:
    # words that each set was made from: its own, or those of the word test next to it
    base = _CONTEXT.sub("_one_word", test.name.removeprefix("sent-"))
    if base == test.name:
        words = {name: texts for name, (_, texts) in test.sets.items()}
    else:
        beside = test.source.path.with_name(f"{base}.jsonl")
        if not beside.is_file():
            words = {}
        else:
            other = _load(DataSource(test.source.scheme, str(beside)), beside)
            words = {name: texts for name, (_, texts) in other.sets.items()}
    numbers = _line_numbers(test)
    for name, (category, texts) in test.sets.items():
        index = WordIndex(words.get(name) or _bare_words(texts))
        for i, text in enumerate(texts, 1):
            found = FoundWord(text, 0, len(text)) if words.get(name) is texts else index.find(text)
            values: dict[str, Any] = {"id": f"{test.name}/{name}/{i}", "text": text}
            values |= {"test": test.name, "set": name, "category": category}
            values |= {"start": None, "end": None, "word": text}
            if found:
                values |= {"start": found.start, "end": found.end, "word": found.word}
            yield RawRow(next(numbers), values, place=test.source.target)


def _bare_words(sentences: Sequence[str]) -> list[str]:
    """Words of "This is a WORD." and "This will WORD.", for tests without a word list.

    Examples
    --------
    >>> _bare_words(["This is a tree.", "These are trees."])
    ['tree']
    """
    return list(dict.fromkeys([match[1] for s in sentences if (match := _BARE.fullmatch(s))]))


_WORD: Final = re.compile(r"\w+")
_IRREGULAR: Final[Mapping[str, str]] = {
    **(pairs := {"man": "men", "woman": "women", "child": "children"}),
    **{plural: singular for singular, plural in pairs.items()},
}


class FoundWord(NamedTuple):
    """Word of a list, and its code points in a sentence."""

    word: str
    start: int
    end: int


class WordIndex:
    """Index of one set's words, to find them in sentences.

    Parameters
    ----------
    words
        As the word-level test lists them; entries may be phrases.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._entries: dict[str, list[tuple[str, tuple[frozenset[str], ...]]]] = {}
        for word in words:
            parts = tuple(_forms(part) for part in _WORD.findall(word.lower()))
            for first in sorted(parts[0]) if parts else ():
                self._entries.setdefault(first, []).append((word, parts))

    def find(self, sentence: str) -> FoundWord | None:
        """Longest match in a sentence; ties go to the unchanged word, then to the first."""
        tokens = [(m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(sentence)]
        best: tuple[tuple[int, bool, int], FoundWord] | None = None
        for i, (token, start, _) in enumerate(tokens):
            for word, parts in self._entries.get(token, ()):
                there = tokens[i : i + len(parts)]
                if len(there) < len(parts):
                    continue
                if all(t[0] in part for t, part in zip(there, parts, strict=True)):
                    end = there[-1][2]
                    is_same = sentence[start:end].lower() == word.lower()
                    rank = (end - start, is_same, -start)
                    if best is None or rank > best[0]:
                        best = rank, FoundWord(word, start, end)
        return best[1] if best else None


@lru_cache(maxsize=4096)
def _forms(word: str) -> frozenset[str]:
    """Singular and plural forms of a lower-case word, the word included.

    Examples
    --------
    >>> sorted(_forms("ladies"))
    ['ladi', 'ladie', 'ladies', 'ladieses', 'ladiess', 'lady']
    """
    found = {word, word + "s", word + "es"}
    if word.endswith("y"):
        found.add(word[:-1] + "ies")
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("es"):
        found.add(word[:-2])
    if word.endswith("s"):
        found.add(word[:-1])
    if word in _IRREGULAR:
        found.add(_IRREGULAR[word])
    return frozenset(found - {""})
