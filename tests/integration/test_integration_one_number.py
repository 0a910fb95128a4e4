"""One number from the command to the printed limits, as design/001 tells it."""

import re
import shlex
from contextlib import chdir, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.reliability.assignment import assignments_in
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view
from scrutiny.run.estimating.estimator import estimator_of
from scrutiny.store.run_folder import RunFolder

PAGE = (Path(__file__).parents[2] / "design" / "001-kernel.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Follow one number\n")[2].partition("\n## ")[0]
ROWS = dict(re.findall(r"^\| `(scrutiny[\w.]+)` \|.*\| `(.*)` \|$", SECTION, re.MULTILINE))
MOST_FORMS, MOST_LINES = 15, 60


def told(numbers, digits=4):
    """Numbers as the page writes them."""
    return [f"{value:.{digits}f}".replace("0.", ".", 1) for value in numbers]


def found_in(folder, printed):
    """What each form says of the number, by the name of its class."""
    run = RunFolder.open(folder)
    (measure,) = run.manifest["plan"]["measure"]
    one = next(a for a in assignments_in(run.manifest) if "/drop/" in a.id)
    params = run.manifest["measure"]["robustness"]["params"]
    (finding,) = run.findings()
    estimator = estimator_of(run)
    made = estimator.estimate(one)
    _, joined = estimator.joined(one)
    kept = next(e for e in run.estimates() if e.key == one.key)
    rows = run.records().to_pylist()
    row = next(r for r in rows if r["item"] == "r001" and r["role"] == one.role)
    side = estimator._recorded(one).select(one.sides["after"], one.within)
    interval, drawn, limits = made.interval, made.resampled, finding.limits[0]
    risk = finding.claim.risk
    low, high = told([interval.low, interval.high])
    before, after = told(joined.values[0].mean(axis=0))
    own = finding.claim.components[0].estimate.partition("reviews/")[2]
    (found,) = first_screen_of(load_view(folder)).risks
    assert found.costs in printed
    return {
        "MeasurePlan": str(measure["params"]),
        "RobustnessParams": f"tolerance {params['tolerance']}",
        "Claim": f"risk of {own}, tolerance {risk.tolerance}",
        "EstimateSpec": f"{one.metric} in "
        + ", ".join(f"{k}={one.condition[k]}" for k in ("transformation", "draw")),
        "Assignment": "; ".join(f"{n}: {s.role}" for n, s in one.sides.items())
        + "".join(f"; {a} stands in for {b}" for b, a in one.fallback.items()),
        "Row": f"{len(rows)} rows; r001 of seed 1: hit {row['values'][0]:.0f}",
        "Side": "{} replicates x {} items x {} measures".format(*side.values.shape),
        "Joined": f"{' x '.join(map(str, joined.values.shape))}; "
        f"seed 1: {before} before, {after} after",
        "Resampled": f"{', '.join(told(drawn.point))}; {len(drawn.draws)} draws of "
        f"{drawn.n_units} items",
        "Interval": f"{told([interval.point])[0]} [{low}, {high}], {interval.method}",
        "Estimate": f"{told([kept.value])[0]} [{', '.join(told([kept.low, kept.high]))}] of "
        f"{kept.counts.n} items and {kept.n_replicates} replicates",
        "Limits": f"[{', '.join(told(limits.recipe))}] for this recipe, "
        f"{limits.n_rows} number at once",
        "Finding": f"{finding.verdict} for {finding.scope}",
        "FoundRisk": found.costs,
    }


def test_the_page_follows_one_number(tmp_path):
    command, printed = re.search(r"^\$ scrutiny (.*)\n(.*)$", SECTION, re.MULTILINE).groups()
    said = StringIO()
    with chdir(tmp_path), redirect_stdout(said):
        assert exit_code_of(group, [*shlex.split(command), "--display", "none"]) == 0
    assert printed in said.getvalue()
    found = found_in(tmp_path / "one", printed)
    told = {name.rpartition(".")[2]: says for name, says in ROWS.items()}
    assert told.pop("Estimated").startswith("not kept")
    assert told == found


def test_the_page_names_forms_that_there_are_and_is_short():
    for name in ROWS:
        module, _, form = name.rpartition(".")
        assert isinstance(getattr(import_module(module), form), type), name
    assert 10 < len(ROWS) <= MOST_FORMS
    assert len(SECTION.splitlines()) <= MOST_LINES
