"""Statistics of attacks: success, preserved meaning, cost, and excess over random change.

Measures are those of `scrutiny.diagnostics.attack`. An item that the model gets wrong as it is has
``attacked`` 0 and ``hit`` 0: it stands in the denominator of the accuracy under attack and in no
other. Every replicate is divided by its own number of attacked items.

Success:

``attack_success@1``
    **Measures**: attacked items on which the goal was reached. **Misleads when**: read without
    the share that is valid (`valid_share@1`): a text that changed its meaning may change its
    answer; or without the texts asked: success grows with the budget.
``beyond(attack_success)@1``, ``beyond(transfer_rate)@1``
    **Measures**: the same minus that of random changes from the same candidates, with as many
    texts asked and no more words changed. **Misleads when**: nearly every candidate fools the
    model: then searching adds nothing, and the model is no more robust for it.
``accuracy_under_attack@1``
    **Measures**: items right before and after, over all items: wrong ones cannot be attacked and
    stay wrong. **Misleads when**: the accuracies before differ: compare `attack_success@1`.
``success_within(10)@1`` and with any other number of texts
    **Measures**: attacked items on which the goal was reached with so many texts or fewer.
    **Misleads when**: the search was given fewer: the curve is flat from there on.
``transfer_rate@1``
    **Measures**: of the texts that fooled the reference and whose original this model gets right,
    those that fool it too. **Misleads when**: the same words changed at random fool it as often.

Validity (Hauser et al.):

``valid_share@1``
    **Measures**: mean probability that all substitutions of a successful text keep the meaning.
    **Misleads when**: it is a product of ratings of single substitutions: that takes them for
    independent, which is a lower bound where raters forgive together.
``valid_attack_success@1``
    **Measures**: attack success times that. **Misleads when**: few of the successful texts were
    rated: they stand for the others.
``valid_success(50)@1`` and with any other percent
    **Measures**: the same, counting a text if that probability is at least so many percent.
``mean(valid)@1``, ``rater_separation@1``
    **Measures**: mean probability of keeping the meaning that a rater gives to texts of which it is
    known: the item as it is, or another item's text; and the first minus the second.
    **Misleads when**: taken for skill at small changes: a rater that tells an item from another one
    may still not see one word replaced by its opposite.
``similar_success(70)@1`` and with other hundredths
    **Measures**: attacked items on which the goal was reached by a text whose cosine to the
    original is at least so many hundredths. **Misleads when**: taken for validity: encoders put
    antonyms near one another.

Search:

``tried@1``
    **Measures**: attacked items for which the attack had a candidate that its constraints allow.
    **Misleads when**: taken for the number of candidates: one is enough.

Cost and size, over attacked items (texts asked) or successful ones (the others):

``mean(asked)@1``, ``median(asked)@1``
    **Measures**: texts that the model saw for the search of one item. **Misleads when**: searches
    were cut by the budget: the mean is then the budget's.
``words_changed@1``, ``mean(similarity)@1``, ``perplexity_ratio@1``, ``mean(mistakes)@1``
    **Measures**: share of words changed; cosine to the original; geometric mean of the perplexity
    after over that before; mistakes in spelling and grammar that the original does not have.
    **Misleads when**: compared over attacks that succeed on other items.

**References**: Hauser, Meng, Pascual & Wattenhofer (2021), BERT is robust! A case against
synonym-based adversarial examples in text classification; Morris et al. (2020), TextAttack; Morris,
Lifland, Lanchantin, Ji & Qi (2020), Reevaluating adversarial examples in natural language.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from scrutiny.core.statistic import Chance
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Additive, Array, divide, ratio, second

_SHARE: Final = (0.0, 1.0)
_SUCCESS: Final = ("attacked", "success")
_RANDOM: Final = Chance("random change", stream="excess_attack_success@1")
#: Texts asked at which the curve of success is read.
BUDGETS: Final = (10, 30, 100, 300, 1000)
#: Probabilities of being valid from which on a text counts, in percent.
VALIDITIES: Final = (50, 70, 90)
#: Cosines to the original from which on a text counts, in hundredths.
SIMILARITIES: Final = (70, 80, 90, 95)


def _share(
    name: str,
    says: str,
    needs: tuple[str, ...],
    event: Callable[[Array], Array],
    chance: Chance | None = None,
) -> Additive:
    """Share of the attacked items (the first need) for which an event holds."""
    return ratio(
        name,
        says,
        needs,
        lambda m: (m[..., 0] * event(m).astype(np.float64), m[..., 0]),
        scale="logit",
        higher_is="worse",
        chance=chance,
    )


ATTACK_SUCCESS: Final = replace(
    _share("attack_success@1", "attack success", _SUCCESS, lambda m: m[..., 1] == 1, _RANDOM),
    tolerance=0.05,
)
TRIED: Final = replace(
    _share(
        "tried@1", "attacked items with a candidate", ("attacked", "tried"), lambda m: m[..., 1] > 0
    ),
    higher_is="neither",
)
TRANSFER_RATE: Final = _share(
    "transfer_rate@1", "attacks that carry over", _SUCCESS, lambda m: m[..., 1] == 1, _RANDOM
)
ACCURACY_UNDER_ATTACK: Final = Additive(
    "accuracy_under_attack@1",
    "accuracy under attack",
    ("hit",),
    scale="logit",
    higher_is="better",
    row_range=_SHARE,
)


def _within(budget: str, name: str) -> Additive:
    """Success with at most this number of texts asked."""
    most = int(budget)
    return _share(
        name,
        f"attack success within {most:,} texts",
        (*_SUCCESS, "asked_to_success"),
        lambda m: (m[..., 1] == 1) & (m[..., 2] <= most),
    )


SUCCESS_WITHIN: Final = Parametric(
    "success_within@1", tuple(map(str, BUDGETS)), _within, "a number of texts"
)
VALID_SHARE: Final = ratio(
    "valid_share@1",
    "successes that keep the meaning",
    ("success", "rated", "valid"),
    lambda m: (m[..., 0] * m[..., 1] * m[..., 2], m[..., 0] * m[..., 1]),
    scale="logit",
)


def _valid(name: str, says: str, event: Callable[[Array], Array]) -> Additive:
    """Success rate times the mean of ``event`` of the validity over rated successes."""

    def make(measures: Array) -> Array:
        attacked, success, rated, valid = np.moveaxis(measures, -1, 0)
        judged = attacked * success * rated
        return np.stack([attacked, attacked * success, judged, judged * event(valid)], axis=-1)

    def combine(sums: Array) -> Array:
        rate = divide(sums[..., 1], sums[..., 0])
        valid = divide(sums[..., 3], sums[..., 2])
        return np.asarray(np.where(rate == 0, 0.0, rate * valid))  # no success: none to be rated

    needs = (*_SUCCESS, "rated", "valid")
    return Additive(
        name,
        says,
        needs,
        make,
        combine,
        scale="logit",
        higher_is="worse",
        divisor=lambda sums: sums[..., 0],
        flips_over=lambda sums: sums[..., 0],
    )


def _percent(value: str) -> int:
    """Whole percent between 0 and 100."""
    percent = int(value)
    if not 0 <= percent <= 100:
        raise ValueError(value)
    return percent


def _valid_from(value: str, name: str) -> Additive:
    """Success by texts whose validity reaches a threshold."""
    percent = _percent(value)
    return _valid(
        name,
        f"attack success, meaning kept with {percent} % or more",
        lambda valid: (valid >= percent / 100 - 1e-9).astype(np.float64),
    )


def _rated_on_both(measures: Array) -> Array:
    """Rated and valid texts of both sides, for items that are rated on both."""
    rated, valid, other_rated, other_valid = np.moveaxis(measures, -1, 0)
    both = rated * other_rated
    return np.stack([both, both * (valid - other_valid)], axis=-1)


RATER_SEPARATION: Final = Additive(
    "rater_separation@1",
    "unchanged texts called valid beyond other items' texts",
    ("after.rated", "after.valid", "control.rated", "control.valid"),
    _rated_on_both,
    lambda sums: divide(sums[..., 1], sums[..., 0]),
    scale="coefficient",
    higher_is="better",
    no_effect=0.0,
    divisor=lambda sums: sums[..., 0],
)
VALID_ATTACK_SUCCESS: Final = _valid(
    "valid_attack_success@1", "valid attack success", lambda valid: valid
)
VALID_SUCCESS: Final = Parametric(
    "valid_success@1", tuple(map(str, VALIDITIES)), _valid_from, "a whole percent of validity"
)


def _similar(value: str, name: str) -> Additive:
    """Success by texts that stay similar to the original; `None` without an encoder."""
    hundredths = _percent(value)

    def make(measures: Array) -> Array:
        attacked, success, compared, cosine = np.moveaxis(measures, -1, 0)
        near = attacked * success * compared * (cosine >= hundredths / 100 - 1e-9)
        return np.stack([near, attacked, attacked * success, attacked * compared], axis=-1)

    def combine(sums: Array) -> Array:
        share = divide(sums[..., 0], sums[..., 1])
        unknown = (sums[..., 2] > 0) & (sums[..., 3] == 0)  # nothing was compared
        return np.asarray(np.where(unknown, np.nan, share))

    return Additive(
        name,
        f"attack success at a cosine of .{hundredths} or more",
        (*_SUCCESS, "compared", "similarity"),
        make,
        combine,
        scale="logit",
        higher_is="worse",
        divisor=second,
    )


SIMILAR_SUCCESS: Final = Parametric(
    "similar_success@1", tuple(map(str, SIMILARITIES)), _similar, "whole hundredths of a cosine"
)
#: Mean over successful texts of the share of words changed.
WORDS_CHANGED: Final = ratio(
    "words_changed@1",
    "share of words changed",
    ("success", "changed_words", "words"),
    lambda m: (m[..., 0] * m[..., 1] / np.maximum(m[..., 2], 1.0), m[..., 0]),
    scale="amount",
)
PERPLEXITY_RATIO: Final = Additive(
    "perplexity_ratio@1",
    "perplexity after over before",
    ("success", "scored", "log_perplexity_ratio"),
    lambda m: np.stack([m[..., 0] * m[..., 1] * m[..., 2], m[..., 0] * m[..., 1]], axis=-1),
    lambda sums: np.exp(divide(sums[..., 0], sums[..., 1])),
    scale="amount",
    divisor=second,
    higher_is="worse",
)
