"""Export of every member of a family of classifiers to ONNX."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from scrutiny.core.errors import require_packages
from scrutiny.core.model import Replicate
from scrutiny.models.strings.family import expand


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
    from scrutiny.models.onnx.export import export_classifier

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
