"""Export of transformer classifiers to the ONNX format, quantized or not.

What an exporter writes is tried against the network itself before anything is kept: tracing can go
wrong without a word (the older exporter of torch 2.13 gave other answers for masks of transformers
5, by whole logits).
"""

import json
import logging
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from scrutiny.core.errors import ModelError
from scrutiny.models.hf.batching import find_limit
from scrutiny.models.hf.checkpoint import (
    find_checkpoint,
    load_network,
    load_tokenizer,
    quiet,
    refuse_missing,
)
from scrutiny.models.onnx_classifier import DEFAULT
from scrutiny.models.strings.adapters import checkpoint_source
from scrutiny.models.strings.model_strings import ModelSource, parse
from scrutiny.models.strings.training_records import HASHES, TRAINING_FILE, find_training_hashes
from scrutiny.store.files import storage_errors

Precision = Literal["int8", "float32"]
#: File beside the network that says what it was made of.
RECORD: Final = "quantization.json"
_HEAD: Final = "ForSequenceClassification"
_OPSET: Final = 18
#: How far a probability may move by the change of format alone.
_TOLERANCE: Final = 1e-4
_TEXTS: Final = (
    "A wonderful, moving film that I would see again.",
    "The plot isn't bad, but two hours of it are too much.",
    "no",
    "It was slow at first, and then the second half was so loud that nobody in the room could "
    "follow what the two of them were saying, which was a pity.",
)


def export_classifier(text: str, folder: Path, *, precision: Precision = "int8") -> dict[str, Any]:
    """Write a transformer classifier as an ``onnx:`` folder; return its record.

    Parameters
    ----------
    text
        Complete model string of a checkpoint with a classification head.
    folder
        Where it goes; must not be there yet.
    precision
        ``int8``: weights in 8 bits, activations scaled text by text when they are there.
        ``float32``: the format changes and no number does.

    Raises
    ------
    ModelError
        If it is no such checkpoint, cannot be exported, or answers otherwise afterwards.
    MissingExtraError
        If onnx, onnxruntime, onnxscript or torch are not installed.
    """
    if folder.exists():
        raise ModelError(f"{str(folder)!r} is there already; name another folder, or remove it.")
    source = checkpoint_source(parse(text))
    source = replace(source, options={**source.options, "attention": "eager"})
    checkpoint = find_checkpoint(source)
    network, missing = load_network(checkpoint.folder, f"AutoModel{_HEAD}", source, dtype="float32")
    refuse_missing(missing, source, head=_HEAD)
    tokenizer = load_tokenizer(checkpoint, source)
    record: dict[str, Any] = {
        "source": text,
        "fingerprint": checkpoint.fingerprint(),
        "precision": precision,
        "made_with": {name: version(name) for name in ("onnx", "onnxruntime", "torch")},
    }
    made = folder.with_name(f".{folder.name}.part")  # a family's pattern never finds half of one
    with storage_errors(folder), TemporaryDirectory(prefix="scrutiny-onnx-") as name:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        plain = Path(name) / "plain.onnx"
        if tokenizer.pad_token is None:
            raise ModelError(
                f"{source.text!r}: its tokenizer has no padding token; causal classifiers are not "
                "exported."
            )
        padded = tokenizer(list(_TEXTS[:2]), return_tensors="pt", padding=True, truncation=True)
        limit = find_limit(tokenizer, network.config, source)
        _export(network, dict(padded), plain, source, limit=limit)
        moved = _largest_change(plain, network, tokenizer)
        if moved > _TOLERANCE:
            raise ModelError(
                f"{source.text!r}: what the exporter wrote answers otherwise (a probability moves "
                f"by {moved:.2g}), so it is not kept."
            )
        record["change_by_format"] = moved
        if precision == "int8":
            path = made / DEFAULT
            graph = onnx.load(plain)
            del graph.graph.value_info[:]  # shapes that the exporter noted contradict onnx's own
            bare = plain.with_name("bare.onnx")
            onnx.save(graph, bare)
            with _silent():
                quantize_dynamic(bare, path, weight_type=QuantType.QInt8)
            record["change"] = _largest_change(made / DEFAULT, network, tokenizer)
        else:
            shutil.copyfile(plain, made / DEFAULT)
        _write_rest(made, network, tokenizer, checkpoint.folder, record)
        made.rename(folder)
    return record


def _export(
    network: Any, inputs: dict[str, Any], path: Path, source: ModelSource, *, limit: int | None
) -> None:
    """Write a network in the ONNX format, for any number of texts and tokens."""

    class Logits(torch.nn.Module):  # type: ignore[misc]
        """The network as a function of its inputs in order."""

        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, *columns: Any) -> Any:
            """Logits ``(text, label)``."""
            return self.network(**dict(zip(inputs, columns, strict=True))).logits

    shape = {0: torch.export.Dim("text"), 1: torch.export.Dim("token", max=limit)}
    with quiet(), _silent():
        try:
            torch.onnx.export(
                Logits().eval(),
                tuple(inputs.values()),
                path,
                input_names=list(inputs),
                output_names=["logits"],
                dynamic_shapes=(tuple(shape for _ in inputs),),
                opset_version=_OPSET,
                dynamo=True,
                external_data=False,
                verbose=False,
            )
        except (RuntimeError, ValueError, TypeError, torch.onnx.errors.OnnxExporterError) as error:
            first = str(error).strip().partition("\n")[0]
            raise ModelError(f"{source.text!r} cannot be exported: {first}") from error


def _largest_change(path: Path, network: Any, tokenizer: Any) -> float:
    """Largest difference of a probability between an ONNX file and the network, text by text."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    taken = {given.name for given in session.get_inputs()}  # constant ones are left out
    largest = 0.0
    for text in _TEXTS:
        one = tokenizer(text, return_tensors="pt", truncation=True)
        with torch.inference_mode():
            wanted = torch.softmax(network(**one).logits, -1)[0].numpy()
        given = {name: one[name].numpy() for name in one if name in taken}
        (logits,) = session.run(["logits"], given)
        found = torch.softmax(torch.from_numpy(logits), -1)[0].numpy()
        largest = max(largest, float(np.abs(found - wanted).max()))
    return largest


def _write_rest(
    folder: Path, network: Any, tokenizer: Any, checkpoint: Path, record: dict[str, Any]
) -> None:
    """Write configuration, tokenizer and record, and copy the training's files."""
    with quiet():
        network.config.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    hashes = find_training_hashes(checkpoint)
    if hashes is not None:
        shutil.copyfile(hashes, folder / HASHES)
    if (checkpoint / TRAINING_FILE).is_file():
        shutil.copyfile(checkpoint / TRAINING_FILE, folder / TRAINING_FILE)
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


@contextmanager
def _silent() -> Iterator[None]:
    """Hide the exporters' messages."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
