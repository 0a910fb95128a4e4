"""Profiles: what a version asks is frozen, and recorded; other changes are another version."""

from dataclasses import replace

import pytest

from scrutiny.cli.plans import audit_from_flags
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan
from scrutiny.core.registry import Entry, Registry, registry
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.run.planning import audit_profiles
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.audit_profiles import PROFILES, SHIP, Profile, profile_of
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.tasks import load_task

MODELS = (ModelPlan("m", "builtin:sentiment"),)
DATA = (DataPlan("x", "builtin:reviews", limit=40),)
ENGLISH = frozenset({"en"})
#: Never edit a set that a release had: what it asks of everyone would move. Add the next.
FROZEN = {
    "ship@1": (
        "append_irrelevant@1 contraction@1 insert_adverb@1 keyboard@1 number_swap@1 ocr@1 "
        "punctuation@1 social_media@1 spelling_error@1 "
        "synonym_vectors@1 synonym_wordnet@1 tense@1 typos@1 word_case@1",
        "deepwordbug pwws",
    ),
}
FROZEN["ship@2"] = FROZEN["ship@1"]  # and diagnostics besides
FROZEN |= {"study@1": FROZEN["ship@1"], "language@1": FROZEN["ship@1"]}


def asked(profile):
    return profile.params["robustness"]["usual"], profile.params["attack"]["recipes"]


def test_what_a_version_asks_is_frozen():
    found = {n: tuple(" ".join(names) for names in asked(p)) for n, p in PROFILES.items()}
    assert found == FROZEN


def test_the_newest_version_asks_every_default_change():
    known = (n for n in registry().names("transformation") if parse_recipe(n).is_default)
    default = [
        name for name in known if registry().entry("transformation", name).origin == "scrutiny"
    ]
    for name in ("ship", "study", "language"):
        changes, _ = asked(profile_of(name))
        assert changes == default, f"write the next version of {name}, with the new set of changes"


def test_without_a_version_it_is_the_newest(monkeypatch):
    second = replace(profile_of(SHIP), name="ship@3")
    monkeypatch.setattr(audit_profiles, "PROFILES", {**PROFILES, second.name: second})
    assert profile_of("ship") is profile_of("ship@3") is second
    assert profile_of("ship@1") is PROFILES["ship@1"]
    with pytest.raises(UnknownNameError, match=r"profile named 'ship@4'.* 'ship@3'"):
        profile_of("ship@4")


def test_a_plan_records_the_version_and_its_changes():
    flags = {"plan": None, "models": ("builtin:sentiment",), "data": ("builtin:reviews",)}
    flags |= {"only": ("robustness",), "limit": "40", "on_bad_row": "skip"}
    flags |= {"task": "", "seed": None}
    by_name, newest = (
        audit_from_flags({**flags, "profile": p}, Opened(LoadedModels())) for p in ("ship@2", "")
    )
    assert by_name == newest
    (robustness,) = newest.measure
    assert (newest.profile, robustness.params["usual"]) == ("ship@2", asked(profile_of(SHIP))[0])
    assert robustness.params["transformations"] == []  # asked where they apply, not refused
    found = resolve(newest)
    plain = replace(robustness, params={**robustness.params, "usual": []})
    alike = resolve(replace(newest, measure=(plain,)))
    kind = alike.assignments[0].kind  # with a digest of its parameters
    assert [replace(a, kind=kind) for a in found.assignments] == list(alike.assignments)
    assert [c.says for c in found.claims] == [c.says for c in alike.claims]


def test_a_change_that_a_version_does_not_know_is_asked_only_of_plug_ins(monkeypatch):
    task = load_task("text-classification")
    of = RobustnessParams(usual=("typos", "ocr@1", "homoglyph@1"))
    # by name, even where it would not be asked otherwise; of what is left, nothing but plug-ins'
    assert [r.name for r in of.recipes(task, ENGLISH)] == ["homoglyph@1", "ocr@1", "typos@1"]
    entry = Registry.entry
    plugged = ("tense@1", "antonym_swap@1")  # the second is for searches only

    def told(self, kind, name):
        found = entry(self, kind, name)
        return Entry(found.registration, "toy") if name in plugged else found

    monkeypatch.setattr(Registry, "entry", told)
    assert "tense@1" in [r.name for r in of.recipes(task, ENGLISH)]
    assert "antonym_swap@1" not in [r.name for r in of.recipes(task, ENGLISH)]
    with pytest.raises(UnknownNameError, match="Did you mean 'typos@1'"):
        RobustnessParams(usual=("typo",)).recipes(task, ENGLISH)


def test_draws_are_limited_and_parameters_stated():
    profile = Profile("toy@1", "", params={"robustness": {"usual": ["ocr@1"]}}, draws=1)
    measure = MeasurePlan("r", "robustness@1", (), (), params={"draws": 3, "control": True})
    assert profile.stated(measure).params == {"draws": 1, "control": True, "usual": ["ocr@1"]}
    other = MeasurePlan("p", "performance@1", (), ())
    assert profile.stated(other) is other


@pytest.mark.parametrize("profile", sorted(FROZEN))
def test_attacks_of_a_version_are_those_that_an_audit_asks(profile):
    plan = audit_plan(MODELS, DATA, only=("attack@1",), profile=profile)
    assert plan.measure[0].params["recipes"] == asked(PROFILES[profile])[1]
