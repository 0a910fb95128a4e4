"""Other wrong options: what is left out, who has skill enough, and models that fall for them."""

from types import SimpleNamespace

import pytest

import scrutiny
from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.passages.option_makers import OptionFromPassage
from scrutiny.perturb.resources.capabilities import (
    AskedPassage,
    FoundStretch,
    OptionWriter,
    StretchReader,
)
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.resources.option_sources import (
    CheckpointWriter,
    PythonReader,
    PythonWriter,
)
from scrutiny.perturb.resources.other_items import OtherItems
from scrutiny.text.edits import apply_edits

THINGS = "coat hat scarf lamp chair table clock book ring cup plate knife".split()
PLACES = "market harbor library station castle garden".split()


def dialogues(count=360):
    """Texts that say what was bought, and of another thing that it was left lying."""
    for k in range(count):
        right, wrong, left = (THINGS[(k * step + at) % 12] for step, at in ((1, 0), (5, 3), (7, 5)))
        text = (
            f"Ida bought the old {right} on day {k}. "
            f"Then she left the {left} near the stone {PLACES[k % 6]} wall."
        )
        options = [f"The {wrong} here.", f"The old {right}."]
        yield Example(
            str(k),
            {"text": text, "question": "What was it that Ida bought?"}
            | {f"option_{n}": o for n, o in enumerate(options[:: 1 if k % 2 else -1], 1)},
            Option(k % 2),
            source=f"x:{k}",
            language="en",
        )


ITEMS = [*dialogues()]


class Finder:
    """Finds what was bought first, at last the second sentence; or the first words alone."""

    def __init__(self, *, knows=True):
        self.knows, self.asked = knows, 0

    def stretches(self, queries, *, most):
        self.asked += len(queries)
        found = []
        for one in queries:
            right = one.text.index("the old")
            left = one.text.index("the", one.text.index("left"))
            best = FoundStretch(right, one.text.index(" on day"), 1.0)
            rest = FoundStretch(left, len(one.text) - 1, 0.5)
            beside = [FoundStretch(0, 3, 0.9), FoundStretch(4, 10, 0.8)]
            found.append([best, *beside, rest][:most] if self.knows else beside)
        return found


def of(items, **resources):
    return {"items": OtherItems(items), **resources}


def after(example, recipe, resources, seed=0):
    variant = perturb(example, recipe, seed=seed, resources=resources, task="multiple-choice")
    return variant, options_in(apply_edits(example, variant.edits).fields)


def test_the_best_free_stretch_comes_in_the_place_of_the_wrong_option():
    example = ITEMS[0]
    variant, options = after(example, "option_from_passage", of(ITEMS, reader=Finder()))
    assert (variant.status, variant.gold, options[0]) == ("ok", Option(0), "The old coat.")
    assert options[1] == "The table near the stone market wall."


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        (["the table near the stone"], []),  # of a sentence of what is found best
        (["Ida", "bought", "on day", "old coat"], []),  # inside the right option
        (["Ida", "bought", "on day", ".", "the"], []),  # marks and function words
        (["Ida", "bought", "on day", "the table near", "table near", "the table near the stone",
          "market wall"],
         ["The table near.", "Market wall."]),  # the second holds words of the first
        (["Ida", "bought", "on day", "coat on day 0"], []),  # of the sentence with the right option
    ],
)  # fmt: skip
def test_stretches_that_cannot_be_wrong_options_are_left_out(found, chosen):
    """The filter of AdvRACE, on lists by hand; old options fill up."""
    texts = {**ITEMS[0].fields, "option_3": "A ship."}
    example = Example("1", texts, Option(0), source="x:1", language="en")
    reader = PythonReader(lambda question, text, most: found, "mine")
    variant, options = after(example, "option_from_passage(checked=false)", {"reader": reader})
    old = ["The knife here." if "knife" in texts["option_2"] else texts["option_2"], "A ship."]
    assert options[1:] == [*chosen, *old[len(chosen) :]]
    assert variant.status == ("ok" if chosen else "skipped")


