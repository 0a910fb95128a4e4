"""Explained answers in a terminal: marks that need no color, colors beside them, and numbers."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from scrutiny.blocks.numbers import number
from scrutiny.blocks.scored_texts import ScoredText
from scrutiny.blocks.terminal_and_markdown import WIDTH, fold, scored_lines

#: What the marks mean, once under all cases.
LEGEND: Final = (
    "Without a word, its answer loses so much probability: [[most]] and [some] of it, {against} "
    "the answer; <what is explained>. Occlusion removes one word at a time."
)
_MOST: Final = 5  # words with their scores
_INDENT: Final = 4


def explained_lines(text: ScoredText) -> Iterator[Text]:
    """What is explained and by what, the marked text, and the words with the largest scores."""
    yield from scored_lines(text)
    told = ", ".join(f"{word.text} {number(word.score)}" for word in text.top(_MOST))
    said = told or "no word changes it by itself"
    yield from (Text(f"    {piece}", style="dim") for piece in fold(said, WIDTH - _INDENT))
