"""Conversion between formats, done once: a GGUF file to transformers, a family to ONNX."""

import shutil
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, Literal

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import MissingExtraError, ModelError, require_packages
from scrutiny.core.model import Replicate
from scrutiny.models.strings.model_families import expand

#: Plain English, of our own; a language model that reads it as noise was converted wrongly.
PARAGRAPH: Final = (
    "The train was late again, so she bought a cup of coffee and sat down by the window. "
    "Outside, it had begun to rain, and people were running across the square with newspapers "
    "over their heads. She opened her book, but after two pages she had forgotten what it was "
    "about. When the train finally came, the coffee was cold and the rain had stopped."
)
#: Perplexity of the paragraph by piece above which a conversion is refused.
MOST_PERPLEXITY: Final = 60.0
_NEEDED: Final = ("torch", "transformers", "gguf", "accelerate")


def convert_gguf(
    path: Path, folder: Path, *, sha256_of_file: str, most_perplexity: float = MOST_PERPLEXITY
) -> float:
    """Convert a causal model into a folder, and return its perplexity on plain English.

    Parameters
    ----------
    path
        GGUF file with weights and tokenizer.
    folder
        Where weights in half precision, configuration and tokenizer are put, all or nothing.
    sha256_of_file
        What the file must be.
    most_perplexity
        A model that is more surprised than this was converted wrongly.

    Raises
    ------
    ModelError
        If the file is another one, cannot be read, or gives a model that cannot tell English.
    MissingExtraError
        If a package is missing.
    """
    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingExtraError("Converting a GGUF file", "gguf")
    found = sha256(path.read_bytes()).hexdigest()
    if found != sha256_of_file:
        raise ModelError(
            f"{str(path)!r} has the SHA-256 {found}, not {sha256_of_file}: it is damaged, or "
            "another file under that name. Install the package again."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _convert(path, fresh)
        perplexity = perplexity_of(fresh)
        if not perplexity <= most_perplexity:
            raise ModelError(
                f"{path.name} was converted, but plain English has a perplexity of "
                f"{perplexity:.0f} for the result (at most {most_perplexity:.0f} is allowed), so "
                "the weights do not stand where transformers looks for them."
            )
        origin = {"converted_from": path.name, "sha256": found, "perplexity": round(perplexity, 3)}
        (fresh / "origin.json").write_text(canonical_json(origin) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return perplexity


def _convert(path: Path, folder: Path) -> None:
    """Write weights and tokenizer of a GGUF file as transformers does."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from scrutiny.models.hf.checkpoint import quiet

    given: dict[str, Any] = {"gguf_file": path.name, "local_files_only": True}
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(path.parent, **given)
            network = AutoModelForCausalLM.from_pretrained(path.parent, **given)
            # the weights are plain numbers by now, but the network still counts as quantized,
            # which save_pretrained refuses
            if hasattr(network.config, "quantization_config"):
                del network.config.quantization_config
            network.hf_quantizer = None
            network.is_quantized = False
            tokenizer.save_pretrained(folder)
            network.half().save_pretrained(folder)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(f"{str(path)!r} cannot be converted: {error}") from error


def perplexity_of(folder: Path, text: str = PARAGRAPH) -> float:
    """Perplexity of a converted checkpoint by token of a text, without the first token."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from scrutiny.models.hf.checkpoint import quiet

    with quiet():
        network = AutoModelForCausalLM.from_pretrained(
            folder, dtype="float32", local_files_only=True, use_safetensors=True
        ).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ids = tokenizer(text, return_tensors="pt").input_ids
    with torch.inference_mode():
        loss = network(input_ids=ids, labels=ids).loss
    return float(loss.exp())


def export_family(
    source: str, out: Path, *, precision: Literal["int8", "float32"]
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Export every member of a family to ONNX; gives its folder and its record.

    Parameters
    ----------
    source
        A checkpoint with a classification head, or a family of them.
    out
        Folder of a single model; of a family its members' folders stand in it, ``seed-1``.
    precision
        ``int8`` or ``float32``.

    Raises
    ------
    ModelError, MissingExtraError, StorageError
        As `export_classifier` does.
    """
    require_packages("Writing an ONNX model", "onnx", "onnx", "onnxruntime", "onnxscript")
    require_packages("Exporting a Hugging Face model", "hf", "torch", "transformers")
    from scrutiny.models.onnx_export import export_classifier

    for member in expand(source, name="model").replicates:
        folder = out.joinpath(*[f"{name}-{value}" for name, value in _factors(member).items()])
        yield folder, export_classifier(member.source, folder, precision=precision)


def exported_pattern(source: str, out: Path) -> str:
    """Model string of all ONNX models that `export_family` writes, ``onnx:OUT/seed-{seed}``."""
    first = expand(source, name="model").replicates[0]
    names = [f"{name}-{{{name}}}" for name in _factors(first)]
    return f"onnx:{out.joinpath(*names).as_posix()}"


def _factors(member: Replicate) -> dict[str, str]:
    return {**member.random, **member.condition}
