"""Wordings of prompts: what each changes, files of them, and models that are asked in them."""

import json

import pytest

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions
from scrutiny.models.prompting.prompts import Prompt
from scrutiny.models.prompting.wordings import (
    Wording,
    by_wording,
    read_wordings,
    reworded,
    worded,
    wording_of,
)
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
CHOICES = (("neg", "bad"), ("pos", "good"))
USUAL = Prompt(("", "text", "\n\nAnswer with one of these and nothing else: bad, good."), CHOICES)
CLOZE = Prompt(("", "text", " it was ", "mask", " ."), (("neg", " bad"), ("pos", " good")))
ONE = Example(id="1", fields={"text": "Fine."})


def said(prompt, **wording):
    return "|".join(reworded(prompt, Wording("w", **wording), ["text"]).around(ONE)).rstrip("|")


@pytest.mark.parametrize(
    ("wording", "expected"),
    [
        (
            {"before": "Look: "},
            "Look: Fine.\n\nAnswer with one of these and nothing else: bad, good.",
        ),
        ({"around": "<{}>"}, "<Fine.>\n\nAnswer with one of these and nothing else: bad, good."),
        (
            {"line_end": "\n\n"},
            "Fine.\n\n\n\nAnswer with one of these and nothing else: bad, good.",
        ),
        ({"options": "reversed"}, "Fine.\n\nAnswer with one of these and nothing else: good, bad."),
        (
            {"options": "letters"},
            "Fine.\n\nAnswer with one of these and nothing else: A) bad, B) good.",
        ),
        ({"template": "{options}? {fields}"}, "bad, good? Fine."),
        ({"template": "{options}? {text}", "options": "letters"}, "A) bad, B) good? Fine."),
        (
            {"choices": {"pos": "great"}},
            "Fine.\n\nAnswer with one of these and nothing else: bad, great.",
        ),
        (
            {
                "template": "{text}:",
                "shots": ({"text": "Dull.", "label": "neg"},),
                "separator": "\n",
            },
            "Dull.:\nbad\nFine.:",
        ),
    ],
)
def test_a_wording_changes_what_it_states(wording, expected):
    assert said(USUAL, **wording) == expected


def test_letters_are_answers_where_options_are_listed():
    lettered = reworded(USUAL, Wording("w", options="letters"), ["text"])
    assert lettered.choices == (("neg", "A"), ("pos", "B"))
    assert reworded(CLOZE, Wording("w", options="letters"), ["text"]) == CLOZE


def test_masked_prompts_keep_their_mask_and_their_spaces():
    assert said(CLOZE, before="Say. ") == "Say. Fine. it was | ."
    other = reworded(CLOZE, Wording("w", choices={"pos": "great"}), ["text"])
    assert other.choices == (("neg", " bad"), ("pos", " great"))
    shot = {"text": "Dull.", "label": "neg"}
    assert said(CLOZE, shots=(shot,), separator=" ") == "Dull. it was  bad . Fine. it was | ."


def test_order_of_shots_counts():
    shots = ({"text": "Dull.", "label": "neg"}, {"text": "Nice.", "label": "pos"})
    first, second = Wording("a", shots=shots), Wording("b", shots=shots[::-1])
    assert first.key() != second.key()
    assert reworded(USUAL, first, ["text"]) != reworded(USUAL, second, ["text"])


@pytest.mark.parametrize(
    "wording",
    [
        {"choices": {"fine": "ok"}},
        {"shots": ({"text": "Dull.", "label": "dull"},)},
        {"shots": ({"label": "neg"},)},
        {"template": "nothing"},
    ],
)
def test_what_does_not_fit_a_prompt_is_refused(wording):
    with pytest.raises(ModelError):
        reworded(USUAL, Wording("w", **wording), ["text"])


