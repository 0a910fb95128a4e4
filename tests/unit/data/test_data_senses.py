"""Senses of marked words: the unified format beside WordNet's files, scores, and baselines."""

import random
from pathlib import Path

import pytest

from scrutiny.core.answers.choices import Ranking, options_in, squashed
from scrutiny.core.errors import DataError
from scrutiny.core.facts import Facts
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

TASK = load_task("word-senses")
XML = """<?xml version="1.0"?>
<corpus lang="en"><text id="d0"><sentence id="d0.s0">
<wf lemma="the" pos="DET">The</wf>
<instance id="d0.s0.t0" lemma="bank" pos="NOUN">banks</instance>
<wf lemma="be" pos="VERB">were</wf>
<instance id="d0.s0.t1" lemma="wet" pos="ADJ">wet</instance>
<instance id="d0.s0.t2" lemma="bank" pos="NOUN">bank</instance>
</sentence></text></corpus>
"""
KEYS = (
    "d0.s0.t0 bank%1:17:01::\nd0.s0.t1 damp%5:00:00:wet:00 wet%3:00:00::\nd0.s0.t2 bank%1:99:00::\n"
)
LICENSE = "  1 This software and database is being provided to you\n"
#: Lemma, senses of it in order of frequency, by the numbers of their lines.
INDEX = {
    "noun": "bank n 2 1 @ 2 1 00000010 00000020  \n",
    "verb": "bank v 1 0 1 0 00000050  \n",
    "adj": "wet a 2 1 & 2 1 00000030 00000040  \n",
    "adv": "well r 1 0 1 1 00000060  \n",
}
DATA = {
    "noun": "00000010 14 n 01 bank 0 000 | where money is kept; \"a bank loan\"\n"
    "00000020 17 n 02 slope 0 bank 1 000 | sloping land beside a river\n",
    "verb": "00000050 38 v 01 bank 0 000 | tip to the side\n",
    "adj": "00000030 00 a 01 wet(p) 0 001 & 00000040 a 0000 | covered with a liquid\n"
    "00000040 00 s 02 damp 0 wet 2 001 & 00000030 a 0000 | slightly wet\n",
    "adv": "00000060 02 r 01 well 0 000 | in a good way\n",
}  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    for kind, files in (("index", INDEX), ("data", DATA)):
        for name, content in files.items():
            (tmp_path / f"{kind}.{name}").write_text(LICENSE + content)
    (tmp_path / "a.data.xml").write_text(XML)
    (tmp_path / "a.gold.key.txt").write_text(
        KEYS.replace("damp%", "wet%").replace("wet%5:00:00", "wet%5:00:02")
    )
    return f"senses:{tmp_path}/a.data.xml#wordnet={tmp_path}"


def test_words_with_the_descriptions_of_their_senses(corpus):
    data = load_dataset(corpus)
    assert data.task == "word-senses"
    first, second = data.examples
    assert first.text == "The <t>banks</t> were wet bank"
    assert options_in(first.fields) == [
        'where money is kept; "a bank loan"',
        "sloping land beside a river",
    ]
    assert (first.gold, second.gold) == (Ranking([1]), Ranking([0, 1]))
    assert first.attributes == {
        "a_lemma": "bank", "a_pos": "n", "u_sentence": "d0.s0", "u_document": "d0",
    }  # fmt: skip
    (bad,) = data.bad_rows
    assert bad.reason == "d0.s0.t2: WordNet has no sense bank%1:99:00::"
    assert TASK.chance(data.examples) == 0.75
    assert {TASK.facts.grounds[0], TASK.facts.answer} == {"marked", "ranking"}


def test_wordnet_has_to_be_there(corpus, tmp_path):
    (tmp_path / "data.adv").unlink()
    with pytest.raises(DataError, match="has no files of WordNet"):
        load_dataset(corpus)
    (tmp_path / "a.gold.key.txt").unlink()
    with pytest.raises(DataError, match="There is no file"):
        load_dataset(corpus)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": "a bank"}, "not one marked word"),
        ({"text": "a <t>bank</t> <t>bank</t>"}, "not one marked word"),
        ({"text": "a <t> </t> bank"}, "not one marked word"),
        ({"text": "a bank", "target": [2, 9]}, "counted from 0 to 6"),
        ({"text": "a <t>bank</t>", "senses": []}, "senses is empty"),
        ({"text": "a <t>bank</t>", "sense": 2}, "counted from 0 to 1"),
        ({"text": "a <t>bank</t>", "sense": []}, "sense is empty"),
    ],
)
def test_rows_that_cannot_be_read(row, said):
    with pytest.raises(DataError, match=said):
        TASK.parse({"senses": ["x", "y"], **row}, source="x:1")


