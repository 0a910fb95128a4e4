"""Classifiers in the ONNX format, run by onnxruntime without torch: ``onnx:./folder``.

A folder with a ``.onnx`` file, ``config.json`` and ``tokenizer.json``, as `scrutiny models
quantize` and other exporters write it. Options behind the ``#`` or as ``-M key=value``: ``file``
(which of several ``.onnx`` files), ``labels``, ``max_length``.

Dynamic quantization scales the numbers of a whole batch by one factor, so that what stands beside a
text changes its answer, by far more than rounding. Here every text is run alone, by one thread, and
the answer is its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy

from scrutiny.core.boundary.json_text import canonical_json, digest, parse_json
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.store.files import hash_file

#: File that is loaded where there are several and none is named.
DEFAULT: Final = "model.onnx"
_VERSION: Final = "onnx@1"
_OPTIONS: Final = ("file", "labels", "max_length", TRAINING)
_COLUMNS: Final = {
    "input_ids": "ids",
    "token_type_ids": "type_ids",
    "attention_mask": "attention_mask",
}
_NO_LIMIT: Final = 10**6  # tokenizers that know no limit say 10**30


@dataclass(frozen=True, slots=True)
class OnnxParts:
    """Parts of an ONNX classifier.

    Parameters
    ----------
    session
        Of onnxruntime.
    tokenizer
        Of the package tokenizers; it cuts at the limit and does not pad.
    labels
        In the order of the outputs.
    identity
        Digest of all that changes an answer.
    """

    session: Any
    tokenizer: Any
    labels: tuple[str, ...]
    identity: str


class OnnxClassifier(IdentifiedModel):
    """A sequence classifier; texts longer than the network's limit are truncated."""

    is_batch_invariant = True  # each text is run alone, by one thread
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, parts: OnnxParts, task: Task, source: str) -> None:
        super().__init__(source, task.name, parts.identity)
        self.labels = parts.labels
        self._parts = parts
        self._inputs = [given.name for given in parts.session.get_inputs()]
        names = [given.name for given in parts.session.get_outputs()]
        self._output = "logits" if "logits" in names else str(names[0])
        unknown = [name for name in self._inputs if name not in _COLUMNS]
        if unknown:
            raise ModelError(
                f"{source!r} wants the input {unknown[0]!r}; scrutiny gives "
                f"{', '.join(_COLUMNS)}. Export it without."
            )

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        return [
            Prediction(scores=tuple(scipy.special.softmax(self.logits(e).astype(float)).tolist()))
            for e in examples
        ]

    def truncated(self, examples: Sequence[Example]) -> int:
        """How many of the examples have more tokens than the network takes."""
        encode = self._parts.tokenizer.encode
        return sum(bool(encode(*example.fields.values()).overflowing) for example in examples)

    def logits(self, example: Example) -> Any:
        """Scores ``(label,)`` of one example."""
        one = self._parts.tokenizer.encode(*example.fields.values())
        given = {name: np.array([getattr(one, _COLUMNS[name])], np.int64) for name in self._inputs}
        (logits,) = self._parts.session.run([self._output], given)  # (1, label)
        if logits.shape != (1, len(self.labels)):
            raise ModelError(
                f"{self.source!r} gave an answer of shape {logits.shape} to one text; a classifier "
                f"of {', '.join(self.labels)} gives (1, {len(self.labels)})."
            )
        return logits[0]


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Classifier of a folder.

    Raises
    ------
    ModelError
        If a file is missing or does not load, or an option cannot be read.
    MissingExtraError
        If onnxruntime or tokenizers are not installed.
    """
    source.refuse_unknown_options(_OPTIONS)
    must_answer_task(task, (LABELS,), source=source.text)
    require_packages("An ONNX model", "onnx", "onnxruntime", "tokenizers")
    import onnxruntime
    import tokenizers

    folder = Path(source.target).expanduser()
    stated = source.options.get("file")
    there = sorted(path.name for path in folder.glob("*.onnx"))
    name = stated or (there[0] if len(there) == 1 else DEFAULT)
    if not (folder / name).is_file():
        inside = sorted(path.parent.name for path in folder.glob("*/*.onnx"))
        hint = f" There is one in: {', '.join(dict.fromkeys(inside))}." if inside else ""
        raise ModelError(
            f"{source.text!r}: there is no {name} in {str(folder)!r} (ONNX files there: "
            f"{', '.join(there) or 'none'}).{hint} `scrutiny models quantize MODEL -o FOLDER` "
            "writes one."
        )
    network, config = (folder / name), _json(folder / "config.json", source)
    vocabulary = folder / "tokenizer.json"
    if not vocabulary.is_file():
        raise ModelError(f"{source.text!r}: there is no tokenizer.json in {str(folder)!r}.")
    provider = _provider(options.device, source)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(network, settings, providers=[provider])
        tokenizer = tokenizers.Tokenizer.from_file(str(vocabulary))
    except Exception as error:  # onnxruntime raises classes of its own, tokenizers plain ones
        raise ModelError(f"{source.text!r} does not load: {error}") from error
    limit, labels = _limit(folder, config, source), _labels(config, source)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if limit is not None:
        tokenizer.enable_truncation(limit)
    said = [provider, onnxruntime.__version__, limit, labels]
    weights = network.parent.glob(f"{network.name}*")  # of large networks beside their file
    files = [*sorted(path for path in weights if path.is_file()), vocabulary]
    identity = digest(_VERSION, canonical_json(said), *(f"{p.name}:{hash_file(p)}" for p in files))
    return OnnxClassifier(OnnxParts(session, tokenizer, labels, identity), task, source.text)


def _json(path: Path, source: ModelSource) -> dict[str, Any]:
    """Contents of a JSON file."""
    try:
        found: dict[str, Any] = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{source.text!r}: {str(path)!r} cannot be read: {error}.") from error
    return found


def _labels(config: Mapping[str, Any], source: ModelSource) -> tuple[str, ...]:
    """Names of the outputs: given, or the configuration's; LABEL_0 is the index 0."""
    named = {int(index): str(name).strip() for index, name in config.get("id2label", {}).items()}
    own = tuple(named[index].removeprefix("LABEL_") for index in sorted(named))
    stated = source.labels() or own
    if len(stated) < 2 or (own and len(stated) != len(own)) or len(set(stated)) < len(stated):
        raise ModelError(
            f"{source.text!r}: config.json names the labels {', '.join(own) or 'none'}"
            + (f", and {len(stated)} were given." if source.labels() else ".")
            + " Give them in the order of the outputs: #labels=negative|positive."
        )
    return stated


