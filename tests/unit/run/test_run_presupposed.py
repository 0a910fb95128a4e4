"""Groups, control families, presupposed diagnostics and refused claims, in whole runs."""

from dataclasses import replace
from importlib import import_module
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.registry import Registration, build
from scrutiny.data.dataset import Dataset
from scrutiny.data.slices import RunItems
from scrutiny.diagnostics.performance.performance import Performance
from scrutiny.registrations import REGISTRATIONS
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.prerequisites import SKILL_NOT_COMPUTED
from scrutiny.run.planning.presuppositions import CHEAP_BYTES, FEW_NULLS
from scrutiny.run.planning.presuppositions import with_presupposed as presupposed_in
from scrutiny.run.planning.resolve import resolve

CLASSES = ("ByGroup", "NeedsSkill")


class ByGroup(Performance):
    """Accuracy of every group, and how far it lies above that of the control family."""

    id = "by_group@1"
    nulls = 7

    def design(self, params, inputs):
        made = super().design(params, inputs)
        groups = inputs.data.columns["a_group"]
        own = tuple(
            EstimateSpec(f"level/{g}", "accuracy@1", group=g, where=f"a_group = {g}")
            for g in groups
        )
        contrasts = tuple(ContrastSpec(f"gain/{g}", f"level/{g}", f"level/{g}") for g in groups)
        claim = Claim(
            id="gain",
            says="better than its control",
            diagnostic="by_group",
            components=(
                Component("level", 0.5),
                Component("gain/a", 0.1, "control: untrained"),
            ),
        )
        return Design(estimates=(*made.estimates, *own), claims=(claim,), contrasts=contrasts)


class NeedsSkill(Performance):
    """Performance whose claim presupposes another diagnostic on its own data."""

    id = "needs_skill@1"
    presupposes: ClassVar = {"performance@1": "builtin:reviews"}

    def design(self, params, inputs):
        made = super().design(params, inputs)
        claims = tuple(replace(c, competence=(("performance:level", 0.5),)) for c in made.claims)
        return replace(made, claims=claims)


@pytest.fixture(autouse=True)
def own_diagnostics(monkeypatch):
    own = [Registration("diagnostic", globals()[n].id, f"{__name__}:{n}") for n in CLASSES]
    made = build([("scrutiny", REGISTRATIONS), ("tests", own)])
    for name in ("beside_seeds", "measurements", "presuppositions"):
        monkeypatch.setattr(
            import_module(f"scrutiny.run.planning.{name}"), "registry", lambda: made
        )
    for name in ("manifest",):
        monkeypatch.setattr(import_module(f"scrutiny.run.{name}"), "registry", lambda: made)


def with_presupposed(made, **languages):
    """The plan with what it presupposes, its data in English unless stated."""
    return presupposed_in(made, lambda d: frozenset({languages.get(d.name, "en")}))


def grouped():
    return [{**row, "group": "ab"[n % 2]} for n, row in enumerate(rows())]


def with_control(tmp_path, **more):
    """Plan of a good family and a worse one that is there as its null."""
    models = (
        ModelPlan("m", family(tmp_path), seeds=(1, 2, 3)),
        ModelPlan(
            "n",
            family(tmp_path, every=2, name="null"),
            seeds=(1, 2, 3, 4),
            role="null",
            **more,
        ),
    )
    measure = MeasurePlan("d", "by_group", ("m", "n"), ("x",))
    data = (DataPlan("x", "object:x#text=text,label=label,group=group"),)
    return plan(models=models, measure=(measure,), data=data)


def run_grouped(made, out):
    path = out.parent / "x.csv"
    pd.DataFrame(grouped()).to_csv(path, index=False)
    data = (DataPlan("x", f"csv:{path}#text=text,label=label,group=group,id=id"),)
    return run(replace(made, data=data), out, data={})


def test_an_estimate_of_a_group_reads_its_items_only(tmp_path):
    folder = run_grouped(with_control(tmp_path), tmp_path / "out")
    found = {
        (e.key.subject, e.key.group): e
        for e in folder.estimates()
        if e.key.metric == "accuracy@1" and e.key.reference is None
    }
    whole, a, b = (found["m", g] for g in ("all", "a", "b"))
    assert (whole.counts.planned, a.counts.planned, b.counts.planned) == (40, 20, 20)
    assert np.isclose(whole.value, (a.value + b.value) / 2)
    records = [r for r in folder.records().to_pylist() if r["subject"] == "m"]
    odd = [r["values"][0] for r in records if int(r["item"][1:]) % 2]
    assert b.value == pytest.approx(np.mean(odd))


