"""Plans of shared invariances that train, at their smallest size: every claim, every finding."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.core.published import ODD
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import with_trained
from scrutiny.store.run_folder import RunFolder

pytestmark = [pytest.mark.slow, pytest.mark.extra("hf")]

ROOT = Path(__file__).parents[2]
ZOO = ROOT / "packages" / "scrutiny-zoo" / "src" / "scrutiny_zoo"
VERDICTS = {"supported", "not supported", "undecided", "refused"}


@pytest.fixture
def smallest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], RunFolder]:
    """Run an example with a few reviews in place of its data, two seeds and one epoch."""
    if not (ZOO / "weights" / "index.json").exists():
        pytest.skip("packages/scrutiny-zoo has no weights yet")
    monkeypatch.setenv("SCRUTINY_ZOO", str(ZOO))

    def run(name: str) -> RunFolder:
        stated: dict[str, Any] = tomllib.loads((ROOT / "examples" / name).read_text("utf-8"))
        for number, one in enumerate(stated["data"].values()):
            one |= {"source": "builtin:reviews", "limit": f"{100 * number}:{100 * number + 8}"}
        stated["data"]["train"]["limit"] = "400:416"
        for node in stated["train"]:
            node |= {"params": {"epochs": 1}}
            node |= {"seeds": node["seeds"][:2]} if "seeds" in node else {"runs": 1}
        # what stands in for a causal model of another size, which is not at hand
        (tmp_path / "prompt").write_text("{text} It was {mask}.")
        choices = "choices=negative=bad|positive=good"
        for model in stated.get("models", {}).values():
            prompt = f"template=@{tmp_path / 'prompt'},{choices}"
            model["source"] = f"choice:zoo:bert-2x128/seed-1#{prompt}"
        for measure in stated["measure"]:
            measure["params"] |= {"candidates": 3}
        stated["resampling"] = {"draws": 200}
        return run_plan(resolve(with_trained(plan_of(stated))), tmp_path / "out")

    return run


def test_the_findings_of_the_paper_are_claims_of_a_run(
    smallest: Callable[[str], RunFolder],
) -> None:
    folder = smallest("shared_invariances_zoo.toml")
    findings = {f.claim.id: f for f in folder.findings()}
    assert {f.verdict for f in findings.values()} <= VERDICTS
    # four layers know more than two, as they were to; the student was to, and does not
    apart = {name: f.reason for name, f in findings.items() if "/less/" in name}
    assert {name for name, why in apart.items() if "the goal" in why} == {
        name for name in apart if name.split("/")[1] == "student"
    }
    sizes = [f for name, f in findings.items() if name.startswith("size")]
    assert len(sizes) == 4
    assert not any("the goal" in f.reason for f in sizes)
    assert "'student above smaller'" in findings["student typos"].reason
    assert findings["student hard"].verdict != "refused"  # of one pair of models
    told = folder.published()
    assert len({one.figure.id for one in told}) == len(told) > 12
    assert not [one for one in told if one.outcome in ODD]
    # agreement in and out of the distribution stands beside
    wanted = ("share(agree_base)@1", "accuracy_gap@1", "ood_agreement(all)@1", "hard_scope@1")
    for metric in wanted:
        found = {
            (e.key.subject, e.key.dataset)
            for e in folder.estimates()
            if (e.key.metric, e.key.reference) == (metric, "teacher") and e.value is not None
        }
        assert {(m, d) for m in ("small", "large", "student") for d in ("dev", "elsewhere")} <= (
            found
        ), metric


def test_the_study_on_sst2_makes_its_contrast_of_sizes(
    smallest: Callable[[str], RunFolder],
) -> None:
    folder = smallest("shared_invariances_sst2.toml")
    less = [f for f in folder.findings() if "/less/" in f.claim.id]
    assert len(less) == 6
    assert {f.verdict for f in less} <= VERDICTS
    assert not any("the goal" in f.reason for f in less)


def test_models_of_two_objectives_are_compared_both_ways(
    smallest: Callable[[str], RunFolder],
) -> None:
    findings = smallest("shared_invariances_causal.toml").findings()
    assert [f.claim.id for f in findings] == [
        "scope/causal/dev/synonym/1",
        "scope/causal/dev/less/synonym/1",
        "scope-from-causal/masked/dev/synonym/1",
    ]
    assert {f.verdict for f in findings} <= VERDICTS
