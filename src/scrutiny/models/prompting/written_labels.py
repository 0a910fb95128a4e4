"""Labels and free answers in what a model wrote: declared ways of reading, none guesses.

``start``        the text begins with the words of a label (the usual)
``only``         the text is the words of a label, and nothing else
``last``         the words of a label that stand last in the text
``after:WORDS``  the text behind the last WORDS begins with the words of a label
``json:NAME``    the text holds a JSON object whose member NAME is the words of a label

Upper and lower case, quotation marks and marks of emphasis do not matter. Words of a label are
whole words, and of two labels that begin alike the longer one counts. A text that begins with two
of them ("positive or negative") names none.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.answers.responses import Response
from scrutiny.core.answers.texts import Text
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.queries.remote import Reply
from scrutiny.core.task import Prediction

_MARKS: Final = " \t\r\n\"'`*_#>-:.,;!([{“”‘’«»"
#: Reasons of failures of what came: asked again, the same would come.
EMPTY, REFUSED, CUT_OFF, UNPARSED = "empty", "refused", "cut_off", "unparsed"
_ENDS_SHORT: Final = frozenset({"length", "max_tokens", "model_length"})
_ENDS_REFUSED: Final = frozenset({"content_filter", "refusal", "safety"})
_REFUSES: Final = re.compile(
    r"\b(?:I(?:'|’)?m sorry|I am sorry|I apologi[sz]e|I can(?:'|’)?(?:no)?t|I cannot"
    r"|I(?:'|’)?m (?:not able|unable)|I am (?:not able|unable)|As an AI)\b",
    re.IGNORECASE,
)
_OR: Final = re.compile(r"\s*(?:/|\||,|\bor\b|\band\b)\s*")
_BORDERS: Final = ((r"(?<!\w)", 0), (r"(?!\w)", -1))
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_SHOWN: Final = 200  # letters of a reply in a message
_Find = Callable[[str, Mapping[str, str]], str | None]


@dataclass(frozen=True, slots=True)
class LabelReading:
    """How a label is read from what a model wrote.

    Parameters
    ----------
    name
        As it is stated (``start``, ``after:Answer:``).
    words
        Words that stand for each label, by label.
    """

    name: str
    words: Mapping[str, str]

    def answer(self, reply: Reply) -> Prediction | Failure:
        """Label that a reply names, with what was written, or what is wrong with it.

        Reasons: ``refused`` (the endpoint says so, or nothing but an apology came), ``empty``,
        ``cut_off`` (the limit of tokens ended it before its answer was certain), ``unparsed``.
        """
        if reply.refusal or reply.end in _ENDS_REFUSED:
            return Failure(REFUSED, f"The endpoint refused: {_short(reply.refusal or reply.end)}")
        written = reply.text.strip()
        if not written:
            return Failure(EMPTY, "The reply holds no text.")
        find, is_certain_when_cut = _reading(self.name)
        was_cut = reply.end in _ENDS_SHORT
        longest_first = sorted(self.words.items(), key=lambda pair: -len(pair[1]))
        known = {words.strip(_MARKS).casefold(): label for label, words in longest_first}
        label = None if was_cut and not is_certain_when_cut else find(written, known)
        if label is not None:
            return Prediction(label, said=reply.text)
        if was_cut:
            return Failure(CUT_OFF, f"The limit of tokens ended the reply: {_short(written)}")
        if _REFUSES.search(written):
            return Failure(REFUSED, f"The model declined: {_short(written)}")
        return Failure(UNPARSED, f"read={self.name} finds no label in the reply: {_short(written)}")


def check_reading(name: str, *, source: str) -> None:
    """Raise unless this is a way of reading labels.

    Raises
    ------
    ModelError
        If it is not.
    """
    try:
        _reading(name)
    except KeyError:
        raise ModelError(
            f"{source!r}: read={name} is no way of reading a label. There are: start, only, last, "
            "after:WORDS (behind these words), json:NAME (the member of a JSON object)."
        ) from None


def _reading(name: str) -> tuple[_Find, bool]:
    """Function that reads a label, and whether a label that it finds in a cut reply is certain."""
    kind, colon, rest = name.partition(":")
    if kind in ("after", "json"):
        if not rest:
            raise KeyError(name)
        if kind == "json":
            return lambda written, known: _in_object(written, rest, known), True
        return lambda written, known: _behind(written, rest, known), False
    if colon:
        raise KeyError(name)
    found: tuple[_Find, bool] = {
        "start": (_at_start, True),
        "only": (lambda written, known: known.get(written.strip(_MARKS).casefold()), False),
        "last": (_last, False),
    }[kind]
    return found


def _at_start(written: str, known: Mapping[str, str]) -> str | None:
    """Label whose words a text begins with."""
    text = written.lstrip(_MARKS).casefold()
    for words, label in known.items():
        if match := _pattern(words).match(text):
            rest = text[match.end() :]
            names_another = (other := _OR.match(rest)) and any(
                own != label and _pattern(one).match(rest, other.end())
                for one, own in known.items()
            )
            return None if names_another else label
    return None


def _pattern(words: str) -> re.Pattern[str]:
    """Pattern of whole words; those of scripts that write no spaces have no borders."""
    before, after = (side if words[at].isascii() else "" for side, at in _BORDERS)
    return re.compile(before + re.escape(words) + after)


def _behind(written: str, words: str, known: Mapping[str, str]) -> str | None:
    """Label right behind the last of these words."""
    _, found, rest = written.casefold().rpartition(words.casefold())
    return _at_start(rest, known) if found else None


def _last(written: str, known: Mapping[str, str]) -> str | None:
    """Label whose words stand last; of several at one place, the longest."""
    text = written.casefold()
    places = [
        (match.end(), len(words), label)
        for words, label in known.items()
        for match in _pattern(words).finditer(text)
    ]
    return max(places)[2] if places else None


def _in_object(written: str, member: str, known: Mapping[str, str]) -> str | None:
    """Label in a member of the last JSON object of a text."""
    for found in reversed(_OBJECT.findall(written)):
        try:
            value: Any = json.loads(found).get(member)
        except ValueError:
            continue
        if isinstance(value, str):
            return known.get(value.strip(_MARKS).casefold())
    return None


def _short(text: str) -> str:
    """Beginning of a text, quoted."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def written_text(reply: Reply) -> Prediction | Failure:
    """Written answer: the text of a model's reply, or why there is none."""
    if reply.refusal:
        return Failure(REFUSED, f"The endpoint refused: {reply.refusal}")
    if not reply.text.strip():
        return Failure(EMPTY, "The reply holds no text.")
    if reply.end in _ENDS_SHORT:
        return Failure(CUT_OFF, f"The limit of tokens ended the reply: {reply.text!r}")
    return Prediction(Text(reply.text.strip()))


def written_response(reply: Reply) -> Prediction:
    """Free answer of a reply, which says how answering ended; there is always one.

    Examples
    --------
    >>> from scrutiny.core.queries.remote import Reply
    >>> written_response(Reply("Par", "length")).answer.outcome
    'cut off'
    """
    end = "refused" if reply.refusal else reply.end
    return Prediction(Response((reply.text or reply.refusal).strip(), end))
