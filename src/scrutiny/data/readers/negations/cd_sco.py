"""CD-SCO, the Conan Doyle corpus of the *SEM 2012 shared task: one token a line, tab-separated.

Morante and Blanco (2012). Columns: chapter, sentence, token, word, lemma, part of speech, syntax;
then ``***``, or cue, scope and event for each negation. A cue that is part of its word only (an
affix) has no word of its own: its frame is left out.
"""

from collections.abc import Iterator
from typing import Final

from scrutiny.data.readers.files import blocks, lines
from scrutiny.data.readers.negations.frames import Frame, Sentence
from scrutiny.data.source import DataSource

_WORD: Final = 3
_FIXED: Final = 7
_NONE: Final = "***"
_EMPTY: Final = "_"


def is_token(line: str) -> bool:
    """Whether a line is a token of a CD-SCO file."""
    cells = line.rstrip("\r\n").split("\t")
    numbers = len(cells) > _FIXED and cells[1].isdecimal() and cells[2].isdecimal()
    return numbers and (cells[_FIXED] == _NONE or (len(cells) - _FIXED) % 3 == 0)


def sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences in file order, with the frames whose cues are whole words."""
    for line, cells in _blocks(source):
        yield _sentence(line, cells)


def notes(files: list[DataSource]) -> tuple[str, ...]:
    """Notes: number of frames whose cue is part of a word."""
    n = sum(
        not _is_of_words(cells, k)
        for file in files
        for _, cells in _blocks(file)
        for k in range(_n_frames(cells))
        if not _problem(cells)
    )
    return (f"{n:,} frames whose cue is part of a word (an affix) were left out.",) if n else ()


def _blocks(source: DataSource) -> Iterator[tuple[int, list[list[str]]]]:
    """Cells of the lines of each sentence, and its first line number."""
    for first, block in blocks(lines(source)):
        yield first, [line.split("\t") for line in block]


def _n_frames(cells: list[list[str]]) -> int:
    return (len(cells[0]) - _FIXED) // 3


def _sentence(line: int, cells: list[list[str]]) -> Sentence:
    problem = _problem(cells)
    if problem:
        return Sentence(line, (), (), problem=problem)
    frames = [
        Frame(_marked(cells, _FIXED + 3 * k), _marked(cells, _FIXED + 3 * k + 1))
        for k in range(_n_frames(cells))
        if _is_of_words(cells, k)
    ]
    return Sentence(line, [row[_WORD] for row in cells], frames, document=cells[0][0])


def _problem(cells: list[list[str]]) -> str:
    """Problem with the columns of a sentence; empty if there is none."""
    widths = {len(row) for row in cells}
    if len(widths) > 1:
        return f"its lines have {' and '.join(map(str, sorted(widths)))} columns"
    if not is_token("\t".join(cells[0])):
        return f"its lines are no tokens of CD-SCO: {widths.pop()} columns"
    empty = [k for k in range(_n_frames(cells)) if not _marked(cells, _FIXED + 3 * k)]
    return f"its negation {empty[0] + 1} has no cue" if empty else ""


def _marked(cells: list[list[str]], column: int) -> list[int]:
    """Indices of the words with an entry in a column."""
    return [i for i, row in enumerate(cells) if row[column] != _EMPTY]


def _is_of_words(cells: list[list[str]], k: int) -> bool:
    """Whether the cue of a frame consists of whole words."""
    column = _FIXED + 3 * k
    marked = [cells[i] for i in _marked(cells, column)]
    return all(row[column].casefold() == row[_WORD].casefold() for row in marked)
