"""Comparison of two models: which inputs changed, and whether it is worse.

::

    numbers       all numbers that two runs both have, paired on items and on replicates
    reading       two runs side by side, and their noise; many datasets pooled into one
    slices        which inputs changed, all slices tested together
    paired_tests  tests of a paired change, and of a slice against the rest
    shared        the plan of what two live models share, and what its run says
    levels        what is said of it all, as values
    whole         all of that together, and whether it is a regression

What two models answer side by side is of `scrutiny.diagnostics.similarity.side_by_side`: it stands
on the page of any run with two models.
"""
