"""Responses: what a model wrote to a prompt, and how its answering ended.

A response is never a failure of its item: one that declines, breaks off at the limit of tokens or
says nothing is an answer of its own name, and none of these is a wrong one.
"""

import re
from typing import Final, Literal
from unicodedata import normalize

from scrutiny.core.answers.texts import Text

#: How answering ended, of which each response has one.
Outcome = Literal["answered", "refused", "cut off", "empty"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("answered", "refused", "cut off", "empty")
#: What endpoints call the limit of tokens, and a refusal.
ENDS_SHORT: Final = frozenset({"length", "max_tokens", "model_length", "cut off", "cut_off"})
ENDS_REFUSED: Final = frozenset({"content_filter", "refusal", "safety", "refused"})


class Response(Text):
    """Text that a model wrote to a prompt.

    Parameters
    ----------
    text
        What it wrote; empty where nothing came.
    end
        ``refused`` or ``cut off`` where whoever served it says so; else empty.
    """

    __slots__ = ("end",)

    end: str

    def __new__(cls, text: str = "", end: str = "") -> "Response":
        """Response of a text, with its end as `ENDS_SHORT` and `ENDS_REFUSED` read it."""
        made = super().__new__(cls, text)
        made.end = "refused" if end in ENDS_REFUSED else "cut off" if end in ENDS_SHORT else ""
        return made

    @property
    def outcome(self) -> Outcome:
        """How answering ended: as whoever served it says, else as the words show.

        Examples
        --------
        >>> Response("Paris.").outcome, Response(" ").outcome, Response("Par", "length").outcome
        ('answered', 'empty', 'cut off')
        >>> Response("I'm sorry, but I can't help with that.").outcome
        'refused'
        """
        if self.end == "refused":
            return "refused"
        if not self.strip():
            return "empty"
        if declines(self):
            return "refused"
        return "cut off" if self.end else "answered"


_SORRY: Final = (
    r"(?:(?:I(?:'m| am) )?(?:(?:very|so|really) )?sorry|I apologi[sz]e|apologies|unfortunately)"
)
_CANNOT: Final = (
    r"(?:can(?:'t|not| not)|won't|will not|(?:am|'m) (?:not able|unable)(?: to)?"
    r"|(?:am|'m) not (?:allowed|permitted|comfortable)(?: to)?)"
)
_DOES: Final = (
    r"(?:help|assist|provide|comply|fulfill+|answer|discuss|create|write|generate|support|engage"
    r"|share|offer|participate|do (?:that|this|so))"
)
_DECLINE: Final = (
    r"I (?:must |have to |will |respectfully )*(?:decline\b|refuse to " + _DOES + r"\b)"
)
#: Beginnings that decline: who speaks can't, won't or is sorry to say so.
_DECLINES: Final = re.compile(
    rf"^\W*(?:{_SORRY}\W+(?:but\W+)?)?(?:as an AI\b[^.!?]{{0,60}}?,?\s*)?"
    rf"(?:I\s*(?:(?:simply|really|just) )?{_CANNOT}\s+(?:\w+\s+)?{_DOES}\b|{_DECLINE}"
    rf"|I(?:'m| am) (?:sorry|afraid)\W+(?:but\W+)?I\s*{_CANNOT}\b"
    rf")(?P<rest>[^.!?\n]*)",
    re.IGNORECASE,
)
_BARE_SORRY: Final = re.compile(
    rf"^\W*{_SORRY},? (?:but )?(?:no|I can(?:'t|not))\W*$", re.IGNORECASE
)
_GOES_ON: Final = re.compile(r"\b(?:but|however|though|although|yet)\b", re.IGNORECASE)


def declines(text: str) -> bool:
    """Whether the first sentence of a text declines to answer, in English.

    "I can't help with that" does, and "I can't say for sure, but it is 5" does not: it goes on.

    Examples
    --------
    >>> declines("As an AI language model, I cannot provide medical advice.")
    True
    >>> declines("I'm sorry for your loss."), declines("I can't give a date, but it was in May.")
    (False, False)
    """
    said = text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    found = _DECLINES.match(said)
    if found is None:
        return _BARE_SORRY.match(said) is not None
    return _GOES_ON.search(found["rest"]) is None


_EDGES: Final = " \t\n\r\"'`*_#.,;:!?()[]{}“”‘’«»"


def normal(text: str) -> str:
    r"""Text in which only words count: compatible characters, small letters, single spaces.

    Marks at both ends go, as full stops, quotation marks and emphasis; those within stay, and so
    does a text of nothing else.

    Examples
    --------
    >>> normal("**Paris.**"), normal("It  is\n3.5"), normal("3.5") == normal("35")
    ('paris', 'it is 3.5', False)
    """
    whole = folded(text)
    return whole.strip(_EDGES) or whole


def folded(text: str) -> str:
    r"""Text in compatible characters and small letters, with single spaces.

    Examples
    --------
    >>> folded("Is it\n ﬁve?")
    'is it five?'
    """
    return " ".join(normalize("NFKC", text).casefold().split())
