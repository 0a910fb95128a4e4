"""Goals of a search: another label, other outputs, the same answer, two models apart.

A goal compares the answer to a text with the answer to the base. Where it says ``against`` gold,
items that the model gets wrong before any change are skipped; against the model's own prediction
nothing is, and nobody needs to know the truth.
"""
