"""Folders of small classifiers over words: configuration, labels, places of words."""

import json
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.gradients import Piece
from scrutiny.models.strings.source import ModelSource
from scrutiny.text.tokens import token_spans

CONFIG: Final = "config.json"


def word_pieces(example: Example) -> tuple[Piece, ...]:
    """Places of the words of an example with one field."""
    field = next(iter(example.fields))
    return tuple(Piece(field, start, end) for start, end in token_spans(example.text))


def renamed(labels: tuple[str, ...], source: ModelSource) -> tuple[str, ...]:
    """Labels as the model string names them, or as they are.

    Raises
    ------
    ModelError
        If their number is not the model's.
    """
    stated = source.labels() or labels
    if len(stated) != len(labels):
        raise ModelError(
            f"{source.text!r}: this model has {len(labels)} labels, in the order "
            f"{'|'.join(labels)}."
        )
    return stated


def read_config(folder: Path, text: str, format_: str, *, verb: str) -> dict[str, Any]:
    """Configuration of a folder, checked.

    Parameters
    ----------
    folder, text
        Where it lies, and the model string for messages.
    format_
        What it must say that it is.
    verb
        Command that makes such folders.

    Raises
    ------
    ModelError
        If it is not there, or of something else.
    """
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        inside = sorted(found.parent.name for found in folder.glob(f"*/{CONFIG}"))
        hint = f" There is one in: {', '.join(inside[:12])}." if inside else ""
        raise ModelError(
            f"{text!r}: {str(path)!r} does not read: {error}.{hint} `{verb}` makes one."
        ) from error
    if not isinstance(config, dict) or config.get("format") != format_:
        said = config.get("format") if isinstance(config, dict) else None
        raise ModelError(
            f"{text!r}: {str(path)!r} is not in the format {format_}"
            + (
                f", but {said}."
                if said
                else ". For checkpoints of transformers write hf: in front."
            )
        )
    return config


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
