"""Contrast sets: published outputs, closed forms, intervals over sets, the level by chance."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import scrutiny
from scrutiny.core.errors import PlanError
from scrutiny.core.expectation import Asked, Seen
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.suites.expectations import parse_expectation
from scrutiny.diagnostics.suites.suite_claims import CHANCE_CONSISTENCY

LABELS = ("BEFORE", "AFTER", "EQUAL", "VAGUE")
#: Paths below contrast_sets: changed, and original.
MATRES = "MATRES/Platinum_subset_perturbed.xml#originals=Platinum_subset_original.xml"
ROPES = (
    "ropes/data/ropes_contrast_set_032820.json#originals=ropes_contrast_set_original_032820.json"
)
MC_TACO = "MCTACO/changed.tsv#originals=original.tsv"
IMDB = "IMDb/data/test_contrast.tsv#originals=test_original.tsv,label=Sentiment"


def matres_answers(folder):
    """Released outputs: UNIT,GOLD,PLACE OF THE ANSWER,PERTURBATION in the order of the items."""
    seen = Counter()
    for half in ("original", "perturbed"):
        text = (folder / f"MATRES/proposed_elmo_lr0.001.{half}.output").read_text(encoding="utf-8")
        for line in text.splitlines():
            unit, _, place, _ = line.split(",", 3)
            yield unit + (f"/{seen[unit]}" if seen[unit] else ""), LABELS[int(place)]
            seen[unit] += 1


def ropes_answers(folder):
    for half, mark in (("original", ""), ("contrast_set", "/1")):
        path = folder / f"ropes/predictions/predictions_{half}_032820.json"
        for name, answer in json.loads(path.read_text(encoding="utf-8")).items():
            yield name + mark, answer


def measured(tmp_path, data, answers, column, labels="", **options):
    path = tmp_path / "answers.jsonl"
    rows = [json.dumps({"id": name, column: answer}) for name, answer in answers]
    path.write_text("\n".join(rows), encoding="utf-8")
    model = f"predictions:{path}" + (f"#labels={labels}" if labels else "")
    return scrutiny.run("suites", model=model, data=data, **options)


def values(run, *, group="all"):
    """Estimates by metric; those of items as they are behind ``original``."""
    found = {}
    for one in run.estimates:
        mark = "original " if one.key.condition == {"texts": "originals"} else ""
        if one.key.group == group and one.key.replicate is None:
            found[mark + one.key.metric.partition("@")[0]] = one
    return found


def percent(found, *names):
    return [round(100 * found[name].value, 2) for name in names]


@pytest.mark.reproduces
@pytest.mark.data("contrast_sets")
def test_matres_of_released_outputs(shared, tmp_path):
    folder = shared / "contrast_sets"
    kinds = {"order": (107, 161), "tense": (43, 69), "indicator": (33, 55), "other": (71, 116)}
    where = [f"perturbation = {kind}" for kind in kinds]
    data = f"contrast:{folder}/{MATRES}"
    labels = "|".join(LABELS)
    run = measured(tmp_path, data, matres_answers(folder), "label", labels=labels, where=where)
    names = ("original accuracy", "accuracy", "share(whole)")
    found = values(run)
    assert percent(found, *names) == [73.22, 63.34, 40.59]
    assert found["share(whole)"].low < 0.40586 < found["share(whole)"].high
    by_kind = {f"a_perturbation = {kind}": kind for kind in kinds}
    own = {by_kind[e.key.group]: e for e in run.estimates
           if e.key.group in by_kind and e.key.metric_name == "share(failed)"}  # fmt: skip
    for kind, (right, n) in kinds.items():
        assert own[kind].value == pytest.approx(1 - right / n)  # without being asked
        said = run.estimate(f"accuracy where perturbation = {kind}", test="contrast set")
        assert (said.value, said.counts.n) == (pytest.approx(right / n), n)
    said = [round(100 * kinds[kind][0] / kinds[kind][1], 2) for kind in ("order", "indicator")]
    assert said == [66.46, 60.0]
    # in one more case, the note of what was changed is "tense " with a space: 43 of 69 with it
    lines = (folder / "MATRES/proposed_elmo_lr0.001.perturbed.output").read_text().splitlines()
    alone = [line.split(",", 3) for line in lines if line.endswith(",tense")]
    hits = sum(LABELS[int(place)] == gold for _, gold, place, _ in alone)
    assert (hits, len(alone), round(100 * hits / len(alone), 2)) == (42, 68, 61.76)


@pytest.mark.reproduces
@pytest.mark.data("contrast_sets")
def test_ropes_of_released_outputs(shared, tmp_path):
    folder = shared / "contrast_sets"
    run = measured(tmp_path, f"contrast:{folder}/{ROPES}", ropes_answers(folder), "answer")
    found = values(run)
    exact = ("original exact_match", "exact_match", "share(whole)")
    assert percent(found, *exact) == [47.74, 32.55, 17.56]
    assert percent(found, "original answer_f1", "answer_f1") == [54.47, 39.76]


@pytest.mark.reproduces
@pytest.mark.data("contrast_sets")
def test_mc_taco_of_released_outputs(shared, tmp_path):
    folder = shared / "contrast_sets"
    answers = [
        (f"{half}-{n}", label)
        for half in ("original", "changed")
        for n, label in enumerate((folder / f"MCTACO/{half}_roberta_out.txt").read_text().split())
    ]
    data = f"contrast:{folder}/{MC_TACO}"
    found = values(measured(tmp_path, data, answers, "label", labels="yes|no"))
    strict = percent(found, "whole_originals", "whole_changed", "share(whole)")
    assert strict == [38.0, 13.0, 3.0]


@pytest.mark.data("contrast_sets")
def test_one_answer_to_everything_is_never_consistent(shared, tmp_path):
    data = f"contrast:{shared}/contrast_sets/{IMDB}"
    names = [f"{k}{mark}" for k in range(1, 489) for mark in ("", "/1")]
    answers = [(name, "Positive") for name in names]
    found = values(measured(tmp_path, data, answers, "label", labels="Positive|Negative"))
    assert found["share(whole)"].value == 0.0
    assert found["original accuracy"].value + found["accuracy"].value == pytest.approx(1)


def simulated(tmp_path, sizes, *, right, seed=0):
    """Contrast sets of these sizes, and answers of which a share is right, whole sets alike."""
    rng = np.random.default_rng(seed)
    olds, news, answers, sets = [], [], [], []
    for k, size in enumerate(sizes):
        level = rng.beta(4 * right, 4 * (1 - right))
        hits = rng.random(size + 1) < level
        golds = rng.choice(["yes", "no"], size + 1)
        olds.append({"id": f"s{k}", "text": f"Text {k} is old.", "label": golds[0]})
        news += [
            {"of": f"s{k}", "text": f"Text {k} is new {n}.", "label": golds[n]}
            for n in range(1, size + 1)
        ]
        other = {"yes": "no", "no": "yes"}
        ids = [f"s{k}", *(f"s{k}/{n}" for n in range(1, size + 1))]
        said = [g if hit else other[g] for g, hit in zip(golds, hits, strict=True)]
        answers += zip(ids, said, strict=True)
        sets.append(hits)
    for name, rows in (("old", olds), ("new", news)):
        text = "\n".join(map(json.dumps, rows))
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return f"contrast:{tmp_path}/new.jsonl#originals=old.jsonl,of=of", answers, sets


def test_intervals_resample_sets(tmp_path):
    sizes = [1, 2, 3, 4] * 60
    data, answers, sets = simulated(tmp_path, sizes, right=0.7)
    found = values(measured(tmp_path, data, answers, "label"))
    old = np.array([hits[0] for hits in sets], dtype=float)
    new = np.array([hits[1:].sum() for hits in sets], dtype=float)
    n = np.array(sizes, dtype=float)
    whole = np.array([hits.all() for hits in sets], dtype=float)
    draws = np.random.default_rng(1).integers(0, len(sets), (4000, len(sets)))
    plain = {
        "original accuracy": (old[draws].mean(1), old.mean()),
        "accuracy": (new[draws].sum(1) / n[draws].sum(1), new.sum() / n.sum()),
        "share(whole)": (whole[draws].mean(1), whole.mean()),
        "drop(accuracy)": (
            ((old * n)[draws].sum(1) - new[draws].sum(1)) / n[draws].sum(1),
            ((old * n).sum() - new.sum()) / n.sum(),
        ),
    }
    for name, (drawn, value) in plain.items():
        low, high = np.quantile(drawn, (0.025, 0.975))
        one = found[name]
        assert one.value == pytest.approx(value)
        assert (one.low, one.high) == (
            pytest.approx(low, abs=0.012),
            pytest.approx(high, abs=0.012),
        )


def test_consistency_is_bounded_by_both_scores(tmp_path):
    data, answers, sets = simulated(tmp_path, [1] * 200, right=0.6, seed=3)
    found = values(measured(tmp_path, data, answers, "label"))
    least = min(found[name].value for name in ("original accuracy", "accuracy"))
    assert found["share(whole)"].value <= least
    assert found["share(whole)"].value == pytest.approx(np.mean([hits.all() for hits in sets]))
    # answers that go with their set lie above chance
    assert found["share(whole)"].value > found["chance_consistency"].value


def test_the_level_by_chance_of_groups_of_several_sizes():
    rng = np.random.default_rng(5)
    sizes = rng.choice([1, 2, 3, 5], 40_000)
    old = rng.random(sizes.size) < 0.8
    right = rng.binomial(sizes, 0.7)
    rows = np.stack([np.ones(sizes.size), old, sizes, right], axis=-1).astype(float)
    sums = CHANCE_CONSISTENCY.make(rows).sum(axis=0)
    planted = 0.8 * np.mean(0.7 ** np.array([1, 2, 3, 5]))
    assert float(CHANCE_CONSISTENCY.combine(sums)) == pytest.approx(planted, abs=0.005)
    happened = np.mean(old & (right == sizes))
    assert happened == pytest.approx(planted, abs=0.008)
    by_size = [float(np.mean(old[sizes == k] & (right == sizes)[sizes == k])) for k in (1, 2, 3, 5)]
    assert all(a > b for a, b in pairwise(by_size))  # larger sets are harder


def tree(name, heads, **case):
    words = "they bombed barracks in town".split()
    upos = ["PRON", "VERB", "NOUN", "ADP", "NOUN"]
    relations = ["root" if head == 0 else "dep" for head in heads]
    layers = {"words": words, "heads": heads, "relations": relations, "upos": upos}
    return {"id": name, **layers, **case}


def test_a_phrase_hangs_on_the_right_word_whatever_the_rest(tmp_path):
    rows = [{"suite": 1, "task": "dependency-arcs"}]
    rows += [tree("a", [2, 0, 2, 5, 3]), tree("b", [2, 0, 2, 5, 3])]
    for name in "ab":
        rows.append(
            tree(f"{name}1", [2, 0, 2, 5, 2], of=name, test="prepositions",
                 expect="attaches(word=4)", perturbation=name)
        )  # fmt: skip
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = Seen(*(Asked(e, Prediction(answer=e.gold)) for e in _both(tmp_path)), None, ())
    expected = parse_expectation("attaches(word=4)")
    assert expected.is_met(said)
    assert (expected.wanted(said.case.example), expected.told(said.base, ())) == (
        "bombed",
        "barracks",
    )
    swapped = Seen(said.case._replace(answer=said.base.answer), said.base, None, ())
    assert expected.is_met(swapped) is False
    heads = list(said.case.example.gold.heads)
    heads[0], heads[2] = 4, 0  # elsewhere the parse is wrong
    odd = Prediction(answer=said.case.example.gold._replace(heads=tuple(heads)))
    assert expected.is_met(Seen(said.case._replace(answer=odd), said.base, None, ()))
    for text in ("attaches", "attaches(word=0)"):
        with pytest.raises(PlanError, match=r"attaches\(word=3\)"):
            parse_expectation(text)


def _both(folder):
    """A case and its original."""
    by_id = {e.id: e for e in load_dataset(f"suite:{folder}/s.jsonl").examples}
    assert {e.attributes.get("a_perturbation") for e in by_id.values()} == {None, "a", "b"}
    return by_id["a1"], by_id["a"]


@pytest.mark.data("survey_worked_examples")
def test_consistency_worked_by_hand(shared, tmp_path):
    path = shared / "survey_worked_examples" / "worked_examples.json"
    worked = json.loads(path.read_text(encoding="utf-8"))["contrast_consistency"]
    rows, answers = [], []
    for group, hits in worked["correct_by_set"].items():
        for k, hit in enumerate(hits):
            own = {"id": f"{group}{k}", "text": f"Text {k} of {group}.", "label": "yes"}
            rows.append({**own, "group": group, "expect": "gold", "test": "t"})
            answers.append((f"{group}{k}", "yes" if hit else "no"))
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    data = f"suite:{tmp_path}/s.jsonl"
    found = values(measured(tmp_path, data, answers, "label", labels="yes|no"))
    assert found["share(whole)"].value == worked["consistency"]
    right = 1 - found["share(failed)"].value
    assert right == pytest.approx(worked["element_accuracy"], abs=1e-6)
