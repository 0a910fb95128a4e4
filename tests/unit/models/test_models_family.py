import pytest

from scrutiny.core.errors import ModelError, UnknownNameError
from scrutiny.models.strings import model_families
from scrutiny.models.strings.model_families import expand


@pytest.fixture
def runs(tmp_path):
    for seed in (1, 2, 10):
        for step in (100, 1000):
            (tmp_path / f"seed-{seed}" / f"step-{step}").mkdir(parents=True)
    (tmp_path / "notes.txt").write_text("not a folder")
    return tmp_path


def seeds_of(found):
    return [replicate.random.get("seed") for replicate in found.replicates]


def test_folders_in_natural_order(runs):
    found = expand(f"hf:{runs}/seed-{{seed}}", name="m")
    assert seeds_of(found) == ["1", "2", "10"]
    assert found.replicates[2].source == f"hf:{runs}/seed-10"
    assert found.replicates[0].condition == {}
    assert (found.name, found.role) == ("m", "measured")


def test_random_captures_and_conditions(runs):
    source = f"hf:{runs}/seed-{{seed}}/step-{{step}}"
    found = expand(source, random=["seed"], name="m", role="null")
    assert len(found.replicates) == 6
    first = found.replicates[0]
    assert (first.random, first.condition) == ({"seed": "1"}, {"step": "100"})
    assert first.key == '{"seed":"1"}'
    assert found.role == "null"


def test_of_several_captures_none_is_random_unless_named(runs):
    found = expand(f"hf:{runs}/seed-{{seed}}/step-{{step}}", name="m")
    assert {r.key for r in found.replicates} == {None}


def test_a_lone_capture_of_another_name_is_a_condition(runs):
    found = expand(f"hf:{runs}/seed-1/step-{{step}}", name="m")
    assert [r.condition for r in found.replicates] == [{"step": "100"}, {"step": "1000"}]
    assert seeds_of(found) == [None, None]


def test_seeds_choose_among_what_is_there(runs):
    assert seeds_of(expand(f"hf:{runs}/seed-{{seed}}", name="m", seeds=[2, 10])) == ["2", "10"]


def test_a_seed_that_is_not_there(runs):
    with pytest.raises(ModelError, match=r"has no seed 3\. .*seed-1, seed-2, seed-10"):
        expand(f"hf:{runs}/seed-{{seed}}", name="m", seeds=[1, 3])


def test_nothing_matches_lists_what_is_there(runs):
    with pytest.raises(ModelError, match=r"holds: notes\.txt, seed-1, seed-2, seed-10"):
        expand(f"hf:{runs}/sed-{{seed}}", name="m")


def test_files_are_no_checkpoints(runs):
    with pytest.raises(ModelError, match="Nothing matches"):
        expand(f"hf:{runs}/notes.{{seed}}", name="m")


def test_random_factor_that_is_no_capture(runs):
    with pytest.raises(ModelError, match=r"no capture of .* Captures: \{seed\}"):
        expand(f"hf:{runs}/seed-{{seed}}", random=["sed"], name="m")


def test_a_single_model_has_no_factors(runs):
    (only,) = expand(f"hf:{runs}/seed-1", name="m").replicates
    assert (only.source, only.random, only.key) == (f"hf:{runs}/seed-1", {}, None)


def test_options_stay_on_every_member(runs):
    found = expand(f"hf:{runs}/seed-{{seed}}#dtype=float16", name="m")
    assert found.replicates[0].source.endswith("seed-1#dtype=float16")


def test_builtin_family_of_five():
    found = expand("builtin:sentiment", name="m")
    assert seeds_of(found) == ["1", "2", "3", "4", "5"]
    assert found.replicates[1].source == "builtin:sentiment/seed-2"
    spelled = expand("builtin:sentiment/seed-{seed}", name="m")
    assert spelled.replicates == found.replicates


def test_one_builtin_replicate():
    (only,) = expand("builtin:sentiment/seed-2", name="m").replicates
    assert (only.source, only.key) == ("builtin:sentiment/seed-2", None)


def test_some_builtin_replicates_with_options():
    found = expand("builtin:sentiment#labels=bad|good", name="m", seeds=[1, 3])
    assert [r.source for r in found.replicates] == [
        "builtin:sentiment/seed-1#labels=bad|good",
        "builtin:sentiment/seed-3#labels=bad|good",
    ]


def test_builtin_names_are_listed_where_none_matches():
    with pytest.raises(ModelError, match="There are: sentiment/seed-1, "):
        expand("builtin:sentimnt/seed-{seed}", name="m")


def test_hub_names_are_filled_from_seeds():
    found = expand("hf:org/multi-seed_{seed}", name="m", seeds=[0, 1])
    assert [r.source for r in found.replicates] == ["hf:org/multi-seed_0", "hf:org/multi-seed_1"]


def test_hub_names_without_seeds():
    with pytest.raises(ModelError, match="give seeds"):
        expand("hf:org/multi-seed_{seed}", name="m")


def test_relative_folders_are_found_without_a_dot(runs, monkeypatch):
    monkeypatch.chdir(runs.parent)
    found = expand(f"hf:{runs.name}/seed-{{seed}}", name="m")
    assert seeds_of(found) == ["1", "2", "10"]
    assert found.replicates[0].source == f"hf:{runs.name}/seed-1"


def test_prediction_files(tmp_path):
    for seed in (1, 2):
        (tmp_path / f"seed-{seed}.jsonl").write_text("")
    found = expand(f"predictions:{tmp_path}/seed-{{seed}}.jsonl", name="m")
    assert seeds_of(found) == ["1", "2"]


def test_python_files(tmp_path):
    for seed in (1, 2):
        (tmp_path / f"model_{seed}.py").write_text("")
    found = expand(f"python:{tmp_path}/model_{{seed}}.py:predict", name="m")
    assert [r.source for r in found.replicates] == [
        f"python:{tmp_path}/model_1.py:predict",
        f"python:{tmp_path}/model_2.py:predict",
    ]


def test_python_factories_are_given_the_seed():
    found = expand("python:shop:make", name="m", seeds=[7, 8])
    assert [r.source for r in found.replicates] == [
        "python:shop:make#seed=7",
        "python:shop:make#seed=8",
    ]
    assert seeds_of(found) == ["7", "8"]
    spelled = expand("python:shop:make_{seed}", name="m", seeds=[7])
    assert spelled.replicates[0].source == "python:shop:make_7"


def test_seeds_without_the_capture(runs):
    with pytest.raises(ModelError, match="no capture"):
        expand(f"hf:{runs}/seed-1/step-{{step}}", name="m", seeds=[1])


def test_a_plug_in_says_what_it_knows(monkeypatch, runs):
    monkeypatch.setattr(model_families, "known_targets", lambda _: ("bert/seed-1", "bert/seed-2"))
    assert seeds_of(expand("hf:bert", name="m")) == ["1", "2"]


def test_unknown_scheme():
    with pytest.raises(UnknownNameError):
        expand("zoom:x-{seed}", name="m")
