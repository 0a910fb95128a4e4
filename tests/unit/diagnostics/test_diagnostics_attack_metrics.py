"""Statistics of attacks: closed forms on small tables, and what they say where nothing is known."""

import numpy as np
import pytest

from scrutiny.core.registry import registry
from scrutiny.core.statistic import WeightedStatistic
from scrutiny.diagnostics.attack import attack_metrics as s
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.statistics import measures_of
from scrutiny.testing import check_statistic

MODULE = s.__name__
MEASURES = measures_of("attack@1")
ASKED_MEAN, ASKED_MEDIAN, VALIDITY, SIMILARITY = (
    metric_of(name, MEASURES)
    for name in ("mean(asked)", "median(asked)", "mean(valid)", "mean(similarity)")
)
ALL = [
    metric_of(name)
    for name in usual_metrics()
    if not name.startswith(("drop(", "excess(", "beyond("))
    if registry().entry("statistic", name.partition("(")[0]).registration.target.startswith(MODULE)
]


def value(statistic, *columns):
    """Value of rows (row, column)."""
    table = np.column_stack([np.asarray(c, dtype=float) for c in columns])
    if isinstance(statistic, WeightedStatistic):
        return float(statistic.weighted(table, np.ones((1, len(table))))[0])
    components = statistic.components(table)
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


@pytest.mark.parametrize("statistic", ALL, ids=lambda one: one.id)
def test_they_keep_the_promises_of_their_protocol(statistic):
    check_statistic(statistic)
    assert len({one.id for one in ALL}) == len(ALL) == 21


# Six items; the model gets the last two wrong as they are.
ATTACKED = [1, 1, 1, 1, 0, 0]
SUCCESS = [1, 1, 1, 0, 0, 0]
ASKED = [4, 30, 200, 500, 0, 0]


def test_an_item_was_tried_if_it_had_any_candidate():
    tried = [0, 1, 7, 0, 0, 3]  # a wrong item is not attacked
    assert value(s.TRIED, ATTACKED, tried) == 2 / 4
    assert np.isnan(value(s.TRIED, [0, 0], [0, 1]))


def test_success_is_over_attacked_items_and_accuracy_over_all():
    assert value(s.ATTACK_SUCCESS, ATTACKED, SUCCESS) == 3 / 4
    hit = [0, 0, 0, 1, 0, 0]
    assert value(s.ACCURACY_UNDER_ATTACK, hit) == pytest.approx(1 / 6)


def test_wrong_items_move_nothing_but_the_accuracy():
    more = [0] * 20
    assert value(s.ATTACK_SUCCESS, ATTACKED + more, SUCCESS + more) == 3 / 4
    assert value(ASKED_MEAN, ASKED + more, ATTACKED + more) == 734 / 4
    assert value(ASKED_MEDIAN, ASKED + more, ATTACKED + more) == (30 + 200) / 2


def test_nobody_attacked_is_no_success_rate():
    nothing = [0, 0]
    assert np.isnan(value(s.ATTACK_SUCCESS, nothing, nothing))
    assert np.isnan(value(ASKED_MEDIAN, nothing, nothing))


def test_the_excess_is_a_difference_of_rates_of_their_own_denominators():
    at_random = [1, 0, 0, 0, 0, 0]
    found = value(metric_of("beyond(attack_success)"), ATTACKED, SUCCESS, ATTACKED, at_random)
    assert found == pytest.approx(3 / 4 - 1 / 4)


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        (s.SUCCESS_WITHIN.of("10"), 1 / 4),
        (s.SUCCESS_WITHIN.of("30"), 2 / 4),
        (s.SUCCESS_WITHIN.of("100"), 2 / 4),
        (s.SUCCESS_WITHIN.of("300"), 3 / 4),
        (s.SUCCESS_WITHIN.of("1000"), 3 / 4),
    ],
)
def test_success_grows_with_the_budget_up_to_what_it_is(statistic, expected):
    assert value(statistic, ATTACKED, SUCCESS, ASKED) == expected


