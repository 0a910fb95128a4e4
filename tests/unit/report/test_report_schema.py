"""The documented schema of the lines for machines holds of what is written, and of nothing less."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
import report_sample

from scrutiny.report.formats import DETAILS, ESTIMATE_COLUMNS, render_ndjson

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))


def lines():
    text = render_ndjson(report_sample.sample())
    golden = (ROOT / "tests" / "golden" / "report.ndjson").read_text(encoding="utf-8")
    return [json.loads(line) for line in (text + golden).splitlines()]


@cache
def checker(name):
    return jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


def kind(line):
    return "finding" if "verdict" in line else "published" if "printed" in line else "estimate"


def test_every_line_is_of_the_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = lines()
    assert {kind(line) for line in found} >= {"estimate", "finding"}
    whole = jsonschema.Draft202012Validator(SCHEMA)
    for line in found:
        whole.validate(line)
        checker(kind(line)).validate(line)


def test_the_schema_names_every_member():
    known = SCHEMA["$defs"]["estimate"]
    assert tuple(known["required"]) == ESTIMATE_COLUMNS
    assert set(known["properties"]) == {*ESTIMATE_COLUMNS, *DETAILS}


@pytest.mark.parametrize("name", ["value", "planned", "status", "condition"])
def test_what_lacks_a_member_or_has_another_type_is_refused(name):
    line = next(one for one in lines() if kind(one) == "estimate")
    for broken in ({k: v for k, v in line.items() if k != name}, {**line, name: ["odd"]}):
        with pytest.raises(jsonschema.ValidationError):
            checker("estimate").validate(broken)


def test_estimates_inside_findings_are_checked():
    line = deepcopy(next(one for one in lines() if kind(one) == "finding" and one["estimate"]))
    line["estimate"]["planned"] = -1
    with pytest.raises(jsonschema.ValidationError):
        checker("finding").validate(line)
