"""Comparison of two models' answers to the same items, for each replicate.

::

    sides           level and answer of each item that both have; metrics of pairs of replicates
    stored_answers  answers as runs keep them; two models of finished runs on their shared items
    marks           answers as numbers: places of labels, probabilities in one order
    flips           how many items change their answer, beside how many do within one model
    agreement       kappa, error consistency, CAPA and divergences, beside the first against itself
    inputs          inputs that differ most, beyond noise
"""
