"""Explained answers in a terminal: marks that need no color, colors beside them, and numbers."""

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.numbers import number
from scrutiny.blocks.scored_texts import AGAINST, EXPLAINED, ScoredText
from scrutiny.blocks.terminal_and_markdown import WIDTH, fold

#: What the marks mean, once under all cases.
LEGEND: Final = (
    "Without a word, its answer loses so much probability: [[most]] and [some] of it, {against} "
    "the answer; <what is explained>. Occlusion removes one word at a time."
)
_MOST: Final = 5  # words with their scores
_INDENT: Final = 4
_STYLES: Final = {
    EXPLAINED: "underline",
    AGAINST: "italic yellow",
    0: "",
    1: "blue",
    2: "blue",
    3: "bold blue",
    4: "bold reverse blue",
}


def explained_lines(text: ScoredText) -> Iterator[Text]:
    """What is explained and by what, the marked text, and the words with the largest scores."""
    yield from (Text(f"    {piece}", style="dim") for piece in fold(text.title, WIDTH - _INDENT))
    line = Text(" " * _INDENT)
    for word in text.words:
        gap = " " if word.gap and line.cell_len > _INDENT else ""
        if line.cell_len + cell_len(gap + word.marked) > WIDTH and line.cell_len > _INDENT:
            yield line
            line, gap = Text(" " * _INDENT), ""
        line.append(gap)
        line.append(word.marked, style=_STYLES[word.shade])
    yield line
    told = ", ".join(f"{word.text} {number(word.score)}" for word in text.top(_MOST))
    said = told or "no word changes it by itself"
    yield from (Text(f"    {piece}", style="dim") for piece in fold(said, WIDTH - _INDENT))
