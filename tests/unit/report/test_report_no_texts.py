"""Pages without texts of the data: numbers alone, in every format."""

from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.report.formats import FORMATS, render
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve

GOOD, BAD = "a wonderful touching film", "an awful boring film"


#: Rows that are warned of: no label, the same text with another label, a label of one row alone,
#: text in a wrong encoding.
DOUBTFUL = (
    "lone zebraxx,",
    "the zebrayy film,positive",
    "the zebrayy film,negative",
    "zebraÃ©zz film,positive",
)


def marked(n: int) -> str:
    """Text with a word that stands nowhere else."""
    return f"{(BAD, GOOD)[n % 2]} zebra{'abcdefghij'[n // 10]}{'abcdefghij'[n % 10]}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a run with changed texts, attacks, and a row that cannot be read."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [f"{marked(n)},{('negative', 'positive')[n % 2]}" for n in range(40)]
    (folder / "x.csv").write_text("\n".join(["text,label", *rows, *DOUBTFUL]) + "\n")
    plan = Plan(
        data=(DataPlan("x", f"csv:{folder}/x.csv"),),
        models=(ModelPlan("m", "builtin:sentiment"),),
        measure=(
            MeasurePlan("performance", "performance", ("m",), ("x",)),
            MeasurePlan("calibration", "calibration", ("m",), ("x",)),
            MeasurePlan("leakage", "leakage", ("m",), ("x",)),
            MeasurePlan(
                "attack", "attack", ("m",), ("x",), {"recipes": ["deepwordbug"], "budget": 60}
            ),
            MeasurePlan(
                "robustness", "robustness", ("m",), ("x",), {"transformations": ["typos", "ocr"]}
            ),
        ),
        resampling=Resampling(draws=100),
    )
    return run_plan(resolve(plan), folder / "run").path


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_holds_a_text_where_none_may_be_shown(run: Path, name: str) -> None:
    assert "zebra" not in render(load_view(run).without_texts(), name)


def test_the_page_with_texts_holds_them(run: Path) -> None:
    view = load_view(run)
    page, bare = render(view, "html"), render(view.without_texts(), "html")
    assert "zebra" in page
    assert "Texts that fool m" in page
    assert "Texts that fool m" not in bare
    for name in ("attack_success", "calibration_error"):
        assert name in bare  # numbers stay
    assert len(bare) < len(page)


def test_numbers_are_the_same_without_texts(run: Path) -> None:
    view = load_view(run)
    for name in ("csv", "json", "latex"):
        assert render(view, name) == render(view.without_texts(), name)
    printed, bare = (render(v, "text").splitlines() for v in (view, view.without_texts()))
    assert not set(bare) - set(printed)  # the clearest case is left out
    assert len(bare) < len(printed)
    assert "zebra" not in "".join(bare)


def test_the_verbs_take_it(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    assert exit_code_of(group, ["report", str(run), "--no-texts", "-o", "bare.html"]) == 0
    assert "zebra" not in Path("bare.html").read_text()
    (tmp_path / "x.csv").write_bytes((run.parent / "x.csv").read_bytes())
    words = ["run", "attack", "--model", "builtin:sentiment/seed-1", "--data", "x.csv"]
    words += ["-P", "budget=60", "--draws", "100", "--display", "none", "--out", "r"]
    whole = [*words, "--html", "page.html"]
    assert exit_code_of(group, whole) == 0
    assert "zebra" in Path("page.html").read_text()
    assert exit_code_of(group, [*whole, "--no-texts"]) == 0  # the same run, and another page
    assert "zebra" not in Path("page.html").read_text()
    capsys.readouterr()
