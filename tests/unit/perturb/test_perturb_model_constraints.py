"""Vetoes that ask a model, many candidates at once: by hand, with tiny models, with real ones."""

from math import acos, cos, log, pi, sqrt

import numpy as np
import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.constraints.fluency import Likeliest, LogprobDrop, PerplexityRatio
from scrutiny.perturb.constraints.meaning import EmbeddingSimilarity, Entailment, SentenceSimilarity
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.edited_words import windows
from scrutiny.perturb.resources.capabilities import EntailmentJudge, NgramModel, TextScorer
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.resources.word_vectors import MeanVectors, WordVectors

TEXT = "one two three four five six seven eight nine ten"


def edit(old, new, text=TEXT):
    start = text.index(old)
    return Edit("text", start, start + len(old), new)


@pytest.mark.parametrize(
    ("edits", "size", "expected"),
    [
        ([edit("five", "5")], 3, [("four five six", "four 5 six")]),
        ([edit("one", "1")], 3, [("one two three", "1 two three")]),
        ([edit("ten", "10")], 3, [("eight nine ten", "eight nine 10")]),
        ([edit("five", "5")], 1, [("five", "5")]),
        ([edit("five", "5")], 99, [(TEXT, TEXT.replace("five", "5"))]),
        ([edit("five", "5")], None, [(TEXT, TEXT.replace("five", "5"))]),
        ([Edit("text", 3, 3, " and")], 4, [("one two three", "one and two three")]),
        ([edit(" five", "")], 3, [("four five six", "four six")]),
        (
            [edit("one", "1"), edit("nine", "9")],
            3,
            [("one two three", "1 two three"), ("eight nine ten", "eight 9 ten")],
        ),
        (
            [edit("four", "4"), edit("five", "5")],
            3,
            [("three four five", "three 4 5"), ("four five six", "4 5 six")],
        ),
        ([edit("four five", "nine")], 3, [("four five six", "nine six")]),
        ([], 3, []),
    ],
)
def test_windows_stand_around_every_edit(edits, size, expected):
    assert windows(document_of(TEXT), edits, size) == expected


def test_punctuation_does_not_count_in_windows():
    text = "A, b: c; d. e"
    assert windows(document_of(text), [edit("c", "x", text)], 3) == [("b: c; d", "b: x; d")]


class Angles:
    """Encodes a text by the number in it, as an angle in degrees; counts its calls."""

    def __init__(self, length=1.0):
        self.calls = []
        self.length = length

    def encode(self, texts):
        self.calls.append(list(texts))
        degrees = [sum(int(w) for w in t.split() if w.isdigit()) for t in texts]
        angle = np.radians(degrees)
        return self.length * np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


@pytest.mark.parametrize(
    ("constraint", "degrees", "allowed"),
    [
        (SentenceSimilarity(), 36, True),  # a cosine of .809 and an angular similarity of .8
        (SentenceSimilarity(), 37, False),
        (SentenceSimilarity(least_cosine=0.809), 36, True),
        (SentenceSimilarity(least_cosine=0.81), 36, False),
        (SentenceSimilarity(least_angular=0.8), 36, True),
        (SentenceSimilarity(least_angular=0.801), 36, False),
        (SentenceSimilarity(least_angular=0.5), 90, True),
        (SentenceSimilarity(most_euclidean=1.0), 60, True),
        (SentenceSimilarity(most_euclidean=0.99), 60, False),
        (SentenceSimilarity(least_angular=0.9, least_cosine=0.1), 36, False),
        (SentenceSimilarity(least_angular=0.1, least_cosine=0.9), 36, False),
    ],
)
def test_each_threshold_is_of_the_measure_that_it_names(constraint, degrees, allowed):
    document = document_of("a text", resources={"encoder": Angles()})
    edits = [Edit("text", 2, 6, f"{degrees}")]
    assert constraint.allows(document, edits) is allowed


def test_the_published_constants_are_told_apart():
    half_radian = 1 - acos(cos(0.5)) / pi
    assert half_radian == pytest.approx(0.840845, abs=1e-6)  # TextFooler's, angular
    assert 1 - acos(0.98) / pi == pytest.approx(0.936, abs=1e-3)  # not the cosine of .936338


def test_distances_are_not_squared():
    far = SentenceSimilarity(most_euclidean=2.0)  # at 90 degrees: 1.5 times root 2
    resources = {"encoder": Angles(length=1.5)}
    assert 1.5 * sqrt(2) > 2.0
    assert not far.allows(document_of("a text", resources=resources), [Edit("text", 2, 6, "90")])
    assert far.allows(document_of("a text", resources=resources), [Edit("text", 2, 6, "80")])


