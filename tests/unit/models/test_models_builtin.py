"""The shipped network: exact, deaf to batch and order, and as good as it says."""

import json
import os
import re
import subprocess
import sys
import zlib
from importlib.resources import files
from itertools import pairwise
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import ModelError
from scrutiny.models.builtin import builtin_features
from scrutiny.models.builtin import builtin_network as builtin
from scrutiny.models.builtin.builtin_families import FAMILIES
from scrutiny.models.builtin.builtin_features import of_words
from scrutiny.models.builtin.builtin_network import BuiltinNetwork

DATA = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[4] / "shared" / "data"))
SEEDS = FAMILIES["sentiment"].replicates
ODD = [
    "",
    " ",
    "\n",
    "\ud800",
    "İ",
    "ΑΣ",
    "ΑΣ\nα",
    "not",
    "n't",
    "這部電影",
    "\0",
    "!?!",
    "😀",
    "ﬁne",
]


def read_reviews():
    text = (files("scrutiny.data") / "samples" / "reviews.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [row[1] for row in rows], [row[2] for row in rows]


REVIEWS, GOLD = read_reviews()


@pytest.fixture(scope="module", params=SEEDS)
def model(request):
    return BuiltinNetwork("sentiment", request.param)


@pytest.fixture(scope="module")
def first():
    return BuiltinNetwork("sentiment", 1)


def arrays_of(model):
    return {name: array.copy() for name, array in model._stored.items()}


# --- batches and orders ----------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 7, 64, 641])
def test_batches_give_the_same_bytes(first, size):
    texts = [*REVIEWS, *ODD]
    whole = first.predict_proba(texts)
    parts = [first.predict_proba(texts[i : i + size]) for i in range(0, len(texts), size)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_orders_give_the_same_bytes(model):
    texts = [*REVIEWS, *ODD]
    order = np.random.default_rng(3).permutation(len(texts))
    shuffled = model.predict_proba([texts[i] for i in order])
    assert shuffled.tobytes() == model.predict_proba(texts)[order].tobytes()


def test_more_texts_than_are_taken_at_once(first):
    texts = (REVIEWS + ODD) * 4
    assert len(texts) > 2048
    once = first.predict_proba(REVIEWS + ODD)
    assert first.predict_proba(texts).tobytes() == np.tile(once, (4, 1)).tobytes()


@given(st.lists(st.text(st.characters(exclude_categories=[])), max_size=5), st.data())
def test_any_text_is_answered_alike_alone_and_among_others(texts, data):
    model = BuiltinNetwork("sentiment", data.draw(st.sampled_from(SEEDS)))
    together = model.predict_proba(texts)
    assert together.shape == (len(texts), 2)
    assert np.all((together > 0) & (together < 1))
    for text, row in zip(texts, together, strict=True):
        assert model.predict_proba([text]).tobytes() == row.tobytes()


def test_the_other_process_gives_the_same_bytes_without_torch(first):
    code = (
        "import sys; from scrutiny.models.builtin.builtin_network import BuiltinNetwork\n"
        "p = BuiltinNetwork('sentiment', 1).predict_proba(['Not bad at all.', '', 'Dull!'])\n"
        "heavy = {'torch', 'scipy', 'sklearn', 'transformers'} & set(sys.modules)\n"
        "print(sorted(heavy), p.tobytes().hex())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    expected = first.predict_proba(["Not bad at all.", "", "Dull!"]).tobytes().hex()
    assert done.stdout.split() == ["[]", expected]


# --- integers --------------------------------------------------------------------------------


def by_hand(model, texts):
    """Logits in Python's unbounded integers, one feature after the other."""
    stored = {name: array.tolist() for name, array in model._stored.items()}
    row_of = {int(h): i for i, h in enumerate(model._vocabulary)}
    return [logits_of(text, stored, row_of) for text in texts]


def logits_of(text, stored, row_of):
    hashes = [int(h) for group, _ in of_words([text]) for h in group]
    rows = [row_of[h] for h in hashes if h in row_of]
    n = min(len(rows), 4096)
    scale = next(s for s in range(2**14, -1, -1) if s * s * max(1, n) <= 2**28)
    total = [sum(stored["embedding"][r][d] for r in rows) for d in range(12)]
    x = [
        max(0, ((t * scale) >> 6) + b) for t, b in zip(total, stored["embedding_bias"], strict=True)
    ]

    def layer(values, weights, biases):
        return [
            sum(v * w for v, w in zip(values, row, strict=True)) + b
            for row, b in zip(weights, biases, strict=True)
        ]

    h = [max(0, u) >> 12 for u in layer(x, stored["hidden"], stored["hidden_bias"])]
    return layer(h, stored["output"], stored["output_bias"])


def test_logits_are_those_of_unbounded_integers(model):
    texts = [*REVIEWS[:20], *ODD, " ".join(REVIEWS * 2)]
    assert model.logits(texts).tolist() == by_hand(model, texts)


def test_weights_at_their_limits_do_not_overflow(first):
    arrays = {
        name: np.full(array.shape, np.iinfo(np.int16 if name != "embedding" else np.int8).max)
        for name, array in arrays_of(first).items()
    }
    loud = BuiltinNetwork.from_arrays("sentiment", first._vocabulary, arrays)
    text = "good bad the of and " * 20_000  # 100,000 words
    logits = loud.logits([text])
    assert logits.tolist() == by_hand(loud, [text])


def test_embeddings_are_bytes_and_all_arrays_integers(model):
    assert model._stored["embedding"].dtype == np.int8
    assert all(np.issubdtype(a.dtype, np.integer) for a in model._stored.values())


def test_probabilities_add_up_exactly_in_both_precisions(model):
    p = model.predict_proba(REVIEWS + ODD)
    assert p.dtype == np.float64
    assert np.all(p.sum(axis=1) == 1)
    assert np.all(p.astype(np.float32) == p)
    assert np.all(p.astype(np.float32).sum(axis=1) == 1)


def test_probabilities_are_the_logistic_of_the_logits(model):
    logits = model.logits(REVIEWS) / 2**24
    expected = 1 / (1 + np.exp(logits[:, 0] - logits[:, 1]))
    np.testing.assert_allclose(model.predict_proba(REVIEWS)[:, 1], expected, atol=1e-3)


def test_a_stronger_logit_never_gets_a_lower_probability(first):
    logits, p = first.logits(REVIEWS), first.predict_proba(REVIEWS)[:, 1]
    order = np.argsort(logits[:, 1] - logits[:, 0])
    assert all(a <= b for a, b in pairwise(p[order]))


# --- features --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It isn't good.", "it is n't good ."),
        ("It isn\u2019t good", "It isn't good"),
        ("GOOD film", "good FILM"),
        ("good, film", "good film"),
    ],
)
def test_same_features(first, one, other):
    assert first.predict_proba([one]).tobytes() == first.predict_proba([other]).tobytes()


def test_kinds_of_features():
    words, pairs, negated = (h for h, _ in of_words(["not a good film"]))
    assert (len(words), len(pairs), len(negated)) == (4, 3, 3)
    assert len({*words, *pairs, *negated}) == 10


def test_negation_reaches_five_words_and_stays_in_its_text():
    _, owner = of_words(["never one two three four five six", "good film"])[2]
    assert owner.tolist() == [0] * 5
    _, owner = of_words(["good film"] * 3)[1]
    assert owner.tolist() == [0, 1, 2]


# --- identity --------------------------------------------------------------------------------


@given(st.lists(st.text(st.sampled_from("aN's’tΣσİ\u0301.!é7 \n\r\x1c\u2028\ud83d")), max_size=6))
def test_texts_that_are_read_together_have_the_words_of_each(texts):
    words, _, _ = of_words(texts)
    apart = [of_words([text])[0][0].tolist() for text in texts]
    assert words[0].tolist() == [one for own in apart for one in own]
    assert words[1].tolist() == [n for n, own in enumerate(apart) for _ in own]
    for text, own in zip(texts, apart, strict=True):  # as regular expressions see one text
        plain = text.lower().replace("’", "'").replace("n't", " n't ")
        found = re.findall(r"n't|'[a-z]{1,2}\b|[^\W\d_]+|[!?]", plain)
        assert own == [zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in found]


def test_one_weight_changes_the_fingerprint(first):
    same = BuiltinNetwork.from_arrays("sentiment", first._vocabulary, arrays_of(first))
    assert same.fingerprint() == first.fingerprint()
    for name in first._stored:
        arrays = arrays_of(first)
        arrays[name].flat[5 % arrays[name].size] += 1
        other = BuiltinNetwork.from_arrays("sentiment", first._vocabulary, arrays)
        assert other.fingerprint() != first.fingerprint(), name
    vocabulary = first._vocabulary.copy()
    vocabulary[0] += 1
    other = BuiltinNetwork.from_arrays("sentiment", vocabulary, arrays_of(first))
    assert other.fingerprint() != first.fingerprint()


def test_fingerprints_are_those_that_the_training_wrote_down():
    models = [BuiltinNetwork("sentiment", r) for r in SEEDS]
    prints = [m.fingerprint() for m in models]
    assert len(set(prints)) == len(SEEDS)
    assert prints == BuiltinNetwork("sentiment", 1).training()["fingerprints"]


@pytest.mark.parametrize("wrong", [0, 6, -1, True, "1", None, 1.5])
def test_other_replicates_are_refused(wrong):
    with pytest.raises(ModelError, match="numbered from 1 to 5"):
        BuiltinNetwork("sentiment", wrong)


def test_a_single_string_is_refused(first):
    with pytest.raises(ModelError, match=r"write \[text\]"):
        first.predict_proba("good")


def test_what_was_read_is_read_by_all_replicates_and_kept_apart(monkeypatch):
    monkeypatch.setattr(builtin, "_READ_KEPT", 2)
    monkeypatch.setattr(builtin, "_READ", builtin._Read())
    asked = [["a good film", "b"], ["a good", " filmb"], ["a good film", "b"], ["bad"], ["good"]]
    for replicate in (1, 2):
        model = BuiltinNetwork("sentiment", replicate)
        arrays = {**model._stored}
        alone = BuiltinNetwork.from_arrays(
            "sentiment", model._vocabulary.copy(), arrays
        )  # reads by itself
        for texts in asked:
            assert model.logits(texts).tolist() == alone.logits(texts).tolist()
    assert len(builtin._READ._kept) == 2


def test_no_texts_give_no_rows(first):
    assert first.predict_proba([]).shape == (0, 2)
    assert first.predict_proba(()).dtype == np.float64


# --- skill -----------------------------------------------------------------------------------


def chance_of_as_many(hits, n):
    """Exact one-sided p of at least so many hits by tossing a coin."""
    return sum(comb(n, k) for k in range(hits, n + 1)) / 2**n


def test_accuracy_on_the_sample_reviews_lies_above_chance(model):
    labels = [model.labels[i] for i in model.predict_proba(REVIEWS).argmax(axis=1)]
    hits = sum(a == b for a, b in zip(labels, GOLD, strict=True))
    n = len(GOLD)
    low = hits / n - 1.96 * (hits / n * (1 - hits / n) / n) ** 0.5
    assert low > 0.55
    assert chance_of_as_many(hits, n) < 1e-9
    # and neither class is given up
    for label in model.labels:
        of_class = [a == b for a, b in zip(labels, GOLD, strict=True) if b == label]
        assert np.mean(of_class) > 0.5


def test_replicates_agree_mostly_and_not_always():
    answers = [BuiltinNetwork("sentiment", r).predict_proba(REVIEWS).argmax(axis=1) for r in SEEDS]
    for i, a in enumerate(answers):
        for b in answers[:i]:
            assert 0.8 < np.mean(a == b) < 0.99


@pytest.mark.data("sst2")
def test_accuracy_on_sst2_is_the_one_written_down(model):
    path = DATA / "sst2" / "dev.tsv"
    if not path.exists():
        pytest.skip("sst2 is not under SCRUTINY_DATA")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    answers = model.predict_proba([text for text, _ in rows]).argmax(axis=1)
    accuracy = float(
        np.mean([a == int(label) for a, (_, label) in zip(answers, rows, strict=True)])
    )
    written = BuiltinNetwork("sentiment", 1).training()["measured"]["sst2 dev"]["accuracy"]
    assert round(accuracy, 4) == written[model.replicate - 1]
    assert accuracy > 0.75


# --- what is shipped beside the weights ------------------------------------------------------


def test_training_hashes_are_sorted_and_distinct(first):
    hashes = first.training_hashes()
    assert hashes.dtype == np.uint64
    assert np.all(hashes[1:] > hashes[:-1])
    assert len(hashes) > 50_000


@pytest.mark.data("sst2")
@pytest.mark.parametrize("part", ["dev", "test"])
def test_no_sst2_sentence_stands_in_the_training_text(first, part):
    from scrutiny.data.hashes import letters_hash

    path = DATA / "sst2" / f"{part}.tsv"
    if not path.exists():
        pytest.skip("sst2 is not under SCRUTINY_DATA")
    sentences = [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    known = set(first.training_hashes().tolist())
    assert sum(letters_hash(s) in known for s in sentences) == 0


@pytest.mark.data("nltk_data")
def test_training_sentences_are_found_and_held_out_ones_are_not(first):
    import zipfile

    from scrutiny.data.hashes import letters_hash

    path = DATA / "nltk_data" / "corpora" / "movie_reviews.zip"
    if not path.exists():
        pytest.skip("nltk_data is not under SCRUTINY_DATA")
    known = set(first.training_hashes().tolist())

    def share(name):
        with zipfile.ZipFile(path) as stored:
            lines = stored.read(f"movie_reviews/{name}").decode("latin-1").splitlines()
        long = [line for line in lines if len(line) > 40]
        return np.mean([letters_hash(line) in known for line in long])

    assert share("neg/cv000_29416.txt") == 1
    assert share("neg/cv900_10800.txt") == 0


def test_files_are_small_and_bear_their_notice():
    folder = files("scrutiny.models.builtin") / "data" / "sentiment"
    sizes = {f.name: len(f.read_bytes()) for f in folder.iterdir()}
    assert sum(size for name, size in sizes.items() if "replicate" in name) < 1_500_000
    assert sizes["training_hashes.npy"] < 600_000
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    assert "creativecommons.org/licenses/by/4.0" in notice
    assert "Bo Pang" in notice
    assert "Minqing Hu" in notice
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert len(record["seeds"]) == len(SEEDS)


def test_each_word_is_hashed_once_for_all_replicates_and_few_are_kept(monkeypatch):
    hashed = []
    monkeypatch.setattr(
        builtin_features, "crc32", lambda data: hashed.append(data) or zlib.crc32(data)
    )
    monkeypatch.setattr(builtin_features, "_WORD_HASHES", builtin_features._KnownHashes())
    monkeypatch.setattr(builtin_features, "_WORDS_KEPT", 3)
    monkeypatch.setattr(builtin, "_READ", builtin._Read())
    before = BuiltinNetwork("sentiment", 1).logits(["good bad good"])
    assert (BuiltinNetwork("sentiment", 1).logits(["good bad good"]) == before).all()
    BuiltinNetwork("sentiment", 2).logits(["good film"])
    assert hashed == [b"good", b"bad", b"film"]
    BuiltinNetwork("sentiment", 2).logits(["dull"])
    assert set(builtin_features._WORD_HASHES) == {"dull"}
