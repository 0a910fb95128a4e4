"""How much worse a model gets when its input changes in ways that should not matter."""

from scrutiny.diagnostics.robustness.diagnostic import Robustness
from scrutiny.diagnostics.robustness.params import RobustnessParams

__all__ = ["Robustness", "RobustnessParams"]
