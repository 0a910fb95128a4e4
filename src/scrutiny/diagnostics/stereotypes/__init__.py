"""Whether a language model finds stereotypes more likely than their opposites."""

from scrutiny.diagnostics.stereotypes.pairs import CrowsPairs, Pairs
from scrutiny.diagnostics.stereotypes.params import PairsParams, StereoSetParams
from scrutiny.diagnostics.stereotypes.stereoset import StereoSet

__all__ = ["CrowsPairs", "Pairs", "PairsParams", "StereoSet", "StereoSetParams"]
