"""Errors, counts, examples, intensities: what every other part relies on."""

import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core import errors
from scrutiny.core.claim import Claim, Component
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import (
    ConformanceError,
    DataError,
    MissingExtraError,
    PlanError,
    RunIncompleteError,
    ScrutinyError,
    StorageError,
    UnknownNameError,
    UserError,
)
from scrutiny.core.example import Example
from scrutiny.core.model import Replicate
from scrutiny.core.record import STATUSES, Counts, Measure
from scrutiny.core.transformation import Intensity

counts = st.builds(Counts, *[st.integers(0, 1000)] * 5)


@given(counts)
def test_planned_is_the_sum_of_all_statuses(found):
    parts = (found.n, found.undefined, found.failed, found.skipped, found.refused)
    assert found.planned == sum(parts)


@given(counts)
def test_the_missing_share_is_of_the_rows_that_applied(found):
    missing = found.undefined + found.failed
    assert 0 <= found.missing_share <= 1
    assert found.missing_share * (found.n + missing) == pytest.approx(missing)


def test_skipped_rows_do_not_water_down_what_is_missing():
    assert Counts(10, failed=10, skipped=180).missing_share == 0.5
    assert Counts(0, skipped=5).missing_share == 0.0


def test_statuses_stand_from_best_to_worst():
    assert STATUSES == ("ok", "undefined", "skipped", "refused", "failed")


@pytest.mark.parametrize(
    ("axes", "size"), [((), 1), ((("head", 12),), 12), ((("a", 2), ("b", 3)), 6)]
)
def test_size_of_a_measure(axes, size):
    assert Measure("m", axes).size == size


def test_an_unknown_name_lists_near_ones_and_how_to_see_all():
    error = UnknownNameError("transformation", "typo", ["typos@1", "ocr@1"])
    assert "Did you mean 'typos@1'" in str(error)
    assert "`scrutiny list transformations` prints them all" in str(error)


def test_what_cannot_be_listed_does_not_say_that_it_can():
    assert "scrutiny list" not in str(UnknownNameError("metric in this run", "x", ["accuracy@1"]))


def test_without_a_near_name_the_first_twelve_are_named():
    text = str(UnknownNameError("task", "zzz", [f"name-{i:02}" for i in range(20)]))
    assert "There are 20: name-00" in text
    assert "name-11, …" in text
    assert "name-12" not in text


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("task", "x", ["y"]),
        MissingExtraError("Ray", "ray"),
        EditRefusedError("overlap", "two edits overlap"),
        PlanError("no"),
        RunIncompleteError("killed"),
    ],
)
def test_errors_travel_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_exit_codes_tell_mistakes_from_what_can_be_resumed():
    assert {PlanError.exit_code, DataError.exit_code, ConformanceError.exit_code} == {2}
    assert {RunIncompleteError.exit_code, StorageError.exit_code} == {3}


def test_every_error_is_in_the_tree_that_the_docstring_draws():
    kinds = [k for _, k in inspect.getmembers(errors, inspect.isclass)]
    own = [k for k in kinds if issubclass(k, ScrutinyError)]
    assert all(k.__name__ in (errors.__doc__ or "") for k in own)
    assert issubclass(UnknownNameError, UserError)


def test_a_missing_extra_says_what_to_install():
    assert 'pip install "scrutiny[ray]"' in str(MissingExtraError("Ray", "ray"))


def test_text_of_an_example_is_its_first_field():
    example = Example("1", {"text": "a", "text_pair": "b"}, gold="x")
    assert example.text == "a"
    changed = example.with_fields({"text": "c", "text_pair": "b"})
    assert (changed.text, changed.gold, example.text) == ("c", "x", "a")


def test_a_replicate_is_named_by_its_random_factors():
    assert Replicate("m", {"seed": "3"}, {"step": "10"}).key == '{"seed":"3"}'
    assert Replicate("m").key is None


@given(st.integers(0, 300), st.integers(0, 300), st.floats(0, 1))
def test_intensities_nest(words, eligible, share):
    units = Intensity(share=share).units(words, eligible)
    more = Intensity(share=min(1.0, share + 0.1)).units(words, eligible)
    assert 0 <= units <= more <= min(eligible, 10)


def test_components_of_a_claim_compare_upwards_unless_told():
    claim = Claim("c", "says", "d", (Component("e", 0.1),))
    assert claim.components[0].operator == ">"
    assert claim.competence == ()