def test_only_the_window_is_compared_and_short_texts_pass_on_demand():
    text = "x x x 90 x x"
    encoder = Angles()
    document = document_of(text, resources={"encoder": encoder})
    edits = [Edit("text", 0, 1, "10")]
    near = SentenceSimilarity(least_cosine=0.99, window=3)
    assert not near.allows(document, edits)
    assert set(encoder.calls[0]) == {"x x x", "10 x x"}
    skipping = SentenceSimilarity(least_cosine=0.99, window=7, skip_short=True)
    assert skipping.allows(document, edits)
    assert len(encoder.calls) == 1
    assert not SentenceSimilarity(least_cosine=0.99, window=7).allows(document, edits)


def test_many_candidates_are_encoded_in_one_call():
    candidates = [[Edit("text", 2, 6, word)] for word in ("10", "90", "20", "10")]
    for constraint in (SentenceSimilarity(least_cosine=0.9), EmbeddingSimilarity(least=0.9)):
        encoder = Angles()
        document = document_of("a text", resources={"encoder": encoder})
        found = constraint.screen(document, candidates)
        assert found == [True, False, True, True]
        assert len(encoder.calls) == 1
        alone = [constraint.allows(document, c) for c in candidates]
        assert alone == found


def test_vectors_of_zeros_are_near_nothing():
    encoder = MeanVectors(WordVectors(["a"], np.ones((1, 2), dtype=np.float32)))
    document = document_of("a b", resources={"encoder": encoder})
    edits = [Edit("text", 0, 1, "c")]
    assert not SentenceSimilarity(least_cosine=-1.0).allows(document, edits)


def test_texts_are_means_of_their_words():
    table = WordVectors(["a", "b"], np.array([[2, 0], [0, 4]], dtype=np.float32))
    encoder = MeanVectors(table)
    assert encoder.encode(["a B unknown", "?"]).tolist() == [[1, 2], [0, 0]]


