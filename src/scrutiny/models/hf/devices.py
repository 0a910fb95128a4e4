"""Devices of torch that a user names."""

from typing import Any

from scrutiny.core.errors import MissingExtraError, ModelError


def torch_device(wanted: str, *, of: str) -> Any:
    """Device of a name; "auto" is the first CUDA device where there is one.

    Parameters
    ----------
    wanted
        "auto", "cpu", "cuda:0", …
    of
        What is to be put there, for the message.

    Raises
    ------
    ModelError
        If this machine, or this build of torch, has no such device.
    MissingExtraError
        If torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("A Hugging Face model", "hf") from error
    if wanted == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, ValueError, OverflowError) as error:
        count = torch.cuda.device_count()
        there = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        said = str(error).partition(chr(10))[0].rstrip(".")
        raise ModelError(
            f"{of} cannot be put on the device {wanted!r}: {said}. This machine has {there}; "
            "--device auto takes what there is."
        ) from error
    return device