def test_a_contrast_with_the_control_family_decides_with_the_claim(tmp_path):
    folder = run_grouped(with_control(tmp_path), tmp_path / "out")
    gain = next(e for e in folder.estimates() if e.key.reference == "n" and e.key.group == "a")
    levels = {
        e.key.subject: e.value
        for e in folder.estimates()
        if (e.key.group, e.key.role) in {("a", "measured"), ("a", "null")}
        and e.key.reference is None
    }
    assert gain.value == pytest.approx(levels["m"] - levels["n"])
    assert gain.key.role == "contrast"
    finding = next(f for f in folder.findings() if f.claim.diagnostic == "by_group")
    assert "control: untrained" in finding.evidence
    assert finding.control.value == pytest.approx(gain.value)


def test_of_a_control_family_only_what_is_subtracted_is_computed(tmp_path):
    folder = run_grouped(with_control(tmp_path), tmp_path / "out")
    groups = {e.key.group for e in folder.estimates() if e.key.subject == "n"}
    assert groups == {"a", "b"}


@pytest.mark.parametrize("control_of", ["", "m", "another"])
def test_a_control_family_may_name_whom_it_controls_for(tmp_path, control_of):
    folder = run_grouped(with_control(tmp_path, control_of=control_of), tmp_path / "out")
    finding = next(f for f in folder.findings() if f.claim.diagnostic == "by_group")
    has_control = "control: untrained" in finding.evidence
    assert has_control == (control_of != "another")
    if not has_control:
        assert finding.verdict == "undecided"
        assert finding.reason == "a comparison was not run: control: untrained"


def test_an_unknown_column_of_a_group_is_refused(tmp_path):
    folder = run_grouped(with_control(tmp_path), tmp_path / "out")
    items = RunItems.of_folder(folder)
    assert not items.inside("a_group = none of these", ("x",)).any()
    with pytest.raises(UnknownNameError, match="named 'a_color'"):
        items.inside("a_color = red", ("x",))


@pytest.mark.parametrize(
    ("documents", "unit"), [(["a"] * 4, "item"), (["a", "a", "b", "b"], "u_document")]
)
def test_one_document_is_no_sample_of_documents(documents, unit):
    examples = tuple(
        Example(f"p{n}", {"text": "x"}, attributes={"u_document": name})
        for n, name in enumerate(documents)
    )
    dataset = Dataset("x", "", "passages", examples, (), {}, (), "", (), {})
    assert dataset.unit_column("item") == unit
    assert dataset.unit_column("document") == "u_document"


def test_untrained_families_are_added_once(tmp_path):
    made = Plan(
        models=(ModelPlan("m", "hf:./somewhere"), ModelPlan("p", "python:x.py:f")),
        data=(DataPlan("x", "csv:x.csv"),),
        measure=(
            MeasurePlan("d", "by_group", ("m", "p"), ("x",)),
            MeasurePlan("e", "by_group", ("m",), ("x",), is_audit=True),
            MeasurePlan("f", "by_group", ("m",), ("x",), nulls=0),
        ),
    )
    found = with_presupposed(made)
    added = [m for m in found.models if m.role == "null"]
    assert [(m.name, m.source, m.control_of) for m in added] == [
        ("m untrained", "untrained:hf:./somewhere", "m")
    ]
    assert len(added[0].seeds) == ByGroup.nulls > FEW_NULLS
    assert [m.models for m in found.measure] == [
        ("m", "p", "m untrained"),
        ("m", "m untrained"),
        ("m",),
    ]
    assert with_presupposed(found) == found


def test_a_presupposed_diagnostic_is_run_on_its_own_data(tmp_path):
    made = plan(family(tmp_path), seeds=(1, 2, 3), diagnostic="needs_skill")
    folder = run(made, tmp_path / "out")
    assert {e.key.dataset for e in folder.estimates()} == {"x", "builtin:reviews"}
    finding = next(
        f for f in folder.findings() if f.claim.diagnostic == "needs_skill" and f.claim.competence
    )
    assert finding.claim.competence == (("performance/m/builtin:reviews/level", 0.5),)
    # the toy knows "good" only, which says nothing about the reviews: no skill, whatever it gets
    assert finding.verdict == "refused"
    assert finding.estimate is not None