def test_a_reader_without_skill_is_refused_before_anything_is_changed():
    blind = Finder(knows=False)
    with pytest.raises(PlanError, match=r"the reader of the type Finder has no skill .* 50\.0 %"):
        after(ITEMS[0], "option_from_passage", of(ITEMS, reader=blind))
    with pytest.raises(PlanError, match=r"on 30 items or more .* there are 12 questions"):
        after(ITEMS[0], "option_from_passage", of(ITEMS[:12], reader=Finder()))
    variant, _ = after(ITEMS[0], "option_from_passage(checked=false)", {"reader": blind})
    assert variant.status == "skipped"  # marks alone


def test_skill_is_asked_once_for_all_items():
    reader = Finder()
    resources = of(ITEMS, reader=reader)
    for example in ITEMS[:5]:
        after(example, "option_from_passage", resources)
    assert reader.asked == 300 + 5


def test_skill_is_the_first_stretch_that_tells_options_apart():
    """Closed form: right, wrong, a tie of two of three, and none at all."""
    texts = {"text": "red blue green white", "question": "Which?", "option_1": "red",
             "option_2": "blue sky", "option_3": "red sky"}  # fmt: skip
    example = Example("1", texts, Option(0))

    for said, hit in (("red", 1.0), ("blue", 0.0), ("white", 1 / 3), ("white red", 1.0)):
        words = said.split()
        spans = [FoundStretch(i := texts["text"].index(w), i + len(w), 0.0) for w in words]

        class Given:
            def stretches(self, queries, *, most, spans=spans):
                return [spans for _ in queries]

        context = SimpleNamespace(resources={"reader": Given()})
        hits, without = OptionFromPassage()._skill([example], context)
        assert (hits, without) == ([pytest.approx(hit)], pytest.approx(1 / 3))


class Writer:
    """Writes of its own passage, or of nothing that it was given."""

    def __init__(self, *, reads=True):
        self.reads = reads

    def options(self, queries, *, most):
        own = [one.text.partition("left the ")[2].rstrip(".") for one in queries]
        given = own if self.reads else ["a blue sky"] * len(own)
        return [[one.right, text, "word " * 20] for one, text in zip(queries, given, strict=True)]


def test_what_is_written_comes_if_its_writer_reads_the_passage():
    resources = of(ITEMS, writer=Writer())
    variant, options = after(ITEMS[0], "written_option", resources)
    assert (variant.status, options) == (
        "ok",
        ["The old coat.", "Table near the stone market wall."],
    )
    refused = r"the writer of the type Writer has no skill .* 50\.0 % \[.*\] of 300 questions"
    with pytest.raises(PlanError, match=refused):
        after(ITEMS[0], "written_option", of(ITEMS, writer=Writer(reads=False)))
    with pytest.raises(PlanError, match="'writer' was not given and has no default"):
        after(ITEMS[0], "written_option", of(ITEMS))


