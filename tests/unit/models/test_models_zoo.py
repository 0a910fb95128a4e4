import json
import sys
from types import SimpleNamespace

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.models import zoo
from scrutiny.models.strings.adapters import checkpoint_source
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_strings import parse


@pytest.fixture
def layout(tmp_path, monkeypatch):
    """Folder of a zoo whose checkpoints have nothing but a configuration."""
    for seed in (1, 2, 10):
        for place in (f"seed-{seed}", f"seed-{seed}/step-90", f"seed-{seed}/step-100"):
            folder = tmp_path / "weights" / "bert-4x128" / place
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "config.json").write_text("{}")
    only = tmp_path / "weights" / "bert-2x128" / "seed-1"
    only.mkdir(parents=True)
    (only / "config.json").write_text("{}")
    (tmp_path / "weights" / "bert-2x128" / "seed-2").mkdir()  # training has not come there yet
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    return tmp_path


def test_captures_of_seeds_are_of_finals_only(layout):
    found = expand("zoo:bert-4x128/seed-{seed}", name="m").replicates
    assert [r.source for r in found] == [f"zoo:bert-4x128/seed-{s}" for s in (1, 2, 10)]
    assert [r.random for r in found] == [{"seed": "1"}, {"seed": "2"}, {"seed": "10"}]


def test_a_bare_family_means_its_seeds(layout):
    bare = expand("zoo:bert-4x128#attention=eager", name="m", seeds=[1, 10]).replicates
    assert [r.source for r in bare] == [
        "zoo:bert-4x128/seed-1#attention=eager",
        "zoo:bert-4x128/seed-10#attention=eager",
    ]


def test_steps_are_conditions_and_in_natural_order(layout):
    found = expand("zoo:bert-4x128/seed-{seed}/step-{step}", random=["seed"], name="m").replicates
    assert len(found) == 6
    assert [r.condition["step"] for r in found[:2]] == ["90", "100"]
    assert {r.key for r in found[:2]} == {'{"seed":"1"}'}


def test_the_final_weights_are_the_last_step_of_seeds_that_have_steps(layout):
    checkpoints = [
        {"path": f"{family}/seed-1", "step": 200, "is_final": True}
        for family in ("bert-4x128", "bert-2x128")
    ]
    checkpoints.append({"path": "bert-4x128/seed-1/step-100", "step": 100, "is_final": False})
    index = {"families": {"all": {"checkpoints": checkpoints}}}
    (layout / "weights" / "index.json").write_text(json.dumps(index))
    source = "zoo:bert-4x128/seed-{seed}/step-{step}"
    found = expand(source, random=["seed"], name="m", seeds=[1]).replicates
    assert [r.condition["step"] for r in found] == ["90", "100", "200"]
    last = zoo.as_checkpoint(parse(found[-1].source))
    assert last.target == zoo.as_checkpoint(parse("zoo:bert-4x128/seed-1")).target
    assert not [name for name in zoo.targets() if name.startswith("bert-2x128/seed-1/step")]


def test_both_layouts_are_read(layout, monkeypatch):
    whole = zoo.targets()
    monkeypatch.setenv("SCRUTINY_ZOO", str(layout / "weights"))
    assert zoo.targets() == whole
    assert "bert-2x128/seed-1" in whole
    assert "bert-2x128/seed-2" not in whole


def test_weights_run_in_single_precision_unless_told(layout):
    found = zoo.as_checkpoint(parse("zoo:bert-4x128/seed-2"))
    assert (found.scheme, found.options) == ("hf", {"dtype": "float32"})
    assert found.target.endswith("weights/bert-4x128/seed-2")
    assert found.text == "zoo:bert-4x128/seed-2"
    told = zoo.as_checkpoint(parse("zoo:bert-4x128/seed-2/step-90#dtype=float16"))
    assert told.options == {"dtype": "float16"}


def test_near_names(layout):
    with pytest.raises(ModelError, match=r"no checkpoint 'bert-4x128/seed-3'\. Did you mean "):
        zoo.as_checkpoint(parse("zoo:bert-4x128/seed-3"))
    with pytest.raises(ModelError, match=r"There are: bert-2x128/seed-1, bert-4x128/seed-1, "):
        zoo.as_checkpoint(parse("zoo:xyz"))


def test_the_distribution_says_where_it_is(layout, monkeypatch):
    monkeypatch.delenv("SCRUTINY_ZOO")
    monkeypatch.setitem(sys.modules, "scrutiny_zoo", SimpleNamespace(folder=lambda: layout))
    assert len(zoo.targets()) == 10


def test_without_the_distribution_the_pip_line(monkeypatch):
    monkeypatch.delenv("SCRUTINY_ZOO", raising=False)
    monkeypatch.setitem(sys.modules, "scrutiny_zoo", None)
    with pytest.raises(ModelError, match=r"pip install scrutiny-zoo .*SCRUTINY_ZOO"):
        expand("zoo:bert-4x128/seed-{seed}", name="m")


def test_a_variable_that_names_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"SCRUTINY_ZOO names .*, which is no folder"):
        zoo.targets()
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    with pytest.raises(ModelError, match="no checkpoints under"):
        zoo.targets()


def test_models_without_a_checkpoint_have_no_folder():
    with pytest.raises(ModelError, match="is no checkpoint of transformers"):
        checkpoint_source(parse("builtin:sentiment"))
