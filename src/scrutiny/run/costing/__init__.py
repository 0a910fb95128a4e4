"""Cost of a plan, estimated before the first query.

::

    cost       texts, time and money of every measurement
    timing     how fast a measurement is, from a few items
    budget     what fits into a time: items, draws and searches
    durations  durations as people read and write them
"""
