"""Which changes of a text leave one model's answer, and do they leave another's."""

from scrutiny.diagnostics.invariance.diagnostic import SharedInvariance
from scrutiny.diagnostics.invariance.params import ScopeParams

__all__ = ["ScopeParams", "SharedInvariance"]
