"""Packaged MiniLM as a masked language model: its encoder, trained further under a new head.

No package ships a masked language model with its head, and MiniLM's own was thrown away when it
became a sentence encoder. A head over the frozen encoder does not learn (contrastive training
removed what it would read), so all weights are trained. Seeds drive order and masks alone: the
replicates share one initialization, and are labeled as replicates of fine-tuning.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, BertModel

from scrutiny.core.errors import DataError
from scrutiny.models.hf.checkpoint import quiet
from scrutiny.models.strings.training_records import COMPETENCE_FILE as COMPETENCE
from scrutiny.models.strings.training_records import (
    FINE_TUNING,
    HASHES,
    REPLICATES_KEY,
    TRAINING_FILE,
)
from scrutiny.store.files import hash_file
from scrutiny.training.competence.competence_record import measure
from scrutiny.training.competence.masked import CompetenceSettings, passages_of, read_pairs
from scrutiny.training.competence.perplexity import baselines_of
from scrutiny.training.pretraining.batches import Batches
from scrutiny.training.pretraining.bert import start_from_frequencies
from scrutiny.training.pretraining.checkpoint_files import (
    save_weights,
    write_json,
    write_pretraining_hashes,
)
from scrutiny.training.pretraining.corpus import (
    SPECIAL,
    encode,
    read_texts,
    save_tokenizer,
    with_special_pieces,
)
from scrutiny.training.pretraining.job import Prepared, Seeds, digest_of
from scrutiny.training.pretraining.loop import Checkpointing, train
from scrutiny.training.pretraining.pretraining import prepare
from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe

#: Steps of 32 passages of 64 pieces each.
STEPS: Final = 600
_POSITIONS: Final = 512
_EMBEDDINGS: Final = "embeddings.word_embeddings.weight"
_STATE: Final = ".state"
_NEXT: Final = "next_sentence"


@dataclass(frozen=True, slots=True)
class MaskedMinilm:
    """Common inputs of the replicates: texts, recipe, encoder.

    Parameters
    ----------
    original
        Folder of the sentence encoder.
    texts
        Plain text files: a paragraph a line, a blank line between documents.
    steps
        Optimizer steps.
    length, batch
        Pieces of a passage, and passages of a step.
    device
        Of torch.
    held_out
        Texts that are not trained on, for the competence record; there is none without them.
    """

    original: Path
    texts: Sequence[Path]
    steps: int = STEPS
    length: int = 64
    batch: int = 32
    device: str = "cpu"
    held_out: Sequence[Path] = ()

    def recipe(self, config: Any) -> PretrainingRecipe:
        """Recipe with the encoder's sizes, without the next-sentence loss.

        Parameters
        ----------
        config
            `BertConfig` of the encoder.
        """
        return PretrainingRecipe(
            layers=config.num_hidden_layers,
            hidden=config.hidden_size,
            heads=config.num_attention_heads,
            feed_forward=config.intermediate_size,
            positions=config.max_position_embeddings,
            vocabulary=config.vocab_size,
            steps=self.steps,
            phases=(Phase(1.0, self.length, self.batch),),
            next_sentence=0.0,
            learning_rate=3e-4,
            warmup=0.06,
            betas=(0.9, 0.999),
        )


def add_seed(
    job: MaskedMinilm,
    seed: int,
    folder: Path,
    *,
    on_log: Callable[[dict[str, float]], None] = lambda _row: None,
) -> Path:
    """Train one replicate to its last step, in the folder ``seed-S``.

    Parameters
    ----------
    job
        Common inputs of all seeds.
    seed
        Drives order and masks.
    folder
        Folder of the family. An interrupted training resumes where it stopped.
    on_log
        Called with the mean losses of every hundred steps.

    Raises
    ------
    DataError
        If there is no text.
    StorageError
        If the folder holds an interrupted training with other inputs.
    """
    state = folder / _STATE / f"seed-{seed}"
    state.mkdir(parents=True, exist_ok=True)
    network = encoder_with_head(job.original)
    write_tokenizer(job.original, state)
    prepared = prepare(list(job.texts), job.recipe(network.config), tokenizer=state)
    start_from_frequencies(network, prepared.corpus)
    seeds = Seeds(init=0, data=seed)
    keeping = Checkpointing(
        folder=state,
        digest=digest_of(prepared, seeds, start=hash_file(job.original / "model.safetensors")),
        on_log=on_log,
    )
    batches = Batches(prepared.corpus, prepared.recipe, seed)
    done = train(network, batches, recipe=prepared.recipe, keeping=keeping, device=job.device)
    made = _write(network, prepared, state / "made", seeds=seeds, log=done.log)
    if job.held_out:
        write_json(made / COMPETENCE, _competence_of(made, prepared, job))
    if not (folder / HASHES).is_file():
        write_pretraining_hashes(prepared, folder)
    final = folder / f"seed-{seed}"
    shutil.rmtree(final, ignore_errors=True)
    made.rename(final)
    shutil.rmtree(state)
    return final


def _competence_of(made: Path, prepared: Prepared, job: MaskedMinilm) -> dict[str, Any]:
    """Competence record of a replicate, without next-sentence prediction (it has no such head).

    Raises
    ------
    DataError
        If a text has no document as long as a passage.
    """
    baselines = baselines_of(prepared.corpus, prepared.recipe.vocabulary)
    held_out = read_texts(list(job.held_out))
    length = CompetenceSettings().length
    for file in held_out:
        if not len(passages_of(encode([file], prepared.tokenizer), length).pieces):
            raise DataError(f"{file.name} has no document of {length} pieces: it is too short.")
    with quiet():
        record = measure(made, held_out, baselines, pairs=read_pairs(), device=job.device)
    gates = {name: passed for name, passed in record["gates"].items() if name != _NEXT}
    return {**{key: value for key, value in record.items() if key != _NEXT}, "gates": gates}


def encoder_with_head(original: Path) -> Any:
    """`BertForPreTraining` with the encoder's weights, special pieces first in the vocabulary.

    The head starts as the identity with tied embeddings; what needs a seed is drawn from 0.
    """
    with quiet(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        config = BertConfig.from_pretrained(original)
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        network = BertForPreTraining(config)
        encoder = BertModel.from_pretrained(
            original, dtype="float32", local_files_only=True, use_safetensors=True
        )
    weights = encoder.state_dict()
    weights[_EMBEDDINGS] = weights[_EMBEDDINGS][_order(_pieces(original))]
    network.bert.load_state_dict(weights)
    dense = network.cls.predictions.transform.dense
    with torch.no_grad():
        torch.nn.init.eye_(dense.weight)
        torch.nn.init.zeros_(dense.bias)
    return network


def write_tokenizer(original: Path, folder: Path) -> None:
    """Write the encoder's tokenizer with special pieces first, without truncation or padding."""
    pieces = _pieces(original)
    vocabulary = {pieces[old]: new for new, old in enumerate(_order(pieces))}
    stored = json.loads((original / "tokenizer.json").read_text(encoding="utf-8"))
    stored["model"]["vocab"] = vocabulary
    stored["truncation"] = stored["padding"] = stored["post_processor"] = None
    for added in stored["added_tokens"]:
        added["id"] = vocabulary[added["content"]]
    stored["added_tokens"].sort(key=lambda added: added["id"])
    tokenizer = with_special_pieces(Tokenizer.from_str(json.dumps(stored)))
    save_tokenizer(tokenizer, folder, _POSITIONS)


