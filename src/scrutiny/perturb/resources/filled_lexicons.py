"""Lexicons of templates that a masked language model fills: asked once, and written into the file.

A suite asks the same of every model in a year, and none of its readers needs this one: so what it
said stands in the file, under what it was asked.
"""

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import DataError, PlanError
from scrutiny.data.slots import MaskedFill, SlotFilling, fill_of, written_lexicons
from scrutiny.perturb.resources.capabilities import WordGuesser
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.resources.mask_filler import words_for_all

#: Texts that are made of a frame with slots.
_TEXTS: Final = 5
_WIDTH: Final = 100


def filled_file(
    text: str, place: str, *, load: Callable[[str], WordGuesser] | None = None
) -> tuple[str, dict[str, Sequence[str]]]:
    """File of templates with the words of its masked language models, and these words by lexicon.

    Parameters
    ----------
    text
        TOML of a suite.
    place
        What messages call it.
    load
        What loads a model; default: the resource ``masked_lm``.

    Raises
    ------
    DataError
        If it is no such file, or no lexicon of it asks a model.
    PlanError
        If a frame has no blank or several, or a model is not to be had.
    """
    given = _parsed(text, place)
    written = given.get("lexicons", {})
    written = written if isinstance(written, Mapping) else {}
    asked = {name: fill_of(one, name, place) for name, one in written.items()}
    fills = {name: one for name, one in asked.items() if one is not None}
    if not fills:
        raise DataError(
            f"{place} has no lexicon that a model fills: [lexicons.NAME] with masked_lm = MODEL "
            "and frames = [texts with one blank, ___, each]."
        )
    found: dict[str, Sequence[str]] = {}
    for name, one in fills.items():
        model = (load or _load)(one.model)
        words = [guess.word for guess in words_for_all(model, _texts(one, given, place), n=one.k)]
        if not words:
            raise DataError(
                f"{place}: {one.model} finds no word likely in all frames of the lexicon {name!r}: "
                "state fewer of them, or frames that are more alike."
            )
        found[name] = words
        text = _with_words(text, name, one, words, place)
    return text, found


def _load(model: str) -> WordGuesser:
    loaded: WordGuesser = load_resource("masked_lm", model)
    return loaded


def _parsed(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{place} is no TOML: {error}.") from None


def _texts(asked: MaskedFill, given: Mapping[str, Any], place: str) -> list[str]:
    """Frames with their slots filled: a frame that has some gives several texts."""
    lexicons = written_lexicons(given["lexicons"], place)
    rng = random.Random(f"masked_lm/{asked.seed}")
    texts: dict[str, None] = {}
    for frame in asked.frames:
        for _ in range(_TEXTS):
            texts.setdefault(SlotFilling(lexicons, rng, f"{place}: {frame}").put(frame))
    return [*texts]


def _with_words(text: str, name: str, asked: MaskedFill, words: Sequence[str], place: str) -> str:
    """The file with the words at the end of the lexicon's table; what stood there goes.

    Raises
    ------
    PlanError
        If the lexicon has no table of its own, or anything else would change.
    """
    told = wrap(", ".join(map(json_line, words)), _WIDTH - 4)
    lines = ["words = [", *(f"    {line}" for line in told), "]", f'filled = "{asked.mark(words)}"']
    wanted = _parsed(text, place)
    wanted["lexicons"][name] |= {"words": [*words], "filled": asked.mark(words)}
    heading = re.compile(rf"[ \t]*\[\s*lexicons\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*\]")
    kept = text.splitlines()
    start = next((i for i, line in enumerate(kept) if heading.match(line)), None)
    if start is not None:
        end = start + 1
        while end < len(kept) and not re.match(r"[ \t]*\[[\[\w]", kept[end]):
            end += 1
        block = re.sub(r"(?m)^\s*words\s*=\s*\[[^\]]*\]\n?", "", "\n".join(kept[start:end]))
        block = re.sub(r"(?m)^\s*filled\s*=.*\n?", "", block).rstrip()
        rest = ["", *kept[end:]] if end < len(kept) else []
        made = "\n".join([*kept[:start], block, *lines, *rest]) + "\n"
        try:
            if tomllib.loads(made) == wanted:
                return made
        except tomllib.TOMLDecodeError:
            pass
    raise PlanError(
        f"{place}: the words of the lexicon {name!r} find no place. Give it a table of its own, "
        f"[lexicons.{name}] with masked_lm = …, frames = […] on lines below it, or write into it: "
        + " ".join(lines)
    )
