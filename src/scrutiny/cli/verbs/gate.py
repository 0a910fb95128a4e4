"""``scrutiny gate``: a run judged by rules."""

import json
from pathlib import Path
from typing import Final

import click

from scrutiny.cli.failures import say_warnings
from scrutiny.cli.narrow import fitted, narrowed

PASS, FAIL, UNDECIDED = 0, 1, 4
_CODES: Final = {"supported": PASS, "not supported": FAIL}
_WORDS: Final = {PASS: "PASS", FAIL: "FAIL", UNDECIDED: "UNDECIDED"}


@click.command("gate")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Repeatable; all must hold.")
@click.option(
    "--group",
    type=click.Choice(["all", "changed"]),
    default="all",
    show_default=True,
    help="Over all items, or over those that were changed.",
)
@click.option(
    "--undecided",
    type=click.Choice(["undecided", "pass", "fail"]),
    default="undecided",
    show_default=True,
    help="What an interval across the limit counts as.",
)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def command(run: Path, rules: tuple[str, ...], group: str, undecided: str, *, as_json: bool) -> int:
    r"""Judge a run: exit code 0 pass, 1 fail, 4 undecided.

    \b
    scrutiny gate runs/audit-1 --rule "drop(accuracy) <= 0.05"
    scrutiny gate runs/audit-1 --rule "flip_rate < 10% where transformation=typos"
    scrutiny gate runs/v2 --rule "accuracy >= -0.01 where reference=v1"
    """
    from scrutiny.run.estimating.judging import judge_run
    from scrutiny.store.findings import finding_to_json
    from scrutiny.store.run_folder import RunFolder

    codes = []
    folder = RunFolder.open(run)
    say_warnings(folder.manifest)
    for finding in judge_run(folder, rules, group=group):
        code = _CODES.get(finding.verdict, UNDECIDED)
        if code == UNDECIDED and undecided != "undecided":
            code = PASS if undecided == "pass" else FAIL
        codes.append(code)
        if as_json:
            click.echo(json.dumps(finding_to_json(finding), ensure_ascii=False))
        else:
            click.echo(fitted(f"{_WORDS[code]}  {finding.claim.says}"))
            click.echo(narrowed(f"      {finding.scope}: {finding.reason}"))
    return FAIL if FAIL in codes else UNDECIDED if UNDECIDED in codes else PASS
