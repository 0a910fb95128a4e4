"""``scrutiny report``, ``freeze``, ``gate``, ``verify``: what a finished run shows and decides."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.early_checks import OutputFile
from scrutiny.cli.failures import say, tell
from scrutiny.cli.options import EXPLAIN, NO_TEXTS
from scrutiny.cli.output import narrowed, printed_line
from scrutiny.cli.progress import say_warnings
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import PlanError

if TYPE_CHECKING:
    from scrutiny.blocks.run_view import RunView
    from scrutiny.report.findings.risks import JudgedCase
    from scrutiny.store.run_folder import RunFolder


#: As in `scrutiny.report.formats`, which imports what writes them.
_FORMATS: Final = (
    *("text", "html", "md", "latex", "csv", "json", "junit", "sarif"),
    *("model-card", "evidence", "eee", "eee-samples"),
)


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=OutputFile(), help="Output file; its suffix chooses the format."
)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    type=click.Choice(_FORMATS),
    help=f"One of {', '.join(_FORMATS)}; default: text.",
)
@click.option(
    "--cases",
    "change",
    metavar="NAME",
    help="Print the cases of one change, attack or test; with --json, a line for each.",
)
@click.option(
    "--to",
    "tracker",
    metavar="TRACKER",
    help="Log numbers, risks and the page to mlflow, mlflow:URI, wandb or wandb:PROJECT.",
)
@click.option(
    "--sign", metavar="METRIC", help="Print signatures of a metric's numbers, or of all: all."
)
@click.option("--no-texts", **NO_TEXTS)
@click.option("--explain", **EXPLAIN)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def report(run: Path, output: Path | None, form: str | None, *, as_json: bool, **flags: Any) -> int:
    r"""Print the report of a run, or write it to a file.

    \b
    scrutiny report runs/audit-1
    scrutiny report runs/audit-1 --cases typos --explain
    scrutiny report runs/audit-1 --sign accuracy
    scrutiny report runs/audit-1 -o report.html
    scrutiny report runs/audit-1 --format model-card -o card.md
    scrutiny report runs/audit-1 --to mlflow:http://localhost:5000
    scrutiny report runs/audit-1 --format json | jq .
    scrutiny report runs/v1 -o v1.eee.json

    The last writes the format of Every Eval Ever: the aggregate, and the samples beside it.
    """
    from scrutiny.report.formats import format_of, render, write_report
    from scrutiny.report.text import write_terminal
    from scrutiny.store.arrow import leave_pandas_out

    change, tracker, sign, no_texts = (flags[n] for n in ("change", "tracker", "sign", "no_texts"))
    if change is not None:
        from scrutiny.cli.explaining import print_cases

        if not (output is None and form is None and tracker is None and not no_texts):
            raise PlanError(
                "--cases prints texts to the terminal: leave out -o, --format, --to, --no-texts."
            )
        print_cases(run, change, explain=flags["explain"], as_json=as_json)
        return 0
    if sign is not None:
        _print_signatures(run, sign, is_alone=not (output or form or tracker or as_json))
        return 0
    suffix = "text" if output is None else format_of(output)
    chosen = "json" if as_json else form or suffix
    if tracker is None and not flags["explain"]:  # no model and no tracker, who may make frames
        leave_pandas_out()
    view = _view_of(run, explain=flags["explain"], no_texts=no_texts)
    if tracker is not None:
        from scrutiny.report.exports.tracking import log_to

        tell(log_to(view, tracker))
    if output is not None:
        for place in write_report(view, output, chosen):
            tell(f"Wrote {place}")
    elif tracker is not None and form is None and not as_json:
        return 0
    elif chosen == "text":
        write_terminal(view)
    else:
        click.echo(render(view, chosen), nl=False)
    return 0


def _view_of(run: Path, *, explain: bool, no_texts: bool) -> "RunView":
    """Finished run as it is shown, with explanations of its cases, or without texts."""
    from scrutiny.report.load import load_view

    view = load_view(run)
    if not explain:
        return view.without_texts() if no_texts else view
    if no_texts:
        raise PlanError("--explain shows texts: leave out --no-texts, or --explain.")
    from scrutiny.cli.explaining import explain_findings

    return explain_findings(view, run)


def _print_signatures(run: Path, metric: str, *, is_alone: bool) -> None:
    """Print the signatures of a metric, one a line."""
    from scrutiny.report.signatures import Signer
    from scrutiny.store.run_folder import RunFolder

    if not is_alone:
        raise PlanError("--sign prints to the terminal: leave out -o, --format, --to and --json.")
    for one in Signer(RunFolder.open(run)).all_of("" if metric == "all" else metric):
        click.echo(str(one))


@click.command("freeze")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), required=True, help="File of the suite (JSONL).")
@click.option("--data", default="", metavar="NAME", help="Dataset, if the run has several.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="NAME",
    help="Only this change or attack; repeatable.",
)
@click.option("--sheet", type=OutputFile(), help="Also write a sheet (CSV) for people to label.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    help="Sheet that people filled in: the suite is a contrast set with their labels.",
)
def freeze(
    run: Path,
    output: Path,
    data: str,
    changes: tuple[str, ...],
    sheet: Path | None,
    labels: Path | None,
) -> int:
    r"""Write the changed texts of a run as a suite, to measure other models on.

    With a sheet of labels, right is what people say of each changed text, and not what the change
    is known to keep.

    \b
    scrutiny run attack --model hf:./v1 --data csv:dev.csv --out runs/attack
    scrutiny freeze runs/attack -o attacks.jsonl
    scrutiny audit --model hf:./v2 --suite attacks.jsonl
    """
    from scrutiny.data.readers.suites import suite_lines
    from scrutiny.report.cases.evidence import searched_texts
    from scrutiny.run.labeled_sets import labeled_set, sheet_text
    from scrutiny.run.reusing import frozen
    from scrutiny.store.files import save_text
    from scrutiny.store.run_folder import RunFolder

    folder = RunFolder.open(run)
    found = searched_texts(folder.path, folder.estimates())
    task, examples = frozen(folder, found, data=data, changes=changes)
    if sheet is not None:
        save_text(sheet, sheet_text(examples))
        tell(f"Wrote {sheet}: fill in its column `label`, then freeze again with --labels {sheet}.")
    if labels is not None:
        labeled = labeled_set(examples, labels)
        examples = labeled.examples
        tell(labeled.said)
    save_text(output, "".join(f"{line}\n" for line in suite_lines(task, examples)))
    cases = [one.case for one in examples if one.case is not None]
    asked, tests = sum(case.status == "ok" for case in cases), len({case.test for case in cases})
    tell(f"Wrote {output}: {tests} tests, {len(cases):,} cases, of which {asked:,} can be asked.")
    return 0


PASS, FAIL, UNDECIDED = 0, 1, 4
_OUTCOMES: Final = {"supported": "pass", "not supported": "fail"}
_CODES: Final = {"pass": PASS, "accepted": PASS, "fail": FAIL}
_NO_RISKS: Final = "the run claims nothing of a change, an attack or skill: an audit does"
_ANSWERED: Final = ("fail", "not tested", "refused")  # what somebody can have answered for


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
@click.option(
    "--plan",
    is_flag=True,
    help="Judge nothing: how often so many items decide each rule, in runs like this one.",
)
@click.option("--junit", type=OutputFile(), help="Also write JUnit XML.")
@click.option("--sarif", type=OutputFile(), help="Also write SARIF 2.1.0.")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def gate(**flags: Any) -> int:
    r"""Judge a run: exit code 0 pass, 1 fail, 4 undecided.

    \b
    scrutiny gate runs/audit-1 --rule "drop(accuracy) <= 0.05"
    scrutiny gate runs/audit-1 --rule "flip_rate < 10% where transformation=typos"
    scrutiny gate runs/v2 --rule "accuracy >= -0.01 where reference=v1"
    scrutiny gate runs/audit-1 --risks --accept accepted.toml --junit gate.xml
    scrutiny gate runs/v2 --plan --rule "accuracy > 0.8"
    """
    if flags["plan"]:
        from scrutiny.cli.comparison_plans import say_rules

        return say_rules(flags)
    from scrutiny.report.exports.sarif import sarif as as_sarif
    from scrutiny.report.findings.risks import junit as as_xml
    from scrutiny.run.estimating.accepted import not_there, read_accepted
    from scrutiny.store.files import save_text
    from scrutiny.store.run_folder import RunFolder

    run, accept, junit, risks = (flags[name] for name in ("run", "accept", "junit", "risks"))
    accepted = () if accept is None else read_accepted(accept)
    folder = RunFolder.open(run)
    say_warnings(folder.manifest)
    judged = list(_risks(folder)) if risks else []
    if flags["rules"] or not risks:
        judged += _rules(folder, flags["rules"], flags["group"])
    for risk in not_there(accepted, [(case.name, case.of) for case in judged]):
        say(f"Accepted, and nothing that is judged here: {risk.risk!r}. Take it out, or mend it.")
    today = datetime.now(UTC).date()
    judged = [_accepted(one, accepted, today) for one in judged]
    if flags["undecided"] != "undecided":
        # what was refused or not tested stays so: nothing was shown of it
        for number, case in enumerate(judged):
            if case.outcome == "undecided":
                says = f"undecided; {case.says}"
                judged[number] = replace(case, outcome=flags["undecided"], says=says)
    for case in judged:
        if flags["as_json"]:
            click.echo(json_line({**case.line, "gate": case.outcome}))
        else:
            click.echo(printed_line(f"{case.outcome.upper()}  {case.name}"))
            click.echo(narrowed(f"      {case.says}"))
    if junit is not None:
        save_text(junit, as_xml(str(run), judged))
    if flags["sarif"] is not None:
        save_text(flags["sarif"], as_sarif(str(run), judged))
    codes = [_CODES.get(case.outcome, UNDECIDED) for case in judged]
    return FAIL if FAIL in codes else UNDECIDED if UNDECIDED in codes else PASS


def _rules(folder: "RunFolder", rules: Sequence[str], group: str) -> "Iterator[JudgedCase]":
    """Outcome of each rule; at least one is required."""
    from dataclasses import asdict

    from scrutiny.report.compare.certified import certificate_words
    from scrutiny.report.findings.risks import JudgedCase
    from scrutiny.report.wording import scope_words
    from scrutiny.run.comparing.gate_certificates import gate_certificates
    from scrutiny.run.estimating.gate import gate_run
    from scrutiny.store.run_tables import finding_to_json

    findings = gate_run(folder, rules, group=group)
    certificates = gate_certificates(folder, findings)
    for finding in findings:
        outcome: Any = _OUTCOMES.get(finding.verdict, "undecided")
        if finding.verdict == "refused":
            outcome = "not tested" if finding.reason.startswith("not tested") else "refused"
        said = f"{scope_words(finding.scope)}: {finding.reason}"
        cost = None if finding.estimate is None else finding.estimate.value
        line = finding_to_json(finding)
        if own := certificates.get(finding.claim.id):
            said += f". {certificate_words(own, is_share=True)}"
            line |= {"certificates": [{**asdict(one), "at_most": one.at_most} for one in own]}
        yield JudgedCase(finding.claim.says, "rule", outcome, said, cost=cost, line=line)


def _risks(folder: "RunFolder") -> "Iterator[JudgedCase]":
    """Outcome of each claim of the run that is a risk."""
    from scrutiny.report.findings.risks import JudgedCase, case_of, risks_of

    risks = risks_of(folder.findings())
    yield from map(case_of, risks)
    if not risks:  # nothing is judged, and nothing passes
        yield JudgedCase("risks", "the run", "not tested", _NO_RISKS, line={"what": "risks"})


def _accepted(case: "JudgedCase", accepted: Sequence[Any], today: Any) -> "JudgedCase":
    """Line of what failed or was not tested, or of an accepted one with its reason."""
    covering = (a for a in accepted if a.covers(case.name, case.of, case.cost, today))
    found = next(covering, None) if case.outcome in _ANSWERED else None
    if found is None:
        return case
    return replace(case, outcome="accepted", says=f"accepted ({found.why}); {case.says}")


_NOT_FOUND: Final = 3
_LONGEST_NAME: Final = 255  # of a file


@click.command("verify")
@click.argument("signatures", metavar="SIGNATURE")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def verify(signatures: str, runs: tuple[Path, ...], *, as_json: bool) -> int:
    r"""Check signed numbers against the runs that they are of.

    \b
    scrutiny report runs/audit-1 --sign accuracy
    scrutiny verify "accuracy .983 [.975, .989] n=2000 ..." runs/audit-1
    scrutiny verify README.md runs/*

    SIGNATURE is one in quotation marks, or a file that holds any number of them. Exit code 0: all
    are as in their runs. 1: one differs. 2: one cannot be read, or a run was changed after it was
    written. 3: a run is not there. 4: one is of another run.
    """
    from scrutiny.report.signatures import Signer, check_against, signatures_in
    from scrutiny.store.run_folder import RunFolder

    text, path = signatures, Path(signatures)
    if "=" not in signatures or (len(signatures) < _LONGEST_NAME and path.is_file()):
        text = _text_of(path)
    wanted = signatures_in(text)
    missing = next((run for run in runs if not (run / "manifest.json").is_file()), None)
    if missing is not None:
        say(f"There is no run {str(missing)!r}: give the --out of a run.")
        return _NOT_FOUND
    checks = check_against(wanted, [Signer(RunFolder.open(run)) for run in runs])
    for one in checks:
        state = "other run" if one.is_other_run else "differs" if one.differs else "as in the run"
        says = "; ".join(one.differs)
        if one.is_other_run:
            says = f"it is of run {one.signature.run}, and none of these is that"
        if as_json:
            click.echo(json_line({"signature": str(one.signature), "state": state, "says": says}))
        else:
            click.echo(printed_line(f"{state.upper()}  {one.signature}"))
            click.echo(narrowed(f"      {says}") if says else "", nl=bool(says))
    if any(one.differs for one in checks):
        return FAIL
    return UNDECIDED if any(one.is_other_run for one in checks) else PASS


def _text_of(path: Path) -> str:
    """Text of a file that holds signatures.

    Raises
    ------
    PlanError
        If it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise PlanError(
            f"{str(path)!r} is no signature and no file that can be read. `scrutiny report RUN "
            "--sign all` prints signatures; give one in quotation marks."
        ) from error
