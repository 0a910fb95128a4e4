"""Audits of tasks that choose, cut and relate: every diagnostic that applies takes them.

Each is measured on a few rows of a user's, by a function of the user's and by a file of answers.
"""

import json
import random
import runpy
from pathlib import Path

import pytest

import scrutiny
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view

NAMES = ("Ida", "Tom", "Eva", "Max", "Ann", "Leo")
THINGS = ("key", "book", "lamp", "coat", "cup", "ring")
PLACES = ("desk", "shelf", "floor", "table")


def rows_of(task, n=24):
    """Rows of a task, every answer of which can be told from its text."""
    rng = random.Random(task)
    for k in range(n):
        who, thing, place = rng.choice(NAMES), rng.choice(THINGS), rng.choice(PLACES)
        said = f"On day {k} {who} put the {thing} on the {place} and then went home again ."
        if task == "multiple-choice":
            options = rng.sample(PLACES, 3)
            options[0] = place if place not in options else options[0]
            yield {"text": said, "question": f"Where is the {thing}?", "options": options,
                   "answer": place}  # fmt: skip
        elif task == "passage-ranking":
            others = [f"Nobody knows what happened in week {k + i} ." for i in range(2)]
            yield {"query": f"where did {who} put the {thing}", "candidates": [*others, said],
                   "relevant": 2}  # fmt: skip
        elif task == "multi-label-classification":
            topics = [t for t, words in (("thing", THINGS[:3]), ("place", PLACES[:2]))
                      if any(word in said for word in words)]  # fmt: skip
            yield {"text": said, "label": topics}
        elif task == "relation-classification":
            marked = said.replace(thing, f"<e1>{thing}</e1>").replace(place, f"<e2>{place}</e2>")
            marked = marked if k % 2 else marked.replace(" put ", " took ")
            yield {"text": marked, "label": "to(e1,e2)" if k % 2 else "from(e1,e2)"}
        else:
            yield {
                "segmented": "今天 天气 很 好 ， 我们 去 公园 。 那里 的 花 开 了 。".split()[
                    k % 7 :
                ]
            }


def choose(items):
    """Scores of options that stand in the text."""
    return [[float(option in text) for option in options] for text, _, *options in items]


def rank(items):
    """Scores of candidates: words in common with the query."""
    return [
        [float(len({*query.split()} & {*one.split()})) for one in candidates]
        for query, *candidates in items
    ]


def label(texts):
    """Labels whose words stand in the text."""
    words = {"thing": THINGS[:3], "place": PLACES[:2]}
    return [[n for n, found in words.items() if any(w in text for w in found)] for text in texts]


class Relate:
    """Relation by the verb."""

    labels = ("from(e1,e2)", "to(e1,e2)")

    def predict(self, texts):
        return [self.labels[" put " in text] for text in texts]


def cut(texts):
    """Words of a list, and single characters."""
    found = []
    for text in texts:
        words, at = [], 0
        while at < len(text):
            n = 2 if text[at : at + 2] in ("今天", "天气", "我们", "公园") else 1
            words.append(text[at : at + n])
            at += n
        found.append([word for word in words if word.strip()])
    return found


MODELS = {
    "multiple-choice": (choose, "accuracy", "pred"),
    "passage-ranking": (rank, "mrr", "pred"),
    "multi-label-classification": (label, "micro_f1", "labels"),
    "relation-classification": (Relate(), "accuracy", "pred"),
    "word-segmentation": (cut, "word_f1", "words"),
}
ANY = {"performance", "robustness", "attack"}
DIAGNOSTICS = {
    "multiple-choice": ANY,
    "passage-ranking": ANY,
    "multi-label-classification": {*ANY, "classes"},
    "relation-classification": {*ANY, "classes", "calibration", "labels"},
    "word-segmentation": ANY,
}


@pytest.fixture(scope="module", params=MODELS)
def audited(request):
    task = request.param
    model, metric, _ = MODELS[task]
    data = [{"id": str(k), **row} for k, row in enumerate(rows_of(task))]
    found = scrutiny.audit(model, data, task=task)
    return task, metric, data, found


