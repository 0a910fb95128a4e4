"""A whole file of predictions in ERASER's format: by hand, and beside other implementations."""

import json

import numpy as np
import pytest
from toy_runs import run

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.attribution.eraser_predictions import write_eraser_predictions
from scrutiny.diagnostics.attribution.eraser_scores import eraser_scores
from scrutiny.testing import KeywordClassifier

DOCUMENT = "a b c d e f\ng h i j k l"


def mark(start, end, sentence=0, docid="d1"):
    return {
        "docid": docid,
        "start_token": start,
        "end_token": end,
        "start_sentence": sentence,
        "end_sentence": sentence + 1,
        "text": "",
    }


def hard(*spans):
    return [{"start_token": start, "end_token": end} for start, end in spans]


def corpus(folder, annotations, predictions):
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    for name in ("d1", "d2"):
        (folder / "docs" / name).write_text(DOCUMENT)
    for name, rows in (("val", annotations), ("found", predictions)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "val.jsonl", folder / "found.jsonl"


def annotation(name, *spans, label="POS"):
    return {"annotation_id": name, "classification": label, "query": "", "evidences": [[*spans]]}


def scored(*files):
    found = {one.name: one for one in eraser_scores(*files, draws=200)}
    assert all(one.low <= one.value <= one.high for one in found.values() if one.n > 1)
    return found


def test_numbers_worked_by_hand(tmp_path):
    """Of the survey's worked example, the second annotation is found whole."""
    annotations = [annotation("1", mark(2, 5), mark(8, 10, 1)), annotation("2", mark(0, 4))]
    predictions = [
        {
            "annotation_id": "1",
            "rationales": [{"docid": "d1", "hard_rationale_predictions": hard((3, 6), (8, 9))}],
        },
        {
            "annotation_id": "2",
            "rationales": [{"docid": "d1", "hard_rationale_predictions": hard((0, 2), (2, 4))}],
        },
    ]
    found = scored(*corpus(tmp_path, annotations, predictions))
    assert found["token_precision"].value == pytest.approx((0.75 + 1) / 2)
    assert found["token_recall"].value == pytest.approx((0.6 + 1) / 2)
    assert found["token_f1"].value == pytest.approx((2 / 3 + 1) / 2)
    assert found["token_f1/micro"].value == pytest.approx(2 * 7 / 17)
    assert found["iou_f1"].value == 1
    # of the second the released recall counts both halves of the one gold span
    assert found["iou_f1/released"].value == pytest.approx(2 * 1 * 1.5 / 2.5)
    assert found["iou_f1/micro"].value == 1
    assert found["iou_f1"].n == 2
    assert "auprc" not in found


def test_soft_rationales_of_words_and_of_sentences(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 12)).round(1)
    annotations = [annotation("1", mark(2, 5)), annotation("2", mark(7, 9, 1))]
    predictions = [
        {
            "annotation_id": name,
            "rationales": [
                {
                    "docid": "d1",
                    "soft_rationale_predictions": own.tolist(),
                    "soft_sentence_predictions": [0.75, 0.25],
                }
            ],
        }
        for name, own in zip("12", scores, strict=True)
    ]
    found = scored(*corpus(tmp_path, annotations, predictions))
    gold = np.zeros((2, 12), dtype=bool)
    gold[0, 2:5] = gold[1, 7:9] = True
    for name, of in (
        ("average_precision", metrics.average_precision_score),
        ("roc_auc", metrics.roc_auc_score),
    ):
        expected = np.mean([of(a, b) for a, b in zip(gold, scores, strict=True)])
        assert found[name].value == pytest.approx(expected), name
    curves = [metrics.precision_recall_curve(a, b) for a, b in zip(gold, scores, strict=True)]
    assert found["auprc"].value == pytest.approx(np.mean([metrics.auc(r, p) for p, r, _ in curves]))
    assert found["sentence_roc_auc"].value == 0.5
    assert found["sentence_average_precision"].value == 0.75


def test_faithfulness_of_the_code_and_of_the_paper(tmp_path):
    left = {0.01: 0.88, 0.05: 0.8, 0.1: 0.7, 0.2: 0.5, 0.5: 0.3}
    two = {
        name: {"POS": p, "NEG": 1 - p}
        for name, p in (
            ("classification_scores", 0.9),
            ("comprehensiveness_classification_scores", 0.5),
            ("sufficiency_classification_scores", 0.9),
        )
    }
    prediction = {
        "annotation_id": "1",
        "rationales": [],
        "classification": "POS",
        **two,
        "tokens_to_flip": 3,
        "thresholded_scores": [
            {
                "threshold": at,
                "comprehensiveness_classification_scores": {"POS": p, "NEG": 1 - p},
                "sufficiency_classification_scores": {"POS": 0.9, "NEG": 0.1},
            }
            for at, p in left.items()
        ],
    }
    files = corpus(tmp_path, [annotation("1", mark(0, 2))], [prediction])
    found = {name: one.value for name, one in scored(*files).items()}
    assert found["accuracy"] == 1
    assert found["comprehensiveness"] == pytest.approx(0.4)
    assert found["sufficiency"] == found["sufficiency_aopc"] == 0
    assert found["comprehensiveness_aopc"] == pytest.approx(0.264)
    assert found["comprehensiveness_aopc/paper"] == pytest.approx(0.22)
    assert found["tokens_to_flip"] == pytest.approx(3 / 12)
    assert found["sufficiency_kl"] == 0
    expected = 0.5 * np.log(0.5 / 0.9) + 0.5 * np.log(0.5 / 0.1)
    assert found["comprehensiveness_kl"] == pytest.approx(expected)