def test_functions_of_the_user_are_checked(tmp_path):
    asked = [AskedPassage("Ida left.", "Who?", "Bo")]
    for given in ([(3, 3)], [(0, 99)], ["Bo"]):
        with pytest.raises(ModelError, match="which is no stretch of the text"):
            PythonReader(lambda *_, given=given: given, "mine").stretches(asked, most=2)
    with pytest.raises(ModelError, match="it gives a list of texts"):
        PythonWriter(lambda *_: "Bo", "mine").options(asked, most=2)
    path = tmp_path / "own.py"
    path.write_text("def spans(question, text, most): return ['Ida', (4, 8)]\nnumber = 3\n")
    reader = load_resource("reader", f"python:{path}:spans")
    assert isinstance(reader, StretchReader)
    assert [one[:2] for one in reader.stretches(asked, most=5)[0]] == [(0, 3), (4, 8)]
    assert isinstance(Writer(), OptionWriter)
    with pytest.raises(PlanError, match="must be a function"):
        load_resource("reader", f"python:{path}:number")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Folders of a reader and of a writer with random weights."""
    pytest.importorskip("transformers")
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny_bert import make_checkpoint
    from tiny_language import make_language_model

    reader = make_checkpoint(tmp_path_factory.mktemp("reader"), head="QuestionAnswering")
    writer = tmp_path_factory.mktemp("writer")
    return reader, make_language_model(writer, "Llama", head="ForCausalLM", positions=99)


def test_a_checkpoint_gives_its_best_stretches_in_order(tiny):
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    asked = AskedPassage("ada left paris for london .", "where ?")
    (found,) = load_resource("reader", f"hf:{tiny[0]}").stretches([asked], most=6)
    network = AutoModelForQuestionAnswering.from_pretrained(tiny[0]).eval()
    fed = AutoTokenizer.from_pretrained(tiny[0])(asked.question, asked.text, return_tensors="pt")
    with torch.no_grad():
        out = network(**fed)
    own = [i for i, of in enumerate(fed.sequence_ids(0)) if of == 1]
    words = [fed.token_to_chars(0, i) for i in own]
    sums = {
        (words[a].start, words[b].end): float(
            out.start_logits[0, own[a]] + out.end_logits[0, own[b]]
        )
        for a in range(len(own))
        for b in range(a, len(own))
    }
    best = sorted(sums, key=sums.__getitem__, reverse=True)[:6]
    assert [(one.start, one.end) for one in found] == best
    assert [one.score for one in found] == pytest.approx([sums[key] for key in best], abs=1e-4)


def test_a_language_model_writes_options_and_the_same_again(tiny):
    writer = load_resource("writer", f"hf:{tiny[1]}")
    asked = [AskedPassage("the film was good .", "was it ?", "good")]
    first = writer.options(asked, most=2)
    assert len(first[0]) == 2
    assert all("\n" not in text for text in first[0])
    assert first == type(writer)(writer._model, writer._tokenizer).options(asked, most=2)


def test_what_is_written_ends_with_its_line():
    """Beams that went on would differ behind the line, and give one option several times."""

    class Letters:
        pieces = ("a", "\n", ".\n\n", "end")
        eos_token_id = 3

        def __len__(self):
            return len(self.pieces)

        def batch_decode(self, rows, **_):
            return ["".join(self.pieces[i] for i in row) for row in rows]

    assert sorted(CheckpointWriter(None, Letters())._ends) == [1, 2, 3]


OWN = """
import re

def spans(question, text, most):
    left = re.search("the [a-z]+ near.*wall", text)
    return ["old " + re.search("old ([a-z]+)", text)[1], "Ida", "bought", left.span()]

def wrong(text, question, right, most):
    return [text[slice(*spans(question, text, 4)[3])]]

def first(items):
    return [int("old" in options[1]) for *_, options in ((t[:2], t[2:]) for t in items)]
"""


@pytest.mark.parametrize(
    ("model", "verdict"), [("rules:overlap", "hurts"), ("python:{}:first", "holds")]
)
def test_planted_truth_words_in_common_fall_and_what_the_right_option_has_cannot(
    model, verdict, tmp_path
):
    """One takes words of the passage that stand together, one the option that has "old"."""
    path = tmp_path / "known.py"
    path.write_text(OWN)
    rows = [
        {"id": e.id, "text": e.text, "question": e.fields["question"],
         "options": options_in(e.fields), "answer": int(e.gold)} for e in ITEMS
    ]  # fmt: skip
    found = scrutiny.run(
        "robustness", model.format(path), rows, task="multiple-choice",
        transformations=["option_from_passage", "written_option"],
        resources={"reader": f"python:{path}:spans", "writer": f"python:{path}:wrong"},
    )  # fmt: skip
    assert [risk["state"] for risk in found.risks] == [verdict] * 2, found.risks
