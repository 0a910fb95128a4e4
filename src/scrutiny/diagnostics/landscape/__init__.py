"""The loss around a model's weights: is the minimum that training found flat or sharp."""

from scrutiny.diagnostics.landscape.diagnostic import Landscape, LandscapeParams

__all__ = ["Landscape", "LandscapeParams"]
