"""Attributions of other answers than labels: one tag, the chosen option, an extract's question."""

import numpy as np
import pytest
from toy_runs import estimate, resolve_only, run

from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.answers.texts import Extract
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attribution.attribution_page import PART
from scrutiny.diagnostics.attribution.methods.listed import methods_for
from scrutiny.diagnostics.attribution.methods.method import Effort
from scrutiny.diagnostics.attribution.methods.occlusion import Occlusion
from scrutiny.diagnostics.attribution.read_texts import ask_changed, read_text
from scrutiny.diagnostics.attribution.targets import sureness, target_in_words, target_of
from scrutiny.report.load import load_view
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.checking import ToyContext

FILLERS = "one two three four five six seven".split()


class Asked(Model):
    """Base of toys that look for one word."""

    source = "python:object:Asked"
    labels = ()
    is_batch_invariant = True
    capabilities = frozenset({"predict"})

    def fingerprint(self):
        return type(self).__name__

    def predict(self, examples):
        return [self.answer(one) for one in examples]


class Tagger(Asked):
    """The capitalized word is a PER as long as the text has "said", and otherwise a LOC."""

    task = "token-tagging"
    labels = ("PER", "LOC")

    def answer(self, example):
        text = example.text
        for start, end in example.tokens["text"]:
            if text[start].isupper():
                label = "PER" if "said" in text.split() else "LOC"
                return Prediction((Span("text", start, end, label),), (0.75,))
        return Prediction((), ())


class Chooser(Asked):
    """The first option, if the question says "first"; else the last."""

    task = "multiple-choice"

    def answer(self, example):
        is_first = "first" in example.fields["text"].split()
        return Prediction(Option(0 if is_first else len(options_in(example.fields)) - 1), (0.9,))


class Reader(Asked):
    """The first word of the passage, if the question says "who"; else the last."""

    task = "question-answering"

    def answer(self, example):
        question, passage = example.fields.values()
        words = passage.split()
        word = words[0 if "who" in question.split() else -1]
        name = [*example.fields][-1]
        return Prediction(Extract(word, name, passage.index(word)), (0.8,))


def scores_of(model, example):
    context = ToyContext(load_task(model.task), model)
    text = read_text(example, context.predict([example])[0], model.labels)
    (scores,) = Occlusion().scores([text], context, Effort())
    words = [text.example.fields[w.field][w.start : w.end] for w in text.words]
    return text, dict(zip(words, scores.tolist(), strict=True)), context


def tagged(text, *, at=3):
    places, done = [], 0
    for word in text.split():
        places.append((done, done + len(word)))
        done += len(word) + 1
    return Example(str(at), {"text": text}, tokens={"text": tuple(places)})


def test_a_tag_is_explained_by_the_words_around_it():
    text, scores, context = scores_of(Tagger(), tagged("one said Ida to two"))
    assert target_in_words(text.target, text.example) == "Ida (PER)"
    assert scores == {"one": 0, "said": 0.75, "to": 0, "two": 0}
    changed = text.without({0, 2})
    assert changed.text == "said Ida two"
    assert changed.tokens == {"text": ((0, 4), (5, 8), (9, 12))}
    (said,) = ask_changed([(text, changed)], context)
    assert (said.score, said.is_same) == (0.75, True)


def test_a_text_without_tags_has_nothing_to_explain():
    found = target_of(Prediction(()), tagged("one two"), ())
    assert (found.reason, found.status) == ("names_nothing", "skipped")


def test_the_chosen_option_is_explained_by_the_question():
    fields = {"text": "which is first of all", "option_1": "a b", "option_2": "c d"}
    text, scores, _ = scores_of(Chooser(), Example("1", fields))
    assert target_in_words(text.target, text.example) == "a b"
    assert scores == {"which": 0, "is": 0, "first": 0.9, "of": 0, "all": 0}


def test_an_extract_is_explained_by_the_question_and_not_by_its_passage():
    fields = {"question": "who did it", "context": "Ida went home"}
    text, scores, _ = scores_of(Reader(), Example("1", fields))
    assert target_in_words(text.target, text.example) == "Ida"
    assert scores == {"who": 0.8, "did": 0, "it": 0}


def test_of_an_answer_of_another_kind_what_counts_is_the_share_that_stays():
    from scrutiny.core.answers.choices import LabelSet

    target, example = LabelSet(["a", "b"]), Example("1", {"text": "x y"})
    assert sureness(Prediction(LabelSet(["a"])), target, example, ()) == pytest.approx(2 / 3)
    assert sureness(Prediction(), target, example, ()) == 0


def test_marked_words_stay_and_their_places_move():
    marked = Example(
        "1", {"text": "so good food , bad wine"}, spans=(Span("text", 8, 12, "aspect"),)
    )
    text = read_text(marked, Prediction("pos"), ["pos"])
    assert len(text) == 5
    changed = text.without({0, 1})
    assert (changed.text, changed.spans) == ("food , bad wine", (Span("text", 0, 4, "aspect"),))


def test_methods_of_labels_are_refused_for_tags():
    task = load_task("token-tagging")
    capabilities = {"predict", "gradients", "path_gradients"}
    assert [m.name for m in methods_for((), capabilities, task)] == [
        "occlusion",
        "kernel_shap",
        "lime",
    ]
    with pytest.raises(PlanError, match="it explains labels alone"):
        methods_for(("gradient",), capabilities, task)


def test_tags_have_a_verdict(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for i in range(24):
        words = [*rng.choice(FILLERS, size=8), "Ida", ("said", "saw")[i % 2]]
        words = [words[k] for k in rng.permutation(10)]
        tags = ["B-PER" if w == "Ida" and i % 2 == 0 else "O" for w in words]
        rows.append({"tokens": [*map(str, words)], "tags": tags})
    folder = run("attribution", Tagger(), rows, tmp_path / "run", methods=["occlusion"], draws=2)
    own = estimate(folder, "mean(comprehensiveness)", method="occlusion")
    assert own.value == pytest.approx(0.375)  # of every second text a word decides
    (finding,) = folder.findings()
    assert finding.verdict == "supported"
    texts = PART.make(load_view(folder.path)).charts[-1]
    outlined = {word.text for text in texts.scored for word in text.words if word.shade == -2}
    assert outlined == {"Ida"}
    assert texts.caption.endswith("Outlined words are those whose tag is explained.")


def test_how_few_words_of_a_question_an_answer_needs(tmp_path):
    rows = [
        {
            "id": str(i),
            "question": f"{('who', 'what')[i % 2]} {FILLERS[i % 7]} {FILLERS[(i + 3) % 7]}",
            "context": "Ida went home",
            "answers": {"text": [("Ida", "home")[i % 2]], "answer_start": [(0, 9)[i % 2]]},
        }
        for i in range(24)
    ]
    params = {"methods": ["occlusion"], "kept": [0, 1], "few": 1}
    folder = run("attribution.overstability", Reader(), rows, tmp_path / "run", **params)
    assert estimate(folder, "mean(hit)", kept=1).value == 1
    assert estimate(folder, "mean(hit)", kept=0).value == pytest.approx(0.5)


def test_other_answers_are_refused_in_a_sentence():
    rows = [{"source": "a b", "reference": "c d"}]
    with pytest.raises(PlanError, match="no single part is explained"):
        resolve_only(Asked(), rows, diagnostic="attribution", task="translation")
