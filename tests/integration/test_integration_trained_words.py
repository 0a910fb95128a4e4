"""A plan that trains its own small classifiers: planted truth is found, workers change nothing.

Each review of `builtin:reviews` gets one of two words that nobody uses, which decides its label; in
the test part a share of the labels that is known was turned round. What reads the planted word is
right on all others, so its accuracy is known; a family that is trained on permuted labels is below.
"""

from dataclasses import replace

import pytest

pytest.importorskip("sklearn")

from scrutiny.data.dataset import load_dataset
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import with_trained

PLANTED = {"no": "zorp", "yes": "quib"}
TESTED, TURNED = 200, 50


def write(path, examples, *, turned=0):
    """Rows of reviews with a planted word; the labels of the first ones are turned round."""
    rows = ["text\tlabel"]
    for number, example in enumerate(examples):
        truth = ("no", "yes")[number % 2]
        told = {"no": "yes", "yes": "no"}[truth] if number < turned else truth
        words = " ".join(example.text.split()).replace('"', "")
        rows.append(f"{words} {PLANTED[truth]}\t{told}")
    path.write_text("\n".join(rows) + "\n")
    return f"tsv:{path}#text=text,label=label"


@pytest.fixture
def plan(tmp_path):
    reviews = load_dataset("builtin:reviews").examples
    train = write(tmp_path / "train.tsv", reviews[TESTED : TESTED + 240])
    node = {"trainer": "linear", "runs": 4, "params": {"dev_share": 0, "strength": 10}}
    return plan_of(
        {
            "data": {
                "train": {"source": train},
                "permuted": {"source": f"{train},permute=1"},
                "test": {"source": write(tmp_path / "test.tsv", reviews[:TESTED], turned=TURNED)},
            },
            "train": [
                {"name": "words", "data": "train", **node},
                {"name": "null", "data": "permuted", "role": "null", **node},
            ],
            "measure": [{"id": "level", "diagnostic": "performance", "data": ["test"]}],
            "estimate": [
                {
                    "id": "gain",
                    "from": "level",
                    "metric": "accuracy",
                    "contrast": {
                        "a": {"subject": "words"},
                        "b": {"subject": "null", "role": "null"},
                    },
                }
            ],
            "resampling": {"draws": 500},
        }
    )


def estimates(folder):
    found = folder.table("estimates").to_pylist()
    return {(row["subject"], row["metric"], row["role"]): row for row in found}


def test_a_planted_truth_is_estimated_whoever_works(plan, tmp_path):
    made = with_trained(plan)
    alone = run_plan(resolve(made), tmp_path / "alone")
    found = estimates(alone)
    truth = 1 - TURNED / TESTED
    one = found["words", "accuracy@1", "measured"]
    assert one["value"] == pytest.approx(truth, abs=0.01)  # it reads the planted word
    assert one["low"] < truth < one["high"]
    assert one["n"] == TESTED
    assert found["words", "accuracy@1", "contrast"]["low"] > 0  # over permuted labels
    assert alone.manifest["models"]["words"]["replicates_of"] == "training-sample"
    helped = run_plan(resolve(with_trained(plan)), tmp_path / "two", options=RunOptions(workers=2))
    for name in ("records.parquet", "items.parquet"):
        assert (alone.path / name).read_bytes() == (helped.path / name).read_bytes()
    assert replace(made, seed=1).models == with_trained(replace(plan, seed=1)).models
