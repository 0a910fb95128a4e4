"""How much of the evaluation text the model was trained on."""

from scrutiny.diagnostics.leakage.diagnostic import Leakage, LeakageParams

__all__ = ["Leakage", "LeakageParams"]
