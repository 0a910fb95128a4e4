"""``scrutiny train pretrain``: small BERTs from plain text."""

import json
from pathlib import Path
from typing import Any

import click

from scrutiny.cli.failures import tell as say_line
from scrutiny.cli.options import Folder, whole_numbers


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
def command(**given: Any) -> int:
    """Pre-train small BERTs from plain text, one after the other for all seeds.

    Steps are fixed. Interrupted, the command exits with 3 and goes on, to the bit, when it is
    issued again.
    """
    from scrutiny.models.hf.parts import torch_device

    device = str(torch_device(given["device"], of="What is trained"))  # names a missing extra
    from scrutiny.training.pretraining.allocator import keep_memory
    from scrutiny.training.pretraining.family import pretrain_family
    from scrutiny.training.pretraining.stopping import stopping_on_signals

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
    from scrutiny.training.pretraining.family import SeedFamily, seed_pairs
    from scrutiny.training.pretraining.job import Stated, Teacher

    teacher = given["distill_from"]
    numbers = {
        name: whole_numbers(name.replace("_", "-"), given[name] or "")
        for name in ("seeds", "init_seeds", "data_seeds", "checkpoints")
    }
    return SeedFamily(
        texts=given["texts"],
        recipe=_recipe(given, device),
        seeds=seed_pairs(*(numbers[name] for name in ("seeds", "init_seeds", "data_seeds"))),
        checkpoints=numbers["checkpoints"],
        precision=given["weights"],
        teacher=Teacher(teacher, str(teacher)) if teacher else None,
        stated=Stated(given["license_name"], given["attribution"]),
        tokenizer=given["tokenizer"] or teacher,
        held_out=given["held_out"],
    )


def _recipe(given: dict[str, Any], device: str) -> Any:
    """Recipe from what suits the device, the file, ``--set`` and the options; later ones win."""
    from scrutiny.cli.train.set_fields import stated_fields
    from scrutiny.training.native_bfloat16 import has_bfloat16
    from scrutiny.training.pretraining.recipe import PretrainingRecipe, read_recipe, recipe_from

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
    return recipe
