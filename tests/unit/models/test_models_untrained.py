import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import WORDS, change_config, make_checkpoint, make_tokenizer  # noqa: E402

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.models.hf.checkpoint import find_checkpoint  # noqa: E402
from scrutiny.models.named_models import draw_network, untrained_checkpoint  # noqa: E402
from scrutiny.models.strings.adapters import checkpoint_source  # noqa: E402
from scrutiny.models.strings.model_families import expand  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.model_strings import parse  # noqa: E402

TAGS = ("O", "B-PER", "I-PER")
TEXTS = ("the film was good", "a dull story")


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    for seed in (1, 2):
        make_checkpoint(folder / f"tiny/seed-{seed}", seed=seed, dtype=torch.float16)
    return folder


@pytest.fixture
def in_zoo(zoo, monkeypatch):
    monkeypatch.setenv("SCRUTINY_ZOO", str(zoo))
    return zoo


def scores(source, task, examples):
    return [p.scores for p in load_model(source, task).predict(examples)]


def draw(folder, seed="0"):
    return draw_network(folder, seed, source=parse(f"hf:{folder}"))


def test_the_answers_are_those_of_the_network_drawn(in_zoo, classification, make):
    network = draw(in_zoo / "tiny/seed-1", "7").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(in_zoo / "tiny/seed-1")
    with torch.no_grad():
        wanted = [
            torch.softmax(network(**tokenizer(t, return_tensors="pt")).logits, -1)[0].tolist()
            for t in TEXTS
        ]
    found = scores("untrained:zoo:tiny/seed-1#seed=7", classification, make(*TEXTS))
    for answer, expected in zip(found, wanted, strict=True):
        assert answer == pytest.approx(expected, abs=1e-6)


def test_one_seed_is_one_network_and_another_is_another(in_zoo, classification, make):
    def answers(source):
        return scores(source, classification, make(*TEXTS))

    first = answers("untrained:zoo:tiny/seed-1#seed=0")
    assert answers("untrained:zoo:tiny/seed-1#seed=0") == first
    assert answers("untrained:zoo:tiny/seed-1") == first  # seed 0 unless told
    assert answers("untrained:zoo:tiny/seed-2#seed=0") == first  # its weights are not read
    assert answers("untrained:zoo:tiny/seed-1#seed=1") != first
    assert answers("zoo:tiny/seed-1") != first


def test_fingerprints_tell_seeds_apart(in_zoo, classification):
    def fingerprint(source):
        return load_model(source, classification).fingerprint()

    sources = [
        "zoo:tiny/seed-1",
        "untrained:zoo:tiny/seed-1#seed=0",
        "untrained:zoo:tiny/seed-1#seed=1",
        "untrained:zoo:tiny/seed-1#seed=1,max_length=9",
    ]
    assert len({fingerprint(s) for s in sources}) == 4
    assert fingerprint(sources[1]) == fingerprint(sources[1])


def test_weights_follow_the_initializer(in_zoo):
    """A normal of initializer_range everywhere; biases 0, norms 1: nothing is torch's default."""
    network = draw(in_zoo / "tiny/seed-1")
    for name, weight in network.named_parameters():
        if weight.ndim > 1 and weight.numel() > 60:
            sd = weight[1:].std().item() if "word_embeddings" in name else weight.std().item()
            assert sd == pytest.approx(0.5, rel=0.25), name
        elif weight.ndim == 1:
            wanted = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            assert torch.equal(weight, torch.full_like(weight, wanted)), name
    assert network.classifier.weight.abs().max() > 0


def test_the_global_generator_is_left_alone(in_zoo):
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    first = draw(in_zoo / "tiny/seed-1").state_dict()
    assert torch.equal(torch.rand(3), wanted)
    torch.manual_seed(99)  # and it is not read either
    again = draw(in_zoo / "tiny/seed-1").state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_tied_weights_stay_tied(tmp_path):
    folder = make_checkpoint(tmp_path, head="MaskedLM")
    drawn = draw(folder)
    with untrained_checkpoint(folder, "0", source=parse(f"hf:{folder}")) as fresh:
        assert sorted(p.name for p in fresh.iterdir()) == sorted(p.name for p in folder.iterdir())
        loaded, report = transformers.AutoModelForMaskedLM.from_pretrained(
            fresh, output_loading_info=True
        )
    assert not fresh.exists()
    assert not report["missing_keys"]
    embeddings = loaded.bert.embeddings.word_embeddings.weight
    assert loaded.cls.predictions.decoder.weight.data_ptr() == embeddings.data_ptr()
    assert torch.equal(embeddings, drawn.bert.embeddings.word_embeddings.weight)


