"""The matched random change of a variant: the same amount, at random other places.

A model that loses three points under typos may lose them under any three changed letters. The
control answers that: each operation of the treatment (`scrutiny.perturb.control.material`) is
repeated with the same amount of change at random places of the same item.

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
the recipe's ``where``. Its gold answer is the treatment's.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scrutiny.core.answers.answer import has_places, segments_of
from scrutiny.core.edit import Edit, EditRefusedError, Piece, Variant, variant_of
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.core.transformation import Where
from scrutiny.perturb.control.material import Ground, operations_of
from scrutiny.perturb.control.placement import NoRoomError, Placement
from scrutiny.perturb.engine.changes import STREAMS
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.edited_words import restated
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.text.edits import apply_edits, track_of

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
