"""Pages of papers: made from runs, and never older than their plans."""

import re
import sys
from pathlib import Path

import pytest

from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.run.planning.file import read_plan

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from paper_pages import MARK, page  # noqa: E402

PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
_ROW = re.compile(r"^\| (.*?) \| (.*?) \|", re.MULTILINE)
_PLAN = re.compile(r"^\$ scrutiny run (\S+\.toml)", re.MULTILINE)


class Finished:
    """Stand-in for a finished run."""

    def __init__(self) -> None:
        self.manifest = {"command": "scrutiny run examples/a.toml --out runs/a"}

    def published(self) -> list[Reproduction]:
        def figure(name: str, source: str = "Table 1", **more: object) -> PublishedPlan:
            return PublishedPlan(name, source=source, **more)  # type: ignore[arg-type]

        return [
            Reproduction(
                figure("P", printed="92.9", note="A | misprint."), "differs", "82.9", 82.9
            ),
            Reproduction(figure("R", "Table 2", released=".4"), "agrees", ".4", 0.41),
            Reproduction(
                figure("sd", printed="2.8", beside=True), "beside", "3.1", 3.1, "", 1.2, 5
            ),
            Reproduction(figure("varies", printed="yes", claim="c"), "can't tell", reason="wide"),
        ]


def test_a_page_keeps_its_head_and_has_a_table_for_each_source() -> None:
    made = page(f"# A paper\n\nHead.\n\n{MARK}\nold rows\n", [Finished()])  # type: ignore[list-item]
    head, _, rest = made.partition(MARK)
    assert head == "# A paper\n\nHead.\n\n"
    assert "old rows" not in made
    assert "$ scrutiny run examples/a.toml --out runs/a" in rest
    assert "| P | 92.9 | 82.9 | **differs** | A / misprint. |" in rest
    assert "| R | .4 | .4 | agrees, released |  |" in rest
    assert "| sd | 2.8 | 3.1 [1.2, 5.0] | beside |  |" in rest
    assert "| varies | yes | – | can't tell | wide |" in rest
    assert re.findall("^## (.*)$", rest, re.MULTILINE) == ["Table 1", "Table 2"]
    assert page(made, [Finished()]) == made  # type: ignore[list-item]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_the_figures_of_its_plans(path: Path) -> None:
    made = path.read_text(encoding="utf-8").partition(MARK)[2]
    shown = [pair for pair in _ROW.findall(made) if pair[0] not in ("figure or finding", "---")]
    plans = [read_plan(ROOT / name).published for name in _PLAN.findall(made)]
    assert plans
    wanted = [(one.id.replace("|", "/"), one.text.replace("|", "/")) for p in plans for one in p]
    assert sorted(shown) == sorted(wanted)
