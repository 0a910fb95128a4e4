"""How good the model is at its task: what every other diagnostic presupposes."""

from scrutiny.diagnostics.performance.diagnostic import Performance, PerformanceParams

__all__ = ["Performance", "PerformanceParams"]
