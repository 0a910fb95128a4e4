"""Parameters of a diagnostic from plain values: names, types and ranges are checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.run.planning.measurements import make_params


class Own:
    """A type that nobody but the plug-in knows."""


@dataclass(frozen=True, slots=True)
class Params:
    names: tuple[str, ...] = ()
    draws: int = 1
    margin: float | None = None
    resources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise PlanError("draws must be at least 1")
        if self.margin == 9:
            raise ValueError("margin must not be 9")


@dataclass(frozen=True)
class OwnParams:
    own: Own | None = None
    names: tuple[str, ...] = ()


def make(**given: object) -> object:
    return make_params(Params, given, where="measure 'm'")


def test_values_get_the_declared_types() -> None:
    made = make(names=["a", "b"], draws=3, margin=1, resources={"tagger": "spacy"})
    assert made == Params(("a", "b"), 3, 1.0, {"tagger": "spacy"})
    assert isinstance(made.margin, float)  # 1 and 1.0 are one plan
    assert make() == Params()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"drws": 3}, "There is no parameter named 'drws'. Did you mean 'draws'"),
        ({"draws": "many"}, "draws = 'many' should be a valid integer"),
        ({"draws": 1.5}, "draws = 1.5 should be a valid integer"),
        ({"names": "typos"}, "names = 'typos' should be a list"),
        ({"names": [1]}, "names.0 = 1 should be a valid string"),
        ({"resources": ["x"]}, "resources = "),
        ({"draws": 0}, "draws must be at least 1"),
        ({"margin": 9}, "margin must not be 9"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(given: dict[str, object], words: str) -> None:
    with pytest.raises(PlanError) as found:
        make(**given)
    assert str(found.value).startswith("measure 'm': ")
    assert words in str(found.value)


def test_types_of_a_plug_in_are_its_own() -> None:
    own = Own()
    made = make_params(OwnParams, {"own": own, "names": ["a"]}, where="m")
    assert made == OwnParams(own, ("a",))


def test_parameters_are_a_dataclass() -> None:
    with pytest.raises(PlanError, match="must be a dataclass"):
        make_params(dict, {}, where="m")


def test_true_is_no_number() -> None:
    for name, kind in (("draws", "integer"), ("margin", "number")):
        with pytest.raises(PlanError, match=f"{name} = True should be a valid {kind}"):
            make(**{name: True})


@dataclass(frozen=True, slots=True)
class Numbers:
    whole: int = 1
    share: float = 0.5
    several: tuple[int, ...] = ()
    by_name: Mapping[str, float] = field(default_factory=dict)
    mixed: int | str = 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"whole": "3"}, "whole = '3' should be a valid integer"),
        ({"whole": 3.0}, "whole = 3.0 should be a valid integer"),
        ({"share": "0.5"}, "share = '0.5' should be a valid number"),
        ({"several": [1, "2"]}, "several.1 = '2' should be a valid integer"),
        ({"share": True}, "share = True should be a valid number"),
    ],
)
def test_texts_and_points_are_no_whole_numbers(given, said):
    with pytest.raises(PlanError, match=said):
        make_params(Numbers, given, where="here")


def test_what_is_a_number_or_may_be_a_text_passes():
    found = make_params(Numbers, {"share": 1, "several": [1], "mixed": "a"}, where="here")
    assert (found.share, found.several, found.mixed) == (1.0, (1,), "a")
