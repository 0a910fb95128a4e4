"""No value of a parameter is accepted that changes nothing: of every transformation."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Literal, get_type_hints

import pytest

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.registry import registry
from scrutiny.core.transformation import Transformation
from scrutiny.perturb.engine.recipe import parse_recipe, recipe_of
from scrutiny.perturb.engine.recipe_syntax import LIMITS, check_parameters
from scrutiny.perturb.phrases.name_place_swap import NamePlaceSwap
from scrutiny.text.lexicon import REGIONS

NAMES = registry().names("transformation")
#: Words that no table lists: the translator knows its languages.
#: Languages, and labels of the data.
OPEN = {
    ("back_translation@1", "pivot"),
    *((name, key) for name in ("antonym_clash@1", "number_clash@1") for key in ("of", "becomes")),
}


def parameters():
    for name in NAMES:
        kind = registry().load("transformation", name)
        if is_dataclass(kind):
            hints = get_type_hints(kind)
            yield from ((name, kind, f.name, hints[f.name]) for f in fields(kind))


def of_words():
    return [
        (name, key)
        for name, _, key, hint in parameters()
        if "str" in str(hint) or "Literal" in str(hint)
    ]


@pytest.mark.parametrize(("name", "key"), sorted(set(of_words()) - OPEN))
def test_an_unknown_word_is_refused_with_those_that_are_known(name, key):
    with pytest.raises((UnknownNameError, PlanError), match=r"choice of|must be one of") as error:
        parse_recipe(f"{name}({key}=Atlantis)")
    assert key in str(error.value)
    made = registry().load("transformation", name)
    value = ("Atlantis",) if isinstance(getattr(made(), key), tuple) else "Atlantis"
    with pytest.raises(UnknownNameError):
        recipe_of(made(**{key: value}))


def test_words_of_every_parameter_are_known_or_named_here():
    assert set(of_words()) >= OPEN
    for name, key in OPEN:
        assert parse_recipe(f"{name}({key}=zz)").name.endswith(f"({key}=zz)")


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, _, key, _ in parameters() if key in LIMITS]
)
def test_a_number_out_of_range_is_refused(name, key):
    low, high = LIMITS[key]
    for value in (low - 1, high + 1):
        if abs(value) < 100:
            with pytest.raises(PlanError, match=f"'{key}' of {name} must be at least"):
                parse_recipe(f"{name}({key}={value})")


def test_every_whole_number_has_a_least():
    counts = {key for _, _, key, hint in parameters() if hint in (int, int | None)}
    assert counts <= LIMITS.keys()


def test_the_regions_of_the_table_are_named():
    with pytest.raises(UnknownNameError) as error:
        parse_recipe("name_place_swap(change=place,region=Mars)")
    assert all(region in str(error.value) for region in REGIONS)
    for region in REGIONS:
        check_parameters(NamePlaceSwap(change="place", region=region))


@dataclass(frozen=True, slots=True)
class Own(Transformation):
    """A plug-in's: numbers are its own business, choices are not."""

    id = "own@1"
    top: int = -1
    mode: Literal["a"] | None = None
    free: str = "anything"

    def sites(self, document):
        return ()

    def candidates(self, document, site, rng):
        yield from ()


def test_a_plug_in_is_held_to_its_own_choices():
    check_parameters(Own())
    with pytest.raises(UnknownNameError, match=r"'mode' of own@1"):
        check_parameters(Own(mode="b"))


def test_what_has_no_parameters_has_none_to_check():
    check_parameters(object())
