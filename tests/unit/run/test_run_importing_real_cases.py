"""Results that promptfoo and DeepEval wrote: figures are their own."""

import json

import pytest
from tool_logs import imported, unpacked

from scrutiny.run.comparing.whole_comparison import compare_side_by_side


def own_share(tool, path):
    """Share of passed cases that the tool itself counted."""
    value = json.loads(path.read_text())
    if tool == "promptfoo":
        stats = value["results"]["stats"]
        return stats["successes"] / (stats["successes"] + stats["failures"])
    return value["testPassed"] / (value["testPassed"] + value["testFailed"])


@pytest.mark.parametrize(("tool", "repeats"), [("promptfoo", 2), ("deepeval", 1)])
def test_shares_are_those_of_the_tool_and_both_versions_pair(tmp_path, tool, repeats):
    folder = unpacked(tool, tmp_path)
    own, runs = [], []
    for name in ("v1", "v2"):
        run = imported(tool, [folder / f"{name}.json"], tmp_path / name)
        own.append(own_share(tool, folder / f"{name}.json"))
        runs.append(run)
        (found,) = (
            e
            for e in run.estimates()
            if e.key.replicate is None and e.key.condition == {"metric": "passed"}
        )
        assert (found.value, found.counts.n) == (pytest.approx(own[-1]), 40)
        assert run.manifest["warnings"] == []
    (level,) = compare_side_by_side(*runs).levels
    assert level.difference.value == pytest.approx(own[0] - own[1])
    assert level.noise.n_pairs == (1 if repeats == 2 else 0)