def test_what_applies_is_asked_and_nothing_fails(audited):
    task, metric, _, found = audited
    assert {one.key.diagnostic.partition("@")[0] for one in found.estimates} >= DIAGNOSTICS[task]
    assert "failed" not in {one["status"] for one in found.records()}
    level = found.estimate(metric, diagnostic="performance")
    assert level.counts.planned == 24
    assert level.value > 0.4
    assert any("of no skill" in f.claim.says and f.verdict == "supported" for f in found.findings)


def test_the_first_screen_has_each_score_once(audited):
    task, _, _, found = audited
    screen = first_screen_of(load_view(found.path))
    assert len(screen.numbers) == 1
    wanted = {
        "passage-ranking": ["accuracy at rank 1 100 %", "recall at 90 % precision 100 %"],
        "multi-label-classification": ["exact match 100 %"],
    }
    said = " ".join(screen.beside)
    assert all(one in said for one in wanted.get(task, ()))
    assert "MRR" not in said


def test_texts_are_changed_and_answers_to_them_compared(audited):
    task, _, _, found = audited
    variants = [v for v in found.variants.to_pylist() if v["status"] == "ok"]
    edits = " ".join(v["edits"] for v in variants)
    wanted = {"multiple-choice": "option_1", "passage-ranking": "option_3"}.get(task, "text")
    assert wanted in edits, edits[:500]
    assert len(variants) > 30


def test_answers_of_a_file_are_as_good(audited, tmp_path: Path):
    """Stored predictions give the same level; changed texts have no answers there."""
    task, metric, data, found = audited
    texts = {row["id"]: "".join(row.get("segmented", ())) for row in data}
    column = "label" if task == "relation-classification" else "answer"
    stored = {
        one["item"]: {"id": one["item"], column: as_written(one["answer"], texts[one["item"]])}
        for one in found.outputs.to_pylist()
        if not one["variant"]
    }
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in stored.values()), encoding="utf-8")
    level = found.estimate(metric, diagnostic="performance").value
    again = scrutiny.run("performance", f"predictions:{path}", data, task=task)
    assert again.estimate(metric).value == pytest.approx(level)


def as_written(stored, text):
    """Answer as a user would write it: the stored JSON without the name of its type."""
    if not stored.startswith("{"):
        return stored
    ((kind, value),) = json.loads(stored).items()
    if kind == "segments":
        return [text[start:end] for start, end in value[1]]
    return {"order": value} if kind == "ranking" else value


def rank_worse(items):
    """As `rank`, and turned round on days that begin with a one."""
    found = zip(items, rank(items), strict=True)
    return [
        [-s for s in scores] if " day 1" in " ".join(item) else scores for item, scores in found
    ]


def test_rankings_are_compared_by_their_level_and_by_who_stands_first():
    data = [{"id": str(k), **row} for k, row in enumerate(rows_of("passage-ranking"))]
    runs = [
        scrutiny.run("performance", one, data, task="passage-ranking") for one in (rank, rank_worse)
    ]
    found = scrutiny.compare(*runs)
    turned = sum(" day 1" in row["candidates"][2] for row in data) / len(data)
    (level,) = found.levels
    assert level["metric"] == "mrr"
    assert level["change"] == pytest.approx(-turned * 2 / 3)  # the right one comes last of three
    assert "MRR 100 %" in found.headline
    said = found.report()
    numbers = said.partition("Numbers of both")[2].partition("\n\n")[0]
    assert all(one in numbers for one in ("MRR", "accuracy at rank 1", "recall at 90 % precision"))
    assert "_" not in numbers
    alike = said.partition("same answer")[2].split()[0]
    assert float(alike) == pytest.approx(1 - turned, abs=0.006), "whole orders differ more often"


def test_words_of_options_alone_choose_whatever_the_text_is(tmp_path: Path) -> None:
    """The example of a model that no change of a text can move."""
    asked = [{"question": "Why?", "choice": ["good luck", "bad rain"], "answer": "good luck"}] * 2
    file = tmp_path / "train.json"
    file.write_text(json.dumps([[["W: Hi."], asked, "1"]]))
    example = Path(__file__).parents[2] / "examples/options_only.py"
    model = runpy.run_path(str(example))["Options"](file)
    options = ("bad rain", "good luck")
    first, other = model.predict([("A long talk.", "Why?", *options), ("", "Who?", *options)])
    assert first == other
    assert first[1] > first[0]
