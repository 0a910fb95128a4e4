"""Composition of the edits of two steps, as edits of the original text."""

from collections.abc import Sequence
from dataclasses import replace

from scrutiny.core.answers.answer import fences_of, segments_of
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.pieces import in_turn, restated
from scrutiny.text.edits.apply import apply_edits, track_of
from scrutiny.text.edits.composition import compose


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
    annotations = (*fences_of(base.gold), *base.spans, *base.protected)
    words = segments_of(base.gold)
    composed: list[Edit] = []
    for name, text in base.fields.items():
        earlier = [edit for edit in first if edit.field == name]
        later = [edit for edit in second if edit.field == name]
        spans = [span for span in annotations if span.field == name]
        own = compose(text, earlier, later, spans=spans) if later else earlier
        if name in words and later and any(edit.pieces for edit in (*earlier, *later)):
            before = track_of(base, first).words(name, words[name])
            after = track_of(middle, second).words(name, [word[:2] for word in before])
            own = restated(own, in_turn(before, after), words[name])
        composed += own
    if annotations or words or any(edit.spans for edit in composed):
        at_once, in_steps = apply_edits(base, composed), apply_edits(middle, second)
        if replace(at_once, tokens=None) != replace(in_steps, tokens=None):
            raise EditRefusedError("not_rebased", "two steps touch at the border of a span")
    return tuple(composed)
