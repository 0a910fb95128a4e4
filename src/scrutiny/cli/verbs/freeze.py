"""``scrutiny freeze``: the changed texts of a run as a suite."""

from pathlib import Path

import click

from scrutiny.cli.failures import tell
from scrutiny.cli.running.output_paths import OutputFile


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
def command(run: Path, output: Path, data: str, changes: tuple[str, ...]) -> int:
    r"""Write the changed texts of a run as a suite, to measure other models on.

    \b
    scrutiny run attack --model hf:./v1 --data csv:dev.csv --out runs/attack
    scrutiny freeze runs/attack -o attacks.jsonl
    scrutiny audit --model hf:./v2 --suite attacks.jsonl
    """
    from scrutiny.data.suites import suite_lines
    from scrutiny.report.reading.found import searched_texts
    from scrutiny.run.freezing import frozen
    from scrutiny.store.files import save_text
    from scrutiny.store.run_folder import RunFolder

    folder = RunFolder.open(run)
    found = searched_texts(folder.path, folder.estimates())
    task, examples = frozen(folder, found, data=data, changes=changes)
    save_text(output, "".join(f"{line}\n" for line in suite_lines(task, examples)))
    cases = [one.case for one in examples if one.case is not None]
    asked = sum(case.status == "ok" for case in cases)
    tests = len({case.test for case in cases})
    tell(f"Wrote {output}: {tests} tests, {len(cases):,} cases, of which {asked:,} can be asked.")
    return 0
