"""Trained model as a folder that `AutoModel` and `AutoTokenizer` read."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final, Literal

import torch
from safetensors.torch import save_file

from scrutiny.store.files import write_text

Precision = Literal["fp16", "fp32"]
WEIGHTS: Final = "model.safetensors"


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
