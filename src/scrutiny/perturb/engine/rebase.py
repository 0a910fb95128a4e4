"""Composition of the edits of two steps, as edits of the original text."""

from collections.abc import Sequence
from dataclasses import replace

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.text.composition import compose
from scrutiny.text.edits import apply_edits


def rebase(
    base: Example, middle: Example, first: Sequence[Edit], second: Sequence[Edit]
) -> tuple[Edit, ...]:
    """Edits of ``base`` with the effect of ``first`` followed by ``second``.

    Parameters
    ----------
    base, middle
        The example before both, and after ``first``.
    first, second
        Edits of ``base``, and of ``middle``.

    Raises
    ------
    EditRefusedError
        ``not_rebased`` if an annotation would end elsewhere than after the two steps: the steps
        touch at the border of a span in a way that one edit cannot say.
    """
    gold = base.gold if isinstance(base.gold, tuple) else ()
    annotations = (*gold, *base.spans, *base.protected)
    composed: list[Edit] = []
    for name, text in base.fields.items():
        earlier = [edit for edit in first if edit.field == name]
        later = [edit for edit in second if edit.field == name]
        spans = [span for span in annotations if span.field == name]
        composed += compose(text, earlier, later, spans=spans) if later else earlier
    if annotations or any(edit.spans for edit in composed):
        at_once, in_turn = apply_edits(base, composed), apply_edits(middle, second)
        if replace(at_once, tokens=None) != replace(in_turn, tokens=None):
            raise EditRefusedError("not_rebased", "two steps touch at the border of a span")
    return tuple(composed)