def test_a_presupposed_diagnostic_that_the_plan_has_is_not_added(tmp_path):
    made = plan(family(tmp_path), seeds=(1,), diagnostic="needs_skill")
    own = MeasurePlan("mine", "performance", ("m",), ("x",))
    both = replace(made, measure=(*made.measure, own))
    assert with_presupposed(both).measure == both.measure
    assert with_presupposed(with_presupposed(made)) == with_presupposed(made)


def in_language(made, language):
    """The plan on rows that state their language."""
    return replace(
        made, data=(DataPlan("x", f"object:x#text=text,label=label,language={language}"),)
    )


@pytest.mark.parametrize("language", ["de", "pt-BR", "zh", "und-Cyrl"])
def test_english_data_show_no_skill_on_texts_in_another_language(tmp_path, language):
    made = plan(family(tmp_path), seeds=(1, 2, 3), diagnostic="needs_skill")
    folder = run(in_language(made, language), tmp_path / "out")
    assert {e.key.dataset for e in folder.estimates()} == {"x"}
    finding = next(f for f in folder.findings() if f.claim.competence)
    assert (finding.verdict, finding.reason) == ("undecided", SKILL_NOT_COMPUTED)
    (said,) = folder.manifest["plan"]["left_out"]
    assert said.startswith(
        "d presupposes performance, which is measured on builtin:reviews, in English (en), and "
        "says nothing of x, in "
    )
    assert "What d claims there stays undecided, unless a plan measures performance on" in said


@pytest.mark.parametrize("language", ["en-GB", "und-Latn", "und"])
def test_texts_that_may_be_english_are_shown_by_english_data(tmp_path, language):
    made = plan(family(tmp_path), seeds=(1,), diagnostic="needs_skill")
    found = with_presupposed(made, x=language)
    assert [m.id for m in found.measure] == ["performance", "d"]
    assert found.left_out == ()


def test_of_data_in_two_languages_the_english_ones_alone_have_the_skill_shown(tmp_path):
    made = plan(family(tmp_path), seeds=(1, 2, 3), diagnostic="needs_skill")
    both = (*in_language(made, "de").data, DataPlan("y", "object:y"))
    measure = replace(made.measure[0], data=("x", "y"))
    other = [{**row, "id": f"y{n}", "text": f"so {row['text']}"} for n, row in enumerate(rows(30))]
    found = resolve(replace(made, data=both, measure=(measure,)), data={"x": rows(), "y": other})
    skills = {claim.id: claim.competence[0][0] for claim in found.claims if claim.competence}
    assert skills["d/m/x/skill"] == "performance:level"  # nobody computes it
    assert skills["d/m/y/skill"] == "performance/m/builtin:reviews/level"
    assert "says nothing of x, in German (de)" in found.plan.left_out[0]


def test_a_claim_that_is_refused_beforehand_stays_refused(tmp_path):
    claim = Claim("c", "says", "d", (Component("e", 0.0),), refused="seed 3 lies below the 5-gram")
    finding = decide([claim], {})[0]
    assert (finding.verdict, finding.reason) == ("refused", "seed 3 lies below the 5-gram")


@pytest.mark.parametrize(
    ("size", "stated", "is_audit", "count"),
    [
        (10, None, False, ByGroup.nulls),
        (10, None, True, FEW_NULLS),
        (CHEAP_BYTES + 1, None, False, FEW_NULLS),
        (CHEAP_BYTES + 1, 6, False, 6),
        (10, 0, False, 0),
    ],
)
def test_large_networks_and_audits_get_fewer_untrained_ones(
    tmp_path, size, stated, is_audit, count
):
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(size)
    measure = MeasurePlan("d", "by_group", ("m",), ("x",), is_audit=is_audit, nulls=stated)
    made = Plan(
        models=(ModelPlan("m", f"hf:{tmp_path}"),), data=(DataPlan("x", "x"),), measure=(measure,)
    )
    added = [m for m in with_presupposed(made).models if m.role == "null"]
    assert [len(m.seeds) for m in added] == ([count] if count else [])
