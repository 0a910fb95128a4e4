"""Intermediate text of a search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.edited_words import rebase
from scrutiny.perturb.search.moves import Key, Origin, SitesByMove, key_of
from scrutiny.text.edits import apply_edits, apply_to_text

if TYPE_CHECKING:
    from scrutiny.perturb.search.moves import Place


@dataclass(slots=True, eq=False, repr=False)
class State:
    """An intermediate text: the base with edits applied.

    Only the new text is made at once. The example, its documents and the tokens that were changed
    are made when they are asked for: most candidates are asked about once and forgotten.

    Attributes
    ----------
    origin
        What the search began with.
    edits
        On the base, disjoint, in the order of fields and places; rebased after every step.
    texts
        Texts of all fields.
    key
        What makes two states the same question.
    is_probe
        Whether it is asked about only to learn something (a word left out): it can be no result.
    places
        Places that may be changed, once a space has found them, and that space.

    Examples
    --------
    >>> start = State.start(Origin(Example("1", {"text": "He loves NLP"})))
    >>> state = start.step([Edit("text", 3, 8, "likes")]).step([Edit("text", 9, 12, "maths")])
    >>> state.texts, [edit[1:4] for edit in state.edits], sorted(state.changed)
    (('He likes maths',), [(3, 8, 'likes'), (9, 12, 'maths')], [1, 2])
    """

    origin: Origin
    texts: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    _example: Example | None = None
    is_probe: bool = False
    key: Key = field(init=False)
    places: "tuple[object, Sequence[Place]] | None" = field(default=None, init=False)
    _changed: frozenset[int] | None = field(default=None, init=False)
    _words_changed: int | None = field(default=None, init=False)
    _documents: dict[str, TextDocument] | None = field(default=None, init=False)
    _sites: SitesByMove | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        texts, example = self.texts, self._example
        is_plain = self.origin.is_plain
        self.key = texts if is_plain or example is None else key_of(example, texts)

    @classmethod
    def start(cls, origin: Origin) -> "State":
        """State without edits."""
        return cls(origin, origin.texts, (), origin.example)

    @classmethod
    def of(cls, origin: Origin, edits: Sequence[Edit]) -> "State":
        """State after disjoint edits of the base.

        Raises
        ------
        EditRefusedError
            If they overlap or break an annotation.
        """
        ordered = _in_order(origin, edits)
        if not origin.is_plain or any([edit.spans for edit in ordered]):
            example = apply_edits(origin.example, ordered)
            return cls(origin, tuple(example.fields.values()), ordered, example)
        if len(origin.names) == 1:
            return cls(origin, (apply_to_text(origin.texts[0], ordered),), ordered)
        texts = tuple(
            [
                apply_to_text(text, [e for e in ordered if e.field == name])
                for name, text in zip(origin.names, origin.texts, strict=True)
            ]
        )
        return cls(origin, texts, ordered)

    @property
    def base(self) -> Example:
        """The base text of the search."""
        return self.origin.example

    @property
    def example(self) -> Example:
        """The base with the edits applied."""
        found = self._example
        if found is None:
            names, texts = self.origin.names, self.texts
            single = len(names) == 1
            fields = {names[0]: texts[0]} if single else dict(zip(names, texts, strict=True))
            found = self._example = self.origin.example.with_fields(fields)
        return found

    @property
    def changed(self) -> frozenset[int]:
        """Tokens of the base that were changed, counted through its fields."""
        if self._changed is None:
            self._changed = self.origin.changed(self.edits)
        return self._changed

    @property
    def words_changed(self) -> int:
        """Tokens of the base that were changed, plus inserted tokens."""
        if self._words_changed is None:
            self._words_changed = len(self.changed) + self.origin.inserted_words(self.edits)
        return self._words_changed

    def words_with(self, other: "State") -> int:
        """`words_changed` of a text that has the edits of both, before it is made."""
        return self.words_changed + other.words_changed - len(self.changed & other.changed)

    def joined(self, other: "State") -> "State":
        """The base with the edits of both.

        Raises
        ------
        EditRefusedError
            If they are incompatible.
        """
        found = State.of(self.origin, (*self.edits, *other.edits))
        found._changed = self.changed | other.changed
        found._words_changed = self.words_with(other)
        return found

    @property
    def sites(self) -> SitesByMove:
        """SitesByMove of moves in this text, as far as a space has computed them."""
        if self._sites is None:
            self._sites = {} if self.edits else self.origin.sites
        return self._sites

    def document(self, field: str) -> TextDocument:
        """Current document of one field."""
        number = self.origin.numbers[field]
        if self.texts[number] == self.origin.texts[number]:
            return self.origin.document(field)
        if self._documents is None:
            self._documents = {}
        found = self._documents.get(field)
        if found is None:
            found = TextDocument(self.example, field, self.origin.resources)
            self._documents[field] = found
        return found

    def step(self, edits: Sequence[Edit]) -> "State | None":
        """State after edits of this text; `None` if they do not change it.

        Raises
        ------
        EditRefusedError
            If they overlap, lie outside the text or break an annotation.
        """
        origin = self.origin
        if len(edits) != 1 or not origin.is_plain or edits[0].spans:
            return self._long_step(edits)
        field, start, end, new, *_ = edit = edits[0]
        number = origin.numbers[field]
        text = self.texts[number]
        if not 0 <= start <= end <= len(text):
            raise EditRefusedError("bounds", f"an edit of {start} to {end} in {len(text)}")
        if text[start:end] == new:
            return None
        joined = _joined(self.edits, edit) if self.edits else tuple(edits)
        if joined is None:
            return self._long_step(edits)
        after = f"{text[:start]}{new}{text[end:]}"
        if len(self.texts) == 1:
            return State(origin, (after,), joined)
        texts = (*self.texts[:number], after, *self.texts[number + 1 :])
        return State(origin, texts, _in_order(origin, joined))

    def _long_step(self, edits: Sequence[Edit]) -> "State | None":
        """State after edits that may touch annotations or overlap."""
        example = self.example
        wanted = [e for e in edits if example.fields[e.field][e.start : e.end] != e.text or e.spans]
        if not wanted:
            return None
        base = self.origin.example
        if self.edits:
            wanted = list(rebase(base, example, self.edits, wanted))
        after = State.of(self.origin, wanted)
        return None if after.texts == self.texts and after.example == example else after

    def probe(self, edits: Sequence[Edit]) -> "State":
        """Temporary state after edits of this text; annotations are dropped if necessary."""
        try:
            found = self.step(edits)
        except EditRefusedError:
            found = None
            bare = Example("", self.example.fields, tokens=self.example.tokens)
            example = apply_edits(bare, edits)
            example = Example(
                self.base.id,
                example.fields,
                tokens=example.tokens,
                attributes=self.base.attributes,
                language=self.base.language,
            )
            return State(
                self.origin, tuple(example.fields.values()), self.edits, example, is_probe=True
            )
        if found is None:
            found = State(self.origin, self.texts, self.edits, self._example)
        found.is_probe = True
        return found

    def __repr__(self) -> str:
        return f"State({self.base.id!r}, {' | '.join(self.texts)!r}, {len(self.edits)} edits)"


def _joined(earlier: tuple[Edit, ...], edit: Edit) -> tuple[Edit, ...] | None:
    """Edits of the base plus one edit of the changed text; `None` if it overlaps one."""
    gain = at = 0
    for at, e in enumerate(earlier):  # noqa: B007 - where the loop breaks is where it goes in
        if e.field != edit.field:
            continue
        low = e.start + gain
        if edit.end < low:
            break
        length = len(e.text)
        if edit.start <= low + length:
            return None
        gain += length - e.end + e.start
    else:
        at = len(earlier)
    moved = edit._replace(start=edit.start - gain, end=edit.end - gain) if gain else edit
    return (*earlier[:at], moved, *earlier[at:])


def _in_order(origin: Origin, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits sorted by field and position."""
    if len(edits) < 2:
        return tuple(edits)
    numbers = origin.numbers
    if len(numbers) == 1:
        return tuple(sorted(edits, key=attrgetter("start", "end")))
    return tuple(sorted(edits, key=lambda e: (numbers[e.field], e.start, e.end)))