@pytest.mark.parametrize(
    ("name", "printed"),
    [("senseval2", 66.8), ("senseval3", 66.2), ("semeval2007", 55.2), ("semeval2015", 67.8)],
)
@pytest.mark.reproduces
@pytest.mark.data("wsd_senseval")
def test_first_senses_score_what_is_printed(shared, name, printed):
    """WordNet's first sense in the table of Raganato et al. (2017)."""
    wordnet = Path("/usr/share/wordnet")
    if not wordnet.is_dir():
        pytest.skip("needs WordNet 3.0 in /usr/share/wordnet")
    data = load_dataset(f"senses:{shared}/wsd_senseval/{name}.data.xml")
    assert (data.bad_rows, round(100 * TASK.chance(data.examples), 1)) == ((), printed)


def test_columns_of_any_file():
    row = {"text": "a bank", "target": [2, 6], "senses": ["money", "river"], "sense": 1}
    example = TASK.parse(row, source="x:1")
    assert example.text == "a <t>bank</t>"
    assert [(s.field, s.start, s.end) for s in example.protected] == [
        ("text", 2, 13),
        ("option_1", 0, 5),
        ("option_2", 0, 5),
    ]
    assert Facts("ranking", "marked", TASK.holds) == TASK.facts


def test_f1_is_that_of_precision_and_recall():
    """On 1,000 words, from the answers of each word: as many as there are, so P = R = F1."""
    rng, items, answers, right = random.Random(3), [], [], 0
    for k in range(1000):
        count = rng.randrange(1, 6)
        gold = rng.sample(range(count), rng.randrange(1, min(count, 2) + 1))
        row = {"text": f"word {k} <t>x</t>", "senses": [f"s{i}" for i in range(count)]}
        items.append(TASK.parse({**row, "sense": gold, "id": str(k)}, source="x:1"))
        answers.append(Prediction(Ranking(rng.sample(range(count), count))))
        right += answers[-1].answer[0] in gold
    assert level_of(TASK, items, answers) == pytest.approx(right / 1000)
    first = sum(0 in item.gold for item in items) / 1000
    guess = sum(len(item.gold) / (len(item.fields) - 1) for item in items) / 1000
    assert TASK.chance(items) == pytest.approx(max(first, guess))


def test_baselines(corpus):
    items = load_dataset(corpus).examples
    first, lesk = (load_model(f"rules:{name}", TASK) for name in ("first-sense", "lesk"))
    assert [a.answer for a in first.predict(items)] == [Ranking([0, 1])] * 2
    row = {"text": "the rivers beside a <t>bank</t>", "senses": options_in(items[0].fields)}
    river = TASK.parse(row, source="x:1")
    assert [a.answer for a in lesk.predict([river])] == [Ranking([1, 0])]
    assert first.fingerprint() != lesk.fingerprint()


def test_a_model_is_as_sure_as_its_highest_score():
    """So that recall at a precision can be told of senses, too."""
    assert "recall_at_precision(90)@1" in TASK.scored_by.alone
    assert TASK.measures[-1].name == "sure"
    lesk = load_model("rules:lesk", TASK)
    sure = []
    for glosses in (["money", "a land of rivers"], ["money", "a land"]):
        row = {"text": "a river and a <t>bank</t>", "senses": glosses, "sense": 1}
        one = TASK.parse(row, source="x:1")
        sure.append(TASK.score(one.gold, *lesk.predict([one]), labels=())[-1])
    assert sure == [squashed(1), squashed(0)], "words in common"
    assert TASK.score(Ranking([0]), Prediction(Ranking([0, 1])), labels=())[-1] == 1
