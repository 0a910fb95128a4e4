"""Checkpoints of transformers: ``hf:./folder``, ``hf:org/name@revision``.

Options behind the ``#`` or as ``-M key=value``: ``dtype`` (float32, float16, bfloat16, or auto:
as the checkpoint has it, but float32 for language models on a processor), ``labels`` (names in
the order of the outputs, with bars between them), ``attention`` (sdpa, eager, ...),
``max_length`` (tokens of one text), ``head=none`` (an encoder whose vectors are asked for, and no
answers). For a task that has no labels, a checkpoint is loaded as the
language model that it is.
"""

from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.facts import EXTRACTS, LABEL_SETS, LABELS, OPTIONS, SPANS, Facts
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.hf.checkpoint import (
    Checkpoint,
    find_checkpoint,
    find_device,
    folder_must_be_there,
    load_network,
    refuse_missing,
    require_torch,
    stated_dtype,
)
from scrutiny.models.strings.adapters import Adapter, must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.tasks.tags import are_tags
from scrutiny.tasks.tasks import base_name

_VERSION: Final = "hf@1"
#: Option with which a checkpoint is loaded without the head that a task needs: its vectors alone.
_HEAD: Final = "head"
_OPTIONS: Final = ("dtype", "labels", "attention", "max_length", _HEAD, TRAINING)
_HEADS: Final = {
    LABELS: "ForSequenceClassification",
    SPANS: "ForTokenClassification",
    EXTRACTS: "ForQuestionAnswering",
    LABEL_SETS: "ForSequenceClassification",
    OPTIONS: "ForMultipleChoice",
}
#: What a checkpoint says of outputs of which each is a label of its own.
_SEVERAL: Final = "multi_label_classification"


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Classifier, tagger, reader or chooser of a checkpoint; its language model without labels.

    Raises
    ------
    ModelError
        If there is no checkpoint, if its weights are pickles, if it lacks the head that the task
        needs, or if an option cannot be read.
    MissingExtraError
        If torch or transformers are not installed.
    """
    source.refuse_unknown_options(_OPTIONS)
    head = source.options.get(_HEAD, "")
    if head not in ("", "none"):
        raise ModelError(f"{source.text!r}: head is none, or not given; not {head!r}.")
    if head or not task.must_be_answered:
        checkpoint = find_checkpoint(source)
        require_torch()
        from scrutiny.models.hf.language_models import load_language_model

        model = load_language_model(checkpoint, source, task, options)
        model.gives_answers = not head
        return model
    must_answer_task(task, tuple(_HEADS), source=source.text)
    checkpoint = find_checkpoint(source)
    _refuse_other_heads(checkpoint, task, source)
    device, head = find_device(options.device, source), _HEADS[Facts(task.facts.answer)]
    from scrutiny.models.hf.sets_and_options import HfChooser, HfLabelSets, OptionForward
    from scrutiny.models.hf.span_models import HfReader, HfTagger
    from scrutiny.models.hf.text_classifier import Forward, HfClassifier
    from scrutiny.models.hf.transformer import parts_of

    network, missing = load_network(
        checkpoint.folder, f"AutoModel{head}", source, dtype=stated_dtype(source)
    )
    refuse_missing(missing, source, head=head)
    answers = Facts(task.facts.answer)
    is_named = answers not in (EXTRACTS, OPTIONS)
    names = _names(network.config, source, task) if is_named else ()
    also, batch = {"names": names, "task": base_name(task)}, options.batch
    network = network.to(device)
    parts = parts_of(checkpoint, network, source, task, batch=batch, version=_VERSION, also=also)
    kind = OptionForward if answers == OPTIONS else Forward
    forward = kind(network, parts.tokenizer, limit=parts.limit, batch=batch)
    if not is_named:
        return (HfChooser if answers == OPTIONS else HfReader)(parts, forward)
    kinds = {SPANS: HfTagger, LABEL_SETS: HfLabelSets, LABELS: HfClassifier}
    return kinds[answers](parts, forward, names)


def _refuse_other_heads(checkpoint: Checkpoint, task: Task, source: ModelSource) -> None:
    """Raise if the configuration says that the head is for another task."""
    config = checkpoint.config
    wanted = _HEADS[Facts(task.facts.answer)]
    stated = config.get("architectures") or []
    if any("For" in name for name in stated) and not any(n.endswith(wanted) for n in stated):
        raise ModelError(
            f"{source.text!r} is a {stated[0]}; the task {base_name(task)} needs a model "
            f"…{wanted}. Fine-tune one, or name another checkpoint."
        )
    kind = config.get("problem_type")
    if LABEL_SETS.are_of(task.facts):
        if kind != _SEVERAL:
            raise ModelError(
                f"{source.text!r} does not say that each of its outputs is a label of its own: "
                f'config.json has "problem_type": "{_SEVERAL}" where it was trained so. A '
                "classifier of one label for each text answers text-classification."
            )
        return
    if kind in {"regression", _SEVERAL}:
        raise ModelError(
            f"{source.text!r} was trained for {kind.replace('_', ' ')}; scrutiny's classification "
            "tasks have exactly one label for each text."
        )


def _names(config: Any, source: ModelSource, task: Task) -> tuple[str, ...]:
    """Names of the outputs: given, or the configuration's; LABEL_0 is the index 0."""
    stated = source.labels()
    count = config.num_labels
    if count < 2:
        raise ModelError(f"{source.text!r} has one output: it is a regression, not a classifier.")
    if stated and len(stated) != count:
        raise ModelError(
            f"{source.text!r} has {count} outputs, but {len(stated)} labels were given."
        )
    own = tuple(str(config.id2label[i]).strip() for i in range(count))
    if not stated and len(set(own)) < count:
        raise ModelError(f"{source.text!r}: id2label in config.json names a label twice: {own}.")
    names = stated or tuple(n.removeprefix("LABEL_") for n in own)
    if SPANS.are_of(task.facts) and not are_tags(names):
        raise ModelError(
            f"{source.text!r}: its outputs are no tags: {', '.join(names[:12])}. Give them in "
            "order: #labels=O|B-PER|I-PER."
        )
    return names


ADAPTER: Final = Adapter(
    load, must_be_there=folder_must_be_there, imports=("scrutiny.models.hf.transformer",)
)
