"""Reliability: estimates from records, and verdicts from estimates; numpy only, no I/O.

::

    panel          Side, Panel: measures of replicates on items, with their statuses
    derive         join sides into the needs of a statistic; the worst status counts
    additive       statistics that are functions of sums
    statistics     built-in statistics
    intervals      intervals by the plan's method: crossed, items, Multi-Bootstrap as published
    replicates     a room: agreement of estimates, spread, stability, tests of single replicates
    estimate       value, interval, denominator of one statistic on one panel
    misses         exact limits of few misses
    cases          claims with their estimates and limits
    prerequisites  verdicts that need no test: no skill, no value, too few replicates
    imputation     whether a verdict survives worst-case imputation of missing rows
    checks         items, seeds, choices, datasets
    claims         from estimates to findings; shared by audit, gate and compare
    gate_rules     "drop(accuracy) <= 0.05" as a claim
"""
