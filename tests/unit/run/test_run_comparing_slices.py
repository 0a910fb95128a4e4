"""Which inputs changed: what a change holds, and which slices say so."""

import numpy as np
import pytest
from two_sides import sides, slice_of

from scrutiny.run.comparing.changed_slices import LevelChange, changes, independent, shown


def of(before, after, members, **more):
    return changes(sides([before], [after], **more), [slice_of("s", members)])


def test_what_a_change_holds():
    before = np.ones(100)
    after = np.where(np.arange(100) < 30, 0.0, 1.0)
    after[99] = 0.0
    members = np.arange(100) < 40
    whole, inside = of(before, after, members)
    assert (whole.name, whole.n, whole.n_moved) == ("all", 100, 31)
    assert (whole.before, whole.after) == (1.0, pytest.approx(0.69))
    assert whole.elsewhere is None
    assert (inside.n, inside.n_moved) == (40, 30)
    assert inside.value == pytest.approx(-0.75)
    assert inside.elsewhere == pytest.approx(-1 / 60)
    assert inside.low < inside.value < inside.high < 0
    assert inside.is_shown
    assert inside.p_beyond is None


def test_the_margin_decides_what_is_a_loss():
    before = np.ones(200)
    after = np.where(np.arange(200) < 60, 0.0, 1.0)  # 30 points
    members = np.arange(200) % 2 == 0
    small = of(
        before,
        after,
        members,
    )[0]
    assert small.p_beyond is None
    p = {m: changes(sides([before], [after]), [], margin=m)[0].p_beyond for m in (0.1, 0.29, 0.5)}
    assert p[0.1] < 0.025 < p[0.29]
    assert p[0.5] == 1.0
    gain = changes(sides([after], [before]), [], margin=0.0)[0]
    assert gain.p_beyond == 1.0
    less_is_better = changes(sides([after], [before], sign=-1), [], margin=0.1)[0]
    assert less_is_better.p_beyond == pytest.approx(p[0.1])


def test_every_other_test_makes_the_correction_larger():
    before = np.ones(100)
    after = np.where(np.arange(100) < 9, 0.0, 1.0)
    alone = changes(sides([before], [after]), [])[0]
    among = changes(sides([before], [after]), [], family=50)[0]
    assert alone.p == among.p
    assert alone.is_shown
    assert among.p_holm > 10 * alone.p_holm
    assert among.low < alone.low


def test_slices_that_go_back_to_a_clearer_one_are_told():
    n = 600
    planted = np.arange(n) < 60
    wider = np.arange(n) < 150  # holds the planted one, and more that did not change
    other = np.arange(n) >= 500
    after = np.ones(n)
    after[np.arange(n) < 50] = 0.0
    after[500:540] = 0.0
    two = sides([np.ones(n)], [after])
    slices = [slice_of(k, m) for k, m in (("wider", wider), ("planted", planted), ("other", other))]
    found = dict(
        (change.name, cause)
        for change, cause in independent(two, slices, shown(changes(two, slices)))
    )
    assert found == {"planted": "", "other": "", "wider": "planted"}


def test_units_are_kept_together():
    after = np.where(np.arange(120) < 12, 0.0, 1.0)
    alone = changes(sides([np.ones(120)], [after]), [])[0]
    units = [f"u{k // 12}" for k in range(120)]
    together = changes(sides([np.ones(120)], [after], unit=units), [])[0]
    assert alone.is_shown
    assert not together.is_shown


@pytest.mark.parametrize(("high", "is_shown"), [(-0.001, True), (0.001, False)])
def test_what_is_shown_is_what_the_printed_interval_says(high, is_shown):
    change = LevelChange("a", "of a", 90, 40, 0.9, 0.8, -0.2, high, 0.0, 0.01, 0.04, 0.02)
    assert change.is_shown == is_shown
    assert change.loses(0.0005, 1) == is_shown
    assert not change.loses(0.01, 1)
    assert not change.loses(0.0, -1)