def _limit(folder: Path, config: Mapping[str, Any], source: ModelSource) -> int | None:
    """Largest number of tokens of a text: given, or the limit of tokenizer and network."""
    path = folder / "tokenizer_config.json"
    told = _json(path, source).get("model_max_length") if path.is_file() else None
    limits = [int(told)] if told is not None and told < _NO_LIMIT else []
    positions = config.get("max_position_embeddings")
    if positions:
        # RoBERTa counts positions from behind the padding index
        kind = config.get("model_type", "")
        is_shifted = "roberta" in kind or kind == "camembert"
        limits.append(int(positions) - (int(config.get("pad_token_id", 1)) + 1) * is_shifted)
    return source.max_length(limits)


def _provider(device: str, source: ModelSource) -> str:
    """Execution provider of onnxruntime: by default the CPU, where int8 has its kernels."""
    import onnxruntime

    if device in {"auto", "cpu"}:
        return "CPUExecutionProvider"
    provider = "CUDAExecutionProvider"
    there = onnxruntime.get_available_providers()
    if not device.startswith("cuda") or provider not in there:
        raise ModelError(
            f"{source.text!r} cannot be put on the device {device!r}: this onnxruntime has "
            f"{', '.join(there)}."
        )
    return provider


#: The training text is what the checkpoint's training has stored in the folder.
ADAPTER: Final = Adapter(load, as_checkpoint=lambda source: replace(source, scheme="hf"))
