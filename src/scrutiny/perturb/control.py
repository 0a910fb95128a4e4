"""The matched random change of a variant: as much, elsewhere, and of no particular sort.

A model that loses three points under typos may lose them under any three changed letters. The
control answers that: each operation of the treatment (`scrutiny.perturb.operations`) is repeated
with the same amount of change at random places of the same item.

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
from dataclasses import replace

from scrutiny.core.edit import Edit, EditRefusedError, Variant
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.perturb.document import TextDocument
from scrutiny.perturb.operations import Amount, Operation, amount_of, operations_of
from scrutiny.perturb.placement import NoRoomError, Placement
from scrutiny.perturb.recipe import Where, parse_recipe
from scrutiny.perturb.streams import streams
from scrutiny.text.edits import apply_edits

_PARAMETERS = re.compile(r"\([^()]*\)")


def matched_control(
    example: Example, variant: Variant, *, seed: int, draw: int | None = None
) -> Variant:
    """Variant with as much random change as another one of the same example.

    Parameters
    ----------
    example
        The item as it was.
    variant
        The treatment.
    seed, draw
        Seed of the run, and which of the independent draws; the treatment's unless told.

    Examples
    --------
    >>> from scrutiny.perturb.engine import perturb
    >>> example = Example("1", {"text": "a wonderful little film about growing up"})
    >>> treatment = perturb(example, "typos(mode=replace)", seed=0)
    >>> control = matched_control(example, treatment, seed=0)
    >>> control.role, amount_changed(example, control) == amount_changed(example, treatment)
    ('control', True)
    """
    draw = variant.draw if draw is None else draw
    blank = Variant(
        item=variant.item,
        name=f"{variant.name}/control",
        role="control",
        control_of=variant.name,
        recipe=variant.recipe,
        edits=(),
        gold=None,
        status="skipped",
        reason="no_treatment",
        draw=draw,
    )
    if variant.status != "ok":
        return blank
    rng = streams().stream(
        seed, "control", name=_PARAMETERS.sub("", variant.recipe), item=variant.item, draw=draw
    )
    edits: list[Edit] = []
    try:
        for name in example.fields:
            own = [edit for edit in variant.edits if edit.field == name]
            if own:
                document = TextDocument(example, name)
                placement = Placement(document, own, where=_where(variant.recipe), rng=rng)
                edits += placement.place(operations_of(document, own))
        changed = apply_edits(example, edits)
    except (NoRoomError, EditRefusedError):
        return replace(blank, reason="no_room")
    gold = changed.gold if isinstance(variant.gold, tuple) else variant.gold
    return replace(blank, edits=tuple(edits), gold=gold, status="ok", reason=None)


def amount_changed(example: Example, variant: Variant) -> Amount:
    """Code points that a variant deletes and inserts, as the controls count them."""
    if variant.role == "control":  # its edits are as small as they can be
        deleted = sum(edit.end - edit.start for edit in variant.edits)
        return Amount(deleted, sum(len(edit.text) for edit in variant.edits))
    found: list[Operation] = []
    for name in example.fields:
        own = [edit for edit in variant.edits if edit.field == name]
        found += operations_of(TextDocument(example, name), own) if own else []
    return amount_of(found)


def _where(recipe: str) -> Where:
    """Where the treatment could change: the widest of its steps'."""
    try:
        found = [step.where for step in parse_recipe(recipe).steps]
    except UserError:  # made by hand, or by a plug-in that is not here
        return "anywhere"
    return "anywhere" if "anywhere" in found or len(set(found)) > 1 else found[0]