def test_an_attack_is_valid_if_all_its_substitutions_are():
    """Hauser et al.: with p = .3 for one, texts of 3, 4 and 5 have .0125 on average."""
    valid = [0.3**3, 0.3**4, 0.3**5]
    ones = [1, 1, 1]
    assert value(s.VALID_SHARE, ones, ones, valid) == pytest.approx(0.01251)
    assert value(s.VALID_ATTACK_SUCCESS, ones, ones, ones, valid) == pytest.approx(0.01251)


RATED = [1, 1, 0, 0, 0, 0]
VALID = [0.9, 0.5, 0, 0, 0, 0]


def test_what_was_not_rated_is_not_invalid():
    assert value(s.VALID_SHARE, SUCCESS, RATED, VALID) == pytest.approx(0.7)
    found = value(s.VALID_ATTACK_SUCCESS, ATTACKED, SUCCESS, RATED, VALID)
    assert found == pytest.approx(3 / 4 * 0.7)


def test_without_ratings_there_is_no_valid_success_but_without_success_it_is_zero():
    nobody = [0] * 6
    assert np.isnan(value(s.VALID_SHARE, SUCCESS, nobody, nobody))
    assert np.isnan(value(s.VALID_ATTACK_SUCCESS, ATTACKED, SUCCESS, nobody, nobody))
    assert np.isnan(value(s.SIMILAR_SUCCESS.of("80"), ATTACKED, SUCCESS, nobody, nobody))
    assert value(s.VALID_ATTACK_SUCCESS, ATTACKED, nobody, nobody, nobody) == 0
    assert value(s.SIMILAR_SUCCESS.of("80"), ATTACKED, nobody, nobody, nobody) == 0


def test_a_rater_is_judged_by_what_it_says_of_known_texts():
    """The third item has no other item's text that was rated: the separation leaves it out."""
    rated, unchanged, both, other = [1, 1, 1, 0], [1.0, 0.8, 0.0, 0], [1, 1, 0, 0], [0.2, 0.0, 0, 0]
    assert value(VALIDITY, unchanged, rated) == pytest.approx(0.6)
    found = value(s.RATER_SEPARATION, rated, unchanged, both, other)
    assert found == pytest.approx(0.9 - 0.1)
    always = [1.0] * 4
    assert value(s.RATER_SEPARATION, rated, always, rated, always) == 0
    assert np.isnan(value(s.RATER_SEPARATION, rated, always, [0] * 4, always))


def test_valid_success_falls_with_the_threshold():
    curve = [s.VALID_SUCCESS.of("50"), s.VALID_SUCCESS.of("70"), s.VALID_SUCCESS.of("90")]
    found = [value(one, ATTACKED, SUCCESS, RATED, VALID) for one in curve]
    assert found == pytest.approx([3 / 4, 3 / 8, 3 / 8])
    cosine = [0.96, 0.85, 0.75, 0, 0, 0]
    near = [
        s.SIMILAR_SUCCESS.of("70"),
        s.SIMILAR_SUCCESS.of("80"),
        s.SIMILAR_SUCCESS.of("90"),
        s.SIMILAR_SUCCESS.of("95"),
    ]
    found = [value(one, ATTACKED, SUCCESS, SUCCESS, cosine) for one in near]
    assert found == pytest.approx([3 / 4, 2 / 4, 1 / 4, 1 / 4])


def test_a_threshold_counts_the_text_that_just_reaches_it():
    assert value(s.VALID_SUCCESS.of("70"), [1], [1], [1], [0.1 * 7]) == 1


def test_sizes_are_those_of_successful_texts():
    assert value(s.WORDS_CHANGED, SUCCESS, [1, 2, 5, 9, 0, 0], [10] * 6) == pytest.approx(8 / 30)
    assert value(SIMILARITY, VALID, SUCCESS, RATED) == pytest.approx(0.7)
    logs = np.log([2, 8, 100, 100, 1, 1])
    assert value(s.PERPLEXITY_RATIO, SUCCESS, RATED, logs) == pytest.approx(4.0)


def test_the_median_is_numpys():
    rng = np.random.default_rng(3)
    for rows in (1, 2, 7, 40):
        asked, attacked = rng.integers(1, 9, rows), rng.random(rows) < 0.8
        attacked[0] = True
        expected = np.median(asked[attacked])
        assert value(ASKED_MEDIAN, asked, attacked) == expected
