"""Two runs or two models held against each other from Python: the same as the command says."""

import re

import pytest

import scrutiny
from scrutiny.core.errors import DataError, PlanError
from scrutiny.testing import KeywordClassifier

ROWS = [
    {"id": f"i{n}", "text": f"a {word} film{tail} about case {n}", "label": label}
    for n in range(120)
    for word, label in [[("bad", "negative"), ("good", "positive")][n % 2]]
    for tail in [", not a play," if n % 4 < 2 else ""]
]


class BlindToNegation(KeywordClassifier):
    """The same classifier, which gets wrong whatever holds a negation."""

    def predict(self, examples):
        return [
            answer._replace(answer="negative", scores=answer.scores[::-1])
            if "not" in example.fields["text"] and answer.answer == "positive"
            else answer
            for example, answer in zip(examples, super().predict(examples), strict=True)
        ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    return [
        scrutiny.run(
            "performance",
            model=f"builtin:sentiment/seed-{k}",
            data="builtin:reviews",
            out=folder / f"seed-{k}",
        )
        for k in (1, 2)
    ]


def test_two_runs_are_compared(runs):
    found = scrutiny.compare(*runs, margin=0.05)
    (level,) = found.levels
    first, second = (run.estimate("accuracy").value for run in runs)
    assert (level["before"], level["after"]) == pytest.approx((first, second))
    assert level["low"] < level["change"] < level["high"]
    assert level["outcome"] == found.outcome in ("regression", "no regression", "undecided")
    assert repr(found) == f"<Comparison: {found.headline}>"
    said = re.search(r"change +[\d.]+ → [\d.]+: (\S+) \[(\S+), (\S+)\]", found.report())
    ends = [float(text.replace("−", "-")) for text in said.groups()]
    assert ends == pytest.approx([level[n] for n in ("change", "low", "high")], abs=6e-4)


def test_the_same_by_folders_and_by_models(runs):
    by_runs = scrutiny.compare(*runs)
    by_folders = scrutiny.compare(runs[0].path, str(runs[1].path))
    names = [f"builtin:sentiment/seed-{k}" for k in (1, 2)]
    by_models = scrutiny.compare(*names, data="builtin:reviews")
    assert [*by_folders.levels] == [*by_runs.levels] == [*by_models.levels]
    assert by_runs.outcome is None


def test_objects_are_compared_and_the_inputs_that_broke_are_named():
    found = scrutiny.compare(KeywordClassifier(), BlindToNegation(), data=ROWS, margin=0.02)
    assert found.outcome == "regression"
    assert found.headline.startswith("The second is worse by 25.0 points [")
    clearest = next(iter(found.slices.where(is_shown=True)))
    assert clearest["change"] < -0.4
    differing = [*found.inputs]
    assert all("not" in row["text"] for row in differing)
    assert len(differing) == sum(
        "not" in row["text"] and row["label"] == "positive" for row in ROWS
    )
    page = found._repr_html_()
    assert page.index(found.headline[:20]) < page.index("<table")
    assert "not a play" in page


def test_numbers_and_findings_are_of_both(runs):
    found = scrutiny.compare(*runs)
    assert len(found.findings) == len(found.numbers) >= 1
    (number,) = found.numbers.where(metric="accuracy")
    assert number["value"] == pytest.approx(
        runs[1].estimate("accuracy").value - runs[0].estimate("accuracy").value
    )


def test_a_page_is_written_also_of_a_run_against_itself(runs, tmp_path):
    page = tmp_path / "same.html"
    found = scrutiny.compare(runs[0], runs[0], baseline_rerun=runs[1])
    assert found.report(page) == page.read_text(encoding="utf-8")
    assert found.headline.startswith("No difference is shown")
    assert next(iter(found.levels))["noise"] > 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda runs: scrutiny.compare(runs[0], "builtin:sentiment"), "are compared on data"),
        (lambda runs: scrutiny.compare(runs[0], len), "second is of type builtin_function"),
        (lambda runs: scrutiny.compare(*runs, seed=3), "seed= is about models that are asked"),
        (lambda runs: scrutiny.compare(*runs, columns={}), "columns= is about models that are"),
        (lambda runs: scrutiny.compare(*runs, baseline_rerun=3), "baseline_rerun is of type int"),
    ],
)
def test_mistakes_are_said(runs, call, said):
    with pytest.raises(PlanError, match=said):
        call(runs)


def test_a_folder_that_is_gone_is_said(runs, tmp_path):
    with pytest.raises(DataError, match="no run folder"):
        scrutiny.compare(runs[0], tmp_path / "gone")


class Constant:
    """One answer to everything, more or less surely."""

    classes_ = ("no", "yes")

    def __init__(self, sure):
        self.sure = sure

    def predict_proba(self, texts):
        return [[1 - self.sure, self.sure]] * len(texts)


def test_models_without_skill_are_said_to_have_none_beside_what_differs():
    """A loss of two points is ruled out between two models that answer nothing but yes."""
    rows = [{"text": f"case {n}", "label": "yes" if n % 5 < 3 else "no"} for n in range(60)]
    found = scrutiny.compare(Constant(0.6), Constant(0.9), rows, margin=0.2)
    assert found.outcome == "no regression"
    for which in ("first", "second"):
        said = f"The {which}: no better than always answering 'yes' (60.0 %): accuracy 60.0 % ["
        assert said in found.headline
    alike = scrutiny.compare(Constant(0.6), Constant(0.6), rows)
    assert alike.headline.startswith("No difference is shown: both answer alike on these items, ")
    assert ", and the second is between" in alike.headline
