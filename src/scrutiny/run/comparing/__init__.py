"""Two models side by side: which inputs changed, and whether it is worse.

::

    numbers       all numbers that two runs both have, paired on items and on replicates
    sides         level and answer of each item that both runs measured, replicate by replicate;
                  metrics of pairs of replicates
    reading       sides and noise of two runs; many datasets pooled into one
    live          a live model asked again: the noise floor where there is one replicate
    flips         how many items change their answer, beside how many do within one run
    marks         answers as numbers: places of labels, probabilities in one order
    agreement     kappa, error consistency, CAPA and divergences, beside the first against itself
    slices        which inputs changed, all slices tested together
    paired_tests  tests of a paired change, and of a slice against the rest
    items         inputs that differ most, beyond noise
    shared        the plan of what two live models share, and what its run says
    levels        what is said of it all, as values
    whole         all of that together, and whether it is a regression
"""
