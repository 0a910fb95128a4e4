"""Verdicts: from estimates to findings, by the one rule that audit, gate and compare share.

::

    cases          claims with their estimates and limits
    families       families of numbers, and the limits that hold for all of a family at once
    prerequisites  verdicts that need no test: no skill, no value, too few replicates
    imputation     whether a verdict survives worst-case imputation of missing rows
    checks         items, seeds, choices, datasets
    risks          hurts, holds, can't tell
    risk_words     risks in words
    touched        texts that a change altered: whether its risk was tested at all
    claims         from estimates to findings
    gate_rules     "drop(accuracy) <= 0.05" as a claim
"""
