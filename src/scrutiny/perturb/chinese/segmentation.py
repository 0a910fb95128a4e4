"""Chinese texts in words instead of characters."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scrutiny.core.errors import MissingExtraError
from scrutiny.core.example import Example
from scrutiny.perturb.chinese.places import is_chinese
from scrutiny.text.tokens import token_spans


def in_words(example: Example) -> Example:
    """Example whose tokens layer has the words of jieba where the text is in Chinese characters.

    Without a tokens layer every Chinese character is a token, and nothing is missing for edits of
    single characters. A field that has tokens keeps them.

    Raises
    ------
    MissingExtraError
        If jieba is not installed.
    """
    given = dict(example.tokens or {})
    for name, text in example.fields.items():
        if name not in given:
            given[name] = tuple(_words(text))
    return replace(example, tokens=given)


@cache
def _segmenter() -> Any:
    if find_spec("jieba") is None:
        raise MissingExtraError("Chinese words", "zh")
    jieba: Any = import_module("jieba")
    jieba.setLogLevel(60)  # it reports on standard error how it loads
    return jieba.Tokenizer()


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Borders of words in runs of Chinese characters, and of our own tokens elsewhere."""
    run: list[int] = []
    for start, end in [*token_spans(text), (len(text), len(text))]:
        if run and (start != run[1] or not is_chinese(text[start:end])):
            first, last = run
            for _, low, high in _segmenter().tokenize(text[first:last]):
                yield first + low, first + high
            run = []
        if is_chinese(text[start:end]):
            run = [run[0] if run else start, end]
        elif start < end:
            yield start, end
