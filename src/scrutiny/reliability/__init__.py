"""From blocks of records to estimates, and from estimates to verdicts; numpy only, no I/O.

::

    panel        Side, Panel: measures of replicates on items, with their statuses
    derive       join sides into what a statistic needs; the worst status counts
    additive     statistics that are functions of sums
    statistics   the statistics that scrutiny brings
    estimate     value, interval, denominator of one statistic on one panel
    across       how replicate-level estimates agree
    claims       from estimates to findings; shared by audit, gate and compare
    rules        "accuracy_drop <= 0.05" as a claim
"""
