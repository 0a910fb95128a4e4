"""``scrutiny judge``: a judge as a model under test."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.early_checks import OutputFile, must_lead
from scrutiny.cli.options import running_options
from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.source import parse_source
from scrutiny.tasks.judgments import JudgedAnswers, JudgedPairs

if TYPE_CHECKING:
    from scrutiny.blocks.run_view import RunView

#: Schemes of models that write their verdicts, whose labels and prompt are stated if need be.
_WRITES: Final = ("http", "https", "written")
_STORED: Final = "verdicts"
_PAIR_PROMPT: Final = (
    "Question:\n{question}\n\nAnswer A:\n{answer_a}\n\nAnswer B:\n{answer_b}\n\n"
    "Which answer is better? Answer with one of these and nothing else: A, B, tie."
)
_ANSWER_PROMPT: Final = (
    "Question:\n{question}\n\nAnswer:\n{answer}\n\n"
    "Judge the answer. Answer with one of these and nothing else: %s."
)


@click.command("judge")
@click.argument("judge", metavar="JUDGE")
@click.option(
    "--data",
    required=True,
    metavar="FILE",
    help="Judged answers: columns question, answer, or question, answer_a, answer_b.",
)
@click.option(
    "--against", metavar="COLUMN", help="Column of people's verdicts; otherwise human, if there."
)
@click.option("--own", default="", metavar="NAME", help="The judge's name in columns of authors.")
@click.option("--positive", default="", metavar="LABEL", help="Verdict that one answer is good.")
@click.option(
    "-P", "params", multiple=True, metavar="K=V", help="Parameter of the diagnostic judge."
)
@click.option("--html", type=OutputFile(), help="Also write an HTML page.")
@running_options
def command(judge: str, data: str, *, html: Any, **flags: Any) -> int:
    r"""May I use this judge? Noise, biases, agreement with people, corrected scores.

    JUDGE is a model string, or "verdicts" for those that stand in the data (columns verdict,
    swapped, again).

    \b
    scrutiny judge "http://localhost:8000/v1#api=chat,model=m" \
        --data pairs.csv --against human
    scrutiny judge "python:./my_judge.py:judge#labels=A|B|tie" --data pairs.csv
    scrutiny judge verdicts --data pairs.csv
    scrutiny judge "verdicts#labels=bad|good" --data answers.csv
    """
    from scrutiny.cli.plans import plan_from_flags
    from scrutiny.cli.request import Request, dry_run, finish, run_request, write_page
    from scrutiny.report.load import load_view

    task, source = _data_of(data, flags["against"])
    if judge.partition("#")[0] == _STORED:
        judge = judge.replace(_STORED, f"{_STORED}:data", 1)
    stated = [f"{name}={flags[name]}" for name in ("own", "positive") if flags[name]]
    settings = flags["model_settings"]
    flags |= {
        "model_settings": (*settings, *_asked_how(judge, task, settings)),
        "what": "judge",
        "models": (judge,),
        "data": (source,),
        "suites": (),
        "task": task.name,
        "params": (*flags["params"], *stated),
        "transformations": "",
        "reference": "",
        "html": html,
    }
    must_lead(flags, None)
    request = Request.of(flags)
    plan = plan_from_flags(flags)
    if flags["dry_run"]:
        return dry_run(plan, flags, request)
    folder = run_request(plan, flags, request, name="judge")
    if flags["as_json"]:
        return finish(folder, flags, html=html)
    view = load_view(folder.path)
    if html is not None:
        write_page(html, view.without_texts() if flags["no_texts"] else view, folder.path)
    _write(view, str(folder.path), html)
    return 0


def _data_of(data: str, against: str | None) -> tuple[type[Task], str]:
    """Task of the data, and its data string, which keeps items that people did not judge.

    Raises
    ------
    PlanError
        If its columns are no judged answers.
    """
    parsed = parse_source(data)
    table = registry().load("reader", parsed.scheme)(parsed)
    columns = {str(name) for name in table.columns}
    stated = {*parsed.options, *map(str.lower, columns)}
    found = [
        task
        for task in (JudgedPairs, JudgedAnswers)
        if all({role.name, *role.names} & stated for role in task.roles if role.is_needed)
    ]
    if not found:
        raise PlanError(
            f"{data!r} holds no judged answers: its columns are {', '.join(sorted(columns))}. Name "
            "those of the question and of the answers behind it: "
            "FILE#question=prompt,answer_a=left,answer_b=right, or "
            "FILE#question=prompt,answer=text."
        )
    if against is not None and against not in columns:
        raise PlanError(
            f"--against {against!r} is no column of {data!r}; its columns are "
            f"{', '.join(sorted(columns))}."
        )
    people = {} if against is None else {"human": against}
    options = {"unlabeled": "keep", **parsed.options, **people}
    return found[0], str(replace(parsed, options=options))


def _asked_how(judge: str, task: type[Task], settings: Sequence[str]) -> Iterator[str]:
    """Options of a model that writes its verdicts: labels and prompt, unless they are stated."""
    scheme, _, rest = judge.partition(":")
    if scheme not in _WRITES or rest.partition("#")[0].endswith(".toml"):
        return
    own = [*rest.partition("#")[2].split(","), *settings]
    stated = {one.partition("=")[0] for one in own}
    labels = next((one.partition("=")[2] for one in own if one.startswith("labels=")), "")
    is_pairs = task is JudgedPairs
    if is_pairs and not stated & {"labels", "choices"}:
        yield "labels=A|B|tie"
    if "template" not in stated and (is_pairs or labels):
        yield "template=" + (
            _PAIR_PROMPT if is_pairs else _ANSWER_PROMPT % labels.replace("|", ", ")
        )


def _write(view: "RunView", folder: str, html: Path | None) -> None:
    """Write the decision, the facts and the checks of a judge, and where the rest is."""
    from scrutiny.blocks.labels import capitalized
    from scrutiny.blocks.terminal_and_markdown import block_lines, wrapped, write_lines
    from scrutiny.diagnostics.judges.judge_page import QUESTION, judge_part, judge_views
    from scrutiny.report.wording import report_command

    for one in judge_views(view):
        outcome, why = one.decision()
        write_lines(wrapped(f"May I use this judge? {capitalized(outcome)}: {why}", style="bold"))
    part = judge_part(view)
    if part is not None:
        facts = tuple(fact for fact in part.facts if fact[0] != QUESTION)
        write_lines(list(block_lines([replace(part, title="", facts=facts)]))[1:])
    click.echo("")
    where = f"page: {html}" if html is not None else f"page: {report_command(folder)} -o judge.html"
    for line in (f"the rest: {report_command(folder)}", where):
        click.echo(line)
