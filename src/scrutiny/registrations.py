"""The built-in names: one line for each thing that scrutiny brings."""

from typing import Final

from scrutiny.core.registry import Registration

_D: Final = "scrutiny.diagnostics"

REGISTRATIONS: Final = (
    Registration("diagnostic", "robustness@1", f"{_D}.robustness:Robustness"),
)
