"""Pre-training runs, from texts to a folder that transformers can load: one, or a family.

A family are all seeds of one recipe, one after the other.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.models.strings.training_records import HASHES
from scrutiny.training.pretraining.batches import Batches
from scrutiny.training.pretraining.bert import (
    PretrainingForward,
    new_network,
    stack,
    start_from_frequencies,
)
from scrutiny.training.pretraining.checkpoint_files import (
    RECORD,
    save_weights,
    write_checkpoint,
    write_pretraining_hashes,
)
from scrutiny.training.pretraining.corpus import (
    encode,
    load_vocabulary,
    read_texts,
    save_tokenizer,
    train_vocabulary,
)
from scrutiny.training.pretraining.job import (
    Precision,
    Prepared,
    PretrainingJob,
    Seeds,
    Stated,
    Teacher,
)
from scrutiny.training.pretraining.loop import Checkpointing, Distillation, train
from scrutiny.training.pretraining.recipe import PretrainingRecipe

_WORKING: Final = "working"


def prepare(
    paths: Sequence[Path], recipe: PretrainingRecipe, *, tokenizer: Path | None = None
) -> Prepared:
    """Read the texts, train (or load) the vocabulary, and encode everything.

    Raises
    ------
    DataError
        If the texts or the tokenizer cannot be read.
    """
    files = tuple(read_texts(paths))
    sentences = (s for file in files for document in file.documents for s in document)
    made = (
        load_vocabulary(tokenizer) if tokenizer else train_vocabulary(sentences, recipe.vocabulary)
    )
    fitted = replace(recipe, vocabulary=made.get_vocab_size())
    return Prepared(files, made, encode(files, made), fitted)


def pretrain(
    job: PretrainingJob,
    out: Path,
    *,
    device: str = "cpu",
    on_log: Callable[[dict[str, float]], None] = lambda _row: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Path | None:
    """Train a model; returns its folder, or None if stopped (call again to resume).

    Parameters
    ----------
    job
        Run to train.
    out
        Folder of the family; the run's own folder is ``seed-S`` in it.
    device
        "cpu", "cuda:0", "mps".
    on_log, should_stop
        As in `Checkpointing`.

    Raises
    ------
    PlanError
        If the folder holds another run.
    StorageError
        If the disk refuses, or a saved state belongs to another run.
    """
    folder, digest = out / job.seeds.place(), job.digest()
    if (folder / RECORD).is_file():
        return _finished(folder, digest)
    working = folder / _WORKING
    working.mkdir(parents=True, exist_ok=True)
    # network before the first step: random weights, or those of the checkpoint to start from
    network = new_network(job.prepared.recipe, job.seeds.init)
    if job.start is None:
        start_from_frequencies(network, job.prepared.corpus)
    else:
        stack(_load_network(job.start.folder, job.prepared.tokenizer), network)
    keeping = Checkpointing(
        working,
        digest,
        checkpoints=job.checkpoints,
        on_checkpoint=lambda step, now: _keep_checkpoint(job, now, folder / f"step-{step}"),
        on_log=on_log,
        should_stop=should_stop,
    )
    met = job.start.steps if job.start else 0
    state = train(
        network,
        Batches(job.prepared.corpus, job.prepared.recipe, job.seeds.data, met=met),
        recipe=job.prepared.recipe,
        keeping=keeping,
        device=device,
        distill=_distillation(job, device),
    )
    if state.step < job.prepared.recipe.steps:
        return None
    sha256 = save_weights(network, folder, job.precision)
    write_checkpoint(folder, job, sha256=sha256, step=state.step, log=state.log)
    shutil.rmtree(working)
    return folder


def _load_network(folder: Path, tokenizer: Any) -> Any:
    """Network of a teacher or a start, float32.

    Raises
    ------
    ModelError
        If its vocabulary differs: its distributions would be over other pieces.
    """
    import torch
    from transformers import BertForPreTraining

    if load_vocabulary(folder).get_vocab() != tokenizer.get_vocab():
        raise ModelError(
            f"{str(folder)!r} has another vocabulary than the model to train; train that one with "
            f"--tokenizer {folder}."
        )
    return BertForPreTraining.from_pretrained(folder, local_files_only=True, dtype=torch.float32)


def _keep_checkpoint(job: PretrainingJob, network: Any, folder: Path) -> None:
    """Write an intermediate checkpoint."""
    step = int(folder.name.removeprefix("step-"))
    sha256 = save_weights(network, folder, job.precision)
    write_checkpoint(folder, job, sha256=sha256, step=step, log=[])


def _distillation(job: PretrainingJob, device: str) -> Distillation | None:
    if job.teacher is None:
        return None
    network = _load_network(job.teacher.folder, job.prepared.tokenizer).to(device)
    network.eval().requires_grad_(requires_grad=False)
    forward = PretrainingForward(network, is_bf16=job.prepared.recipe.precision == "bf16")
    return Distillation(forward, job.teacher.weight, job.teacher.temperature)


def _finished(folder: Path, digest: str) -> Path:
    """The folder, if it holds this run.

    Raises
    ------
    PlanError
        If it holds another run.
    """
    if json.loads((folder / RECORD).read_text(encoding="utf-8")).get("digest") != digest:
        raise PlanError(
            f"{str(folder)!r} holds another run (another recipe, seed, text or vocabulary). "
            "Choose another --out, or remove the folder to train anew."
        )
    return folder


#: Folder of the vocabulary in that of the family.
TOKENIZER = "tokenizer"


@dataclass(frozen=True, slots=True)
class SeedFamily:
    """Seeds of a family, and their common inputs.

    Parameters
    ----------
    texts
        Plain text files.
    recipe
        Of every seed.
    seeds
        Of the runs.
    checkpoints, precision, teacher, stated
        As in `PretrainingJob`.
    tokenizer
        Folder of a vocabulary to use; without, one is trained on the texts.
    held_out
        Plain text files for the competence records; without, none are written.
    """

    texts: tuple[Path, ...]
    recipe: PretrainingRecipe
    seeds: tuple[Seeds, ...]
    checkpoints: tuple[int, ...] = ()
    precision: Precision = "fp32"
    teacher: Teacher | None = None
    stated: Stated = field(default_factory=Stated)
    tokenizer: Path | None = None
    held_out: tuple[Path, ...] = ()


def pretrain_family(
    family: SeedFamily,
    out: Path,
    *,
    device: str = "cpu",
    on_log: Callable[[Seeds, dict[str, float]], None] = lambda _seeds, _row: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Path] | None:
    """Train all seeds; returns their folders, or None if stopped (call again to resume).

    Parameters
    ----------
    family
        Family to train.
    out
        Its folder: the vocabulary, the hashes of the texts and a folder for each seed.
    device
        "cpu", "cuda:0".
    on_log, should_stop
        Called with each line of the log; asked before each step.

    Raises
    ------
    DataError, PlanError, ModelError, StorageError
        As `prepare` and `pretrain`.
    """
    # texts and vocabulary; a vocabulary trained before is reused
    kept = out / TOKENIZER
    given = family.tokenizer or (kept if (kept / "tokenizer.json").is_file() else None)
    prepared = prepare(family.texts, family.recipe, tokenizer=given)
    if given is None:
        save_tokenizer(prepared.tokenizer, kept, family.recipe.positions)
    if not (out / HASHES).is_file():
        write_pretraining_hashes(prepared, out)
    folders = []
    for seeds in family.seeds:
        job = PretrainingJob(
            prepared, seeds, family.checkpoints, family.precision, family.teacher, family.stated
        )
        folder = pretrain(
            job, out, device=device, on_log=partial(on_log, seeds), should_stop=should_stop
        )
        if folder is None:
            return None
        folders.append(folder)
    if family.held_out:
        from scrutiny.training.competence.competence_record import write_records

        write_records(prepared, folders, family.held_out, device=device)
    return folders


def seed_pairs(both: Sequence[int], init: Sequence[int], data: Sequence[int]) -> tuple[Seeds, ...]:
    """Seed pairs of a family of pretrainings: of both at once, or all of initialization and data.

    Examples
    --------
    >>> [seeds.place() for seeds in seed_pairs([], [1, 2], [7])]
    ['init_seed-1/data_seed-7', 'init_seed-2/data_seed-7']
    """
    if init or data:
        return tuple(Seeds(i, d) for i in init or (1,) for d in data or (1,))
    return tuple(Seeds(seed, seed) for seed in both or (1,))