def test_keys_are_of_content_and_come_back():
    wording = Wording("w", before="x", shots=({"text": "a", "label": "neg"},))
    assert wording.key() == Wording("other", before="x", shots=wording.shots, is_edit=True).key()
    assert wording_of(wording.key()).key() == wording.key()
    assert by_wording([ONE, worded(ONE, wording), ONE]) == {"": [0, 2], wording.key(): [1]}


def test_the_shipped_ones_are_frozen():
    """A published set never changes: another one is wordings@2."""
    shipped = read_wordings("builtin")
    assert shipped == read_wordings("wordings@1")
    assert [one.name for one in shipped] == [
        *("space in front", "line in front", "wider line ends", "quoted text", "tagged text"),
        *("please", "task named", "expert", "options reversed", "options in lines"),
        *("options by letter", "as a question"),
    ]
    assert [one.name for one in shipped if one.is_edit] == [
        *("space in front", "line in front", "wider line ends"),
    ]
    changed = [one for one in shipped if reworded(USUAL, one, ["text"]) != USUAL]
    assert [one.name for one in shipped if one not in changed] == ["expert"]


FILE = """
[[wording]]
name = "polite"
before = "Please. "
[[wording]]
name = "blank"
before = " "
is_edit = true
"""


def test_files_hold_wordings(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(FILE)
    assert read_wordings(str(path)) == (
        Wording("polite", before="Please. "),
        Wording("blank", before=" ", is_edit=True),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing, and no wordings"),
        ("[[wording]]\n", "name"),
        ('[[wording]]\nname = "x"\n', "changes nothing"),
        ('[[wording]]\nname = "own"\nbefore = "x"', "needs a name"),
        ('[[wording]]\nname = "x"\nbefor = "x"', "There are: name, template, before"),
        ('[[wording]]\nname = "x"\naround = "x"', "around needs"),
        ('[[wording]]\nname = "x"\noptions = "sorted"', "options"),
        ('[[wording]]\nname = "x"\nbefore = 3', "before"),
        (FILE + FILE, "two wordings are called 'polite'"),
        ("wording = 3", "no wordings alone"),
        ("x = ", "cannot be read"),
    ],
)
def test_bad_files_are_refused_in_one_paragraph(tmp_path, text, says):
    path = tmp_path / "w.toml"
    path.write_text(text)
    with pytest.raises(PlanError, match=says) as error:
        read_wordings(str(path))
    assert "\n" not in str(error.value).partition("(at ")[0]


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(PlanError, match=r"gone\.toml.*builtin"):
        read_wordings("gone.toml")


def chat(serve, answer):
    served = serve(answer)
    task = load_task("text-classification")
    source = f"{served.url}/v1#api=chat,model=m,labels=bad|good"
    return served, load_model(source, task, LoadOptions())


def test_endpoints_are_asked_in_wordings(serve):
    from chat_server import said as reply

    served, model = chat(serve, lambda body, _: reply("B" if "B) " in str(body) else "bad"))
    lettered, expert = Wording("l", options="letters"), Wording("e", system="You judge.")
    assert "wordings" in model.capabilities
    found = model.predict([ONE, worded(ONE, lettered), worded(ONE, expert)])
    assert [one.answer for one in found] == ["bad", "good", "bad"]
    plain, letters, system = served.bodies
    assert "A) bad, B) good" in letters["messages"][0]["content"]
    assert system["messages"] == [{"role": "system", "content": "You judge."}, *plain["messages"]]
    same = Wording("s", line_end="\n")
    assert model.wordings([lettered, expert, same]) == [lettered, expert]
    assert "(wording)" not in json.dumps(served.bodies)


def test_an_endpoint_of_its_own_has_no_prompt(tmp_path):
    path = tmp_path / "own.toml"
    lines = ['url = "http://localhost:1/x"', 'labels = ["a", "b"]', 'label = "label"']
    path.write_text("\n".join([*lines, 'body = { x = "{text}" }']))
    model = load_model(f"http:{path}", load_task("text-classification"), LoadOptions())
    assert "wordings" not in model.capabilities
