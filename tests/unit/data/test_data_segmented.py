"""Texts cut into words: readers, scores of words and of unseen words, and the longest match."""

import random

import numpy as np
import pytest

from scrutiny.core.answers.label_and_spans import SEGMENTS, Segments, segments_from
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.attribute import Training
from scrutiny.data.dataset import load_dataset
from scrutiny.data.parts.part_attribute import Surroundings, load_part_attribute
from scrutiny.data.parts.part_counts import PartCounts
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

TASK = load_task("word-segmentation")
WORDS = ("他", "去", "北京", "。")
CONLLU = (
    "# sent_id = s1\n# text = 他去北京。\n"
    + "".join(
        f"{i}\t{w}\t_\tX\t_\t_\t0\troot\t_\t_\n" for i, w in enumerate(WORDS, 1)
    )
    + "\n"
)  # fmt: skip


def test_a_sentence_a_line(write):
    write("a.utf8", "共同  创造\n\n  新 世纪 \n")
    data = load_dataset("segmented:a.utf8")
    assert (data.task, data.bad_rows) == ("word-segmentation", ())
    assert [(e.id, e.text, e.language) for e in data.examples] == [
        ("a/1", "共同创造", "zh"),
        ("a/3", "新世纪", "zh"),
    ]
    assert data.examples[1].gold == Segments("text", ((0, 1), (1, 3)))


def test_sentences_of_a_treebank(write):
    write("a.conllu", CONLLU)
    (example,) = load_dataset("segmented:a.conllu").examples
    assert (example.id, example.text) == ("s1", "他去北京。")
    assert example.gold.borders == ((0, 1), (1, 2), (2, 4), (4, 5))
    assert not any(name.startswith("u_") for name in example.attributes)


@pytest.mark.data("sighan_pku", "ud_chinese_gsdsimp")
def test_published_files_are_read_whole(shared):
    pku = load_dataset(f"segmented:{shared}/sighan_pku/pku_test_gold.utf8")
    assert (len(pku), sum(len(e.gold.borders) for e in pku.examples)) == (1944, 104_372)
    ud = load_dataset(f"segmented:{shared}/ud_chinese_gsdsimp/zh_gsdsimp-ud-test.conllu")
    assert (len(ud), sum(len(e.gold.borders) for e in ud.examples)) == (500, 12_012)


def cut(rng, letters):
    """Letters cut at random."""
    words, at = [], 0
    while at < len(letters):
        size = rng.choice((1, 1, 2, 2, 3))
        words.append(letters[at : at + size])
        at += size
    return words


def ends(words):
    """Set of (start, end, word)."""
    at, found = 0, set()
    for word in words:
        found.add((at, at + len(word), word))
        at += len(word)
    return found


def f1(right, given, wanted):
    return 2 * right / (given + wanted)


def test_scores_are_those_of_sets_of_words():
    """Word F1 and F1 of unseen words of 1,000 texts, counted here in another way."""
    rng = random.Random(5)
    texts = ["".join(rng.choices("天地人你我他大小", k=rng.randrange(3, 15))) for _ in range(1000)]
    golds, given = ([cut(rng, text) for text in texts] for _ in range(2))
    training = [TASK.parse({"segmented": cut(rng, text)}, source="x:1") for text in texts[:40]]
    seen = {e.text[a:b] for e in training for a, b in e.gold.borders}
    items = [TASK.parse({"segmented": one}, source="x:1") for one in golds]
    answers = [segments_from(w, e.text) for w, e in zip(given, items, strict=True)]
    pairs = [(ends(a), ends(b)) for a, b in zip(golds, given, strict=True)]
    counts = [(len(a & b), len(b), len(a)) for a, b in pairs]
    level = level_of(TASK, items, [Prediction(answer) for answer in answers])
    assert level == pytest.approx(f1(*np.sum(counts, axis=0)))

    attribute = load_part_attribute("unseen")
    beside = Surroundings(PartCounts(items), Training(training))
    groups = attribute.groups_of(items, beside)
    found = [
        attribute.counted(e.gold, answer, e, beside, groups)["unseen"]
        for e, answer in zip(items, answers, strict=True)
    ]
    tp, fp, fn = np.sum(found, axis=0)
    new = [tuple({w for w in side if w[2] not in seen} for side in pair) for pair in pairs]
    counts = [(len(a & b), len(b), len(a)) for a, b in new]
    assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(f1(*np.sum(counts, axis=0)))
    assert 0 < tp < len(texts)


def loaded(source):
    return load_model(source, TASK)


def test_the_longest_word_of_a_list(write):
    write("words.txt", "研究 研究生\n生命 起源 ABC")
    model = loaded("rules:longest-match#words=words.txt")
    texts = ["研究生命 起源", "他有ABCD和3.5%个"]
    answers = model.predict([Example(str(i), {"text": text}) for i, text in enumerate(texts)])
    shown = [SEGMENTS.show(a.answer, {"text": t}) for a, t in zip(answers, texts, strict=True)]
    assert shown == ["研究生 | 命 | 起源", "他 | 有 | ABCD | 和 | 3.5% | 个"]
    write("other.txt", "研究")
    assert loaded("rules:longest-match#words=other.txt").fingerprint() != model.fingerprint()


@pytest.mark.parametrize("source", ["rules:longest-match", "rules:longest-match#words=no.txt"])
def test_no_list_is_refused(source, write):
    with pytest.raises(ModelError, match="has to name a file of words"):
        loaded(source)
    write("no.txt", " ")
    if "no.txt" in source:
        with pytest.raises(ModelError, match="holds no words"):
            loaded(source)


def test_other_tasks_are_refused(write):
    write("words.txt", "a")
    with pytest.raises(ModelError):
        load_model("rules:longest-match#words=words.txt", load_task("text-classification"))
