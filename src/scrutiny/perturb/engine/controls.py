"""The matched random change of a variant: the same amount, at random other places.

A model that loses three points under typos may lose them under any three changed letters. The
control answers that: each operation of the treatment (`scrutiny.perturb.engine.control_material`)
is repeated with the same amount of change at random places of the same item.

============  ==================================================================================
operation     its control
============  ==================================================================================
``letters``   a random word loses and gains as many code points at a random place; letters and
              digits that come are random ones of the same class, other characters are the same
``words``     as many neighboring words, of about the same length and not changed by the treatment
              while there are others, give way to random frequent words (no function words);
              inserted words come at a random gap between tokens
``marks``     the same marks come at a random token border; as many others are dropped
``case``      as many letters that the treatment left alone turn their case
============  ==================================================================================

**Measures** how much of a drop any change of this amount would have made. The totals of deleted
plus inserted code points are equal to the treatment's; only where whole words are dropped may they
differ, by the difference in length of the nearest run of words.

**Misleads when** amount is not what matters. Equal code points are not equal word pieces. A change
of more than half of the letters' case has no random counterpart of the same amount, and a text
that the treatment changes nearly everywhere has no other places: the control is then ``skipped``
with the reason ``no_room``, and its items must leave the comparison. Random words break the
grammar, which careful synonyms do not: an excess drop near zero or below does not make a treatment
harmless.

The control keeps what the treatment had to keep: protected stretches, the borders of spans, and
the recipe's ``where``. Its gold answer is the item's, also where the treatment sets another.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from scrutiny.core.answers.answer import has_places, segments_of
from scrutiny.core.edit import Edit, EditRefusedError, Piece, Variant, variant_of
from scrutiny.core.errors import ScrutinyError, UserError
from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.core.transformation import Where
from scrutiny.perturb.engine.changes import STREAMS
from scrutiny.perturb.engine.control_material import (
    Ground,
    Operation,
    filler_letters,
    of_length,
    operations_of,
    random_text,
)
from scrutiny.perturb.engine.document import TextDocument, covered
from scrutiny.perturb.engine.edit_gate import Chosen, fences_of
from scrutiny.perturb.engine.edited_words import restated
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.text.edit_tracks import in_order
from scrutiny.text.edits import apply_edits, track_of
from scrutiny.text.tokens import is_punctuation

_PARAMETERS = re.compile(r"\([^()]*\)")


class Controls:
    """Matched random changes of the variants of one example; each text is analyzed only once.

    Parameters
    ----------
    example
        The item as it was.
    documents
        Its fields as they have been analyzed already, by name; others are analyzed when needed.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> example = Example("1", {"text": "a wonderful little film about growing up"})
    >>> treatment = perturb(example, "typos(mode=replace)", seed=0)
    >>> control = Controls(example).of(treatment, seed=0)
    >>> control.role, len(control.edits) == len(treatment.edits)
    ('control', True)
    """

    def __init__(
        self, example: Example, documents: Mapping[str, TextDocument] | None = None
    ) -> None:
        self._example = example
        self._documents = documents or {}
        self._grounds: dict[tuple[str, Where], Ground] = {}

    def of(self, variant: Variant, *, seed: int, draw: int | None = None) -> Variant:
        """Variant with as much random change as another one; of the same draw unless told."""
        draw = variant.draw if draw is None else draw
        if variant.status != "ok":
            return _control(variant, draw, "no_treatment")
        name, where = _of_recipe(variant.recipe)
        rng = STREAMS.stream(seed, "control", name=name, item=variant.item, draw=draw)
        example = self._example
        gold = None if variant.gold is None else example.gold
        try:
            edits = self._edits(variant, where, rng)
            if has_places(example.gold) or example.spans or example.protected:
                changed = apply_edits(example, edits)  # refused if annotations cannot be carried
                gold = changed.gold if has_places(variant.gold) else gold
        except (NoRoomError, EditRefusedError):
            return _control(variant, draw, "no_room")
        return _control(variant, draw, None, edits, gold)

    def _edits(self, variant: Variant, where: Where, rng: Rng) -> tuple[Edit, ...]:
        """Random edits of each field, as much as the treatment changed there."""
        edits: list[Edit] = []
        for name in self._example.fields:
            own = [edit for edit in variant.edits if edit.field == name]
            if not own:
                continue
            ground = self._grounds.get((name, where))
            if ground is None:  # editable parts of one field, computed at its first control
                document = self._documents.get(name) or TextDocument(self._example, name)
                ground = self._grounds[name, where] = Ground(document, where)
            placed = Placement(ground, own, rng).place(operations_of(ground.document, own))
            borders = segments_of(self._example.gold).get(name)
            if borders is not None:
                words = list(track_of(self._example, placed).words(name, borders))
                for at, word in enumerate(words):  # of a new word, gold has no head or labels
                    if word.lost == "new_word":
                        words[at] = word._replace(lost="", new=Piece(word.start, word.end))
                placed = restated(placed, words, borders)
            edits += placed
        return tuple(edits)


def _control(
    variant: Variant, draw: int, reason: str | None, edits: tuple[Edit, ...] = (), gold: Any = None
) -> Variant:
    """Control of a variant, with its outcome."""
    name, status = variant.name, "skipped" if reason else "ok"
    told = edits, gold, status, reason, draw
    return variant_of((variant.item, f"{name}/control", "control", name, variant.recipe, *told))


@lru_cache(maxsize=1024)
def _of_recipe(recipe: str) -> tuple[str, Where]:
    """Name of the random stream of a recipe's controls, and where they may change the text."""
    name = _PARAMETERS.sub("", recipe)
    try:
        steps = parse_recipe(recipe).steps
    except UserError:  # made by hand, or by a plug-in that is not here
        return name, "anywhere"
    for step in steps:
        name = name.replace(step.transformation.id, stream_of(step.transformation))
    found = {step.where for step in steps}
    return name, found.pop() if len(found) == 1 else "anywhere"


