"""Edits of texts; variants, which are items with edits; and tracks of places through edits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from scrutiny.core.errors import ScrutinyError
from scrutiny.core.example import Span


class Piece(NamedTuple):
    """Word of an edit's new text: it continues a word of the original, or it is new.

    Places in the original are the offsets at which its words begin.

    Parameters
    ----------
    start, end
        Place in the edit's new text.
    of
        The original's words that it continues, several if it merges them; none for a new word.
    head
        The original's word that a new word depends on; None if it is another word of the same edit
        (``sibling``), or the root of a sentence of its own.
    sibling
        Number of the piece of the same edit that it depends on.
    relation, upos, xpos
        Labels of a new word; empty for unknown ones. Without a relation, no head is known either.
    """

    start: int
    end: int
    of: tuple[int, ...] = ()
    head: int | None = None
    sibling: int | None = None
    relation: str = ""
    upos: str = ""
    xpos: str = ""


class Copy(NamedTuple):
    """Stretch of an edit's new text that repeats a stretch of the original, word for word.

    Parameters
    ----------
    at
        Where it begins in the edit's new text.
    start, end
        Place in the original.
    """

    at: int
    start: int
    end: int


class Edit(NamedTuple):
    """Replacement of code points ``start`` to ``end`` of a field of the *original* by ``text``.

    A plain tuple, because perturbing a million sentences makes several million of them.

    Parameters
    ----------
    field
        Name of the text field.
    start, end
        Code-point offsets of the original, half open; equal for an insertion.
    text
        New text.
    spans
        Annotations of the new text, with offsets *inside* ``text``. They take the place of every
        annotation that the edit touches.
    inside
        Whether an insertion at the border of a span belongs to the span.
    pieces
        Words of the new text, where inference from the edit alone would not know them. They take
        the place of every word that the edit covers.
    copies
        Stretches of the original that the new text repeats: what is annotated there is annotated in
        the new text, too. What the edit covers goes, with its annotations, unless an edit repeats
        it; so an edit without a copy, ``()``, drops them. None where nothing is moved or dropped.
    """

    field: str
    start: int
    end: int
    text: str
    spans: tuple[Span, ...] = ()
    inside: bool = False
    pieces: tuple[Piece, ...] = ()
    copies: tuple[Copy, ...] | None = None

    @property
    def states_words(self) -> bool:
        """Whether it says itself which words its new text has."""
        return bool(self.pieces) or self.copies is not None

    @property
    def clears(self) -> bool:
        """Whether what it covers goes, with its annotations, unless an edit repeats it."""
        return self.copies is not None and self.start < self.end


class EditRefusedError(ScrutinyError):
    """Refused edit: it would break an annotation, a protected span or another edit.

    ``reason`` is the short stable code that goes into the records.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Variant:
    """An item plus edits, as stored in ``variants.parquet``.

    Parameters
    ----------
    item
        Identity of the item.
    name
        Identity of the variant within its item.
    role
        ``measured`` for a treatment, ``control`` for its matched random change.
    control_of
        Name of the treatment that a control matches.
    recipe
        Canonical name of the transformation or composition that made it.
    edits
        Edits on the original, disjoint.
    gold
        The gold answer afterwards; equal to the item's where the recipe keeps it.
    status, reason
        As in records: only an ``ok`` variant is sent to models.
    draw
        Which of the independent draws of the recipe.
    """

    item: str
    name: str
    role: str
    control_of: str | None
    recipe: str
    edits: tuple[Edit, ...]
    gold: Any
    status: str = "ok"
    reason: str | None = None
    draw: int = 0


class _OpenVariant:
    """Mutable variant, while it is being built."""

    __slots__ = Variant.__slots__


def variant_of(members: tuple[Any, ...]) -> Variant:
    """Variant from all its members in order; faster than the constructor.

    Setting the members of a frozen class one by one takes longer than a typo.

    Examples
    --------
    >>> made = variant_of(("i1", "ocr@1#2", "measured", None, "ocr@1", (), "good", "ok", None, 2))
    >>> made == measured_variant("i1", "ocr@1", (), "good", "ok", None, 2)
    True
    """
    made: Any = _OpenVariant()
    (
        made.item,
        made.name,
        made.role,
        made.control_of,
        made.recipe,
        made.edits,
        made.gold,
        made.status,
        made.reason,
        made.draw,
    ) = members
    made.__class__ = Variant
    variant: Variant = made
    return variant


def measured_variant(
    item: str,
    recipe: str,
    edits: tuple[Edit, ...],
    gold: Any,
    status: str,
    reason: str | None,
    draw: int,
) -> Variant:
    """Variant of an item under a treatment, named by its recipe and draw.

    Examples
    --------
    >>> measured_variant("i1", "ocr@1", (), "good", "ok", None, 2).name
    'ocr@1#2'
    """
    name = f"{recipe}#{draw}" if draw else recipe
    return variant_of((item, name, "measured", None, recipe, edits, gold, status, reason, draw))


Borders = Sequence[tuple[int, int]]


class CarriedWord(NamedTuple):
    """Word of a changed text.

    Parameters
    ----------
    start, end
        Place in the new text.
    of
        Numbers of the original's words that it continues: one, several that were merged, or none.
    new
        What an edit states of a new word.
    head
        For a new word: number of the original's word that it depends on, or ``-1 - k`` for word k
        of the new text, or None for a root.
    lost
        Why nothing is known of it, or empty.
    """

    start: int
    end: int
    of: tuple[int, ...] = ()
    new: Piece | None = None
    head: int | None = None
    lost: str = ""


class Track(Protocol):
    """Where the places of a text are after edits; ``texts`` are the new ones, by field.

    Its methods raise `scrutiny.core.edit.EditRefusedError`, whose reason names what is lost.
    """

    @property
    def texts(self) -> Mapping[str, str]: ...  # noqa: D102 - see the class

    def spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans at their new places, as often as they stand there, and those that edits bring."""

    def replaces(self, spans: Sequence[Span]) -> bool:
        """Whether an edit puts spans of its own in the place of one of these."""

    def words(self, field: str, borders: Borders) -> Sequence[CarriedWord]:
        """Words of the new text, each with the old words that it continues."""