def test_a_random_rationale_of_the_same_size_has_its_chance(tmp_path):
    rng = np.random.default_rng(1)
    annotations, predictions = [], []
    for i in range(150):
        annotations.append(annotation(str(i), mark(0, 3)))
        at = int(rng.integers(12))
        words = [(at + k) % 12 for k in range(3)]
        part = {"docid": "d1", "hard_rationale_predictions": hard(*((w, w + 1) for w in words))}
        predictions.append({"annotation_id": str(i), "rationales": [part]})
    found = scored(*corpus(tmp_path, annotations, predictions))
    assert found["token_f1"].low <= 3 / 12 <= found["token_f1"].high


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        ({"annotation_id": "9", "rationales": []}, "'9' is not in"),
        ({"annotation_id": "1"}, "cannot be scored"),
        (
            {
                "annotation_id": "1",
                "rationales": [{"docid": "d1", "soft_rationale_predictions": [0.5]}],
            },
            "1 scores of d1, which has 12",
        ),
    ],
)
def test_files_that_do_not_belong_together_are_refused(tmp_path, prediction, said):
    files = corpus(tmp_path, [annotation("1", mark(0, 2))], [prediction])
    with pytest.raises(DataError, match=said):
        eraser_scores(*files)
    (tmp_path / "found.jsonl").write_text("{")
    with pytest.raises(DataError, match="lines of JSON"):
        eraser_scores(*files)


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    """A run on annotations whose evidence is the one word that the model knows."""
    folder = tmp_path_factory.mktemp("eraser")
    texts = {"1": ("a really good , film .", 2), "2": ("it is bad\nand long, too", 2)}
    documents = [{"docid": f"d{name}", "document": text} for name, (text, _) in texts.items()]
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, documents)))
    labels = {"1": "positive", "2": "negative"}
    rows = [
        annotation(name, mark(at, at + 1, docid=f"d{name}"), label=labels[name])
        for name, (_, at) in texts.items()
    ]
    (folder / "val.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = load_dataset(f"eraser:{folder / 'val.jsonl'}").examples
    items = [{"id": one.id, "text": one.fields["text"], "label": one.gold} for one in data]
    finished = run("attribution", KeywordClassifier(), items, folder / "run", methods=["occlusion"])
    return finished.path, folder / "val.jsonl"


def test_predictions_of_a_run_are_scored_as_what_they_name(explained, tmp_path):
    path, annotations = explained
    out = tmp_path / "found.jsonl"
    assert write_eraser_predictions(path, annotations, out, method="occlusion") == 2
    first = json.loads(out.read_text().splitlines()[0])
    (rationale,) = first["rationales"]
    assert first["classification"] == "positive"
    assert rationale["hard_rationale_predictions"] == hard((2, 3))
    soft = rationale["soft_rationale_predictions"]
    assert len(soft) == 6
    assert soft[2] > 0
    assert soft[:2] + soft[3:] == [0] * 5
    found = scored(annotations, out)
    assert all(found[name].value == 1 for name in ("accuracy", "iou_f1", "token_f1", "auprc"))


def test_predictions_that_a_run_does_not_have_are_refused_by_name(explained, tmp_path):
    path, annotations = explained
    with pytest.raises(DataError, match=r"no scores of lime .* it has occlusion"):
        write_eraser_predictions(path, annotations, tmp_path / "x", method="lime")
    with pytest.raises(DataError, match="share"):
        write_eraser_predictions(path, annotations, tmp_path / "x", method="lime", share=0)
    changed = tmp_path / "val.jsonl"
    changed.write_text(annotations.read_text())
    (tmp_path / "docs.jsonl").write_text(
        "\n".join(json.dumps({"docid": f"d{i}", "document": "another"}) for i in (1, 2))
    )
    with pytest.raises(DataError, match="another than in the run"):
        write_eraser_predictions(path, changed, tmp_path / "x", method="occlusion")
    (tmp_path / "docs.jsonl").write_text("")
    with pytest.raises(DataError, match="cannot be read as annotations"):
        write_eraser_predictions(path, changed, tmp_path / "x", method="occlusion")
