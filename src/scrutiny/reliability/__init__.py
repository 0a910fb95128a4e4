"""From blocks of records to estimates, and from estimates to verdicts; numpy only, no I/O.

::

    panel          Side, Panel: measures of replicates on items, with their statuses
    derive         join sides into what a statistic needs; the worst status counts
    additive       statistics that are functions of sums
    statistics     the statistics that scrutiny brings
    intervals      intervals by the plan's method: crossed, items, Multi-Bootstrap as published
    across         how replicate-level estimates agree
    estimate       value, interval, denominator of one statistic on one panel
    misses         exact limits of few misses
    cases          a claim with the estimates that it rests on
    prerequisites  verdicts that need no test: no skill, no value, too few replicates
    imputation     whether a verdict survives the worst that missing rows could have been
    checks         items, seeds, choices, datasets
    claims         from estimates to findings; shared by audit, gate and compare
    gate_rules     "drop(accuracy) <= 0.05" as a claim
"""
