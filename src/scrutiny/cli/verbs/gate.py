"""``scrutiny gate``: judgment of a run by rules, or by its risks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.failures import say
from scrutiny.cli.running.output_paths import OutputFile
from scrutiny.cli.running.progress import say_warnings
from scrutiny.cli.wrapping import narrowed, printed_line
from scrutiny.core.boundary.json_text import json_line

if TYPE_CHECKING:
    from scrutiny.report.formats.junit import Case
    from scrutiny.store.run_folder import RunFolder

PASS, FAIL, UNDECIDED = 0, 1, 4
_OUTCOMES: Final = {"supported": "pass", "not supported": "fail"}
_CODES: Final = {"pass": PASS, "accepted": PASS, "fail": FAIL}
_NO_RISKS: Final = "the run claims nothing of a change, an attack or skill: an audit does"
_ANSWERED: Final = ("fail", "not tested", "refused")  # what somebody can have answered for


@dataclass(frozen=True, slots=True)
class _Judged:
    """A line of the gate: the test, its cost, and the line for machines."""

    case: "Case"
    cost: float | None
    said: dict[str, Any]

    @property
    def code(self) -> int:
        """Exit code of this line alone."""
        return _CODES.get(self.case.outcome, UNDECIDED)


@click.command("gate")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help='Rule, e.g. "accuracy > 0.8"; repeatable, all must hold.',
)
@click.option("--risks", is_flag=True, help="Fail if a claim of the run says that a change hurts.")
@click.option(
    "--accept",
    type=click.Path(path_type=Path),
    help="TOML file of accepted risks; only other risks fail.",
)
@click.option(
    "--group",
    type=click.Choice(["all", "changed"]),
    default="all",
    show_default=True,
    help="Compute over all items, or over changed items only.",
)
@click.option(
    "--undecided",
    type=click.Choice(["undecided", "pass", "fail"]),
    default="undecided",
    show_default=True,
    help="Result if an interval contains the limit; what was not tested stays so.",
)
@click.option("--junit", type=OutputFile(), help="Also write JUnit XML.")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def command(**flags: Any) -> int:
    r"""Judge a run: exit code 0 pass, 1 fail, 4 undecided.

    \b
    scrutiny gate runs/audit-1 --rule "drop(accuracy) <= 0.05"
    scrutiny gate runs/audit-1 --rule "flip_rate < 10% where transformation=typos"
    scrutiny gate runs/v2 --rule "accuracy >= -0.01 where reference=v1"
    scrutiny gate runs/audit-1 --risks --accept accepted.toml --junit gate.xml
    """
    from scrutiny.report.formats.junit import junit as as_xml
    from scrutiny.run.estimating.accepted import read_accepted
    from scrutiny.store.files import save_text
    from scrutiny.store.run_folder import RunFolder

    run, accept, junit, risks = (flags[name] for name in ("run", "accept", "junit", "risks"))
    accepted = () if accept is None else read_accepted(accept)
    folder = RunFolder.open(run)
    say_warnings(folder.manifest)
    judged = list(_risks(folder)) if risks else []
    if flags["rules"] or not risks:
        judged += _rules(folder, flags["rules"], flags["group"])
    judged = _with_accepted(judged, accepted)
    if flags["undecided"] != "undecided":
        judged = [_folded(one, flags["undecided"]) for one in judged]
    for one in judged:
        if flags["as_json"]:
            click.echo(json_line({**one.said, "gate": one.case.outcome}))
        else:
            click.echo(printed_line(f"{one.case.outcome.upper()}  {one.case.name}"))
            click.echo(narrowed(f"      {one.case.says}"))
    if junit is not None:
        save_text(junit, as_xml(str(run), [one.case for one in judged]))
    codes = [one.code for one in judged]
    return FAIL if FAIL in codes else UNDECIDED if UNDECIDED in codes else PASS


def _rules(folder: "RunFolder", rules: Sequence[str], group: str) -> Iterator[_Judged]:
    """Outcome of each rule; at least one is required."""
    from scrutiny.parts.wording.verdicts import scope_words
    from scrutiny.report.formats.junit import Case
    from scrutiny.run.estimating.gate import gate_run
    from scrutiny.store.findings import finding_to_json

    for finding in gate_run(folder, rules, group=group):
        outcome: Any = _OUTCOMES.get(finding.verdict, "undecided")
        if finding.verdict == "refused":
            outcome = "not tested" if finding.reason.startswith("not tested") else "refused"
        said = f"{scope_words(finding.scope)}: {finding.reason}"
        case = Case(finding.claim.says, "rule", outcome, said)
        cost = None if finding.estimate is None else finding.estimate.value
        yield _Judged(case, cost, finding_to_json(finding))


def _risks(folder: "RunFolder") -> Iterator[_Judged]:
    """Outcome of each claim of the run that is a risk."""
    from scrutiny.core.boundary.canonical import plain
    from scrutiny.parts.run.risks import risks_of
    from scrutiny.report.formats.junit import Case, case_of

    risks = risks_of(folder.findings())
    for risk in risks:
        yield _Judged(case_of(risk), risk.cost, plain(risk))
    if not risks:  # nothing is judged, and nothing passes
        yield _Judged(Case("risks", "the run", "not tested", _NO_RISKS), None, {"what": "risks"})


def _with_accepted(judged: Sequence[_Judged], accepted: Sequence[Any]) -> list[_Judged]:
    """Lines with accepted risks applied; accepted ones that do not occur are reported."""
    from scrutiny.run.estimating.accepted import not_there

    for one in not_there(accepted, [(j.case.name, j.case.of) for j in judged]):
        say(f"Accepted, and nothing that is judged here: {one.risk!r}. Take it out, or mend it.")
    today = datetime.now(UTC).date()
    return [_accepted(one, accepted, today) for one in judged]


def _accepted(judged: _Judged, accepted: Sequence[Any], today: Any) -> _Judged:
    """Line of what failed or was not tested, or of an accepted one with its reason."""
    case = judged.case
    covering = (a for a in accepted if a.covers(case.name, case.of, judged.cost, today))
    found = next(covering, None) if case.outcome in _ANSWERED else None
    if found is None:
        return judged
    says = f"accepted ({found.why}); {case.says}"
    return replace(judged, case=replace(case, outcome="accepted", says=says))


def _folded(judged: _Judged, into: Any) -> _Judged:
    """Line whose undecided outcome is changed to a pass or a failure.

    What was refused or not tested stays so: nothing was shown of it.
    """
    if judged.case.outcome != "undecided":
        return judged
    case = replace(judged.case, outcome=into, says=f"undecided; {judged.case.says}")
    return replace(judged, case=case)
