"""Matched random changes: the same amount of change, at random other places.

``matched_control(example, variant, *, seed, draw) -> Variant`` makes one, and ``Controls(example,
documents)`` those of texts that are analyzed already, both in ``matched``.
"""
