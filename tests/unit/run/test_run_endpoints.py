"""Runs against an endpoint: nothing is lost, asked twice, or counted as wrong in silence."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import cycle

import pytest
from chat_server import said
from werkzeug import Response

import scrutiny
from scrutiny.core.errors import RunIncompleteError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.doubtful_data import unasked_warnings
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
ROWS = [{"id": f"i{n}", "text": f"text {n} .", "label": ("bad", "good")[n % 2]} for n in range(100)]
ASKED = "#api=chat,labels=bad|good,concurrency=8"


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return f"jsonl:{file}#task=text-classification"


def number_in(served, body):
    return int(served.text_of(body).split()[1])


def failing(served, share=0.2):
    """Answer of a chat that is right but for one request in five, which fails in seven ways."""
    chance = random.Random(7)
    wrong = cycle(
        (
            lambda: Response("no", status=500),
            lambda: Response("no", status=429, headers={"Retry-After": "0.05"}),
            lambda: time.sleep(1.5) or said("late"),
            lambda: Response('{"choices": [{"mess'),
            lambda: said(""),
            lambda: said("I cannot help with that."),
            lambda: said("Hmm, let me", end="length"),
        )
    )

    def answer(body, _):
        if chance.random() < share:
            return next(wrong)()
        return said(("bad", "good")[number_in(served, body) % 2])

    return answer


def records(folder):
    return folder.table("records").to_pylist()


def test_every_item_is_answered_or_counted_by_name(serve, data, tmp_path):
    served = serve(None)
    served.answer = failing(served)
    found = scrutiny.run(
        "performance", model=f"{served.url}/v1{ASKED},timeout=1", data=data, out=tmp_path / "r"
    )
    rows = records(RunFolder(tmp_path / "r"))
    reasons = Counter(row["reason"] for row in rows)
    assert len(rows) == 100
    assert set(reasons) == {None, "empty", "refused", "cut_off"}
    assert 3 <= 100 - reasons[None] <= 40
    accuracy = found.estimate("accuracy")
    assert accuracy.value == 1.0
    assert accuracy.counts.failed == 100 - reasons[None]
    manifest = RunFolder(tmp_path / "r").manifest
    (told,) = manifest["warnings"]
    assert f"failed on {100 - reasons[None]} of the 100 rows" in told
    assert all(f"{reasons[name]} {name}" in told for name in ("empty", "refused", "cut_off"))
    assert len(manifest["failures"]) == 3
    assert "The model declined: 'I cannot help with that.'" in manifest["failures"]
    assert manifest["sent"]["requests"] == len(served.bodies)
    assert manifest["sent"]["requests_again"] == len(served.bodies) - 100
    assert manifest["sent"]["cost"] is None
    assert manifest["redirects"] == {}


def moved(served, place):
    """Answer of a chat that is at another place of its server: each text comes twice."""

    def answer(body, tries):
        if tries == 1:
            return Response(status=308, headers={"Location": place})
        return said(("bad", "good")[number_in(served, body) % 2])

    return answer


def test_a_run_keeps_the_address_that_answered(serve, data, tmp_path):
    served = serve(None)
    served.answer = moved(served, "?region=north&sig=c2VjcmV0c2VjcmV0")
    model = f"{served.url}/v1#api=chat,labels=bad|good,concurrency=1"
    asked = {"model": model, "data": data, "out": tmp_path / "r"}
    scrutiny.run("performance", **asked)
    found = RunFolder(tmp_path / "r").manifest["redirects"]
    own = f"{served.url}/v1/chat/completions"
    assert list(found) == [own]
    (at,) = found[own]
    assert at.startswith(f"{own}?region=north&sig=")
    kept = b"".join(one.read_bytes() for one in (tmp_path / "r").rglob("*") if one.is_file())
    assert b"c2VjcmV0c2VjcmV0" not in kept
    n_sent = len(served.bodies)
    scrutiny.run("performance", **asked)
    assert len(served.bodies) == n_sent
    assert RunFolder(tmp_path / "r").manifest["redirects"] == found


def test_the_page_says_what_failed_and_what_was_spent(serve, data, tmp_path):
    served = serve(
        lambda body, tries: said("good" if number_in(served, body) % 9 else "secret text")
    )
    model = f"{served.url}/v1{ASKED},price_in=100,price_out=1000"
    scrutiny.run("performance", model=model, data=data, out=tmp_path / "r")
    view = load_view(tmp_path / "r")
    page, without = render_html(view), render_html(view.without_texts())
    assert "12 unparsed" in page
    assert "12 unparsed" in without
    assert "secret text" in page
    assert "secret text" not in without
    assert "100 requests, 2,000 tokens read, 200 written; cost 0.40" in page


def test_replies_are_kept_and_read_again_another_way(serve, data, tmp_path):
    """A reply is paid for once, whatever it is read with, and whatever run asks."""
    served = serve(lambda body, _: said("The answer: good"))
    cache = tmp_path / "answers.sqlite"
    model = f"{served.url}/v1{ASKED},revision=2026-11"
    first = scrutiny.run("performance", model=f"{model},read=last", data=data, cache=cache)
    assert len(served.bodies) == 100
    second = scrutiny.run(
        "performance", model=f"{model},read=after:answer:", data=data, cache=cache
    )
    assert len(served.bodies) == 100
    assert first.estimate("accuracy").value == second.estimate("accuracy").value == 0.5


def test_without_a_revision_each_run_asks_anew(serve, data, tmp_path):
    served = serve(lambda body, _: said("good"))
    cache = tmp_path / "answers.sqlite"
    for out in ("a", "b", "b"):
        scrutiny.run(
            "performance",
            model=f"{served.url}/v1{ASKED}",
            data=data,
            out=tmp_path / out,
            cache=cache,
        )
    assert len(served.bodies) == 200


def test_a_budget_ends_the_run_and_another_goes_on(serve, data, tmp_path):
    served = serve(lambda body, _: said("good"))
    model, out = f"{served.url}/v1{ASKED}", tmp_path / "r"
    cache = tmp_path / "answers.sqlite"
    with pytest.raises(RunIncompleteError, match="All answers that came are kept"):
        scrutiny.run(
            "performance", model=f"{model},most_requests=40", data=data, out=out, cache=cache
        )
    assert len(served.bodies) == 40


def test_several_workers_exceed_no_limit(serve, data, tmp_path):
    served = serve(lambda body, _: time.sleep(0.005) or said("good"))
    measure = [
        {"id": name, "diagnostic": name, "models": ["m"], "data": ["d"]}
        for name in ("performance", "repeats")
    ]
    scrutiny.run(
        {
            "data": {"d": {"source": data}},
            "models": {"m": {"source": f"{served.url}/v1{ASKED.replace('8', '3')}"}},
            "measure": measure,
        },
        out=tmp_path / "r",
        workers=2,
    )
    assert served.most_at_once <= 3
    assert len(records(RunFolder(tmp_path / "r"))) == 200


def test_a_cost_is_known_after_three_texts(serve, data):
    served = serve(lambda body, _: said("good"))
    options = {
        "data": {"d": {"source": data}},
        "models": {"m": {"source": f"{served.url}/v1{ASKED}"}},
    }
    measure = [{"id": "p", "diagnostic": "robustness", "models": ["m"], "data": ["d"]}]
    cost = cost_of(resolve(plan_of({**options, "measure": measure})), price=0.5)
    assert len(served.bodies) == 3
    assert cost.to_json()["money"] == pytest.approx(0.5 * cost.to_json()["texts"])


def test_an_endpoint_is_attacked_where_it_is_asked_for(serve, data):
    """An attack costs hundreds of texts an item: not by default, and the run says so."""
    served = serve(lambda body, _: said("good"))
    models = [ModelPlan("m", f"{served.url}/v1{ASKED}")]
    rows = [DataPlan("d", data)]

    def kinds(**more):
        plan = audit_plan(models, rows, **more)
        return {m.diagnostic.partition("@")[0] for m in plan.measure}, plan

    usual, plan = kinds()
    assert {"repeats", "robustness"} <= usual
    assert "attack" not in usual
    (warning,) = unasked_warnings(resolve(plan))
    assert "m is behind a URL, and was not attacked" in warning
    assert "attack" in kinds(profile="study")[0]
    asked, plan = kinds(only=["attack"])
    assert asked == {"attack"}
    assert list(unasked_warnings(resolve(plan))) == []


def test_confidence_is_not_asked_where_labels_come_alone(serve, data, tmp_path):
    served = serve(lambda body, _: said("good"))
    for name, more in (("labels", ""), ("shares", ",samples=2,seed=0")):
        model = f"{served.url}/v1{ASKED}{more}"
        scrutiny.run("calibration", model=model, data=data, out=tmp_path / name)
    (alone,), (shares,) = (RunFolder(tmp_path / name).findings() for name in ("labels", "shares"))
    assert alone.verdict == "not asked"
    assert alone.reason.startswith("no probabilities")
    assert shares.verdict == "hurts"


def test_the_noise_floor_is_measured(serve, data, tmp_path):
    """Every tenth text gets another answer when it is asked again."""

    def answer(body, tries):
        number = number_in(served, body)
        return said("good" if number % 10 == 0 and tries > 1 else ("bad", "good")[number % 2])

    served = serve(answer)
    found = scrutiny.run("repeats", model=f"{served.url}/v1{ASKED}", data=data, out=tmp_path / "r")
    assert found.estimate("noise_floor").value == pytest.approx(0.1)
    front = first_screen_of(load_view(tmp_path / "r"))
    assert [text.partition(" [")[0] for text in front.beside] == ["noise floor .100"]
    assert len(served.bodies) == 200


def test_a_suite_is_asked_of_an_endpoint_and_refusals_fail_no_test(serve, tmp_path):
    """Changed texts of odd items are answered otherwise; every tenth is refused."""
    rows = [
        row
        for n in range(100)
        for row in (
            {"id": f"b{n}", "text": f"text {n} .", "label": ("bad", "good")[n % 2]},
            {"id": f"c{n}", "text": f"text {n} !", "of": f"b{n}", "test": "mark", "expect": "same"},
        )
    ]
    suite = tmp_path / "suite.jsonl"
    suite.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def answer(body, _):
        number, is_changed = number_in(served, body), "!" in served.text_of(body)
        if is_changed and number % 10 == 0:
            return said("I cannot help with that.")
        return said(("bad", "good")[number % 2 and not (is_changed and number % 4 == 1)])

    served = serve(answer)
    found = scrutiny.run(
        "suites", model=f"{served.url}/v1{ASKED}", data=f"suite:{suite}", out=tmp_path / "r"
    ).estimate("share(failed)", test="mark")
    assert (found.counts.n, found.counts.failed) == (90, 10)
    assert found.value == pytest.approx(25 / 90)


KILLS = int(os.environ.get("SCRUTINY_TEST_KILLS", "2"))
_RUN = """
import sys, scrutiny
from pathlib import Path
model, data, out = sys.argv[1:]
kept = Path(out).parent / "answers.sqlite"
scrutiny.run("performance", model=model, data=data, out=out, cache=kept)
"""


@pytest.mark.slow
def test_kills_repeat_no_more_than_was_in_flight(serve, data, tmp_path):
    served = serve(lambda body, _: time.sleep(0.02) or said("good"))
    command = [sys.executable, "-c", _RUN, f"{served.url}/v1{ASKED}", data, str(tmp_path / "r")]
    kills = 0
    while kills < KILLS:
        target = len(served.bodies) + 10
        with subprocess.Popen(command, env=os.environ) as process:
            while process.poll() is None and len(served.bodies) < target:
                time.sleep(0.005)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert kills == KILLS
    subprocess.run(command, check=True, env=os.environ)
    asked = served.asked()
    assert len(asked) == 100
    assert sum(asked.values()) - 100 <= KILLS * 8
    assert len(records(RunFolder(tmp_path / "r"))) == 100


def test_no_secret_reaches_the_disk(serve, data, tmp_path, monkeypatch):
    monkeypatch.setenv("OWN_KEY", "sk-very-secret")
    served = serve(
        lambda body, _: (
            Response(f"bad key {served.headers[0]['Authorization']}", status=400)
            if number_in(served, body) % 3 == 0
            else said("good")
        )
    )
    scrutiny.run(
        "performance",
        model=f"{served.url}/v1{ASKED},api_key=env:OWN_KEY",
        data=data,
        out=tmp_path / "r",
        cache=tmp_path / "answers.sqlite",
    )
    assert served.headers[-1]["Authorization"] == "Bearer sk-very-secret"
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"sk-very-secret" not in file.read_bytes()


def audited_url(serve, data, folder, answer, **more):
    """Audit of an endpoint, and what it was asked."""
    served = serve(answer)
    cache = folder / "answers.sqlite"
    model = f"{served.url}/v1{ASKED}"
    only = ["performance", "calibration", "repeats", "robustness"]
    found = scrutiny.audit(model=model, data=data, out=folder / "r", cache=cache, only=only, **more)
    return found, served


def test_nothing_more_is_paid_for_once_there_is_no_skill(serve, data, tmp_path):
    """One answer to everything: the score tells, and the changed texts are not asked."""
    found, served = audited_url(serve, data, tmp_path, lambda body, _: said("good"))
    assert len(served.bodies) == 100
    assert {text.partition("\n")[0] for text in served.asked()} == {row["text"] for row in ROWS}
    states = Counter(row["state"] for row in found.risks)
    assert states["no skill"] == 1
    assert set(states) == {"no skill", "not asked"}
    typos = next(f for f in found.findings if f.claim.risk and f.claim.risk.what == "typos")
    assert typos.verdict == "not asked"
    assert typos.reason.startswith("no skill: accuracy 50.0 % [")
    assert typos.reason.endswith("always answering 'bad'; so nothing more was asked of it")
    front = first_screen_of(load_view(found.path))
    assert front.decision.startswith(
        "No better than always answering 'bad': nothing else can be told."
    )
    assert front.skill.startswith("No better than always answering 'bad' (50.0 %): accuracy 50.0 %")
    assert found.manifest["sent"]["requests"] == 100


def test_an_endpoint_with_skill_is_asked_the_rest(serve, data, tmp_path):
    def answer(body, _):
        digits = "".join(filter(str.isdigit, body["messages"][-1]["content"])) or "0"
        return said(("bad", "good")[int(digits) % 2])

    found, served = audited_url(serve, data, tmp_path, answer, limit=20)
    assert len(served.bodies) > 150
    assert {row["state"] for row in found.risks}.isdisjoint({"no skill"})


def test_a_stopped_audit_is_done_and_asks_nothing_again(serve, data, tmp_path):
    found, served = audited_url(serve, data, tmp_path, lambda body, _: said("good"))
    (tmp_path / "r" / "findings.jsonl").write_text("damaged")
    again = scrutiny.audit(
        model=f"{served.url}/v1{ASKED}",
        data=data,
        out=tmp_path / "r",
        cache=tmp_path / "answers.sqlite",
        only=["performance", "calibration", "repeats", "robustness"],
    )
    assert len(served.bodies) == 100
    assert [f.verdict for f in again.findings] == [f.verdict for f in found.findings]


def test_a_plan_of_ones_own_asks_what_it_says(serve, data, tmp_path):
    served = serve(lambda body, _: said("good"))
    measure = [
        {"id": name, "diagnostic": name, "models": ["m"], "data": ["d"]}
        for name in ("performance", "repeats")
    ]
    models = {"m": {"source": f"{served.url}/v1{ASKED}"}}
    plan = {"data": {"d": {"source": data}}, "models": models, "measure": measure}
    scrutiny.run(plan, out=tmp_path / "r")
    assert len(served.bodies) == 300  # without a cache, each measurement asks for itself
