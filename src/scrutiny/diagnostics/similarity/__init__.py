"""How alike two models are: in their answers to the same items, and in their vectors."""

from scrutiny.diagnostics.similarity.drift import Drift, DriftParams
from scrutiny.diagnostics.similarity.drift_texts import DriftTexts, DriftTextsParams
from scrutiny.diagnostics.similarity.outputs import OutputsParams, SimilarityOutputs
from scrutiny.diagnostics.similarity.representations import SimilarityRepresentations
from scrutiny.diagnostics.similarity.representations_params import RepresentationsParams
from scrutiny.diagnostics.similarity.stir import SharedVectors, StirParams

__all__ = [
    "Drift",
    "DriftParams",
    "DriftTexts",
    "DriftTextsParams",
    "OutputsParams",
    "RepresentationsParams",
    "SharedVectors",
    "SimilarityOutputs",
    "SimilarityRepresentations",
    "StirParams",
]
