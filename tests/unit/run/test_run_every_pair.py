"""Every pair of several models: plans, pairs of replicates, contrasts from the reference itself."""

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.model import Family, Replicate
from scrutiny.run.planning.measurements import pairs_of
from scrutiny.run.planning.plan_file import plan_of


def read(**measure):
    data = {
        "data": {"x": {"source": "object:x"}},
        "models": {
            **{n: {"source": f"python:{n}:M"} for n in "abc"},
            "u": {"source": "python:u:M", "role": "null"},
        },
        "measure": [{"id": "d", "diagnostic": "performance", **measure}],
    }
    return [(m.id, m.models, m.reference) for m in plan_of(data).measure]


def test_a_star_makes_every_model_but_the_controls_a_reference():
    everyone = ("a", "b", "c", "u")
    assert read(reference="*") == [(f"d-from-{n}", everyone, n) for n in "abc"]
    assert read(reference="*", models=["c", "u", "a"]) == [
        (f"d-from-{n}", ("c", "u", "a"), n) for n in "ca"
    ]


def test_a_list_names_the_references():
    assert read(reference=["b", "a", "b"], models=["a"]) == [
        ("d-from-b", ("a",), "b"),
        ("d-from-a", ("a",), "a"),
    ]
    assert read(reference="b", models=["a"]) == [("d", ("a",), "b")]
    assert read(reference=[], models=["a"]) == [("d", ("a",), "")]


@pytest.mark.parametrize("reference", ["*", ["a", "b"]])
def test_several_references_go_all_ways_already(reference):
    with pytest.raises(PlanError, match="goes all ways already"):
        read(reference=reference, both_ways=True)


def family(name, *factors, role="measured", steps=()):
    replicates = [
        Replicate(f"{name}{i}", {"seed": str(f)} if f else {}, {"step": str(s)} if s else {})
        for i, (f, s) in enumerate(zip(factors, steps or [0] * len(factors), strict=True))
    ]
    return Family(name, "s", tuple(replicates), role)


def told(*sides, **more):
    return [(p.position, p.reference) for p in pairs_of(*sides, **more)]


def test_a_family_beside_itself_has_each_run_beside_the_next_where_that_is_asked_for():
    own = family("a", 1, 2, 3)
    assert told(own, own) == [(0, 0), (1, 1), (2, 2)]
    assert told(own, own, own="next") == [(0, 1), (1, 2), (2, 0)]
    assert told(own, own, own="before") == [(1, 0), (2, 1), (0, 2)]
    assert [p.replicate for p in pairs_of(own, own, own="before")] == [
        r.key for r in own.replicates
    ]
    assert told(own, family("b", 1, 2, 3), own="next") == [(0, 0), (1, 1), (2, 2)]


def test_two_runs_are_one_pair_and_one_run_stands_beside_itself():
    assert told(family("a", 1, 2), family("a", 1, 2), own="next") == [(0, 1)]
    assert told(family("a", 1, 2), family("a", 1, 2), own="before") == [(1, 0), (0, 1)]
    assert told(family("a", 0), family("a", 0), own="next") == [(0, 0)]


def test_runs_of_one_step_stand_beside_each_other():
    own = family("a", 1, 2, 3, 1, 2, 3, steps=(1, 1, 1, 2, 2, 2))
    expected = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    assert told(own, own, own="next") == expected


def test_untrained_replicates_take_those_of_the_reference_in_turn():
    untrained = family("u", *range(5), role="null")
    assert told(untrained, family("a", 7, 8)) == [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]
    with pytest.raises(PlanError, match="do not pair"):
        pairs_of(family("c", 1, 2, 3, role="control"), family("a", 7, 8))
