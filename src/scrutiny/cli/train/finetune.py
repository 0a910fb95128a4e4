"""``scrutiny train finetune``: encoders fine-tuned on a task with labels, with several seeds."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from scrutiny.cli.options import DISPLAY, Folder, whole_numbers
from scrutiny.core.boundary.json_text import json_line

_SEEDS = "Seeds, separated by commas; default: 1,2,3 (1 for a family)."
_TASK = "Task, if the columns do not tell; or anchored-tagging, control-labels, relation-tagging."
_SET = "Field of the recipe without its own option: --set true_share=0.5."


@click.command("finetune")
@click.option("--model", required=True, metavar="STRING", help="Base model.")
@click.option("--data", required=True, metavar="STRING", help="Data string to train on.")
@click.option(
    "--dev",
    default="",
    metavar="STRING",
    help="Dev data to choose the epoch; default: split off from --data.",
)
@click.option(
    "--reported",
    multiple=True,
    metavar="STRING",
    help="Evaluation data, whose rows are refused for training.",
)
@click.option("--task", default="", metavar="NAME", help=_TASK)
@click.option("--seeds", metavar="A,B", help=_SEEDS)
@click.option("--runs", type=click.IntRange(1), help="Use the seeds 1 to N.")
@click.option(
    "--out", required=True, type=Folder(path_type=Path), help="Output folder of the family."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Number of rows, drawn at random; the same for all seeds.",
)
@click.option(
    "--dev-share", type=float, help="Share of the rows for dev data if there is no --dev; 0.1."
)
@click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 3.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    help="Stop after this many epochs without a better dev score.",
)
@click.option("--lr", type=float, help="Peak learning rate; default: by the size of the encoder.")
@click.option("--batch", type=click.IntRange(1), help="Batch size; 32.")
@click.option("--max-length", type=int, help="Maximum number of tokens; 128.")
@click.option("--dropout", type=float, help="Dropout; default: that of the base model.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16"]))
@click.option(
    "--augment", default="", metavar="A,B", help="Data augmentation: transformations, e.g. typos."
)
@click.option("--augment-share", type=float, help="Share of augmented texts; 0.5.")
@click.option("--set", "fields", multiple=True, metavar="FIELD=VALUE", help=_SET)
@click.option("--device", default="auto", metavar="D", help="auto, cpu, cuda:0.")
@click.option("--display", **DISPLAY)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout: one run a line.")
def command(**flags: Any) -> int:
    r"""Fine-tune an encoder once for each seed: classes, pairs, tags, answers, annotations.

    The epoch with the best dev score is kept, and the dev data is never what is reported on.
    Interrupted, the same command goes on from the last epoch.

    \b
    scrutiny train finetune --model minilm --out runs/sst2 --limit 4000 \
        --data "tsv:train.tsv#text=sentence,label=label" --seeds 1,2,3
    scrutiny train finetune --model zoo:bert-4x128/seed-1 --task control-labels \
        --data negation:story.json --epochs 6 --lr 1e-3 --out runs/control
    """
    from scrutiny.cli.running.progress import progress_of
    from scrutiny.training.finetuning.trainer import FINETUNE

    job = _job(flags)
    progress = progress_of(flags["display"])
    for note in job.parts.notes:
        progress.note(note)
    found = FINETUNE.train(job, flags["out"], device=flags["device"], progress=progress)
    if flags["as_json"]:
        for one in found:
            line = {"folder": str(one.folder), **one.record}
            click.echo(json_line(line))
        return 0
    for text in _lines(found):
        click.echo(text)
    click.echo(f"model: hf:{flags['out']}/{job.pattern}")
    return 0


def _job(flags: dict[str, Any]) -> Any:
    """Training job of the options: that of a plan's node, with the stated seeds."""
    from scrutiny.core.errors import PlanError
    from scrutiny.core.plan import ModelPlan
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.finetuning.trainer import FINETUNE
    from scrutiny.training.trainer import TrainingNode

    runs, stated = flags["runs"], flags["task"]
    if flags["seeds"] and runs:
        raise PlanError("--seeds names the runs and --runs counts them: give one of the two.")
    task, recipe = FINETUNE.reads(stated), _recipe(flags, FINETUNE.recipe(stated))
    reported = tuple(load_dataset(text, task=task or None) for text in flags["reported"])
    data = load_dataset(flags["data"], task=task or None)
    dev = load_dataset(flags["dev"], task=task or data.task) if flags["dev"] else None
    base = ModelPlan("base", flags["model"])
    job = FINETUNE.job(TrainingNode(stated, recipe, data, dev, reported, base, runs))
    seeds = whole_numbers("seeds", flags["seeds"] or "") or job.seeds[: runs or 3]
    return replace(job, seeds=seeds)


def _recipe(flags: dict[str, Any], kind: Any) -> Any:
    """Recipe from the given options and ``--set``."""
    from scrutiny.cli.options import split_option
    from scrutiny.cli.train.set_fields import stated_fields
    from scrutiny.run.planning.params import make_params
    from scrutiny.training.finetuning.recipe import FinetuningRecipe

    names = {field.name for field in fields(FinetuningRecipe)}
    given = {k: v for k, v in flags.items() if k in names and v is not None}
    given["augment"] = split_option(flags["augment"])
    return make_params(kind, {**stated_fields(flags["fields"]), **given}, where="train finetune")


def _lines(found: list[Any]) -> Iterator[str]:
    """One line for each run, and a summary."""
    from statistics import fmean, stdev

    scores = [one.record["dev_score"] for one in found if one.record["dev_score"] is not None]
    for one in found:
        record = one.record
        dev = record["dev_score"]
        score = "" if dev is None else f"dev {record['metric']} {dev:.3f}, "
        seconds = sum(epoch["seconds"] for epoch in record["epochs"])
        chosen = f"epoch {record['chosen_epoch']} of {len(record['epochs'])}"
        yield f"{one.run.place}: {score}{chosen} ({record['chosen_by']}), {seconds:.0f} s"
        yield from _skill(one.folder)
    if len(scores) > 1:
        chance = found[0].record["dev_chance"]
        yield (
            f"mean {fmean(scores):.3f}, sd over runs {stdev(scores):.3f}, without skill "
            f"{chance:.3f}; the dev data chose the epochs, so report other data"
        )


def _skill(folder: Path) -> Iterator[str]:
    """Score of a run on held-out sentences, for a task that labels tokens."""
    from scrutiny.models.strings.competence import read_competence
    from scrutiny.training.finetuning.anchored.skill import GATE

    record = read_competence(folder) or {}
    found = record.get(GATE)
    if found is None:
        return
    sentences = f"{record['held_out']['sentences']} held-out sentences"
    if found["value"] is None:
        yield f"  {sentences}: {found['reason']}, below the gate {GATE!r}"
        return
    side = "above" if found["is_above"] else "below"
    yield (
        f"  {sentences}: {found['metric']} {found['value']:.3f} "
        f"[{found['low']:.3f}, {found['high']:.3f}], without skill {found['baseline']:.3f}: "
        f"{side} the gate"
    )
