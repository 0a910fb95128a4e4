"""Head match: mentions that it finds, clusters that it makes, and what it scores on LitBank."""

from functools import cache

import pytest

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.models.head_match import find
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task
from scrutiny.text.tagger import LightTagger
from scrutiny.text.tokens import token_spans

TASK = load_task("coreference")


def item(text, mentions=None):
    gold = None if mentions is None else clusters_of("text", [[m] for m in mentions])
    return Example("1", {"text": text}, gold, tokens={"text": tuple(token_spans(text))})


def clusters(text, options="", mentions=None):
    model = load_model(f"rules:head-match{options}", TASK)
    (answer,) = model.predict([item(text, mentions)])
    return [[text[a:b] for a, b in c] for c in answer.answer.clusters]


def linked(text):
    return [cluster for cluster in clusters(text) if len(cluster) > 1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mr. Darcy saw his old friend .", ["Mr. Darcy", "his", "his old friend"]),
        ("She ran to the house , and it burned .", ["She", "the house"]),
        ("The idea of the table rained .", []),
        ("I gave them my word .", ["I", "them", "my"]),
    ],
)
def test_mentions_are_pronouns_names_people_and_places(text, found):
    words = [text[a:b] for a, b in token_spans(text)]
    spans = token_spans(text)
    mentions = [text[spans[m.first][0] : spans[m.last][1]] for m in find(words)]
    assert sorted(mentions) == sorted(found)


def test_what_words_tell_of_a_mention():
    words = "Mrs. Bennet told a king , her daughters and the streets of him".split()
    told = {m.head: (m.kind, m.gender, m.number, m.is_thing, m.is_new) for m in find(words)}
    assert told["bennet"] == ("name", "female", "one", None, False)
    assert told["king"] == ("noun", "male", "one", False, True)
    assert told["daughter"] == ("noun", "female", "many", False, False)
    assert told["street"] == ("noun", None, "many", True, False)
    assert told["he"] == ("pronoun", "male", "one", False, False)


def test_names_and_nouns_join_by_their_main_word():
    assert linked("Mr. Darcy came . The girl met Darcy . Then Darcy saw the girl .") == [
        ["Mr. Darcy", "Darcy", "Darcy"],
        ["The girl", "the girl"],
    ]


def test_the_genders_of_names_keep_them_apart():
    assert linked("Mr. Bennet spoke to Mrs. Bennet .") == []


def test_who_is_introduced_is_somebody_new():
    assert linked("A girl came . A girl went . The girl slept .") == [["A girl", "The girl"]]


def test_pronouns_join_the_nearest_mention_that_fits():
    assert linked("Jane met the king . She told him of her daughters . They slept .") == [
        ["Jane", "She", "her"],
        ["the king", "him"],
        ["her daughters", "They"],
    ]


def test_a_mention_is_not_meant_by_a_pronoun_within_it():
    assert linked("Jane saw her mother .") == [["Jane", "her"]]


def test_speakers_have_one_cluster_each():
    assert linked("I know my house . You know me .") == [["I", "my", "me"]]


def test_gold_mentions_are_taken_and_their_clusters_are_not_looked_at():
    text = "Jane saw the crown of the king . He wore it ."
    mentions = [(0, 4), (9, 30), (22, 30), (33, 35), (41, 43)]
    assert clusters(text, "#mentions=gold", mentions) == [
        ["Jane"],
        ["the crown of the king", "it"],
        ["the king", "He"],
    ]
    with pytest.raises(ModelError, match="needs items with gold answers"):
        clusters(text, "#mentions=gold")


def test_answers_are_kept_by_texts_unless_gold_mentions_decide_as_well():
    assert load_model("rules:head-match", TASK).fingerprint()
    assert load_model("rules:head-match#mentions=gold", TASK).fingerprint() is None


@pytest.mark.parametrize(
    ("source", "task", "says"),
    [
        (
            "rules:heads",
            "coreference",
            "There are no rules 'heads'. There are: bm25, first-sense, head-match",
        ),
        ("rules:head-match#mentions=some", "coreference", "mentions= is own or gold, not 'some'"),
        ("rules:head-match#sieve=1", "coreference", "no option 'sieve'"),
        ("rules:head-match", "text-classification", "it gives clusters of mentions"),
    ],
)
def test_what_it_cannot_do(source, task, says):
    with pytest.raises(ModelError, match=says):
        load_model(source, load_task(task))


@pytest.mark.data("litbank_coref")
def test_scores_on_litbank(shared, monkeypatch):
    tags = cache(lambda words: real(LightTagger(), words))  # both models tag the same texts
    real = LightTagger.tag
    monkeypatch.setattr(LightTagger, "tag", lambda _, words: tags(tuple(words)))
    examples = load_dataset(f"conll2012:{shared / 'litbank_coref'}").examples
    for options, *wanted in (("", 0.526, 0.812, 0.506), ("#mentions=gold", 0.710, 1.0, 0.602)):
        answers = load_model(f"rules:head-match{options}", TASK).predict(examples)
        found = [
            level_of(TASK, examples, answers, metric=metric)
            for metric in ("conll_f1@1", "mention_f1@1", "linked_conll_f1@1")
        ]
        assert found == pytest.approx(wanted, abs=6e-4), options
    assert TASK.chance(examples) == pytest.approx(0.3695, abs=1e-4)