def test_means_of_vectors_are_an_encoder_by_name(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 2 0\nb 0 4\n", encoding="utf-8")
    encoder = load_resource("encoder", f"vectors:{path}")
    assert encoder.encode(["a b"]).tolist() == [[1, 2]]


class Letters:
    """Every letter of a text costs a nat, and every z ten."""

    def __init__(self):
        self.calls = 0

    def log_probability(self, texts):
        self.calls += 1
        return [-sum(10.0 if c == "z" else 1.0 for c in t if c.isalpha()) for t in texts]

    def perplexity(self, texts):
        return [2.0 + t.count("z") for t in texts]


@pytest.mark.parametrize(
    ("constraint", "new", "allowed"),
    [
        (LogprobDrop(most=5.0), "fiver", True),
        (LogprobDrop(most=5.0), "fiz", False),
        (LogprobDrop(most=9.0), "fize", True),
        (LogprobDrop(most=8.9), "fize", False),
        (LogprobDrop(most=0.0, window=3), "fiv", True),
        (LogprobDrop(most=0.5, window=3), "fivee", False),
    ],
)
def test_drops_are_in_nats(constraint, new, allowed):
    resources = {"perplexity": Letters()}
    assert constraint.allows(document_of(TEXT, resources=resources), [edit("five", new)]) is allowed


def test_every_edit_has_its_own_window_to_drop_in():
    edits = [edit("one", "oneee"), edit("nine", "n")]  # 2 more and 3 fewer
    resources = {"perplexity": Letters()}
    assert LogprobDrop(most=1.0).allows(document_of(TEXT, resources=resources), edits)
    assert not LogprobDrop(most=1.0, window=1).allows(document_of(TEXT, resources=resources), edits)


def test_only_the_likeliest_of_a_place_stand():
    words = ["fiveee", "five5", "fi", "zzz", "fivee", "fiv"]
    candidates = [[edit("five", word)] for word in words]
    scorer = Letters()
    document = document_of(TEXT, resources={"perplexity": scorer})
    found = Likeliest(keep=3).screen(document, candidates)
    assert [w for w, kept in zip(words, found, strict=True) if kept] == ["five5", "fi", "fiv"]
    assert scorer.calls == 1
    assert Likeliest(keep=6).screen(document, candidates) == [True] * 6
    assert Likeliest().allows(document, candidates[3])


def test_perplexities_are_screened_together():
    candidates = [[edit("five", word)] for word in ("z", "zz", "zzz")]
    resources = {"perplexity": Letters()}
    found = PerplexityRatio(most=2.0).screen(document_of(TEXT, resources=resources), candidates)
    assert found == [True, True, False]


class Judge:
    """What is longer entails what is shorter."""

    def entailment(self, pairs):
        return [0.9 if len(a) >= len(b) else 0.4 for a, b in pairs]


@pytest.mark.parametrize(
    ("constraint", "new", "allowed"),
    [
        (Entailment(), "5", True),
        (Entailment(), "number five", False),
        (Entailment(least=0.4), "number five", True),
        (Entailment(both_ways=True), "5", False),
        (Entailment(both_ways=True), "5555", True),
        (Entailment(least=0.95), "5", False),
    ],
)
def test_what_was_said_must_follow(constraint, new, allowed):
    resources = {"nli": Judge()}
    assert isinstance(resources["nli"], EntailmentJudge)
    assert constraint.allows(document_of(TEXT, resources=resources), [edit("five", new)]) is allowed


@pytest.mark.parametrize(
    "constraint", [SentenceSimilarity(), LogprobDrop(), Entailment(), Likeliest(keep=0)]
)
def test_there_is_no_hidden_default_model(constraint):
    with pytest.raises(PlanError, match="has no default"):
        constraint.screen(document_of(TEXT), [[edit("five", "5")]])


def test_an_ngram_model_tells_drops():
    model = NgramModel(["the dog ran"] * 3 + ["the cat ran"] * 2)
    assert isinstance(model, TextScorer)
    usual, odd = model.log_probability(["the dog ran", "ran the dog"])
    assert odd < usual < 0
    text = "the dog ran"
    document = document_of(text, resources={"perplexity": model})
    assert LogprobDrop(most=1.0).allows(document, [edit("dog", "cat", text)])
    assert not LogprobDrop(most=1.0).allows(document, [edit("dog", "the", text)])


PIECES = "the a good bad film was dog cat ran . [ he she".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tokenizer of a dozen words, for models with random weights."""
    transformers = pytest.importorskip("transformers")
    place = tmp_path_factory.mktemp("tiny")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PIECES]
    (place / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    transformers.BertTokenizer(str(place / "vocab.txt")).save_pretrained(place)
    return place


def bert(labels):
    transformers = pytest.importorskip("transformers")
    return transformers.BertConfig(
        vocab_size=5 + len(PIECES),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=24,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )


def test_a_judge_reads_the_label_that_says_entailment(folder, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    model = transformers.BertForSequenceClassification(
        bert(["contradiction", "neutral", "ENTAILMENT"])
    )
    model.save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    judge = load_resource("nli", f"hf:{tmp_path}")
    pairs = [("the good dog ran .", "the dog ran ."), ("a cat", "a bad cat was"), ("he", "she")]
    found = judge.entailment(pairs)
    fresh = type(judge)(judge._model, judge._tokenizer)
    assert np.allclose(found, [fresh.entailment([pair])[0] for pair in pairs], atol=1e-6)
    fed = judge._tokenizer(*pairs[0], return_tensors="pt")
    with torch.inference_mode():
        share = judge._model(**fed).logits.softmax(-1)[0, 2].item()
    assert found[0] == pytest.approx(share, abs=1e-6)
    other = transformers.BertForSequenceClassification(bert(["yes", "no"]))
    with pytest.raises(ModelError, match=r"begins with 'entail'.*yes, no"):
        type(judge)(other, judge._tokenizer)


def test_a_causal_model_scores_whole_texts_alike_in_any_batch(folder, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=5 + len(PIECES), n_embd=16, n_layer=1, n_head=2, n_positions=24
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    scorer = load_resource("perplexity", f"hf:{tmp_path}")
    assert isinstance(scorer, TextScorer)
    texts = ["the dog ran .", "a cat", "he was the good film ."]
    together = scorer.perplexity(texts)
    fresh = type(scorer)(scorer._model, scorer._tokenizer)
    assert np.allclose(together, [fresh.perplexity([t])[0] for t in texts], rtol=1e-5)
    ids = scorer._tokenizer(texts[0], return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        loss = float(scorer._model(input_ids=ids, labels=ids).loss)
    assert log(together[0]) == pytest.approx(loss, rel=1e-5)
    totals = scorer.log_probability(texts)
    assert totals[0] == pytest.approx(-loss * (ids.shape[1] - 1), rel=1e-5)


@pytest.mark.slow
def test_a_real_encoder_finds_a_synonym_nearer_than_a_stranger():
    pytest.importorskip("transformers")
    try:
        encoder = load_resource("encoder", "minilm")
    except ModelError as error:
        pytest.skip(f"the encoder is not here: {error}")
    text = "the movie was wonderful ."
    document = document_of(text, resources={"encoder": encoder})
    candidates = [[edit("movie", "film", text)], [edit("movie", "tractor", text)]]
    near = SentenceSimilarity(least_cosine=0.8)
    assert near.screen(document, candidates) == [True, False]
