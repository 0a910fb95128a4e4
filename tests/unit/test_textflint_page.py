"""The page of TextFlint's published results is what the tool makes of them, and what it claims."""

import importlib.util

import pytest
from tests.unit.test_docs import ROOT

from scrutiny.run.importing.published_review import WORSE, review
from scrutiny.run.importing.published_tables import read_published

pytestmark = pytest.mark.data("textflint_site")


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "textflint_page.py"
    spec = importlib.util.spec_from_file_location("textflint_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(tool, shared_data):
    folder = shared_data("textflint_site")
    page = (ROOT / tool.PAGE).read_text(encoding="utf-8")
    made = [tool.reviewed(folder).rstrip(), tool.human_scores(folder), tool.funnel(folder)]
    assert all(block in page for block in made)


def test_it_holds_what_is_known_of_the_site(tool, shared_data, tmp_path):
    """Counts and medians of single changes that were computed by others from the same files."""
    rows = [
        r for r in tool.rows_of(shared_data("textflint_site") / "pairs.tsv.gz") if tool.is_single(r)
    ]
    path = tmp_path / "single.csv"
    tool.write_table(path, rows)
    found = review(read_published(f"{path}#metric=file"))
    assert found.differences.rows.size == 2524
    assert found.differences.n_alone == pytest.approx(0.63 * 2524, abs=20)  # 37 % do not differ
    assert found.differences.count(WORSE) == 1248
    both = {one.names: one.loss.point for one in found.groups["transformation", "task"]}
    known = {"COREF": 68.8, "POS": 41.5, "NER": 11.5, "SA": 2.4, "ABSA": 0.0}
    assert {of: round(100 * both["WordCase-upper", of], 1) for of in known} == known
    tasks = {one.names[0]: one for one in found.groups["task",]}
    above = {"NLI": 0.73, "SM": 0.61, "NER": 0.56, "RE": 0.52}
    assert {of: round(t.share.point, 2) for of, t in tasks.items() if t.share.point > 0.5} == above
    assert {of for of, one in tasks.items() if one.majority == "yes"} == {"NLI", "SM"}
