"""``scrutiny train finetune`` and ``pretrain``: encoders, with several seeds."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from scrutiny.cli.failures import tell as say_line
from scrutiny.cli.options import DISPLAY, Folder, dev_share, reported, split_option, whole_numbers
from scrutiny.cli.verbs.train import given_options
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import PlanError

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
@reported
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
@dev_share
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
def finetune(**flags: Any) -> int:
    r"""Fine-tune an encoder once for each seed: classes, pairs, tags, answers, annotations.

    The epoch with the best dev score is kept, and the dev data is never what is reported on.
    Interrupted, the same command goes on from the last epoch.

    \b
    scrutiny train finetune --model minilm --out runs/sst2 --limit 4000 \
        --data "tsv:train.tsv#text=sentence,label=label" --seeds 1,2,3
    scrutiny train finetune --model zoo:bert-4x128/seed-1 --task control-labels \
        --data negation:story.json --epochs 6 --lr 1e-3 --out runs/control
    """
    from scrutiny.cli.progress import progress_of
    from scrutiny.training.finetuning.finetuning import FINETUNE

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
    from scrutiny.core.plan import ModelPlan
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.finetuning.finetuning import FINETUNE
    from scrutiny.training.trainer import TrainingNode

    runs, stated = flags["runs"], flags["task"]
    if flags["seeds"] and runs:
        raise PlanError("--seeds names the runs and --runs counts them: give one of the two.")
    task = FINETUNE.reads(stated)
    # recipe from the given options and ``--set``
    from scrutiny.run.planning.measurements import make_params
    from scrutiny.training.finetuning.recipe import FinetuningRecipe

    given = given_options(flags, FinetuningRecipe) | {"augment": split_option(flags["augment"])}
    recipe = make_params(
        FINETUNE.recipe(stated), {**stated_fields(flags["fields"]), **given}, where="train finetune"
    )
    reported = tuple(load_dataset(text, task=task or None) for text in flags["reported"])
    data = load_dataset(flags["data"], task=task or None)
    dev = load_dataset(flags["dev"], task=task or data.task) if flags["dev"] else None
    base = ModelPlan("base", flags["model"])
    job = FINETUNE.job(TrainingNode(stated, recipe, data, dev, reported, base, runs))
    seeds = whole_numbers("seeds", flags["seeds"] or "") or job.seeds[: runs or 3]
    return replace(job, seeds=seeds)


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
    from scrutiny.models.strings.training_records import read_competence
    from scrutiny.training.finetuning.held_out_sentences import GATE

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


@click.command("pretrain")
@click.option(
    "--text",
    "texts",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Plain text, a paragraph a line, a blank line between documents. Repeatable.",
)
@click.option(
    "--out", required=True, type=Folder(path_type=Path), help="Output folder of the family."
)
@click.option(
    "--recipe",
    "recipe_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TOML with fields of the recipe.",
)
@click.option(
    "--set",
    "fields",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Field of the recipe: --set layers=2.",
)
@click.option("--steps", type=click.IntRange(1), help="Number of optimizer steps.")
@click.option("--masking", type=click.Choice(["dynamic", "static"]))
@click.option("--seeds", metavar="A,B", help="Seeds of the runs; default: 1.")
@click.option("--init-seeds", metavar="A,B", help="Seeds of the initial weights only;")
@click.option(
    "--data-seeds",
    metavar="A,B",
    help="seeds of order, pairs and masks only: trains all combinations.",
)
@click.option(
    "--checkpoints", metavar="A,B", help="Steps whose weights are also stored, in step-T."
)
@click.option(
    "--held-out",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Held-out text, for competence.json. Repeatable.",
)
@click.option(
    "--tokenizer", type=click.Path(path_type=Path), help="Folder with the vocabulary to use."
)
@click.option("--weights", type=click.Choice(["fp32", "fp16"]), default="fp32", show_default=True)
@click.option(
    "--distill-from",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Teacher with the same vocabulary.",
)
@click.option(
    "--license", "license_name", default="", help="License of the weights, for the model card."
)
@click.option(
    "--attribution", multiple=True, help="Source of the texts, for the model card. Repeatable."
)
@click.option("--device", default="auto", metavar="D", help="auto, cpu, cuda:0.")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout: losses, then folders.")
def pretrain(**given: Any) -> int:
    """Pre-train small BERTs from plain text, one after the other for all seeds.

    Steps are fixed. Interrupted, the command exits with 3 and goes on, to the bit, when it is
    issued again.
    """
    from scrutiny.models.hf.checkpoint import torch_device

    device = str(torch_device(given["device"], of="What is trained"))  # names a missing extra
    from scrutiny.training.pretraining.kept_memory import keep_memory
    from scrutiny.training.pretraining.loop import stopping_on_signals
    from scrutiny.training.pretraining.pretraining import pretrain_family

    as_json = given["as_json"]

    def tell(seeds: Any, row: dict[str, float]) -> None:
        place = {"init_seed": seeds.init, "data_seed": seeds.data}
        if as_json:
            click.echo(json.dumps({**place, **row}))
            return
        parts = ", ".join(f"{k} {v:.3f}" for k, v in row.items() if k != "step")
        say_line(f"{seeds.place()} step {row['step']:,}: {parts}")

    keep_memory()
    with stopping_on_signals() as stop:
        folders = pretrain_family(
            _family(given, device),
            given["out"],
            device=device,
            on_log=tell,
            should_stop=stop.is_set,
        )
    if folders is None:
        say_line("Stopped. The same command goes on where it stopped.")
        return 3
    for folder in folders:
        click.echo(json.dumps({"folder": str(folder)}) if as_json else str(folder))
    return 0


def _family(given: dict[str, Any], device: str) -> Any:
    """Family of the options."""
    from scrutiny.training.pretraining.job import Stated, Teacher
    from scrutiny.training.pretraining.pretraining import SeedFamily, seed_pairs

    teacher = given["distill_from"]
    numbers = {
        name: whole_numbers(name.replace("_", "-"), given[name] or "")
        for name in ("seeds", "init_seeds", "data_seeds", "checkpoints")
    }
    # recipe from what suits the device, the file, ``--set`` and the options; later ones win
    from scrutiny.training.pretraining.recipe import PretrainingRecipe, read_recipe, recipe_from
    from scrutiny.training.trainer import has_bfloat16

    values = stated_fields(given["fields"])
    values |= {k: given[k] for k in ("steps", "masking") if given[k] is not None}
    base = PretrainingRecipe()
    if is_emulated := not has_bfloat16(device):
        base = PretrainingRecipe(precision="fp32")
    if given["recipe_file"]:
        base = read_recipe(given["recipe_file"], base)
    recipe = recipe_from(values, base)
    if is_emulated and "precision" not in values and recipe.precision == "fp32":
        say_line(f"{device} only emulates bfloat16, so products are in float32 (precision=fp32).")
    return SeedFamily(
        texts=given["texts"],
        recipe=recipe,
        seeds=seed_pairs(*(numbers[name] for name in ("seeds", "init_seeds", "data_seeds"))),
        checkpoints=numbers["checkpoints"],
        precision=given["weights"],
        teacher=Teacher(teacher, str(teacher)) if teacher else None,
        stated=Stated(given["license_name"], given["attribution"]),
        tokenizer=given["tokenizer"] or teacher,
        held_out=given["held_out"],
    )


def stated_fields(given: Sequence[str]) -> dict[str, Any]:
    """Values by field, read as TOML; bare words are strings.

    Raises
    ------
    PlanError
        If one cannot be read.

    Examples
    --------
    >>> stated_fields(["true_share=0.5", "schedule=linear", 'markers=["<", ">"]'])
    {'true_share': 0.5, 'schedule': 'linear', 'markers': ['<', '>']}
    """
    try:
        return tomllib.loads("\n".join(map(_toml, given)))
    except (ValueError, RecursionError) as error:
        said = " ".join(given)[:200]
        raise PlanError(f"--set {said}: {error}. Write --set FIELD=VALUE.") from error


def _toml(text: str) -> str:
    """Line of TOML for ``FIELD=VALUE``."""
    name, _, value = text.partition("=")
    return f'{name} = "{value}"' if value.isalpha() or value in ("bf16", "fp32") else text
