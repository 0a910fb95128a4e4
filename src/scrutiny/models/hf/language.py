"""Checkpoints as language models, for tasks without predictions.

The head is the one that ``architectures`` in config.json names. Weights in half precision are run
in float32 on a processor: most are slower with less, and rounding would decide close pairs.
"""

from collections.abc import Mapping
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions
from scrutiny.core.task import Task
from scrutiny.models.hf.checkpoint import Checkpoint
from scrutiny.models.hf.encoder import HfEncoder
from scrutiny.models.hf.language_models import (
    HfCausalLanguageModel,
    HfMaskedLanguageModel,
    HfNextSentence,
    HfPreTraining,
)
from scrutiny.models.hf.model import parts_of
from scrutiny.models.hf.parts import (
    find_device,
    load_network,
    load_tokenizer,
    refuse_missing,
    stated_dtype,
)
from scrutiny.models.strings.source import ModelSource

_VERSION: Final = "hf-language@1"
_BOTH_HEADS: Final = tuple(
    f"{kind}ForPreTraining" for kind in ("Bert", "MobileBert", "MegatronBert")
)
_MASKED: Final = ("ForMaskedLM", "AlbertForPreTraining")  # ALBERT's other head orders sentences
_CAUSAL: Final = ("ForCausalLM", "LMHeadModel")
_NEITHER: Final = ("XLNetLMHeadModel", "WithLMHeadModel")  # of permuted, or of either, order


def load_language_model(
    checkpoint: Checkpoint, source: ModelSource, task: Task, options: LoadOptions
) -> HfEncoder:
    """Language model of a checkpoint, with the capabilities that its head gives.

    Raises
    ------
    ModelError
        If it does not load, lacks weights of its own head, or has an encoder and a decoder.
    MissingExtraError
        If torch or transformers are not installed.
    """
    if "labels" in source.options:
        raise ModelError(f"{source.text!r}: the task {task.name} has no labels; leave out labels=.")
    if checkpoint.config.get("is_encoder_decoder"):
        raise ModelError(
            f"{source.text!r} has an encoder and a decoder; as language models, scrutiny asks "
            "encoders (BERT, RoBERTa, …) and decoders (GPT-2, Llama, …) only."
        )
    device = find_device(options.device, source)
    dtype = stated_dtype(source)
    if dtype == "auto" and device.type == "cpu":
        dtype = "float32"
    maker, kind = head_of(checkpoint.config)
    network, missing = load_network(checkpoint.folder, maker, source, dtype=dtype)
    if kind is HfEncoder:  # vectors of tokens do not pass the pooler
        missing = [name for name in missing if not name.startswith("pooler.")]
    refuse_missing(missing, source, head=_name_of(maker, checkpoint.config))
    parts = parts_of(
        network.to(device),
        load_tokenizer(checkpoint, source),
        source=source,
        task=task,
        batch=options.batch,
        known_by=(_VERSION, checkpoint.fingerprint()),
        also={"head": type(network).__name__},
    )
    return kind(parts)


def head_of(config: Mapping[str, Any]) -> tuple[str, type[HfEncoder]]:
    """Class of transformers that loads a checkpoint, and our class, by its configuration.

    Examples
    --------
    >>> head_of({"architectures": ["RobertaForMaskedLM"]})[0]
    'AutoModelForMaskedLM'
    >>> head_of({"architectures": ["BertForTokenClassification"]})[0]  # whose gradients are asked
    'AutoModelForTokenClassification'
    >>> head_of({"architectures": ["BertForSequenceClassification"]})[0]
    'AutoModel'
    """
    stated = (config.get("architectures") or [""])[0]
    if stated in _BOTH_HEADS:
        return stated, HfPreTraining
    if stated.endswith(_MASKED):
        return "AutoModelForMaskedLM", HfMaskedLanguageModel
    if stated.endswith("ForNextSentencePrediction"):
        return "AutoModelForNextSentencePrediction", HfNextSentence
    if stated.endswith(_CAUSAL) and not stated.endswith(_NEITHER):
        return "AutoModelForCausalLM", HfCausalLanguageModel
    if stated.endswith("ForTokenClassification"):
        return "AutoModelForTokenClassification", HfEncoder
    return "AutoModel", HfEncoder


def _name_of(maker: str, config: Mapping[str, Any]) -> str:
    """Name of the head for messages."""
    return maker if maker in _BOTH_HEADS else (config.get("architectures") or [maker])[0]
