"""Attacks: how few changes fool a model, of which valid, at what cost, beyond random change."""

from scrutiny.diagnostics.attack.diagnostic import Attacks
from scrutiny.diagnostics.attack.params import AttackParams, TransferParams
from scrutiny.diagnostics.attack.transfer import Transfer

__all__ = ["AttackParams", "Attacks", "Transfer", "TransferParams"]
