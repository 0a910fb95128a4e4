"""``scrutiny judge``: the first screen, stored verdicts, and what is refused."""

import csv
import json
from pathlib import Path

import pytest
from chat_server import said

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

ROOT = Path(__file__).parents[3]
JUDGE = f"python:{ROOT}/examples/judges/shared_words.py:judge"
PAIRS = f"{ROOT}/examples/judges/pairs.csv"


@pytest.fixture
def judged(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def called(*words):
        code = exit_code_of(group, ["judge", *words])
        return code, *capsys.readouterr()

    return called


def stored(rows):
    with Path("stored.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_screen_answers_the_question_first(judged):
    code, out, _ = judged(JUDGE, "--data", PAIRS, "--limit", "60", "--out", "r", "--html", "p.html")
    assert code == 0
    assert out.startswith("May I use this judge? ")
    assert "first answer favored" in out
    assert "May I use this judge?" in Path("p.html").read_text()


def test_lines_for_machines(judged):
    code, out, _ = judged(JUDGE, "--data", PAIRS, "--limit", "20", "--json")
    assert code == 0
    assert any("kappa@1" in json.dumps(json.loads(line)) for line in out.splitlines())


def test_stored_verdicts_with_another_column_of_people(judged):
    rows = [
        {"id": k, "prompt": f"{k}?", "response_a": "Yes.", "response_b": "No.",
         "verdict": "A" if k % 4 else "unsure", "swapped": "A" if k % 2 else "B", "again": "A",
         "mine": "A" if k % 3 else "B"}
        for k in range(80)
    ]  # fmt: skip
    stored(rows)
    code, out, _ = judged("verdicts", "--data", "stored.csv", "--against", "mine", "--out", "r")
    assert code == 0
    assert "25.0" in out  # verdicts that cannot be read
    assert "padded answer" in out
    assert "not asked" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--data", "builtin:reviews"), "holds no judged answers"),
        (("--data", PAIRS, "--against", "people"), "is no column of"),
        (("--data", PAIRS, "-P", "formats=[\"sonnet\"]"), "none of bullets, bold, heading"),
        (("--data", PAIRS, "-P", "first=left"), "which of two answers is better"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_in_a_paragraph(judged, words, said):
    code, _, err = judged(JUDGE, *words)
    assert code == 2
    assert said in " ".join(err.split())


def test_a_judge_of_one_answer_states_its_verdicts(judged):
    stored([{"id": 1, "question": "?", "answer": "Yes.", "verdict": "good"}])
    code, _, err = judged("verdicts", "--data", "stored.csv")
    assert code == 2
    assert "verdicts:data#labels=bad|good" in " ".join(err.split())


@pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
def test_a_chat_is_asked_in_both_orders_with_the_usual_prompt(judged, serve):
    def answer(body, tries):
        text = body["messages"][-1]["content"]
        first = text.partition("Answer A:\n")[2].partition("\n\nAnswer B:")[0]
        return said("A" if "good" in first else "B" if tries < 2 else "No idea.")

    served = serve(answer)
    rows = [
        {"id": k, "question": f"{k}?", "human": "AB"[k % 2],
         "answer_a": f"A {('good', 'poor')[k % 2]} one.",
         "answer_b": f"A {('poor', 'good')[k % 2]} one."}
        for k in range(12)
    ]  # fmt: skip
    stored(rows)
    judge = f"{served.url}/v1#api=chat,model=tiny"
    code, out, _ = judged(judge, "--data", "stored.csv", "--out", "r", "-P", "keeping=[]")
    assert code == 0
    text = served.text_of(served.bodies[0])
    assert text.startswith("Question:\n")
    assert text.endswith("nothing else: A, B, tie.")
    assert "order of the answers" in out
