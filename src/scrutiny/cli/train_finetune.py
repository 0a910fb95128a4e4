"""``scrutiny train finetune``: encoders fine-tuned on a task with labels, with several seeds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

_SEEDS = "Seeds with commas between them; 1,2,3 unless given, 1 for a family."


@click.command("finetune")
@click.option("--model", required=True, metavar="STRING", help="What to start from.")
@click.option("--data", required=True, metavar="STRING", help="Data string to train on.")
@click.option("--dev", default="", metavar="STRING", help="To choose the epoch by; else split off.")
@click.option(
    "--reported", multiple=True, metavar="STRING", help="Data to be reported on: kept apart."
)
@click.option("--task", default="", metavar="NAME", help="Where the columns do not tell.")
@click.option("--seeds", metavar="A,B", help=_SEEDS)
@click.option("--runs", type=click.IntRange(1), help="Seeds 1 to N.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the family.")
@click.option("--limit", type=click.IntRange(1), help="Rows, drawn at random; same for all seeds.")
@click.option("--dev-share", type=float, help="Split off where there is no --dev; 0.1, or 0.")
@click.option("--epochs", type=click.IntRange(1), help="Passes over the data; 3.")
@click.option("--patience", type=click.IntRange(1), help="Epochs without a better dev score.")
@click.option("--lr", type=float, help="Peak learning rate; by the size of the encoder.")
@click.option("--batch", type=click.IntRange(1), help="Texts of a step; 32.")
@click.option("--max-length", type=int, help="Pieces of a text; 128.")
@click.option("--dropout", type=float, help="The base's own unless given.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16"]))
@click.option("--augment", default="", metavar="A,B", help="Train on changed texts, too: recipes.")
@click.option("--augment-share", type=float, help="Of the texts seen changed; 0.5.")
@click.option("--device", default="auto", metavar="D", help="auto, cpu, cuda:0.")
@click.option(
    "--display",
    type=click.Choice(["auto", "rich", "plain", "none"]),
    default="auto",
    help="Progress on stderr; plain where it is no terminal.",
)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout: one run a line.")
def command(**flags: Any) -> int:
    r"""Fine-tune an encoder once for each seed: classes, pairs or tags.

    The epoch with the best dev score is kept, and the dev data is never what is reported on.
    Interrupted, the same command goes on from the last epoch.

    \b
    scrutiny train finetune --model minilm --out runs/sst2 --limit 4000 \
        --data "tsv:train.tsv#text=sentence,label=label" --seeds 1,2,3
    """
    from scrutiny.cli.progress import progress_of
    from scrutiny.training.finetuning.runs import finetune

    job = _job(flags)
    progress = progress_of(flags["display"])
    for note in job.parts.notes:
        progress.note(note)
    found = finetune(job, flags["out"], device=flags["device"], telling=progress)
    if flags["as_json"]:
        for one in found:
            line = {"folder": str(one.folder), **one.record}
            click.echo(json.dumps(line, ensure_ascii=False))
        return 0
    for text in _lines(found):
        click.echo(text)
    click.echo(f"model: hf:{flags['out']}/{job.pattern}")
    return 0


def _job(flags: dict[str, Any]) -> Any:
    """What the flags ask for."""
    from scrutiny.core.errors import PlanError
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.finetuning.base import bases_of
    from scrutiny.training.finetuning.job import Job
    from scrutiny.training.finetuning.parts import load_parts

    if flags["seeds"] and flags["runs"]:
        raise PlanError("--seeds names the runs and --runs counts them: give one of the two.")
    recipe = _recipe(flags)
    reported = [load_dataset(text, task=flags["task"] or None) for text in flags["reported"]]
    parts = load_parts(
        flags["data"], recipe, dev=flags["dev"], task=flags["task"], reported=reported
    )
    bases = bases_of(flags["model"])
    runs = flags["runs"] or (1 if bases[0].factors else 3)
    seeds = _seeds(flags["seeds"]) if flags["seeds"] else tuple(range(1, runs + 1))
    return Job(bases, parts, recipe, seeds)


def _recipe(flags: dict[str, Any]) -> Any:
    """Recipe of the flags that were given."""
    from dataclasses import fields

    from scrutiny.cli.plans import split_recipes
    from scrutiny.training.finetuning.recipe import Recipe

    names = {field.name for field in fields(Recipe)}
    given = {k: v for k, v in flags.items() if k in names and v is not None}
    return Recipe(**{**given, "augment": tuple(split_recipes(flags["augment"]))})


def _seeds(text: str) -> tuple[int, ...]:
    """Seeds of ``1,2,3``."""
    from scrutiny.core.errors import PlanError

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise PlanError(f"--seeds {text!r} does not read: whole numbers with commas, 1,2,3.")
    return tuple(map(int, parts))


def _lines(found: list[Any]) -> Iterator[str]:
    """One line for each run, and what the runs say together."""
    from statistics import fmean, stdev

    scores = [one.record["dev_score"] for one in found if one.record["dev_score"] is not None]
    for one in found:
        record = one.record
        score = "" if record["dev_score"] is None else f"dev {record['metric']} "
        score += "" if record["dev_score"] is None else f"{record['dev_score']:.3f}, "
        seconds = sum(epoch["seconds"] for epoch in record["epochs"])
        chosen = f"epoch {record['chosen_epoch']} of {len(record['epochs'])}"
        yield f"{one.run.place}: {score}{chosen} ({record['chosen_by']}), {seconds:.0f} s"
    if len(scores) > 1:
        chance = found[0].record["dev_chance"]
        yield (
            f"mean {fmean(scores):.3f}, sd over runs {stdev(scores):.3f}, without skill "
            f"{chance:.3f}; the dev data chose the epochs, so report other data"
        )
