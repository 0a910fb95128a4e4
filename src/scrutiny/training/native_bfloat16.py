"""Whether a device multiplies in bfloat16 by itself: emulated, it takes many times as long."""

from typing import Any


def has_bfloat16(device: str) -> bool:
    """Whether a device has instructions for matrix products in bfloat16.

    Parameters
    ----------
    device
        "cpu", "cuda:0".
    """
    import torch

    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported())
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
