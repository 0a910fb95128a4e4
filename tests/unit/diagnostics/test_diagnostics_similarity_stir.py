"""STIR on encoders that ignore some words: the same ones, others, none."""

from zlib import crc32

import numpy as np
import pytest
from toy_encoders import ToyEncoder

from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.diagnostics.similarity.stir import SharedVectors, StirParams
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.representations.cka import debiased_cka
from scrutiny.testing import check_diagnostic

TASK = registry().load("task", "passages")()
WORDS = [f"{a}{b}{c}er" for a in "bdfgm" for b in "aiou" for c in ("nd", "lt", "rk")]


class Deaf(ToyEncoder):
    """Sum of the vectors of words in places of one parity; words elsewhere are not heard."""

    def __init__(self, parity, *, seed=0, **more):
        super().__init__(**more)
        self.parity, self.word_seed = parity, seed

    def vector(self, text, layer, pooling):
        if text in self.without:
            return np.full(6, np.nan)
        heard = text.split()[self.parity :: 2] if self.parity is not None else text.split()
        return sum((_of_word(self.word_seed, w) for w in heard), np.zeros(6))


def _of_word(seed, word):
    return np.random.default_rng([seed, crc32(word.encode())]).standard_normal(6)


def rows(count=60):
    g = np.random.default_rng(0)
    return [
        {"id": f"i{n}", "text": " ".join(g.choice(WORDS, size=6).tolist())} for n in range(count)
    ]


def run(out, models, data=None, **params):
    plan = Plan(
        resampling=Resampling(draws=500),
        data=(DataPlan("x", "object:x", "passages"),),
        models=tuple(ModelPlan(n, f"python:object:{n}") for n in models),
        measure=(
            MeasurePlan("s", "similarity.stir", tuple(models), ("x",), params, reference="a"),
        ),
    )
    resolved = resolve(plan, data={"x": rows() if data is None else data}, models=models)
    return run_plan(resolved, out, options=RunOptions(), models=models)


def values(folder, subject):
    return {
        e.key.metric.partition("@")[0] + ("/control" if e.key.role == "control" else ""): e
        for e in folder.estimates()
        if e.key.subject == subject
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    models = {"a": Deaf(0), "same": Deaf(0, seed=1), "other": Deaf(1), "hears": Deaf(None)}
    return run(tmp_path_factory.mktemp("stir") / "out", models, candidates=12)


def test_it_keeps_the_promises_of_a_diagnostic():
    texts = tuple(Example(r["id"], {"text": r["text"]}) for r in rows(30))
    check_diagnostic(SharedVectors(), examples=texts, task=TASK, model=Deaf(0))


def test_the_reference_itself_is_the_ceiling(found):
    own = values(found, "a")
    assert own["stir"].value == pytest.approx(1.0, abs=1e-6)
    assert own["stir/control"].value < 0.95
    assert own["beyond(stir)"].low > 0


def test_a_model_that_ignores_the_same_words_shares_it_and_one_of_others_does_not(found):
    same, other, hears = (values(found, name) for name in ("same", "other", "hears"))
    assert same["stir"].value == pytest.approx(1.0, abs=1e-6)  # in vectors of its own
    assert same["beyond(stir)"].value > 0.05
    assert other["beyond(stir)"].value < 0  # it hears nothing but what was searched for
    assert other["stir"].value < hears["stir"].value < same["stir"].value
    verdicts = {f.claim.id.split("/")[1]: f.verdict for f in found.findings()}
    assert verdicts["same"] == "supported"
    assert verdicts["other"] == "not supported"
    assert "a" not in verdicts


def test_the_lift_is_the_searched_alignment_minus_the_random_one(found):
    for subject in ("a", "same", "other", "hears"):
        one = values(found, subject)
        expected = one["stir"].value - one["stir/control"].value
        assert one["beyond(stir)"].value == pytest.approx(expected)


def test_the_value_is_the_alignment_of_texts_and_searched_texts(found):
    from scrutiny.store.run_tables import variants_of
    from scrutiny.text.edits import apply_edits

    variants = variants_of(found.variants())
    model, texts = Deaf(None), []
    for row in rows():
        one = next(v for v in variants[row["id"]] if v.role == "measured")
        changed = apply_edits(Example(row["id"], {"text": row["text"]}), one.edits)
        texts.append((row["text"], changed.text))
    X, Y = (np.array([model.vector(t[i], 2, "mean") for t in texts], np.float32) for i in (0, 1))
    assert values(found, "hears")["stir"].value == pytest.approx(debiased_cka(X, Y), abs=1e-6)


def test_texts_without_a_vector_are_counted(tmp_path):
    data = rows(30)
    models = {"a": Deaf(0), "b": Deaf(1, without=(data[4]["text"],))}
    folder = run(tmp_path / "out", models, data, candidates=3, most_items=20)
    drawn = {v["item"] for v in folder.variants().to_pylist()}
    assert len(drawn) == 20
    counts = values(folder, "b")["stir"].counts
    missing = int(data[4]["id"] in drawn)
    assert (counts.n, counts.undefined, counts.skipped) == (20 - missing, missing, 10)


def test_no_change_is_measured_where_the_reference_has_no_vector(tmp_path):
    data = rows(20)
    models = {"a": Deaf(0, without=(data[4]["text"],)), "b": Deaf(1)}
    folder = run(tmp_path / "out", models, data, candidates=3)
    missing = [v for v in folder.variants().to_pylist() if v["item"] == data[4]["id"]]
    assert [(v["status"], v["reason"]) for v in missing] == [("undefined", "no_vector")]
    assert values(folder, "b")["stir"].counts.n == 19


def test_texts_that_nothing_changes_are_skipped(tmp_path):
    data = [*rows(20), {"id": "short", "text": "12 34"}]
    folder = run(tmp_path / "out", {"a": Deaf(0), "b": Deaf(1)}, data, candidates=2)
    reasons = {(r["item"], r["reason"]) for r in folder.records().to_pylist() if r["reason"]}
    assert ("short", "no_site") in reasons


def test_too_few_texts_have_no_alignment(tmp_path):
    folder = run(tmp_path / "out", {"a": Deaf(0), "b": Deaf(1)}, rows(8), candidates=2)
    assert values(folder, "b")["beyond(stir)"].value is None
    assert {r["reason"] for r in folder.records().to_pylist()} == {"no_likeness"}


@pytest.mark.parametrize(
    "wrong", [{"pooling": "word"}, {"pooling": "max"}, {"candidates": 1}, {"groups": 2}]
)
def test_parameters_that_do_not_fit_are_refused(wrong):
    with pytest.raises(UserError):
        StirParams(**wrong)
