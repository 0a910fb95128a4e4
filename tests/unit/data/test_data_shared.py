"""Counts that the README files beside the shared data state."""

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.summary import summarize
from scrutiny.tasks.tags import spans_of, to_bio


@pytest.mark.data("sst2")
@pytest.mark.parametrize(
    ("part", "n", "positive"), [("train", 67349, 37569), ("dev", 872, 444), ("test", 1821, 909)]
)
def test_sst2(shared, part, n, positive):
    data = load_dataset(f"tsv:{shared}/sst2/{part}.tsv#text=sentence,label=label")
    assert (len(data), data.bad_rows, data.labels) == (n, (), ("0", "1"))
    assert data.golds.count("1") == positive
    assert len({e.id for e in data.examples}) == n


@pytest.mark.data("wnut17")
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("wnut17train.conll", 3394),
        ("emerging.dev.conll", 1009),
        ("emerging.test.annotated", 1287),
    ],
)
def test_wnut17(shared, name, n):
    path = shared / "wnut17" / name
    data = load_dataset(f"conll:{path}#token=0,tag=-1")
    assert (len(data), data.bad_rows) == (n, ())
    assert data.labels == (
        "corporation",
        "creative-work",
        "group",
        "location",
        "person",
        "product",
    )
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    tags = [cells[1].strip() for cells in lines if len(cells) == 2 and cells[0]]
    written = [tag for e in data.examples for tag in to_bio((e.tokens or {})["text"], e.gold)]
    assert written == tags
    beginnings = sum(tag.startswith("B-") for tag in tags)
    assert sum(label.n for label in summarize(data).labels) == beginnings


@pytest.mark.data("wikigold")
def test_wikigold(shared):
    data = load_dataset(f"conll:{shared}/wikigold/wikigold.conll.txt")
    assert len(data) == 1696
    assert data.labels == ("LOC", "MISC", "ORG", "PER")
    assert any("conlleval" in doubt for doubt in data.doubts)
    for example in data.examples:
        borders = example.tokens["text"]
        assert spans_of(to_bio(borders, example.gold), borders) == example.gold


@pytest.mark.data("uner_english_ewt")
@pytest.mark.parametrize(("part", "n"), [("dev", 2001), ("test", 2077)])
def test_uner(shared, part, n):
    path = shared / "uner_english_ewt" / f"en_ewt-ud-{part}.iob2"
    data = load_dataset(f"conll:{path}#token=1,tag=2,id=sent_id")
    assert (len(data), data.bad_rows, data.labels) == (n, (), ("LOC", "ORG", "PER"))


@pytest.mark.data("mrpc")
@pytest.mark.parametrize(("part", "n"), [("train", 3576), ("val", 500), ("test", 1725)])
def test_mrpc(shared, part, n):
    path = shared / "mrpc" / f"msr-para-{part}.tsv"
    data = load_dataset(f"tsv:{path}#text=#1 String,text_pair=#2 String,label=Quality")
    assert (len(data), data.bad_rows, data.task) == (n, (), "text-pair-classification")


@pytest.mark.data("glue")
@pytest.mark.parametrize(
    ("path", "n", "entailed"),
    [("rte/train", 2490, 1249), ("rte/dev", 277, 146), ("qnli/dev", 5463, 2702)],
)
def test_glue_pairs(shared, path, n, entailed):
    data = load_dataset(f"tsv:{shared}/glue/{path}.tsv")
    assert (len(data), data.bad_rows) == (n, ())
    assert data.golds.count("entailment") == entailed
    assert data.task == "text-pair-classification"
