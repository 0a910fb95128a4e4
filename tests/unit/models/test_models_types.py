"""Types of a tagger in the words of the data: a stated map, read and applied for any tagger."""

import pytest

from scrutiny.core.answers.texts import Extract
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import DataError, ModelError, PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.task import Prediction
from scrutiny.data.entity_types import suggested_types, types_differ, written_types
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.model_loading import NamesTypes, load_model, read_types, with_types
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task

ONTONOTES = """CARDINAL DATE EVENT FAC GPE LANGUAGE LAW LOC MONEY NORP ORDINAL ORG PERCENT PERSON
PRODUCT QUANTITY TIME WORK_OF_ART""".split()
CODE = """
PLACES = {"Ada": "PERSON", "Rome": "GPE", "Monday": "DATE"}
def find(texts):
    return [
        [(text.index(n), text.index(n) + len(n), t) for n, t in PLACES.items() if n in text]
        for text in texts
    ]
def broken(texts):
    return [None if "Rome" in text else found for text, found in zip(texts, find(texts))]
"""
SENTENCES = "Ada B-PER\nsaw O\nRome B-LOC\non O\nMonday O\n\nRome B-LOC\n"


@pytest.fixture
def target(tmp_path):
    (tmp_path / "finder.py").write_text(CODE)
    return f"python:{tmp_path}/finder.py"


def test_spans_get_the_types_of_the_data_and_others_are_left_out(target, tagging, make):
    model = load_model(f"{target}:find#types=PERSON:PER|GPE:LOC|-:MISC", tagging)
    assert model.labels == ("PER", "LOC", "MISC")
    (answer,) = model.predict(make("Ada saw Rome on Monday"))
    assert answer.answer == (Span("text", 0, 3, "PER"), Span("text", 8, 12, "LOC"))


def test_confidences_stay_with_their_spans(tagging, make, tmp_path):
    parts = [
        {"start": 0, "end": 3, "entity_group": "PERSON", "score": 0.75},
        {"start": 16, "end": 22, "entity_group": "DATE", "score": 0.5},
        {"start": 8, "end": 12, "entity_group": "GPE", "score": 0.25},
    ]
    code = f"""
def sure(texts):
    return [{parts} for _ in texts]
def unsure(texts):
    return [[dict(part, score=None) for part in parts] for parts in sure(texts)]
"""
    (tmp_path / "scored.py").write_text(code)
    asked = make("Ada saw Rome on Monday")
    string = f"python:{tmp_path}/scored.py"
    for types, scores in (("", (0.75, 0.5, 0.25)), ("#types=PERSON:PER|GPE:LOC", (0.75, 0.25))):
        (answer,) = predict_or_fail(load_model(f"{string}:sure{types}", tagging), asked)
        assert answer.scores == scores
    (answer,) = predict_or_fail(load_model(f"{string}:unsure", tagging), asked)
    assert (len(answer.answer), answer.scores) == (3, None)


def test_a_reader_may_say_how_sure_it_is(tmp_path):
    answer = {"answer": "Rome", "start": 4, "score": 0.5}
    code = f"def read(pairs):\n    return [{answer} for _ in pairs]\n"
    (tmp_path / "reader.py").write_text(code)
    model = load_model(f"python:{tmp_path}/reader.py:read", load_task("question-answering"))
    item = Example("1", {"question": "Where?", "context": "saw Rome"})
    assert predict_or_fail(model, [item]) == [Prediction(Extract("Rome", "context", 4), (0.5,))]


def test_a_type_that_the_model_lacks_is_all_that_has_to_be_stated(tagging, make, tmp_path):
    (tmp_path / "known.py").write_text(CODE + 'find.labels = ("PERSON", "GPE", "DATE")\n')
    model = load_model(f"python:{tmp_path}/known.py:find#types=-:MISC", tagging)
    assert set(model.labels) == {"PERSON", "GPE", "DATE", "MISC"}
    (answer,) = model.predict(make("Ada saw Rome"))
    assert [span.label for span in answer.answer] == ["PERSON", "GPE"]
    assert "types=-:MISC (" in types_differ("hf:x", ["PER", "LOC"], ["LOC", "MISC", "PER"])


def test_a_tagger_of_types_that_nobody_stated_keeps_them(target, tagging, make):
    model = load_model(f"{target}:find#types=-:MISC|-:ORG", tagging)
    assert model.labels == ()
    (answer,) = model.predict(make("Ada saw Rome"))
    assert [span.label for span in answer.answer] == ["PERSON", "GPE"]


def test_failures_stay_failures(target, tagging, make):
    model = load_model(f"{target}:broken#types=PERSON:PER", tagging)
    first, second = predict_or_fail(model, make("Ada", "Rome"))
    assert first.answer == (Span("text", 0, 3, "PER"),)
    assert isinstance(second, Failure)


