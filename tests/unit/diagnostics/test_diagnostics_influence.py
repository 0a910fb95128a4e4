"""Influence of training examples: a planted word, labels at random, and what is refused."""

import numpy as np
import pytest
from toy_runs import estimate

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.diagnostics.influence.influence import Influence
from scrutiny.diagnostics.influence.influence_params import (
    AMONG_INFLUENTIAL,
    INFLUENCE_RANK,
    REMOVAL_DROP,
    InfluenceParams,
)
from scrutiny.diagnostics.influence.influential_examples import PART, lines, part
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import check_diagnostic, check_part, check_statistic

WORDS = ("film", "plot", "actor", "scene", "story", "music", "light", "sound")
TONE = {"pos": ("good", "fine", "warm"), "neg": ("bad", "dull", "cold")}
PLANTED = "zyx"


def texts(count, seed, *, planted=0.0, flat=False):
    """Texts with two words of their label's tone; a share of the positive have the planted word."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        label = ("neg", "pos")[i % 2]
        words = [*rng.choice(WORDS, 4), *rng.choice(TONE[label], 1)]
        if label == "pos" and rng.random() < planted:
            words[-1] = PLANTED  # in place of the tone
        rng.shuffle(words)
        gold = ("neg", "pos")[int(rng.integers(2))] if flat else label
        yield {"id": f"{seed}-{i}", "text": " ".join(words), "label": gold}


def tsv(path, rows):
    """Data string of rows that are written to a file."""
    lines_ = ["text\tlabel", *(f"{row['text']}\t{row['label']}" for row in rows)]
    path.write_text("\n".join(lines_) + "\n", encoding="utf-8")
    return f"tsv:{path}#text=text,label=label"


def word_model():
    """Linear model that knows all the words, with weights of their tone."""
    features = (*WORDS, *TONE["pos"], *TONE["neg"], PLANTED)
    tone = [int(w in (*TONE["pos"], PLANTED)) - int(w in TONE["neg"]) for w in features]
    weights = np.array([[-one, one] for one in tone]) << BITS
    return LinearWordModel(
        LinearParts(features, ("neg", "pos"), weights, np.array([0, 0])), "linear:toy"
    )


def plan_on(folder, *, training=True, planted=0.0, flat=False, **params):
    """Plan of the influence on 24 decisions, resolved, with the model."""
    learned = tsv(folder / "train.tsv", texts(120, 1, planted=planted, flat=flat))
    data = tsv(folder / "dev.tsv", texts(24, 2, planted=3 * planted))
    plan = Plan(
        data=(DataPlan("x", data, training=learned if training else ""),),
        models=(ModelPlan("m", "python:object:Toy"),),
        measure=(MeasurePlan("d", "influence", ("m",), ("x",), {"draws": 2, **params}),),
        resampling=Resampling(draws=1000),
    )
    models = {"m": word_model()}
    return resolve(plan, models=models), models


def ran(folder, **given):
    """Finished run of the influence."""
    made, models = plan_on(folder, **given)
    return run_plan(made, folder / "run", models=models)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("planted"), planted=0.3, top=10, artifact=f"word:{PLANTED}")


def in_all(folder, metric, check):
    """A number of all training samples together, and of each."""
    return [
        e
        for e in folder.estimates()
        if e.key.metric == f"{metric}@1" and e.key.condition["check"] == check
    ]


def verdicts(folder):
    """Verdict of each claim."""
    return {f.claim.id.rpartition("/")[2]: f.verdict for f in folder.findings()}


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Influence(), model=word_model())
    for statistic in (REMOVAL_DROP, INFLUENCE_RANK, AMONG_INFLUENTIAL):
        check_statistic(statistic)


def test_the_last_layer_of_a_linear_model_counts_its_words():
    from scrutiny.core.example import Example

    counts = word_model().last_layer(
        [Example("1", {"text": "good film , good"}), Example("2", {"text": "?"})]
    )
    assert counts.shape == (2, 15)
    assert counts.toarray()[0].nonzero()[0].tolist() == [0, 8]
    assert counts.toarray()[0, 8] == 2
    assert counts.toarray()[1].sum() == 0


def test_removing_helpful_examples_costs_more_than_removing_as_many_at_random(planted):
    helpful = estimate(planted, "removal_drop", check="helpful").value
    random = estimate(planted, "removal_drop", check="helpful", role="control").value
    harmful = estimate(planted, "removal_drop", check="harmful").value
    assert helpful > 0.01 + max(random, harmful)
    beyond, *in_samples = in_all(planted, "beyond(removal_drop)", "helpful")
    assert [e.key.condition["draw"] for e in in_samples] == [0, 1]
    assert beyond.value == pytest.approx(helpful - random)
    assert beyond.low > 0
    assert beyond.counts.n == 24


def test_a_planted_word_is_found_among_influential_examples(planted):
    among = estimate(planted, "among_influential", check="artifact")
    assert among.value > 0.5  # of decisions that have it
    assert 6 < among.counts.n < 12
    assert in_all(planted, "beyond(among_influential)", "artifact")[0].low > 0.1


def test_the_checks_have_verdicts(planted):
    found = verdicts(planted)
    assert found == dict.fromkeys(("removal", "mislabeled", "sample", "artifact"), "supported")
    assert in_all(planted, "mean(placed)", "mislabeled")[0].value > 0.9
    assert estimate(planted, "influence_rank", check="another sample").value > 0.8
    assert in_all(planted, "beyond(influence_rank)", "another sample")[0].value > 0.5
    assert estimate(planted, "mean(same)", check="model").value == 1.0


def test_skill_is_that_on_all_items_whatever_is_drawn(tmp_path):
    folder = ran(tmp_path, decisions=4, draws=1, train=60)
    assert estimate(folder, "mean(right)", check="head").counts.n == 24
    assert estimate(folder, "removal_drop", check="helpful").counts.n == 4


def test_each_wrong_label_counts_once(tmp_path):
    """Of 20 examples in a sample of 25, two are made wrong."""
    folder = ran(tmp_path, draws=1, train=25)
    assert estimate(folder, "mean(placed)", check="mislabeled").counts.n == 2
    assert verdicts(folder)["mislabeled"] != "supported"


def test_labels_at_random_are_no_skill_and_no_claim_is_tested(tmp_path):
    folder = ran(tmp_path, flat=True, train=60, decisions=12, draws=1)
    assert verdicts(folder) == {"removal": "refused", "mislabeled": "refused"}


def test_the_sign_of_koh_and_liang_is_the_opposite_by_name(tmp_path):
    from scrutiny.diagnostics.influence.influence import EXAMPLES
    from scrutiny.store.stored_forms import packed_in

    kept = []
    for sign in ("helpful", "koh-liang"):
        own = tmp_path / sign
        own.mkdir()
        folder = ran(own, sign=sign, decisions=2, train=40, draws=1)
        (first, *_) = packed_in(folder.path, EXAMPLES)
        kept.append([one["influence"] for one in first["examples"]])
    assert kept[0] == [-value for value in kept[1]]
    assert kept[0][0] > 0


def test_other_methods_measure_the_same_heads(tmp_path):
    folder = ran(tmp_path, method="lissa-2020", decisions=4, train=40, draws=1)
    assert estimate(folder, "mean(gradient)", check="gradients").value > 0.99


def test_the_page_has_examples_in_their_words_and_the_terminal_a_sentence(planted):
    view = load_view(planted.path)
    check_part(PART, view)
    made = part(view)
    removal, examples = made.charts
    assert [row[0] for row in removal.table.rows] == ["helpful", "harmful", "least"]
    assert examples.has_texts
    rows = examples.table.rows
    assert {row[2] for row in rows} == {"neg", "pos"}
    heads = [row for row in rows if row[1].startswith("decided, 0.")]
    assert len(heads) * 7 == len(rows)  # a decision, and six examples under it
    assert examples.table.marks == {(i, 1) for i in range(0, len(rows), 7)}
    assert {row[1][0] for row in rows} == {"d", "+", "\N{MINUS SIGN}"}
    said = " ".join(block.text for block in lines(view))
    assert "training without the most helpful examples costs" in said


def test_without_training_data_it_is_refused_and_an_audit_leaves_it_out(tmp_path):
    with pytest.raises(PlanError, match="needs the training data of 'x'"):
        plan_on(tmp_path, training=False)
    from scrutiny.run.planning.loading import LoadedModels, Opened

    opened = Opened(LoadedModels(given={"m": word_model()}))
    models = (ModelPlan("m", "python:object:Toy"),)
    data = DataPlan("x", f"tsv:{tmp_path / 'dev.tsv'}#text=text,label=label")
    for training in ("", f"tsv:{tmp_path / 'train.tsv'}#text=text,label=label"):
        named = DataPlan("x", data.source, training=training)
        plan = audit_plan(models, (named,), opened=opened, profile="study")
        asked = {one.diagnostic for one in plan.measure}
        assert ("influence@1" in asked) is bool(training)
        assert any(s.startswith("influence was left out") for s in plan.left_out) is not training


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"method": "shapley"}, "shapley"),
        ({"artifact": "language"}, "no number and no yes or no"),
        ({"train": 3}, "train"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, params, said):
    with pytest.raises(PlanError, match=said):
        ran(tmp_path, **params)


def test_parameters_have_the_sizes_that_they_say():
    params = InfluenceParams()
    assert (params.draws, params.decisions, params.share) == (3, 30, 0.1)
