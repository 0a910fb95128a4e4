"""Statistics of how alike two models' vectors of the same items are.

A likeness is a property of all items together. Its records hold, for each item, ``value`` (the
likeness over all items, the same in every row), ``influence`` (what the item adds to it, by leaving
its group out; mean 0) and ``exchanged`` (the likeness with the items of one side exchanged). The
value is the mean of value plus influence, and resampling items moves it as the jackknife says:
an item drawn twice would be its own neighbor, so the likeness itself is never resampled.

``debiased_cka@1``, ``linear_cka@1``, ``minibatch_cka@1``
    **Measures**: centered kernel alignment: likeness up to rotation and scale, decided by the
    directions of much variance. **Misleads when**: read alone: a few shifted items move it far.
    Linear CKA is biased upward where features are many.
``mean_cca@1``, ``svcca@1``, ``pwcca@1``
    **Measures**: canonical correlations: likeness up to linear maps. **Misleads when**: items are
    not many times the features: independent vectors are then alike.
``rsa@1``
    **Measures**: whether both find the same pairs of items far apart. **Misleads when**: a few
    clusters decide it.
``procrustes_distance@1``
    **Measures**: what is left after the best rotation: 0 for a copy, less is more alike.
    **Misleads when**: items are few.
``neighbor_jaccard@1``
    **Measures**: whether items have the same nearest items. **Misleads when**: neighbors are no
    small share of the items.
``beyond(debiased_cka)@1``, ... ``beyond(neighbor_jaccard)@1``
    **Measures**: each of them minus what exchanged items give. **Misleads when**: taken for a test
    of a good likeness: two models that read the same words beat chance.
``stir@1``, ``stir_lift@1``
    **Measures**: alignment of a model's vectors of texts and of their changed forms that a
    reference equates (STIR); minus that of random changes. **Misleads when**: the first is read
    without the second: a small change moves no model far.

**References**: Kornblith et al. (2019), Similarity of neural network representations revisited;
Nguyen, Raghu & Kornblith (2021); Raghu et al. (2017), SVCCA; Morcos, Raghu & Bengio (2018);
Kriegeskorte, Mur & Bandettini (2008); Ding, Denain & Steinhardt (2021); Klabunde et al. (2025),
ReSi; Nanda et al. (2022); Efron & Stein (1981), The jackknife estimate of variance.
"""

from typing import Final

from scrutiny.core.statistic import Chance
from scrutiny.reliability.additive import Additive, Array, over_rows, with_count

_NEEDS: Final = ("value", "influence")
#: What random exchanges of the items give is measured beside each likeness.
_EXCHANGED: Final = Chance("exchanged items", "exchanged")


def _pseudo(measures: Array) -> Array:
    """Pseudo-values of the jackknife, and a count."""
    return with_count(measures[..., 0] + measures[..., 1])


def _likeness(
    name: str, says: str, *, scale: str = "share", chance: Chance | None = _EXCHANGED
) -> Additive:
    """Likeness of one kind; what is resampled are influences, not the fit."""
    return Additive(
        f"{name}@1",
        says,
        _NEEDS,
        _pseudo,
        over_rows,
        scale=scale,
        conditional_on="the influence of each item (jackknife)",
        is_mean=True,
        chance=chance,
    )


DEBIASED_CKA: Final = _likeness("debiased_cka", "debiased CKA", scale="coefficient")
LINEAR_CKA: Final = _likeness("linear_cka", "linear CKA")
MINIBATCH_CKA: Final = _likeness("minibatch_cka", "minibatch CKA", scale="coefficient")
MEAN_CCA: Final = _likeness("mean_cca", "mean canonical correlation")
SVCCA: Final = _likeness("svcca", "SVCCA")
PWCCA: Final = _likeness("pwcca", "projection-weighted CCA")
RSA: Final = _likeness("rsa", "RSA (Spearman of distances)", scale="coefficient")
PROCRUSTES_DISTANCE: Final = _likeness("procrustes_distance", "Procrustes distance", scale="amount")
NEIGHBOR_JACCARD: Final = _likeness("neighbor_jaccard", "overlap of nearest neighbors")
STIR: Final = _likeness("stir", "STIR", scale="coefficient", chance=None)
STIR_LIFT: Final = Additive(
    "stir_lift@1",
    "STIR beyond random changes",
    (*_NEEDS, "control.value", "control.influence"),
    lambda m: with_count(m[..., 0] + m[..., 1] - m[..., 2] - m[..., 3]),
    over_rows,
    scale="excess",
    conditional_on="the influence of each item (jackknife)",
    no_effect=0.0,
)
