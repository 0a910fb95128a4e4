"""Documented schemas of what verbs print for machines: true of real outputs, and of no less."""

import json
from pathlib import Path

import pytest
from werkzeug import Response

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from simulated_endpoint import Simulated

jsonschema = pytest.importorskip("jsonschema")
DOCS = Path(__file__).parents[3] / "docs"


def schema(name):
    read = json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(read)
    return read


def validate(name, line, kind):
    """Hold a line against the whole schema, and against the kind that it ought to be."""
    read = schema(name)
    jsonschema.Draft202012Validator(read).validate(line)
    jsonschema.Draft202012Validator({**read, "anyOf": [{"$ref": f"#/$defs/{kind}"}]}).validate(line)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("schemas") / "run"
    params = {"transformations": ["typos"], "draws": 1}
    return scrutiny.run(
        "robustness", model="builtin:sentiment", data="builtin:reviews", out=out, **params
    ).path


@pytest.fixture
def printed(capsys):
    def ask(*words):
        code = exit_code_of(group, list(map(str, words)))
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return code, lines

    return ask


def test_lines_of_a_gate(run, printed):
    code, lines = printed("gate", run, "--risks", "--rule", "accuracy > 0.99", "--json")
    assert code == 1
    assert len(lines) >= 2
    for line in lines:
        validate("gate", line, "rule" if "claim" in line else "risk")
    for name in ("gate", "reason", "scope"):
        broken = {key: value for key, value in lines[-1].items() if key != name}
        with pytest.raises(jsonschema.ValidationError):
            validate("gate", broken, "rule")


def test_a_gate_of_a_run_without_risks(tmp_path, printed):
    rows = [{"text": "a good film", "label": "positive"}] * 5
    path = scrutiny.run("labels", "builtin:sentiment", rows, out=tmp_path / "run").path
    _, lines = printed("gate", path, "--risks", "--json")
    for line in lines:
        validate("gate", line, "nothing" if line.keys() == {"what", "gate"} else "risk")


def test_lines_of_a_comparison(printed):
    words = ["compare", "builtin:sentiment/seed-1", "builtin:sentiment/seed-2", "--data"]
    code, lines = printed(*words, "builtin:reviews", "--margin", "0.02", "--json")
    assert code in (0, 1, 4)
    kinds = [line.get("part", "finding") for line in lines]
    assert set(kinds) >= {"finding", "level", "flips", "agreement", "slice", "disagreement"}
    assert kinds[-1] == "outcome"
    known = schema("compare")["$defs"]
    for line, kind in zip(lines, kinds, strict=True):
        if kind in known:  # lines of further parts may come
            validate("compare", line, kind)
    level = lines[kinds.index("level")]
    for name in ("noise", "outcome", "before"):
        with pytest.raises(jsonschema.ValidationError):
            validate("compare", {k: v for k, v in level.items() if k != name}, "level")


def test_the_object_of_what_is_installed_or_supported(printed, tmp_path):
    code, (found,) = printed("doctor", "--json")
    assert code == 0
    validate("doctor", found, "installed")
    scores = tmp_path / "scores.csv"
    scores.write_text("id,score\n1,1\n2,0\n")
    code, (found,) = printed("doctor", str(scores), "--json")
    assert code == 0
    validate("doctor", found, "supports")


@pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
def test_the_object_of_an_endpoint(serve, printed):
    simulated = Simulated()
    served = serve(lambda body, _: Response(json.dumps(simulated.reply(body))))
    _, (found,) = printed("doctor", f"{served.url}/v1#api=chat,labels=bad|good", "--json")
    validate("doctor", found, "examined")
    with pytest.raises(jsonschema.ValidationError):
        validate("doctor", {**found, "complete": "yes"}, "examined")


def test_every_schema_is_listed_for_coding_agents():
    told = (DOCS / "llms.txt").read_text(encoding="utf-8")
    for path in DOCS.glob("*.schema.json"):
        assert f"({path.name})" in told