def test_taggers_too(tmp_path, tagging, make):
    make_checkpoint(tmp_path, head="TokenClassification", labels=TAGS)
    model = load_model(f"untrained:hf:{tmp_path}#seed=3", tagging)
    assert model.labels == ("PER",)
    assert len(model.predict(make(*TEXTS))) == 2


def test_the_tokenizer_is_the_trained_one(tmp_path, classification):
    make_checkpoint(tmp_path)
    before = load_model(f"untrained:hf:{tmp_path}", classification).fingerprint()
    make_tokenizer(tmp_path, words=[*WORDS[:-1], "boston"])
    assert load_model(f"untrained:hf:{tmp_path}", classification).fingerprint() != before


def test_weights_need_not_be_there_and_records_of_them_do_not_count(tmp_path, classification):
    make_checkpoint(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "competence.json").write_text('{"gates": {"beats_5gram": true}}')
    model = load_model(f"untrained:hf:{tmp_path}", classification)
    assert not hasattr(model, "competence")


def test_a_head_that_the_checkpoint_lacks_is_not_invented(tmp_path, classification):
    make_checkpoint(tmp_path, head=None)
    with pytest.raises(ModelError, match=r"BertModel|lacks weights"):
        load_model(f"untrained:hf:{tmp_path}", classification)


@pytest.mark.parametrize("names", [[], ["NoSuchNetwork"], ["BertConfig"]])
def test_an_architecture_that_is_none(tmp_path, classification, names):
    make_checkpoint(tmp_path)
    change_config(tmp_path, architectures=names)
    with pytest.raises(ModelError, match=r"class under architectures"):
        load_model(f"untrained:hf:{tmp_path}", classification)


def test_models_without_an_architecture(classification):
    with pytest.raises(ModelError, match="is no checkpoint of transformers"):
        load_model("untrained:builtin:sentiment", classification)
    with pytest.raises(ModelError, match="is no checkpoint of transformers"):
        load_model("untrained:untrained:minilm", classification)


# --- families ---


def sources(text, **more):
    return [r.source for r in expand(text, name="m", **more).replicates]


def test_seeds_of_one_architecture_keep_its_options(in_zoo):
    found = sources("untrained:zoo:tiny/seed-1#dtype=float32", seeds=[0, 12])
    assert found == [f"untrained:zoo:tiny/seed-1#dtype=float32,seed={s}" for s in (0, 12)]


@pytest.mark.parametrize("family", ["zoo:tiny", "zoo:tiny/seed-{seed}"])
def test_untrained_of_a_family_has_one_architecture_and_its_seeds(in_zoo, family):
    found = expand(f"untrained:{family}", name="m", role="null")
    assert [r.source for r in found.replicates] == [
        f"untrained:zoo:tiny/seed-1#seed={s}" for s in (1, 2)
    ]
    assert [r.random for r in found.replicates] == [{"seed": "1"}, {"seed": "2"}]
    assert sources(f"untrained:{family}", seeds=[7]) == ["untrained:zoo:tiny/seed-1#seed=7"]


def test_untrained_of_steps_is_of_one_architecture_too(in_zoo):
    for seed in (1, 2):
        make_checkpoint(in_zoo / f"tiny/seed-{seed}/step-5")
    source = "untrained:zoo:tiny/seed-{seed}/step-{step}"
    found = expand(source, name="m", random=["seed"]).replicates
    assert [(r.source, r.random, r.condition) for r in found] == [
        (f"untrained:zoo:tiny/seed-1/step-5#seed={s}", {"seed": s}, {}) for s in ("1", "2")
    ]


def test_untrained_of_hub_names_that_cannot_be_looked_up():
    found = sources("untrained:hf:org/m_{seed}", seeds=[3, 4])
    assert found == ["untrained:hf:org/m_3#seed=3", "untrained:hf:org/m_3#seed=4"]


def test_one_untrained_network(in_zoo):
    assert sources("untrained:zoo:tiny/seed-2") == ["untrained:zoo:tiny/seed-2"]


def test_the_folder_of_a_checkpoint(in_zoo):
    found = find_checkpoint(checkpoint_source(parse("zoo:tiny/seed-2")))
    assert found.folder == in_zoo / "tiny/seed-2"
