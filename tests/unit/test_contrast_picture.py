"""The picture of contrast sets: its planted truth measured, and the file in the docs."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import scrutiny

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "contrast_picture.py"
    spec = spec_from_file_location("contrast_picture", path)
    module = module_from_spec(spec)
    sys.modules["contrast_picture"] = module
    spec.loader.exec_module(module)
    return module


def measured(tool, tmp_path, answer, n=400):
    """Suite of points, originals and changed, and a model that answers them by their places."""
    items, golds = tool.collected(n, seed=7)
    new, flipped = tool.changed(items)
    names = {True: "positive", False: "negative"}
    rows, answers = [], []
    for k in range(n):
        for mark, point, gold in (("", items[k], golds[k]), ("/1", new[k], flipped[k])):
            case = {"of": str(k), "expect": "gold", "test": "across"} if mark else {}
            text = f"x {point[0]:.4f} y {point[1]:.4f} of {k}"
            rows.append({"id": f"{k}{mark}", "text": text, "label": names[bool(gold)], **case})
            said = names[bool(answer(point[None])[0])]
            answers.append({"id": f"{k}{mark}", "label": said})
    for name, lines in (("suite", rows), ("answers", answers)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = scrutiny.run(
        "suites",
        model=f"predictions:{tmp_path}/answers.jsonl#labels=positive|negative",
        data=f"suite:{tmp_path}/suite.jsonl",
    )
    return {(e.key.metric_name, e.key.role): e for e in run.estimates if e.key.group == "all"}


def test_a_gap_in_the_data_hides_a_wrong_boundary(tool, tmp_path):
    found = measured(tool, tmp_path, tool.line().predict)
    assert found["accuracy", "baseline"].value > 0.99
    # wrong where the wave, less the step, is on the positive side of a level line
    right = 0.5 + np.arcsin(tool.STEP / tool.HEIGHT) / np.pi
    for metric in ("accuracy", "share(whole)"):
        one = found[metric, "measured"]
        assert one.low < right < one.high
    assert found["drop(accuracy)", "measured"].low > 0.3


def test_the_true_boundary_passes_both(tool, tmp_path):
    found = measured(tool, tmp_path, lambda p: p[:, 1] > tool.boundary(p[:, 0]), n=60)
    values = [found[key].value for key in (("accuracy", "baseline"), ("share(whole)", "measured"))]
    assert values == [1.0, 1.0]


def test_the_picture_of_the_docs_is_todays(tool):
    there = (ROOT / "docs/images/contrast-sets.svg").read_text(encoding="utf-8")
    assert there == tool.drawing()
    assert "contrast-sets.svg" in (ROOT / "docs/suites.md").read_text(encoding="utf-8")