_TRIES: Final = 256
_NEAR: Final = 2  # difference in length that still counts as the same length
_ORDER: Final = {"words": 0, "marks": 1, "letters": 2, "case": 3}  # the largest first


class NoRoomError(ScrutinyError):
    """A text has no other place for this amount of change; the control is skipped."""


class Placement:
    """Places operations in one text without overlap.

    Parameters
    ----------
    ground
        The text as it was, and which tokens may be changed.
    treatment
        Edits of the treatment: words that they change come last.
    rng
        Where the numbers come from.
    """

    def __init__(self, ground: Ground, treatment: Sequence[Edit], rng: Rng) -> None:
        document = ground.document
        self._document = document
        self._ground = ground
        self._treatment = treatment
        self._rng = rng
        self._chosen = Chosen()
        self._fences = None if document.is_plain else fences_of(document)
        # indices of the tokens that edits overlap
        self._touched: set[int] = set()
        tokens, ends = document.tokens, document.ends
        for edit in treatment:
            low, high = edit.start, edit.end
            at = bisect_right(ends, low)
            while at < len(tokens) and (tokens[at][0] < high or tokens[at][0] == low == high):
                self._touched.add(at)
                at += 1
        self._words = self._shuffled(ground.words)
        self._simple = self._words  # those in which any place is between two characters
        if composed := ground.composed:
            self._simple = [i for i in self._words if i not in composed] or self._words
        self._next = 0

    def place(self, operations: Sequence[Operation]) -> list[Edit]:
        """Edits with the same amount of change at other places, in order of position.

        Raises
        ------
        NoRoomError
            If an operation finds no place.
        """
        if len(operations) > 1:
            operations = sorted(operations, key=lambda o: _ORDER[o.kind])
        for operation in operations:
            if operation.kind == "words":
                if operation.tokens == 0:
                    self._admit(self._insertions(operation.inserted))
                elif operation.inserted:
                    self._admit(self._replacements(operation))
                else:
                    self._admit(self._omissions(operation))
            elif operation.kind == "marks":
                self._place_marks(operation)
            elif operation.kind == "letters":
                self._place_letters(operation)
        if turned := sum([o.deleted for o in operations if o.kind == "case"]):
            self._turn_case(turned)
        return in_order(self._chosen.edits)

    def _replacements(self, operation: Operation) -> Iterator[Edit]:
        """Runs of words replaced by random ones, so that the total equals the treatment's."""
        text = self._document.text
        for start, end in self._runs(operation.tokens, operation.deleted, near=_NEAR):
            like = of_length(
                operation.inserted, len(operation.inserted) + operation.deleted - (end - start)
            )
            if like is not None:
                yield self._edit(start, end, self._random_text(like, unlike=text[start:end]))

    def _omissions(self, operation: Operation) -> Iterator[Edit]:
        """Runs of deleted words, with as many adjacent spaces."""
        text = self._document.text
        length = operation.deleted - operation.spaces
        for start, end in self._runs(operation.tokens, length, near=0):
            first, last, left = start, end, operation.spaces
            while left and last < len(text) and text[last].isspace():
                last, left = last + 1, left - 1
            while left and first > 0 and text[first - 1].isspace():
                first, left = first - 1, left - 1
            yield self._edit(first, last, "")

    def _runs(self, count: int, length: int, *, near: int) -> list[tuple[int, int]]:
        """Boundaries of runs of words: unchanged ones first, then of similar length, then any."""
        tokens = self._document.tokens
        free = self._ground.free
        if count == 1:
            starts = [i for i in self._words[:_TRIES] if i in free]
        else:
            room = len(tokens) - count + 1
            shares = self._rng.random(_TRIES).tolist() if room > 0 else []
            starts = [int(share * room) for share in shares]
        ranked = []
        for rank, first in enumerate(starts):
            run = range(first, first + count)
            if free.issuperset(run):
                start, end = tokens[first][0], tokens[first + count - 1][1]
                gap = max(0, abs(end - start - length) - near)
                ranked.append((not self._touched.isdisjoint(run), gap, rank, (start, end)))
        return [borders for *_, borders in sorted(ranked)]

    def _insertions(self, inserted: str) -> Iterator[Edit]:
        """Random words with the same spaces and marks, at positions between tokens."""
        text = self._document.text
        words = self._random_text(inserted.strip(), unlike="")
        head = len(inserted) - len(inserted.lstrip())
        spaces = inserted[:head] + inserted[head + len(words) :]
        if spaces:  # in front of a word, with the spaces between
            gaps = self._outside(start for start, _ in self._document.tokens)
            gaps = [gap for gap in gaps if gap == 0 or text[gap - 1].isspace()]
        else:  # glued to the word before, as ". Behind a sentence" is
            gaps = self._outside(end for _, end in self._document.tokens)
            gaps = [gap for gap in gaps if text[gap : gap + 1].strip() == ""]
        for at in self._sample(len(gaps)):
            yield self._edit(gaps[at], gaps[at], words + spaces)
        yield self._edit(len(text), len(text), spaces + words)

    def _random_text(self, like: str, *, unlike: str) -> str:
        is_english = self._document.language.partition("-")[0] == "en"
        return random_text(like, self._rng, unlike=unlike, is_english=is_english)

    def _place_marks(self, operation: Operation) -> None:
        document = self._document
        size = operation.deleted
        if size:
            marks = [i for i in self._ground.allowed if is_punctuation(document.words[i])]
            places = [document.tokens[i] for i in self._shuffled(marks) if i not in self._touched]
            edits = [self._edit(a, a + size, "") for a, b in places if b - a >= size]
            if not self._is_admitted(edits):
                self._place_letters(Operation("letters", size, ""))
        if operation.inserted:
            ends = self._outside(end for _, end in document.tokens)
            places_for = [*(ends[at] for at in self._sample(len(ends))), len(document.text)]
            self._admit(self._edit(end, end, operation.inserted) for end in places_for)

    def _place_letters(self, operation: Operation) -> None:
        """Change letters inside one word, or several if none is long enough."""
        deleted, inserted = operation.deleted, operation.inserted
        if self._is_admitted(self._slips(deleted, inserted)):
            return
        size = max(deleted, len(inserted))
        if size <= 1:
            raise NoRoomError("no word is left to change")
        for i in range(size):
            self._admit(self._slips(int(i < deleted), inserted[i : i + 1]))

    def _slips(self, deleted: int, inserted: str) -> Iterator[Edit]:
        """Letter changes of that size, one in each word, starting after the last changed word."""
        document, words = self._document, self._simple
        begin = self._next
        for step in range(len(words)):
            at = (begin + step) % len(words)
            start, end = document.tokens[words[at]]
            slack = end - start - deleted
            if slack < 0 or (slack == 0 and not inserted):
                continue
            share = self._rng.random()
            if deleted:
                place = start + int(share * (slack + 1))
            else:  # between two characters, unless there is but one
                place = start + 1 + int(share * (slack - 1)) if slack > 1 else end
            self._next = at + 1
            old = document.text[place : place + deleted]
            new = filler_letters(inserted, self._rng, unlike=old) if inserted else ""
            yield self._edit(place, place + deleted, new, inside=True)

    def _turn_case(self, count: int) -> None:
        """Change the case of letters that the treatment left unchanged."""
        document = self._document
        # code points that edits delete, or whose case they change
        turned_already: set[int] = set()
        for edit in self._treatment:
            old = document.text[edit.start : edit.end]
            if len(old) == len(edit.text) and old.lower() == edit.text.lower():
                pairs = enumerate(zip(old, edit.text, strict=True), edit.start)
                turned_already.update(place for place, (a, b) in pairs if a != b)
            else:
                turned_already.update(range(edit.start, edit.end))
        places = [
            (place, turned)
            for i in self._words
            for place in range(*document.tokens[i])
            for turned in [document.text[place].swapcase()]
            if place not in turned_already and turned != document.text[place] and len(turned) == 1
        ]
        for at in self._sample(len(places)):
            if count == 0:
                return
            place, turned = places[at]
            count -= self._is_admitted([self._edit(place, place + 1, turned)])
        if count:
            raise NoRoomError("too few letters are left whose case could turn")

    def _outside(self, places: Iterable[int]) -> list[int]:
        """Positions that are not strictly inside an annotated span."""
        if not self._document.annotations:
            return list(places)
        marks = covered(self._document, self._document.annotations)
        return [p for p in places if not (marks[max(0, p - 1) : p] + marks[p : p + 1]).count(1) > 1]

    def _shuffled(self, indices: Sequence[int]) -> list[int]:
        """Tokens in random order; those that the treatment changed come last."""
        drawn = [indices[i] for i in self._sample(len(indices))]
        if self._touched:
            drawn.sort(key=self._touched.__contains__)  # stable
        return drawn

    def _sample(self, count: int) -> list[int]:
        """The numbers from 0 to ``count`` in random order."""
        keys = self._rng.random(count).tolist() if count else []
        return sorted(range(count), key=keys.__getitem__)

    def _edit(self, start: int, end: int, text: str, *, inside: bool = False) -> Edit:
        return Edit(self._document.field, start, end, text, (), inside)

    def _admit(self, edits: Iterable[Edit]) -> None:
        """Accept the first allowed edit."""
        if not self._is_admitted(edits):
            raise NoRoomError("no place is left")

    def _is_admitted(self, edits: Iterable[Edit]) -> bool:
        """Whether one of the edits is allowed; the first allowed one is accepted."""
        text, fences = self._document.text, self._fences
        for edit in edits:
            if text[edit.start : edit.end] == edit.text:
                continue
            if fences is not None and fences.refusal([edit]):
                continue
            if self._chosen.add_if_free(edit):
                if fences is not None:
                    fences.add([edit])
                return True
        return False
