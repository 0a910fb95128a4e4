"""What a model's vectors put close together: association tests and clusters of their targets."""

from scrutiny.diagnostics.association.clusters import Clusters
from scrutiny.diagnostics.association.params import ClustersParams, SeatParams
from scrutiny.diagnostics.association.seat import Seat

__all__ = ["Clusters", "ClustersParams", "Seat", "SeatParams"]
