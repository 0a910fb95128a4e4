"""Statistics of the similarity of two models' vectors of the same items.

A likeness is a property of all items together. Its records hold, for each item, ``value`` (the
likeness over all items, the same in every row), ``influence`` (what the item adds to it, by leaving
its group out; mean 0) and ``exchanged`` (the likeness with the items of one side exchanged). The
value is the mean of value plus influence, and resampling items moves it as the jackknife says:
an item drawn twice would be its own neighbor, so the likeness itself is never resampled.

``likeness(debiased_cka)@1``, and of ``linear_cka``, ``minibatch_cka``
    **Measures**: centered kernel alignment: likeness up to rotation and scale, decided by the
    directions of much variance. **Misleads when**: read alone: a few shifted items move it far.
    Linear CKA is biased upward where features are many.
``mean_cca``, ``svcca``, ``pwcca``
    **Measures**: canonical correlations: likeness up to linear maps. **Misleads when**: items are
    not many times the features: independent vectors are then alike.
``rsa``
    **Measures**: whether both find the same pairs of items far apart. **Misleads when**: a few
    clusters decide it.
``procrustes_distance``
    **Measures**: what is left after the best rotation: 0 for a copy, less is more alike.
    **Misleads when**: items are few.
``neighbor_jaccard``
    **Measures**: whether items have the same nearest items. **Misleads when**: neighbors are no
    small share of the items.
``beyond(likeness(rsa))@1``, and of the others
    **Measures**: each of them minus those of permuted items. **Misleads when**: taken for a test
    of a good likeness: two models that read the same words beat chance.
``stir@1``, ``beyond(stir)@1``
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
from scrutiny.reliability.additive import Additive, with_count
from scrutiny.reliability.metrics import one_of

_NEEDS: Final = ("value", "influence")
#: What random exchanges of the items give is measured beside each likeness.
_EXCHANGED: Final = Chance("permuted items", "exchanged")


def _likeness(name: str, says: str, scale: str, chance: Chance) -> Additive:
    """Similarity of one kind; influences are resampled, not the fit."""
    return Additive(
        f"{name}@1",
        says,
        _NEEDS,
        lambda m: with_count(m[..., 0] + m[..., 1]),  # pseudo-values of the jackknife
        scale=scale,
        conditional_on="the influence of each item (jackknife)",
        is_mean=True,
        chance=chance,
    )


LIKENESS: Final = one_of(
    "likeness",
    {
        name: _likeness(name, says, scale, _EXCHANGED)
        for name, says, scale in (
            ("debiased_cka", "debiased CKA", "coefficient"),
            ("linear_cka", "linear CKA", "share"),
            ("minibatch_cka", "minibatch CKA", "coefficient"),
            ("mean_cca", "mean canonical correlation", "share"),
            ("svcca", "SVCCA", "share"),
            ("pwcca", "projection-weighted CCA", "share"),
            ("rsa", "RSA (Spearman of distances)", "coefficient"),
            ("procrustes_distance", "Procrustes distance", "amount"),
            ("neighbor_jaccard", "overlap of nearest neighbors", "share"),
        )
    },
)
STIR: Final = _likeness(
    "stir", "STIR", "coefficient", Chance("random change", stream="stir_lift@1")
)
