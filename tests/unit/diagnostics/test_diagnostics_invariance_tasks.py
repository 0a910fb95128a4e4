"""Shared invariances on every kind of answer: pairs, tags, next words, top k, samples."""

import json

from toy_invariance import WORDS, Linear, rows, run, swapping, values

from scrutiny.core.example import Span
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.models.prompting.choice_classifier import ChoiceClassifier
from scrutiny.models.prompting.label_likelihoods import Scoring
from scrutiny.models.prompting.prompts import Prompt
from scrutiny.testing import ToyCausalLanguageModel

A = Linear(0)


def verdict(folder, subject="b"):
    (finding,) = [f for f in folder.findings() if f.estimate.key.subject == subject]
    return finding.verdict


# -- transformations with one text each ------------------------------------------------------------


def test_items_without_a_text_for_one_run_count_for_the_others(tmp_path, monkeypatch):
    swapping(monkeypatch, WORDS[:2])
    data = [{**row, "text": row["text"].split()[0]} for row in rows(A, 40)]
    one = run(tmp_path / "out", {"a": A, "b": Linear(1, like=A, share=0.9)}, data, trials=1)
    found = values(one, "b")["pairs_found"]
    assert 0.3 < found.value < 1.0
    assert found.counts.n == values(one, "b")["hard_scope"].counts.n
    made = [r for r in one.variants().to_pylist() if r["role"] == "measured"]
    assert sum(r["status"] == "ok" for r in made) == round(found.value * found.counts.n)
    assert {r["reason"] for r in made if r["status"] == "skipped"} <= {"no_pair", "no_place"}


def test_one_text_each_gives_no_lift_and_still_says_whether_both_mind_it(tmp_path, monkeypatch):
    swapping(monkeypatch, WORDS[:1])  # one word for any other: as many texts as words
    data = [{**row, "text": row["text"].split()[0]} for row in rows(A, 120)]
    models = {"a": A, "same": Linear(1, like=A, share=1.0, scale=2.0), "b": Linear(4)}
    folder = run(tmp_path / "out", models, data, trials=1)
    same, other = values(folder, "same"), values(folder, "b")
    assert same["hard_scope"].value == 1.0
    assert same["scope_lift"].value is None
    # items on which no text keeps the answer stay, without a pair: other replicates have one there
    has_text = round(same["pairs_found"].value * same["hard_scope"].counts.n)
    assert same["scope_lift"].counts.undefined == has_text
    assert same["hard_scope"].counts.n > has_text + 10
    assert same["invariance_phi/control"].value == 1.0
    assert same["invariance_phi/control"].counts.n == same["hard_scope"].counts.n
    assert 0.2 < same["pairs_found"].value < 0.9
    assert abs(other["invariance_phi/control"].value) < 0.4
    assert verdict(folder, "same") not in ("supported", "not supported")


# -- pairs -----------------------------------------------------------------------------------------


class OfPairs(Linear):
    """The same words more or less in the second text."""

    task = "text-pair-classification"

    def predict(self, examples):
        joined = [" ".join(e.fields.values()) for e in examples]
        self.asked += joined
        return [self.answer(text) for text in joined]


class Contradicting(OfPairs):
    """Always the same."""

    def probability(self, text):
        return 0.97


def of_pairs(count=80):
    halves = rows(OfPairs(0), count)
    return [
        {**r, "text": " ".join(r["text"].split()[:3]), "text_pair": " ".join(r["text"].split()[3:])}
        for r in halves
    ]


def test_pairs_of_texts_are_changed_in_both(tmp_path, monkeypatch):
    swapping(monkeypatch)
    a = OfPairs(0)
    models = {"a": a, "near": OfPairs(1, like=a, share=0.99), "b": Contradicting(2)}
    folder = run(tmp_path / "out", models, of_pairs(), candidates=12)
    own, near, constant = (values(folder, name) for name in models)
    assert own["hard_scope"].value == own["soft_scope"].value == 1.0
    assert near["scope_lift"].value > 0.05
    assert verdict(folder, "near") == "supported"
    assert (constant["hard_scope"].value, constant["scope_lift"].value) == (1.0, 0.0)
    assert constant["label_entropy"].value == 0.0
    assert verdict(folder) == "refused"
    found = folder.variants().to_pylist()
    edits = [json.dumps(row["edits"]) for row in found if row["status"] == "ok"]
    in_second = sum("text_pair" in text for text in edits)
    assert 0 < in_second < len(edits)


# -- tags ------------------------------------------------------------------------------------------


