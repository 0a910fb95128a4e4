"""Matched random changes: as much as a variant changes, elsewhere, and of no particular sort.

``matched_control(example, variant, *, seed, draw) -> Variant`` makes one, and ``Controls(example,
documents)`` those of texts that are analyzed already, both in ``matched``.
"""
