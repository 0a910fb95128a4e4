"""The study of negation in its small version: tiny encoders, our own sentences, every claim."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "training"))
from anchored_toys import frames, make_encoder

from scrutiny.models.strings.training_records import read_competence
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import with_trained

pytestmark = [pytest.mark.slow, pytest.mark.extra("hf")]

EXAMPLE = Path(__file__).parents[2] / "examples" / "negation_study.toml"
SEEDS = (1, 2, 3)
OF_FAMILIES = ("heads", "regression")
VERDICTS = {"supported", "not supported", "undecided", "refused"}


def study(place, *, data, epochs, lr, seeds=SEEDS, is_whole=True):
    """Finished run of the example with tiny encoders, other data and fewer draws.

    Where it is not whole, without the other size and what only the plan says of heads, and of
    few items.
    """
    for seed in seeds:
        make_encoder(place / "larger" / f"seed-{seed}", seed=seed)
        make_encoder(place / "smaller" / f"seed-{seed}", seed=10 + seed, layers=1)
    text = EXAMPLE.read_text(encoding="utf-8")
    text = text.replace("zoo:bert-4x128/", f"hf:{place / 'larger'}/")
    text = text.replace("zoo:bert-2x128/", f"hf:{place / 'smaller'}/")
    stated = tomllib.loads(text)
    for name, source in data.items():
        stated["data"][name]["source"] = source
    for node in stated["train"]:
        node["params"] |= {"epochs": epochs, "lr": lr}
    for measure in stated["measure"]:
        measure.setdefault("nulls", 2)
    if not is_whole:
        del stated["models"]["small"]
        stated["measure"] = [one for one in stated["measure"] if one["id"] in OF_FAMILIES]
        stated["measure"][0]["models"].remove("small")
        for measure in stated["measure"]:
            measure["items"] = 40
        stated |= {"estimate": [], "claim": [], "published": []}
    stated["resampling"] = {"draws": 200}
    with pytest.MonkeyPatch.context() as patched:  # a module's fixture comes before a test's
        patched.setenv("SCRUTINY_CACHE_DIR", str(place / "cache"))
        trained = with_trained(plan_of(stated))
    return run_plan(resolve(trained), place / "run"), trained


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"jsonl:{path}"


def claims_of(folder):
    """Findings of the diagnostics by family, dataset (empty for both) and claim."""
    found = {}
    for one in folder.findings():
        if "/" not in one.claim.id:
            continue  # the plan's own
        _, family, *rest = one.claim.id.split("/")
        names = {"conan-doyle", "sfu"}
        dataset = rest.pop(0) if rest[0] in names and len(rest) > 1 else ""
        found[family, dataset, "C1/offsets" if rest[-1] == "offsets" else rest[0]] = one
    return found


@pytest.fixture(scope="module")
def hardly_trained(tmp_path_factory):
    """One epoch on thirty sentences: nobody learns anything."""
    place = tmp_path_factory.mktemp("hardly")
    own = written(place / "frames.jsonl", frames(40, seed=1))
    return study(place, data={"conan-doyle": "builtin:negation", "sfu": own}, epochs=1, lr=1e-4)


@pytest.fixture(scope="module")
def well_trained(tmp_path_factory):
    """Five epochs on a rule that tiny encoders learn, as they learn a label for each word."""
    place = tmp_path_factory.mktemp("well")
    own = written(place / "frames.jsonl", frames(120))
    data = {"conan-doyle": own, "sfu": "builtin:negation"}
    return study(place, data=data, epochs=5, lr=1e-2, seeds=SEEDS[:2], is_whole=False)


def test_every_claim_of_the_method_has_a_verdict(hardly_trained):
    folder, _ = hardly_trained
    found = claims_of(folder)
    datasets = ("conan-doyle", "sfu", "")
    everywhere = {(name, dataset) for name in ("C1", "C1/offsets") for dataset in datasets}
    everywhere.add(("C3", "conan-doyle"))
    of_tuning = {("C4", "conan-doyle"), ("C4", "sfu"), ("C4", "")}
    of_control = {("C5", "conan-doyle"), ("C5", "sfu"), ("C5", ""), ("C6", "conan-doyle")}
    expected = {
        "pretrained": everywhere | {("C2", "conan-doyle")},
        "small": everywhere,
        "tuned": everywhere | of_tuning | of_control | {("C2", "conan-doyle")},
        "half-true": everywhere | of_tuning,
    }
    by_family = {family: set() for family in expected}
    for family, dataset, name in found:
        by_family[family].add((name, dataset))  # of control and null families nothing is claimed
    assert by_family == expected
    assert {one.verdict for one in found.values()} <= VERDICTS
    assert found["pretrained", "conan-doyle", "C1"].verdict in ("undecided", "not supported")
    assert "choice: preset as_released" in str(found["tuned", "", "C1"].claim.components)


def test_families_are_held_against_what_controls_them(hardly_trained):
    folder, trained = hardly_trained
    roles = {model.name: (model.role, model.base, model.control_of) for model in trained.models}
    assert roles["tuned"] == ("measured", "pretrained", "")
    assert roles["control"] == ("control", "pretrained", "tuned")
    estimates = folder.estimates()
    pairs = {(e.key.subject, e.key.reference) for e in estimates if e.key.reference}
    assert {
        ("pretrained", "pretrained untrained"),
        ("small", "small untrained"),
        ("tuned", "pretrained untrained"),
        ("tuned", "pretrained"),
        ("tuned", "control"),
        ("half-true", "pretrained"),
    } <= pairs
    assert ("half-true", "control") not in pairs  # the control task is that of the scope
    gain = [
        e
        for e in estimates
        if (e.key.subject, e.key.reference, e.key.metric) == ("tuned", "control", "mean_head(f1)@1")
    ]
    assert {(e.key.dataset, e.key.condition["preset"]) for e in gain} == {
        (dataset, preset)
        for dataset in ("conan-doyle", "sfu")
        for preset in ("default", "as_released")
    } | {("conan-doyle", "own")}  # by value norms, and by gradients
    own = {f.claim.id: f for f in folder.findings() if f.claim.id in ("values", "gradients")}
    assert {f.estimate.key.condition["preset"] for f in own.values()} == {"own"}
    assert own["values"].estimate.value != own["gradients"].estimate.value
    for one in gain:
        assert one.low <= one.value <= one.high
        assert 0 < one.across["rank_sum_p"] <= 1  # three runs beside three


def skills(trained, family):
    """Whether each checkpoint of a family passes the gate of its own task."""
    model = next(model for model in trained.models if model.name == family)
    pattern = Path(model.source.removeprefix("hf:").format(seed="*"))
    places = pattern.parent.glob(pattern.name)
    return [read_competence(place)["gates"]["task_skill"] for place in places]


@pytest.mark.parametrize("which", ["hardly_trained", "well_trained"])
def test_claims_on_tuning_are_refused_where_a_task_was_not_learned(which, request):
    folder, trained = request.getfixturevalue(which)
    found = claims_of(folder)
    able = {name: all(skills(trained, name)) for name in ("tuned", "control", "half-true")}
    if which == "hardly_trained":
        assert not any(able.values())
    else:
        assert able["tuned"]
        assert able["control"]
    for (family, _, name), one in found.items():
        if name == "C4":
            assert (one.verdict == "refused") is not able[family], one.reason
        elif name in ("C5", "C6"):
            assert (one.verdict == "refused") is not (able["tuned"] and able["control"])
        else:
            assert one.verdict != "refused"
        if one.verdict == "refused":
            assert "task_skill" in one.reason


def test_networks_of_two_sizes_are_compared_whatever_number_of_heads_they_have(hardly_trained):
    folder, _ = hardly_trained
    found = {
        (e.key.metric, e.key.dataset): e
        for e in folder.estimates()
        if (e.key.subject, e.key.reference) == ("pretrained", "small")
    }
    datasets = ("conan-doyle", "sfu")
    metrics = ("mean_head(f1)@1", "selected_head(f1)@1")
    assert set(found) == {(metric, dataset) for metric in metrics for dataset in datasets}
    for one in found.values():
        assert one.low <= one.value <= one.high
        assert one.across["rank_sum_smallest_p"] == pytest.approx(0.1)  # 2 in 20 ways
    (size,) = (one for one in folder.findings() if one.claim.id == "size")
    assert len(size.claim.components) == 2
    assert size.verdict in VERDICTS - {"refused"}
    assert not size.claim.post_hoc
