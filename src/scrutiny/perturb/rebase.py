"""Edits of two steps as edits of the text before both."""

from collections.abc import Sequence

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.text.edits import apply_edits, compose


def rebase(
    base: Example, middle: Example, first: Sequence[Edit], second: Sequence[Edit]
) -> tuple[Edit, ...]:
    """Edits of ``base`` that do what ``first`` and then ``second`` do.

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
    composed: list[Edit] = []
    for name, text in base.fields.items():
        earlier = [edit for edit in first if edit.field == name]
        later = [edit for edit in second if edit.field == name]
        composed += compose(text, earlier, later) if earlier and later else earlier or later
    is_plain = base.tokens is None and not (base.spans or base.protected)
    if is_plain and not (isinstance(base.gold, tuple) and base.gold):
        return tuple(composed)
    if apply_edits(base, composed) != apply_edits(middle, second):
        raise EditRefusedError("not_rebased", "two steps touch at the border of a span")
    return tuple(composed)
