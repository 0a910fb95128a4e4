"""How alike two models are: in their answers to the same items, and in their vectors."""

from scrutiny.diagnostics.similarity.outputs import OutputsParams, SimilarityOutputs
from scrutiny.diagnostics.similarity.representations import SimilarityRepresentations
from scrutiny.diagnostics.similarity.representations_params import RepresentationsParams

__all__ = [
    "OutputsParams",
    "RepresentationsParams",
    "SimilarityOutputs",
    "SimilarityRepresentations",
]
