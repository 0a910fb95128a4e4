"""Pages of papers: made from runs, and never older than their plans."""

import re
import sys
from pathlib import Path

import pytest

from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.run.planning.plan_file import read_plan

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from paper_pages import LEGEND, MARK, OF_RELEASED, page  # noqa: E402

PAGES = sorted(p for p in (ROOT / "docs" / "papers").glob("*.md") if MARK in p.read_text("utf-8"))
_TABLE = re.compile(r"((?:^\|.*\n)+)", re.MULTILINE)
_PLAN = re.compile(r"^\$ scrutiny run (\S+\.toml)", re.MULTILINE)


class Finished:
    """Stand-in for a finished run."""

    def __init__(self, found: list[Reproduction]) -> None:
        self.manifest = {"command": "scrutiny run examples/a.toml --out runs/a"}
        self.found = found

    def published(self) -> list[Reproduction]:
        return self.found


def figure(name: str, source: str = "Table 1", **more: object) -> PublishedPlan:
    return PublishedPlan(name, source=source, **more)  # type: ignore[arg-type]


FOUND = [
    Reproduction(figure("head, P", printed="92.9", note="A | misprint."), "differs", "82.9", 82.9),
    Reproduction(figure("head, R", printed="-.4"), "agrees", "-.4", -0.41),
    Reproduction(figure("mean, P", released=".3"), "agrees", ".3", 0.3),
    Reproduction(
        figure("mean, P, sd", printed="2.8", beside=True), "beside", "3.1", 3.1, "", 1.2, 5
    ),
    Reproduction(figure("mean, R", printed="< .1"), "unavailable", reason="gone"),
    Reproduction(
        figure("varies", "Table 2", printed="yes", claim="c"), "can't tell", reason="wide"
    ),
]


def findings(*reasons: str, **more: object) -> list[Reproduction]:
    """Findings that are seen for these reasons."""
    plans = [
        PublishedPlan(f"finding {at}", printed="yes", claim="c", **more)  # type: ignore[arg-type]
        for at in range(len(reasons))
    ]
    return [
        Reproduction(plan, "seen", "", 0.021, reason, 0.012, 0.030)
        for plan, reason in zip(plans, reasons, strict=True)
    ]


def made_of(found: list[Reproduction], head: str = "# A paper\n") -> str:
    """Page of a run with these figures."""
    return page(head, [Finished(found)])  # type: ignore[list-item]


def test_a_page_keeps_its_head_and_has_a_part_for_each_source() -> None:
    made = made_of(FOUND, f"# A paper\n\nHead.\n\n{MARK}\nold rows\n")
    head, _, rest = made.partition(MARK)
    assert head == "# A paper\n\nHead.\n\n"
    assert "old rows" not in made
    assert "$ scrutiny run examples/a.toml --out runs/a" in rest
    assert re.findall("^## (.*)$", rest, re.MULTILINE) == ["Table 1", "Table 2"]
    assert made_of(FOUND, made) == made


def test_figures_stand_in_a_grid_with_the_longer_side_down() -> None:
    made = made_of(FOUND)
    assert f"{LEGEND}{OF_RELEASED}" in made
    assert OF_RELEASED not in made_of(FOUND[:2])
    assert "|  | head | mean |\n| --- | --- | --- |\n" in made
    assert "| P | **92.9 / 82.9** (1) | *.3* |" in made
    assert "| P, sd |  | 2.8 / 3.1 [1.2, 5.0] |" in made
    assert "| R | -.4 | < .1 / – |" in made
    assert made.index("| P |") < made.index("| P, sd |") < made.index("| R |")
    assert "`–` gone  \n(1) A | misprint." in made


def test_findings_have_a_row_each() -> None:
    made = made_of(FOUND)
    assert "| varies | yes | – | can't tell | wide |" in made
    assert LEGEND not in made_of(findings("wide"))


def test_a_row_does_not_repeat_its_number_in_its_reason() -> None:
    said = "the claim holds: 0.021 [0.012, 0.030] against chance, limit > 0"
    assert "| 0.021 [0.012, 0.030] | seen | against chance, limit > 0 |" in made_of(findings(said))
    other = "the claim holds: 0.051 [0.012, 0.030] against chance"
    assert "| seen | 0.051 [0.012, 0.030] against chance |" in made_of(findings(other))
    assert "| seen | no skill: 0.4 is too low |" in made_of(findings("no skill: 0.4 is too low"))


def test_a_number_in_percent_is_the_same_number() -> None:
    figure = PublishedPlan("more", printed="yes", claim="c", percent=True)
    one = Reproduction(figure, "seen", "", 2.1, "holds: 0.021 [0.012, 0.030] of it", 1.2, 3.0)
    assert "| 2.10 [1.20, 3.00] | seen | of it |" in made_of([one])


def test_what_many_reasons_share_stands_once_below() -> None:
    shared = "these models are held fixed, so it is undecided"
    made = made_of(findings(*(f"limit > {at}; {shared}" for at in range(3))))
    assert made.count(shared) == 1
    assert "| limit > 2; (1) |" in made
    assert made.rstrip().endswith(f"(1) {shared}")
    assert made_of(findings(*[f"x; {shared}"] * 2)).count(shared) == 2


def shown(made: str, names: set[str]) -> list[tuple[str, str]]:
    """Names and published texts of all figures on a page, by row or by cell of a grid."""
    found = []
    for table in _TABLE.findall(made):
        header, _, *rows = [line[2:-2].split(" | ") for line in table.splitlines()]
        if header[0] == "figure or finding":
            found += [(row[0], row[1]) for row in rows]
            continue
        for row in rows:
            for across, cell in zip(header[1:], row[1:], strict=True):
                if cell.strip():
                    both = (f"{row[0]}, {across}", f"{across}, {row[0]}")
                    name = next(one for one in both if one in names)
                    found.append((name, cell.strip("*").partition(" / ")[0].strip("*")))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_the_figures_of_its_plans(path: Path) -> None:
    made = path.read_text(encoding="utf-8").partition(MARK)[2]
    plans = [read_plan(ROOT / name).published for name in _PLAN.findall(made)]
    assert plans
    wanted = [(one.id.replace("|", "/"), one.text.replace("|", "/")) for p in plans for one in p]
    assert sorted(shown(made, {name for name, _ in wanted})) == sorted(wanted)
