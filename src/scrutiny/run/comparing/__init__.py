"""Comparison of two models: which inputs changed, and whether it is worse.

::

    numbers       all numbers that two runs both have, paired on items and on replicates
    reading       two runs side by side, and their noise; many datasets pooled into one
    slices        which inputs changed, all slices tested together
    paired_tests  tests of a paired change, and of a slice against the rest
    shared        shared invariances of two live models: plan and result
    levels        results of a comparison, as values
    whole         all of that together, and whether it is a regression

The answers of two models side by side are in `scrutiny.diagnostics.similarity.side_by_side`: they
are on the page of any run with two models.
"""
