"""Matched random changes: the same amount of change, at random other places.

``Controls(example).of(variant, seed=seed)`` in ``matched`` makes one.
"""
