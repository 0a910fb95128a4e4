"""Files of a pre-trained checkpoint: weights, tokenizer, machine-readable recipe, model card.

The folder is one that `AutoModel` and `AutoTokenizer` read.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import save_file

from scrutiny.store.files import write_text
from scrutiny.training.job import keep_training_texts
from scrutiny.training.pretraining.corpus import save_tokenizer
from scrutiny.training.pretraining.job import WEIGHTS, Precision, Prepared, PretrainingJob


def save_weights(network: Any, folder: Path, precision: Precision) -> str:
    """Write ``config.json`` and ``model.safetensors`` of a pretraining; returns their SHA-256.

    Parameters
    ----------
    network
        A `BertForPreTraining`; tied weights are written once.
    folder
        Made if it is not there.
    precision
        Half precision is read back as float32 by default.
    """
    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if precision == "fp16" else torch.float32
    tensors = {
        name: parameter.detach().to("cpu", dtype).contiguous()
        for name, parameter in network.named_parameters()
    }
    save_file(tensors, str(folder / WEIGHTS), metadata={"format": "pt"})
    (folder / WEIGHTS).chmod(0o644)  # safetensors makes it the owner's alone
    config = network.config.to_dict()
    config.pop("_name_or_path", None)  # where it was read from: a folder of one machine
    config["architectures"] = ["BertForPreTraining"]
    config["dtype"] = "float16" if precision == "fp16" else "float32"
    write_json(folder / "config.json", config)
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Write a value of a pretraining's record with sorted keys, whole or not at all."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _card_of(record: Mapping[str, Any]) -> str:
    """Model card in Markdown, from ``training.json``."""
    recipe, seeds = record["recipe"], record["seeds"]
    stated = record["license"] or "not stated; it follows from the texts'."
    rights = [f"License of the weights: {stated}", "", *(f"- {a}" for a in record["attribution"])]
    known = {"CC BY-SA 4.0": "cc-by-sa-4.0", "MIT": "mit", "Apache-2.0": "apache-2.0"}
    short = known.get(record["license"])
    front_matter = ["---", "language: en", f"license: {short}", "---", ""] if short else []
    lines = [
        *front_matter,
        f"# BERT, {recipe['layers']} layers of {recipe['hidden']} units, "
        f"init seed {seeds['init_seed']}, data seed {seeds['data_seed']}",
        "",
        "Pre-trained by `scrutiny train pretrain`: one replicate of a recipe, for the study of "
        "diagnostics. It is far too small to be of other use. What is said of it alone is said of "
        "this checkpoint; several seeds say something about the recipe.",
        "",
        f"Step {record['step']:,} of {recipe['steps']:,}; {record['pieces']:,} word pieces of "
        f"text in {record['documents']:,} documents; masked words"
        + (" and next sentence." if recipe["next_sentence"] else "."),
        "",
        *_beginnings(record["started_from"], record["distilled_from"]),
        "| recipe | |",
        "| --- | --- |",
        *(f"| {name} | {_shown(value)} |" for name, value in recipe.items()),
        f"| digest | `{record['digest'][:16]}` |",
        "",
        "| text | sha256 |",
        "| --- | --- |",
        *(f"| {text['name']} | `{text['sha256']}` |" for text in record["texts"]),
        "",
        *rights,
    ]
    return "\n".join(lines).rstrip() + "\n"


def _beginnings(
    start: Mapping[str, Any] | None, teacher: Mapping[str, Any] | None
) -> Iterator[str]:
    """Lines about the checkpoint that training started from, and that it learned from, if any."""
    if start is not None:
        yield (
            f"Started from `{start['name']}` after its {start['steps']:,} steps, its layers "
            "stacked where it had fewer (Gong et al. 2019): what a seed means was decided there."
        )
        yield ""
    if teacher is not None:
        yield (
            f"Distilled from `{teacher['name']}`: {teacher['weight']:g} of the loss is the "
            f"divergence from it at temperature {teacher['temperature']:g}. It shares what the "
            "teacher learned; it is no further replicate."
        )
        yield ""


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(
            ", ".join(f"{k} {v:g}" for k, v in part.items())
            if isinstance(part, Mapping)
            else f"{part:g}"
            for part in value
        )
    return str(value)


#: Training record in a checkpoint's folder.
RECORD: Final = "training.json"


def write_checkpoint(
    folder: Path, job: PretrainingJob, *, sha256: str, step: int, log: list[dict[str, float]]
) -> None:
    """Write tokenizer, card and finally ``training.json``."""
    record = _record_of(job, sha256=sha256, step=step, log=log)
    save_tokenizer(job.prepared.tokenizer, folder, job.prepared.recipe.positions)
    write_text(folder / "README.md", _card_of(record))
    write_json(folder / RECORD, record)


def _record_of(
    job: PretrainingJob, *, sha256: str, step: int, log: list[dict[str, float]]
) -> dict[str, Any]:
    """Content of ``training.json`` for a checkpoint."""
    teacher, start = job.teacher, job.start
    corpus = job.prepared.corpus
    return {
        "replicates_of": "pre-training",
        "digest": job.digest(),
        "recipe": job.prepared.recipe.to_json(),
        "seeds": {"init_seed": job.seeds.init, "data_seed": job.seeds.data},
        "step": step,
        "texts": [{"name": f.name, "sha256": f.sha256} for f in job.prepared.files],
        "pieces": len(corpus.pieces),
        "documents": int(corpus.document[-1]) + 1,
        "started_from": None
        if start is None
        else {"name": start.name, "identity": start.identity(), "steps": start.steps},
        "distilled_from": None
        if teacher is None
        else {
            "name": teacher.name,
            "identity": teacher.identity(),
            "weight": teacher.weight,
            "temperature": teacher.temperature,
        },
        "license": job.stated.license,
        "attribution": list(job.stated.attribution),
        "weights": {"sha256": sha256, "precision": job.precision},
        "losses": log,
        "versions": {n: version(n) for n in ("scrutiny", "torch", "transformers", "tokenizers")},
    }


def write_pretraining_hashes(prepared: Prepared, folder: Path) -> Path:
    """Write the hashes of a pretraining's sentences, without paragraphs: one file per family."""
    texts = (s for file in prepared.files for document in file.documents for s in document)
    folder.mkdir(parents=True, exist_ok=True)
    return keep_training_texts(folder, texts)
