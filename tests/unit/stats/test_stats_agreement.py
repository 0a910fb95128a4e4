import numpy as np
import pytest

from scrutiny.stats.agreement.kappa import cohen_kappa, krippendorff_alpha
from scrutiny.stats.arrays import StatisticsError

NAN = float("nan")


def test_alpha_of_two_raters_by_hand():
    # coincidences: 00 x 4 (2 items), 11 x 2, 01 x 1, 10 x 1; n = 8, n0 = 5, n1 = 3
    found = krippendorff_alpha([[0, 1, 1, 0], [0, 1, 0, 0]])
    assert found.observed == pytest.approx(2 / 8)
    assert found.expected == pytest.approx(2 * 5 * 3 / (8 * 7))
    assert found.value == pytest.approx(1 - (2 / 8) / (30 / 56))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_perfect_agreement_is_one_and_order_does_not_matter(level):
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 3]], level=level).value == 1.0
    ratings = np.random.default_rng(0).integers(1, 5, (4, 30)).astype(float)
    ratings[1, 3:9] = np.nan
    g = np.random.default_rng(1)
    shuffled = ratings[g.permutation(4)][:, g.permutation(30)]
    a, b = (krippendorff_alpha(x, level=level).value for x in (ratings, shuffled))
    assert a == pytest.approx(b)


def test_items_rated_once_carry_nothing():
    a = krippendorff_alpha([[1, 2, 2, 3], [1, 2, 1, NAN]])
    b = krippendorff_alpha([[1, 2, 2], [1, 2, 1]])
    assert a == b
    assert (a.n_items, a.n_ratings) == (3, 6)


def test_nominal_ignores_what_numbers_stand_for_ordinal_only_their_order():
    ratings = np.random.default_rng(0).integers(0, 3, (3, 20))
    renamed = np.array([7, 2, 5])[ratings]
    stretched = np.array([1, 10, 11])[ratings]
    assert krippendorff_alpha(ratings).value == pytest.approx(krippendorff_alpha(renamed).value)
    assert krippendorff_alpha(ratings, level="ordinal").value == pytest.approx(
        krippendorff_alpha(stretched, level="ordinal").value
    )
    assert krippendorff_alpha(ratings, level="interval").value == pytest.approx(
        krippendorff_alpha(10.0 * ratings + 3, level="interval").value
    )


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [([[1, 1], [1, 1]], "no_variation"), ([[1, NAN], [NAN, 2]], "no_pairs")],
)
def test_no_value_is_not_zero(ratings, reason):
    found = krippendorff_alpha(ratings)
    assert found.value is None
    assert found.reason == reason


def test_kappa_by_hand():
    found = cohen_kappa([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])
    assert found.observed == pytest.approx(2 / 5)
    assert found.expected == pytest.approx(12 / 25)
    assert found.value == pytest.approx(1 - 10 / 12)


def test_kappa_is_symmetric_and_undefined_without_variation():
    g = np.random.default_rng(0)
    a, b = g.integers(0, 4, 50), g.integers(0, 4, 50)
    for weights in ("none", "linear", "quadratic"):
        assert cohen_kappa(a, b, weights=weights).value == pytest.approx(
            cohen_kappa(b, a, weights=weights).value
        )
    assert cohen_kappa([1, 1], [1, 1]).value is None


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match=r"\(rater, item\)"):
        krippendorff_alpha([1, 2])
    with pytest.raises(StatisticsError, match="by NaN"):
        krippendorff_alpha([[1, np.inf]])
    with pytest.raises(StatisticsError, match="'ordinal'"):
        krippendorff_alpha([[1, 2]], level="ratio")
    with pytest.raises(StatisticsError, match="whole-number"):
        cohen_kappa([0.5], [1])
    with pytest.raises(StatisticsError, match="a rates 1 items, b 2"):
        cohen_kappa([1], [1, 2])
