"""Audits of models that answer freely: score, outcomes, repeats, changes, attacks, invariances."""

import json
from collections import Counter

import pytest
from chat_server import said

import scrutiny

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
CITIES = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Egypt": "Cairo", "Cuba": "Havana"}
FRAMES = (
    "What is the capital of {}?", "Please tell me what the capital of {} is.",
    "Which city is the capital of {}, and since when?", "Name the capital of {} for me.",
)  # fmt: skip
ROWS = [
    {"id": f"{land}-{n}", "prompt": frame.format(land), "contains": city}
    for n, frame in enumerate(FRAMES)
    for land, city in CITIES.items()
]


def written(prompt):
    """What the toy model writes: it knows countries by their exact names."""
    city = next((city for land, city in CITIES.items() if land in prompt), "London")
    if "Cuba" in prompt and "Name" in prompt:
        return "I'm sorry, but I can't help with that."
    return f"That is {city}."


def answer(prompts):
    return [written(prompt) for prompt in prompts]


@pytest.fixture
def rows(tmp_path):
    """File of prompts."""
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return f"jsonl:{path}"


def values(run, diagnostic):
    return {
        one.key.metric.partition("@")[0]: one.value
        for one in run.estimates
        if one.key.diagnostic.startswith(diagnostic) and not one.key.condition
    }


def test_an_audit_has_every_row_that_applies(rows, tmp_path):
    run = scrutiny.audit(answer, rows, out=tmp_path / "run")
    told = values(run, "performance")
    assert told["accuracy"] == 0.95
    assert (told["refused_share"], told["wrong_share"], told["empty_share"]) == (0.05, 0, 0)
    risks = {risk.what for risk in run.first_screen.risks}
    assert {"typos", "DeepWordBug attack", "upper and lower case"} <= risks
    assert "PWWS attack" not in risks
    beside = " ".join(run.first_screen.beside)
    assert "refused 5.0 % [" in beside
    assert run.first_screen.numbers[0].says.startswith("Right answers 95.0 %")


def test_what_changes_may_not_touch_stays(tmp_path):
    fixed = 'Keep `x = 1`, {name}, {"a key": "some value"} and https://a.org/x: what is it really?'
    row = [{"role": "system", "content": "You are helpful and friendly."},
           {"role": "user", "content": fixed}]  # fmt: skip
    asked = []

    def listen(prompts):
        asked.extend(prompts)
        return ["It is."] * len(prompts)

    (tmp_path / "p.jsonl").write_text(json.dumps({"prompt": row}) + "\n")
    scrutiny.run(
        "robustness", listen, f"jsonl:{tmp_path / 'p.jsonl'}", out=tmp_path / "run",
        transformations=["typos", "keyboard", "word_case", "ocr"],
    )  # fmt: skip
    assert len(asked) > 4
    for messages in asked:
        assert messages[0] == row[0]
        for kept in ("`x = 1`", "{name}", '{"a key": "some value"}', "https://a.org/x"):
            assert kept in messages[-1]["content"]


def test_the_noise_floor_of_texts_is_that_under_normalization(rows, serve, tmp_path):
    times = Counter()

    def reply(body, tries):
        prompt = body["messages"][-1]["content"]
        times[prompt] += 1
        text = written(prompt)
        if times[prompt] % 2 == 0:
            text = "It is Oslo." if "Egypt" in prompt else f"**{text.upper()}**"
        return said(text)

    served = serve(reply)
    run = scrutiny.run("repeats", f"{served.url}/v1#api=chat,model=m", rows, out=tmp_path / "run")
    assert values(run, "repeats")["noise_floor"] == pytest.approx(4 / len(ROWS))


def test_a_served_model_is_asked_within_its_budget(rows, serve, tmp_path):
    served = serve(lambda body, tries: said(written(body["messages"][-1]["content"])))
    run = scrutiny.run(
        "attack", f"{served.url}/v1#api=chat,model=m", rows, out=tmp_path / "run",
        recipes=["deepwordbug"], budget=8, control=False,
    )  # fmt: skip
    found = [one for one in run.estimates if one.key.metric.startswith("attack_success")]
    assert found
    assert found[0].value > 0.5
    assert len(served.bodies) <= len(ROWS) * 9
