"""ConanDoyle-neg as used by Zhao and Bethard (2020): a JSON list of sentences with token ids.

Token ids repeat between chapters, so a sentence is known by its place in the list. A token that a
scope lists twice counts twice, as it did for them; ``&quot;`` stays as the file has it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.json_rows import array_rows
from scrutiny.data.readers.negations.frames import Frame, Sentence
from scrutiny.data.source import DataSource


def sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences in file order.

    Raises
    ------
    DataError
        If the file is no JSON list.
    """
    text = "".join(lines(source))
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        raise DataError(
            f"{source.target} is no list of sentences: the JSON of Zhao & Bethard is a list of "
            "objects with sent and negframe."
        )
    try:
        rows = array_rows(text, start)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{source.target}:{error.lineno}:{error.colno}: no valid JSON ({error.msg})."
        ) from None
    for raw in rows:
        yield (
            Sentence(raw.line, (), (), problem=raw.problem)
            if raw.problem
            else _sentence(raw.line, raw.values)
        )


def notes(files: list[DataSource]) -> tuple[str, ...]:
    """Sentences about how the negations of a story are read."""
    return ()


def _sentence(line: int, values: Mapping[str, Any]) -> Sentence:
    tokens, frames = values.get("sent"), values.get("negframe")
    if not isinstance(tokens, dict) or not isinstance(frames, list):
        return Sentence(line, (), (), problem="the sentence lacks sent or negframe")
    place = {token: i for i, token in enumerate(tokens)}
    try:
        found = [
            Frame([place[t] for t in frame["neg_cue"]], [place[t] for t in frame["neg_scopes"]])
            for frame in frames
        ]
    except (KeyError, TypeError) as error:
        return Sentence(line, (), (), problem=f"a frame names {error}, which is not there")
    return Sentence(line, tuple(tokens.values()), found)
