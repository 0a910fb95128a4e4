"""Reliability: estimates from records, and verdicts from estimates; numpy only, no I/O.

::

    panel          Side, Panel: measures of replicates on items, with their statuses
    derive         join sides into the needs of a statistic; the worst status counts
    additive       statistics that are functions of sums
    statistics     built-in statistics
    counted        rows that flip, what a flip moves, a ratio if rows were independent
    intervals      intervals by the plan's method: crossed, items, Multi-Bootstrap as published
    replicates     a room: agreement of estimates, spread, tests of single replicates
    estimate       value, interval, denominator of one statistic on one panel
    contrasts      differences of two sides on the items that both have
    misses         exact limits of few misses
    verdicts       a room: families of numbers, risks, checks; from estimates to findings
"""