class Tagger(Linear):
    """Tags every word of a weight above nothing."""

    task = "token-tagging"
    labels = ("X",)

    def __init__(self, seed, **more):
        super().__init__(seed, labels=("X",), **more)

    def answer(self, text):
        spans, at = [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            if self.weights.get(word, 0.0) > 0:
                spans.append(Span("text", start, at, "X"))
        return Prediction(tuple(spans))


class Blank(Tagger):
    """Tags nothing."""

    def answer(self, text):
        return Prediction(())


def tagged(like, count=60):
    texts = [row["text"].split() for row in rows(A, count)]
    return [
        {
            "id": f"i{n}",
            "tokens": words,
            "tags": [("O", "B-X")[int(like.weights[w] > 0)] for w in words],
        }
        for n, words in enumerate(texts)
    ]


def test_taggers_share_invariances_or_do_not(tmp_path, monkeypatch):
    swapping(monkeypatch)
    a = Tagger(0)
    models = {"a": a, "near": Tagger(1, like=a, share=0.98), "far": Tagger(4), "b": Blank(5)}
    folder = run(tmp_path / "out", models, tagged(a), task="token-tagging")
    own, near, far, blank = (values(folder, name) for name in models)
    assert own["hard_scope"].value == 1.0
    assert own["scope_lift"].value > 0.2
    assert "soft_scope" not in own  # it compares probabilities of labels
    assert near["scope_lift"].value > 0.15
    assert abs(far["scope_lift"].value) < 0.12
    assert (blank["hard_scope"].value, blank["scope_lift"].value) == (1.0, 0.0)
    assert verdict(folder, "near") == "supported"
    assert verdict(folder) == "refused"


# -- next words ------------------------------------------------------------------------------------

NEXT = ("good", "bad")


def language_model(seed, like=None, share=0.0):
    """Next words "good", "bad", and others; the odds hang on the word before."""
    weights = Linear(seed, like=like, share=share).weights
    bigrams = {w: {"good": 4 * 3.0**x, "bad": 4.0, "the": 1.0} for w, x in weights.items()}
    unigrams = dict.fromkeys((*WORDS, *NEXT, "the"), 1.0)
    model = ToyCausalLanguageModel(unigrams, bigrams)
    choices = tuple((word, f" {word}") for word in NEXT)
    task = registry().load("task", "text-classification")()
    found = ChoiceClassifier(
        model, Prompt(("", "text", ""), choices), Scoring(has_other=True), task=task, source="toy"
    )
    found.weights = weights
    return found


def test_next_words_are_compared_by_an_answer_set_and_all_else(tmp_path, monkeypatch):
    swapping(monkeypatch)
    a = language_model(0)
    near = language_model(1, like=a, share=0.97)
    far = language_model(3)
    assert a.labels == ("good", "bad", "other")
    data = [
        {**row, "text": row["text"].split()[0], "label": ("good", "bad", "other")[n % 3]}
        for n, row in enumerate(rows(A, 90))
    ]
    params = {"capabilities": ["word"], "trials": 2, "candidates": 8}
    folder = run(tmp_path / "out", {"a": a, "near": near, "b": far}, data, **params)
    own = values(folder, "a")
    assert own["hard_scope"].value == 1.0
    curve = {
        (e.key.subject, e.key.condition.get("bound")): e.value
        for e in folder.estimates()
        if (e.key.metric, e.key.role) == ("soft_scope@1", "measured")
        and e.key.condition["cutoff"] == 1.0
    }
    assert curve["a", None] == 1.0
    assert (
        0
        < curve["near", "least"]
        < curve["near", None]
        <= values(folder, "near")["hard_scope"].value
    )
    assert values(folder, "near")["scope_lift"].value > 0.1
    assert abs(values(folder, "b")["scope_lift"].value) < 0.1
    assert any(
        "at most the shown value" in note for note in folder.manifest["measure"]["s"]["notes"]
    )


class TopOne(Linear):
    """Gives its likeliest label; all else is other."""

    def __init__(self, seed, **more):
        super().__init__(seed, labels=("negative", "positive", "other"), **more)

    def answer(self, text):
        p = self.probability(text)
        first = (0.0, p, 1 - p) if p > 0.5 else (1 - p, 0.0, p)
        return Prediction(self.labels[first.index(max(first))], scores=first)


def test_what_the_top_k_leaves_open_is_no_difference(tmp_path, monkeypatch):
    swapping(monkeypatch)
    a = TopOne(0)
    data = [{"id": "o", "text": WORDS[0], "label": "other"}, *rows(Linear(0), 30)]
    folder = run(tmp_path / "out", {"a": a, "b": TopOne(1, like=a, share=1.0)}, data)
    soft = {
        e.key.condition.get("bound"): e.value
        for e in folder.estimates()
        if (e.key.subject, e.key.metric, e.key.role) == ("b", "soft_scope@1", "measured")
        and e.key.condition["cutoff"] == 1.0
    }
    assert soft[None] == 1.0
    assert soft["least"] < 1.0
    assert values(folder, "b")["hard_scope"].value == 1.0


# -- samples ---------------------------------------------------------------------------------------

CODE = '''
import hashlib

class Coin:
    """Says "positive" with a probability that the first letters of its words decide."""

    labels = ("negative", "positive")

    def __init__(self, sharpness=1.0):
        self.sharpness = sharpness

    def predict(self, texts, draw=0):
        return [self.answer(text, draw) for text in texts]

    def answer(self, text, draw):
        score = sum(ord(word[0]) % 7 - 3 for word in text.split())
        p = 1 / (1 + 2.718281828 ** (-self.sharpness * score))
        key = hashlib.blake2b(f"{draw} {text}".encode(), digest_size=4).digest()
        return self.labels[int.from_bytes(key) / 2**32 < p]

    def fingerprint(self):
        return f"coin {self.sharpness}"


unsure, sure = Coin(0.02), Coin(8.0)
'''


def test_few_samples_of_an_unsure_model_are_refused_and_a_sure_one_is_not(tmp_path, monkeypatch):
    swapping(monkeypatch)
    (tmp_path / "coins.py").write_text(CODE)
    place = f"python:{tmp_path}/coins.py"
    data = rows(A, 24)
    for name, is_refused in (("unsure", True), ("sure", False)):
        models = {"a": f"{place}:{name}#samples=8", "b": f"{place}:{name}#samples=8,draw=1"}
        one = values(run(tmp_path / name, models, data, cutoffs=[]), "b")
        assert (one["soft_scope"].status == "refused") == is_refused
        floor = one["soft_scope/baseline"]
        assert (floor.value < 0.8) == is_refused
        assert one["hard_scope"].value is not None
        assert (one["hard_scope"].value > 0.9) == (not is_refused)
