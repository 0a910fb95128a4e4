"""Sentiment about an aspect: a text, what it judges (food, battery life), and the polarity.

An item may have the places of the aspect, of the words that judge it (its opinions), and of the
other aspects of its text with their polarities and opinions. They are spans of the item, so edits
carry them; `aspects_of` reads them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import EVIDENCE, Example, Span
from scrutiny.core.task import Role
from scrutiny.tasks.cells import label_in_cell, list_of, text_of
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import LABEL, OF_SENTENCES, TEXT, Borders, mentions, text_role

_ASPECT: Final = "aspect"
_OTHER: Final = "other"
#: What polarities are called, by what they say: praise, blame, neither.
_SIGNS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("positive", "pos"), 1),
    **dict.fromkeys(("negative", "neg"), -1),
    **dict.fromkeys(("neutral", "neu"), 0),
}
#: Names of polarities with that of the opposite one.
_OPPOSITES: Final[Mapping[str, str]] = {
    "positive": "negative",
    "negative": "positive",
    "pos": "neg",
    "neg": "pos",
}


class Aspect(NamedTuple):
    """Aspect of a text.

    Parameters
    ----------
    place
        Where the text names it; None where the text does not, or nobody knows.
    polarity
        How it is judged, as the data call it; None where nobody knows.
    opinions
        Words that judge it, in text order; two aspects may share them.
    """

    place: Span | None
    polarity: str | None
    opinions: tuple[Span, ...] = ()


class AspectSentiment(Classification):
    """Polarity of one aspect of a text: what somebody thinks of the food, of the battery life.

    Models read the text and, beside it, the aspect. No change touches the aspect.
    """

    name = "aspect-sentiment"
    roles = (
        TEXT,
        text_role(
            _ASPECT,
            "column of the aspect, as its text names it",
            "aspect_term",
            is_anchor=True,
        ),
        Role("place", "column of [start, end] of the aspect in its text", "list", ("place",)),
        Role(
            "opinions",
            "column of the list of [start, end] of words that judge the aspect",
            "list",
            ("opinions",),
        ),
        Role(
            "others",
            "column of the list of the other aspects, objects with place, label and opinions",
            "list",
            ("others", "other_aspects"),
        ),
        LABEL,
        OF_SENTENCES[0],
    )
    identifying_columns = ("text", _ASPECT)

    def spans(
        self, row: Mapping[str, Any], words: Sequence[str], borders: Borders
    ) -> tuple[Span, ...]:
        """The aspect, its opinions, and the other aspects with theirs.

        Raises
        ------
        DataError
            If a place lies outside the text.
        """
        text, aspect = text_of(row, "text"), text_of(row, _ASPECT)
        place = _place_of(text, aspect, row.get("place"))
        found = [Span("text", *place, _ASPECT)] if place else []
        found += _opinions(row, 0, text)
        for number, other in enumerate(list_of(row, "others") if row.get("others") else (), 1):
            if not isinstance(other, Mapping):
                raise DataError(f"others holds {other!r:.60}, and another aspect is an object")
            polarity = label_in_cell(other.get("label")) or ""
            found.append(
                Span("text", *_checked(other.get("place"), text), f"{_OTHER}:{number}:{polarity}")
            )
            found += _opinions(other, number, text)
        return tuple(found)

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: those of any row, and an aspect that the text does not name at its place."""
        yield from super().doubts(row, example)
        if row.get("place") and not _stands_at(example.text, example.fields[_ASPECT], row["place"]):
            yield "have an aspect that does not stand at its place in the text"


def aspects_of(example: Example) -> tuple[Aspect, ...]:
    """Aspects of an item's text with their opinions: the one that is asked about, then the others.

    Examples
    --------
    >>> row = {"text": "Good food, slow staff.", "aspect": "food", "opinions": [[0, 4]]}
    >>> row["others"] = [{"place": [16, 21], "label": "negative", "opinions": [[11, 15]]}]
    >>> own, other = aspects_of(AspectSentiment().parse({**row, "label": "positive"}, source="x"))
    >>> own.polarity, own.opinions[0].start, other.polarity, other.opinions[0].start
    ('positive', 0, 'negative', 11)
    """
    opinions: dict[str, list[Span]] = {}
    places: dict[str, tuple[Span, str | None]] = {}
    own = None
    for span in sorted(example.spans, key=lambda one: (one.start, one.end)):
        kind, _, rest = span.label.partition(":")
        number, _, polarity = rest.partition(":")
        if not number.isdecimal():
            own = span if span.label == _ASPECT else own
        elif kind == EVIDENCE:
            opinions.setdefault(number, []).append(span)
        elif kind == _OTHER:
            places[number] = span, polarity or None
    gold = example.gold if isinstance(example.gold, str) else None
    return (
        Aspect(own, gold, tuple(opinions.get("0", ()))),
        *(
            Aspect(*places[number], tuple(opinions.get(number, ())))
            for number in sorted(places, key=int)
        ),
    )


def sign_of(polarity: str | None) -> int | None:
    """What a polarity says: 1 is praise, -1 blame, 0 neither; None where its name tells nothing.

    Examples
    --------
    >>> [sign_of(name) for name in ("positive", "NEG", "neutral", "conflict", None)]
    [1, -1, 0, None, None]
    """
    return None if polarity is None else _SIGNS.get(polarity.lower())


def opposite_of(polarity: str) -> str:
    """Name of the opposite polarity in the same letter case; one without an opposite stays.

    Examples
    --------
    >>> opposite_of("positive"), opposite_of("NEG"), opposite_of("neutral")
    ('negative', 'POS', 'neutral')
    """
    other = _OPPOSITES.get(polarity.lower(), polarity)
    return other.upper() if polarity.isupper() else other.title() if polarity.istitle() else other


def _opinions(row: Mapping[str, Any], number: int, text: str) -> Iterator[Span]:
    """Opinions about one aspect, numbered as the aspect is."""
    for place in list_of(row, "opinions") if row.get("opinions") else ():
        yield Span("text", *_checked(place, text), f"{EVIDENCE}:{number}")


def _place_of(text: str, aspect: str, stated: Any) -> tuple[int, int] | None:
    """Where a text names an aspect: as stated if it stands there, else the first mention."""
    if stated and _stands_at(text, aspect, stated):
        return _checked(stated, text)
    return next((found.span() for found in mentions(aspect, text)), None)


def _stands_at(text: str, aspect: str, stated: Any) -> bool:
    """Whether an aspect stands at a stated place, in any case."""
    start, end = _checked(stated, text)
    return text[start:end].casefold() == aspect.casefold()


def _checked(place: Any, text: str) -> tuple[int, int]:
    """Start and end of a place.

    Raises
    ------
    DataError
        If it is none in the text.
    """
    is_pair = isinstance(place, list | tuple) and len(place) == 2
    if not is_pair or any(type(at) is not int for at in place):
        raise DataError(f"a place is {place!r:.60}; it is [start, end] in code points of the text")
    start, end = place
    if not 0 <= start < end <= len(text):
        raise DataError(f"the place {[start, end]} lies outside the text, of {len(text)} points")
    return start, end