def _pieces(original: Path) -> list[str]:
    """Pieces by their number in the encoder's vocabulary."""
    stored = json.loads((original / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = stored["model"]["vocab"]
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _order(pieces: Sequence[str]) -> list[int]:
    """Old index of each piece, in the order with special ones first."""
    order = list(range(len(pieces)))
    for new, piece in enumerate(SPECIAL):
        place = order.index(pieces.index(piece))
        order[new], order[place] = order[place], order[new]
    return order


def _write(
    network: Any, prepared: Prepared, folder: Path, *, seeds: Seeds, log: list[dict[str, float]]
) -> Path:
    """Write a `BertForMaskedLM`, its tokenizer, and its training record."""
    shutil.rmtree(folder, ignore_errors=True)
    # network without its untrained next-sentence head
    with torch.random.fork_rng(devices=[]):
        masked = BertForMaskedLM(network.config)
    encoder = network.bert.state_dict()
    masked.bert.load_state_dict({n: w for n, w in encoder.items() if "pooler" not in n})
    masked.cls.predictions.load_state_dict(network.cls.predictions.state_dict())
    masked_only = masked
    sha256 = save_weights(masked_only, folder, "fp16")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    write_json(folder / "config.json", {**config, "architectures": ["BertForMaskedLM"]})
    save_tokenizer(prepared.tokenizer, folder, _POSITIONS)
    record = {
        REPLICATES_KEY: FINE_TUNING,
        "base": "all-MiniLM-L6-v2",
        "recipe": prepared.recipe.to_json(),
        "seeds": {"data": seeds.data},
        "texts": {file.name: file.sha256 for file in prepared.files},
        "weights_sha256": sha256,
        "log": log,
    }
    write_json(folder / TRAINING_FILE, record)
    (folder / "README.md").write_text(_CARD.format(seed=seeds.data, **record), encoding="utf-8")
    return folder


_CARD: Final = """\
# all-MiniLM-L6-v2 as a masked language model, seed {seed}

Fine-tuned from the sentence encoder all-MiniLM-L6-v2 (Apache-2.0) under a new head. The seed drives
the order of the texts and the masks and nothing else: replicates share one initialization, so they
are **fine-tuning replicates**. Their spread tells how far fine-tuning moves a finding, not how far
another pre-training would. The recipe and the texts (by SHA-256) are in training.json.
"""