def test_the_map_is_part_of_the_fingerprint_and_takes_gradients_away(tagging):
    class Known:
        source, task, labels, is_batch_invariant = "x", "token-tagging", ("PERSON", "GPE"), True
        capabilities = frozenset({"predict", "gradients"})

        def fingerprint(self):
            return "own"

        def predict(self, examples):
            return []

    from scrutiny.core.model import as_model
    from scrutiny.models.strings.model_strings import parse

    def typed(stated):
        return with_types(as_model(Known()), parse(f"python:x:y#types={stated}"), tagging)

    one, other = typed("PERSON:PER"), typed("PERSON:PER|GPE:LOC")
    assert isinstance(one, NamesTypes)
    assert one.capabilities == {"predict"}
    assert len({one.fingerprint(), other.fingerprint(), "own"}) == 3
    with pytest.raises(PlanError, match="no type of the model named 'PERSN'"):
        typed("PERSN:PER")


@pytest.mark.parametrize("stated", ["PERSON", "PERSON:", ":PER", "A:B|A:C", "A:B|", "-:B|-:B"])
def test_maps_that_cannot_be_read(stated):
    with pytest.raises(ModelError, match="cannot be read at"):
        read_types(stated, source="m")


def test_other_tasks_have_no_types(target, classification):
    with pytest.raises(ModelError, match="answers to text-classification have none"):
        load_model(f"{target}:find#types=A:B,labels=a|b", classification)


def test_ontonotes_leads_to_conll():
    data = ["LOC", "MISC", "ORG", "PER"]
    found = suggested_types(ONTONOTES, data)
    assert {name for name, other in found.items() if other == "LOC"} == {"FAC", "GPE", "LOC"}
    assert (found["PERSON"], found["ORG"], found["NORP"]) == ("PER", "ORG", "MISC")
    assert not {"DATE", "CARDINAL", "MONEY"} & set(found)
    assert read_types(written_types(found, data), source="m") == found
    assert suggested_types(["per", "loc"], ["PER", "LOC"]) == {"per": "PER", "loc": "LOC"}


def test_the_paragraph_says_what_to_state():
    said = types_differ("hf:x", ["PERSON"], ["MISC", "PER"])
    assert "types=PERSON:PER|-:MISC" in said
    assert "The data has 'MISC', 'PER'; the model has 'PERSON'" in said
    assert "rename the types that the object answers" in types_differ("python:object:f", [], ["A"])
    assert "add layer=upos" in types_differ("spacy:x", ONTONOTES, ["NOUN", "VERB"])
    assert "add layer=xpos" in types_differ("spacy:x", ONTONOTES, ["NN", "VBZ", "."])


def measured(model, tmp_path, monkeypatch, rows=SENTENCES):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.conll").write_text(rows)
    plan = Plan(
        data=(DataPlan("d", "conll:d.conll"),),
        models=(ModelPlan("m", model),),
        measure=(MeasurePlan("level", "performance", ("m",), ("d",)),),
    )
    resolved = resolve(plan, opened=Opened(LoadedModels()))
    return run_plan(resolved, tmp_path / "out").estimates()


def f1_of(estimates):
    return next(e.value for e in estimates if e.key.metric == "entity_f1@1")


def test_a_map_makes_a_right_tagger_right(target, tmp_path, monkeypatch):
    model = f"{target}:find#types=PERSON:PER|GPE:LOC"
    assert f1_of(measured(model, tmp_path, monkeypatch)) == 1.0


def test_types_that_nobody_matched_are_never_silently_wrong(target, tmp_path, monkeypatch):
    many = "".join(f"Ada B-PER\nsaw O\nRome B-LOC\n{i} O\n\n" for i in range(20))
    with pytest.raises(ModelError, match=r"types=GPE:LOC\|PERSON:PER"):
        measured(f"{target}:find", tmp_path, monkeypatch, rows=many)
    with pytest.raises(DataError, match=r"types=PERSON:PER\|-:LOC"):
        measured(f"{target}:find#labels=PERSON|DATE", tmp_path, monkeypatch)


def test_few_unmatched_types_are_a_warning(target, tmp_path, monkeypatch):
    assert f1_of(measured(f"{target}:find", tmp_path, monkeypatch)) == 0.0
    warned = RunFolder(tmp_path / "out").manifest["warnings"]
    assert any("types=DATE" not in one and "GPE:LOC|PERSON:PER" in one for one in warned)


@pytest.mark.parametrize(
    "rows",
    [
        "the O\nred B\nhouse I\nfell O\n\na B\nman I\n",
        "the o\nred b\nhouse i\nfell o\n\na b\nman i\n",
        "the O\nred B_X\nhouse I_X\nfell O\n\na B_X\nman I_X\n",
        "the O\nred X-B\nhouse X-I\nfell O\n\na X-B\nman X-I\n",
        "the O\nred X\nhouse X\nfell O\n\na X-B\nman X-E\n",
        "the DET\nred ADJ\nhouse NOUN\nfell VERB\n\na DET\nman NOUN\n",
    ],
)
def test_a_tagger_that_answers_the_gold_tags_is_perfect(rows, tmp_path, monkeypatch):
    tags = {}
    for sentence in rows.strip().split("\n\n"):
        words, own = zip(*(line.split() for line in sentence.splitlines()), strict=True)
        tags[" ".join(words)] = list(own)
    (tmp_path / "golden.py").write_text(
        f"TAGS = {tags!r}\ndef tag(texts):\n    return [TAGS[text] for text in texts]\n"
    )
    assert f1_of(measured(f"python:{tmp_path}/golden.py:tag", tmp_path, monkeypatch, rows)) == 1.0
