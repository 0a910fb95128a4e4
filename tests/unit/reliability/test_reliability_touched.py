"""Changes that altered few texts or none: what is not tested does not hold."""

import re
from dataclasses import replace

import numpy as np
import pytest
from made_panels import KEY, claim, drops, made, nothing

from scrutiny.core.claim import Risk, Touched
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import RowFamily
from scrutiny.reliability.verdicts.prerequisites import touched_of

DROP = metric_of("drop(accuracy)")
TYPOS = Risk("typos", 0.02, "costs {} points")
ITEMS = 900


def covered(share, items=ITEMS):
    """Share of items that a change altered, as an estimate."""
    return made([share], sd=0.0, n=items)


def judged(*, changed, broken=0, items=ITEMS, seeds=1, n_rows=1, key=KEY, risk=TYPOS, **more):
    """Finding on a change that altered so many of the items, and broke some of those."""
    before = np.ones((seeds, items))
    before[:, items // 2 :] = 0
    after = before.copy()
    after[:, :broken] = 0
    found = {
        "drop": drops(before, after, DROP, key=key),
        "coverage": covered(changed / items, items),
    }
    one = claim(("drop", 0.0), risk=risk, coverage=("coverage",), **more)
    return decide([one], {**found, "level": made([0.9])}, {"drop": RowFamily("f", n_rows)})[0]


@pytest.mark.parametrize(
    ("changed", "broken", "state"),
    [
        (0, 0, "not tested"),
        (4, 0, "not tested"),
        (9, 0, "not tested"),  # 1 %: most of them could break
        (18, 0, "holds"),
        (45, 0, "holds"),
        (900, 0, "holds"),
        (4, 4, "not tested"),  # a family of 15 can't tell it from nothing
        (18, 9, "can't tell"),
        (18, 18, "hurts"),
        (45, 45, "hurts"),
        (900, 400, "hurts"),
    ],
)
def test_a_change_holds_only_if_breaking_what_it_touched_would_have_been_seen(
    changed, broken, state
):
    found = judged(changed=changed, broken=broken, n_rows=15)
    assert found.verdict == state
    assert found.touched == (changed, ITEMS)


@pytest.mark.parametrize("seeds", [1, 3])
@pytest.mark.parametrize("n_rows", [1, 15])
@pytest.mark.parametrize("changed", [1, 5, 9, 18, 45, 200, 450, 900])
def test_what_holds_would_not_have_held_if_most_touched_texts_had_broken(changed, n_rows, seeds):
    if judged(changed=changed, n_rows=n_rows, seeds=seeds).verdict != "holds":
        return
    most = min(changed, ITEMS // 2)
    found = judged(changed=changed, broken=round(0.6 * most), n_rows=n_rows, seeds=seeds)
    assert found.verdict in ("hurts", "can't tell")


def test_more_items_test_the_same_share():
    assert judged(changed=9, n_rows=15).verdict == "not tested"
    assert judged(changed=90, items=9000, n_rows=15).verdict == "holds"


def test_more_items_are_not_asked_for_where_they_would_be_touched_as_seldom():
    """2 of 120 texts cost two points at most, whatever the limits over all of them leave open."""
    few = judged(changed=2, items=120, n_rows=15)
    assert (few.verdict, few.reason[:22]) == ("not tested", "changed 2 of 120 texts")
    some = judged(changed=12, items=120, n_rows=15)
    assert some.verdict == "can't tell"
    assert "more items would decide" in some.reason


def test_a_change_that_breaks_what_it_touches_hurts_though_it_is_rare():
    found = judged(changed=9, broken=9)
    assert found.verdict == "hurts"
    assert re.search(
        r"costs 1\.0 points \[.*\]: within the 2 that are tolerable over all texts; "
        r"changed 9 of 900 texts, and costs 100\.0 points",
        found.reason,
    )


def test_no_text_changed_is_not_tested_however_few_there_are():
    found = judged(changed=0, items=20)  # the limits alone could not tell
    assert (found.verdict, found.reason) == ("not tested", "changed 0 of 20 texts")
    assert {check.outcome for check in found.checks} == {"not run"}
    assert judged(changed=20, items=20).verdict == "can't tell"
    assert judged(changed=2, items=20).verdict == "can't tell"  # more items would tell


def test_the_reason_says_what_it_costs_over_the_changed_texts():
    found = judged(changed=90)
    said = re.search(
        r"at most ([\d.]+) points: within the 2.*; changed 90 of 900 texts, and costs "
        r"at most ([\d.]+) points over these alone",
        found.reason,
    )
    assert float(said[2]) == pytest.approx(10 * float(said[1]), abs=0.5)
    hurts = judged(changed=90, broken=45)
    assert "changed 90 of 900 texts, and costs 50.0 points [" in hurts.reason
    assert "texts" not in judged(changed=900).reason


def test_what_is_too_rare_says_so_in_words():
    found = judged(changed=9, n_rows=15)
    assert found.reason == (
        "changed 9 of 900 texts: over all of them that can cost little, and they are too few to "
        "say whether it breaks most of those that it touches"
    )


def test_a_number_over_the_changed_texts_alone_is_no_less_sure_for_being_of_few():
    found = judged(changed=9, n_rows=15, key=replace(KEY, group="changed"))
    assert found.verdict == "holds"
    assert "; changed 9 of 900 texts" in found.reason
    assert "alone" not in found.reason


def test_an_attack_without_candidates_is_not_tested():
    risk = Risk("PWWS attack", 0.05, "fools {} % of texts", touches="had candidates for")
    found = judged(changed=0, items=64, risk=risk)
    assert (found.verdict, found.reason) == ("not tested", "had candidates for 0 of 64 texts")


def test_no_skill_comes_before_what_was_touched():
    found = judged(changed=0, competence=(("level", 0.95),), no_skill="always answering 'spam'")
    assert (found.verdict, found.lacks_skill) == ("not tested", True)
    assert found.reason.endswith("is not shown to exceed the 0.95 of always answering 'spam'")


def test_several_draws_touch_their_mean():
    one = claim(("drop", 0.0), coverage=("a", "b"))
    assert touched_of(one, {"a": covered(0.0), "b": covered(0.02)}) == Touched(9, 900)
    assert touched_of(one, {"a": covered(0.0), "b": covered(0.0)}) == Touched(0, 900)
    assert touched_of(one, {"a": covered(0.0001, 900), "b": covered(0.0)}).items == 1  # not none
    assert touched_of(one, {"a": covered(0.1)}) is None  # nobody counted the other
    assert touched_of(one, {"a": covered(0.1), "b": nothing()}) is None
    assert touched_of(claim(("drop", 0.0)), {}) is None


def test_risks_without_a_change_are_as_they_were():
    before = np.ones((1, ITEMS))
    found = {"drop": drops(before, before, DROP)}
    (one,) = decide([claim(("drop", 0.0), risk=TYPOS)], found, {"drop": RowFamily("f", 1)})
    assert (one.verdict, one.touched) == ("holds", None)
