"""Cost of a plan, estimated before the first query.

::

    cost       texts, time and money of every measurement
    timing     how fast a measurement is, from a few items
    budget     plans cut to a time budget: items, draws, changes and searches
    left_out   sentences about what was cut
    durations  durations as text
"""
