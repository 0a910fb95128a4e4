"""Verdicts: from estimates to findings, by the one rule that audit, gate and compare share."""
