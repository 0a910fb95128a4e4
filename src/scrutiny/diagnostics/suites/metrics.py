"""Statistics of suites.

``share(failed)@1``
    **Measures**: cases whose answer is not as expected, of those that count. **Misleads when**: the
    cases are alike (frames filled with words): they are fewer observations than their number says.
``share(whole)@1``
    **Measures**: groups of which every answer is right, the item that the cases were made of
    included: the consistency of a contrast set. **Misleads when**: groups differ in size: a larger
    one is harder to get right.
``chance_consistency@1``
    **Measures**: what the consistency would be if whether an answer is right had nothing to do with
    its group: the mean over groups of the product of both accuracies. **Misleads when**: taken for
    a bound: a model that is right on the whole group or not at all lies above it, one that is
    right on every second text below.

**References**: Gardner et al. (2020), Evaluating models' local decision boundaries via contrast
sets; Ribeiro, Wu, Guestrin & Singh (2020), Beyond accuracy: behavioral testing of NLP models with
CheckList; the chance level is ours.
"""

from typing import Final

import numpy as np

from scrutiny.reliability.additive import Additive, Array, divide

#: Changed texts of a group that are told apart; larger groups count as this size.
_MOST_MEMBERS: Final = 12


def _parts(measures: Array) -> Array:
    """Groups, originals right, changed texts, those right, and groups by their number of texts."""
    is_group, base_right, members, members_right = np.moveaxis(measures, -1, 0)
    sizes = np.minimum(members, _MOST_MEMBERS)[..., None] == np.arange(1, _MOST_MEMBERS + 1)
    found = np.stack([is_group, base_right, members, members_right], axis=-1)
    return np.asarray(np.concatenate([found, sizes], axis=-1) * is_group[..., None])


def _by_chance(sums: Array) -> Array:
    """Mean over groups of the product of the accuracies of their texts."""
    groups, base_right, members, members_right = np.moveaxis(sums[..., :4], -1, 0)
    right = divide(members_right, members)[..., None] ** np.arange(1, _MOST_MEMBERS + 1)
    whole = (sums[..., 4:] * right).sum(axis=-1)
    return divide(base_right, groups) * divide(whole, groups)


CHANCE_CONSISTENCY: Final = Additive(
    "chance_consistency@1",
    "consistency if texts of a group had nothing to do with one another",
    ("groups", "base_right", "members", "members_right"),
    _parts,
    _by_chance,
    scale="logit",
    divisor=lambda sums: np.asarray(sums[..., 0]),
)
