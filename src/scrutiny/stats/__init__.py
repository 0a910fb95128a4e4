"""Statistics on arrays: intervals, resampling, tests and measures, as small frozen dataclasses.

No module here reads files, knows labels or holds random state: the random generator is an argument.
Only numpy and scipy are needed. The rooms:

resampling
    `weights`: units of resampling (`Units`) and their draws, cached in `kept`. `sums`: additive
    components by unit and cell, collapsed where rows are equal. `resample`: a statistic of every
    replicate on every draw of items (of sums, of weighted rows, or refitted).
intervals
    `interval` (`Interval`, `Decomposition`). `crossed`: the default, replicates crossed with items
    (its pieces in `parts`, its scales in `scale`, with Wilson's interval). `contrast`: two sides,
    paired or unpaired. `bootstrap`: items only, percentile and BCa. `multibootstrap`: as published.
    `replicates`: seeds only.
    `simultaneous`: limits that hold for all rows of a family at once (`families`, of `rows`), with
    seed variances moderated over the family (`moderation`) and the critical `distance` for items
    and seeds together. `shares`: exact limits of few failures, in clusters too; `tango`: for shares
    of the same items. `planner`: items or seeds that would do.
    `retained`: a score with abstention. `largest_difference`: equivalence of all pairs of
    replicates.
significance
    `mcnemar`: result of an exact test, with its smallest attainable p; McNemar's test.
    `exchange`: whether two sources answer alike, sequentially. `binomial`: without the rest of
    scipy's distributions. `rank`, `permutation` (by exchangeable unit, within strata; sign flips).
    `variance_ratio`: seed spread against item error.
    `multiplicity`: Holm, Benjamini-Hochberg, max-T. `verdict`: intersection-union within a claim,
    Holm over a family, supported or not supported or undecided. `power`: minimum detectable
    effects, equivalence.
association
    `correlation`: of two quantities over replicates. `tau`: Kendall's tau-b of many pairs of
    rankings at once. `regression`: least squares of many outcomes from sums of products, errors by
    cluster. `pair_correlation`: two measures over all pairs of models. `word_sets`: effect size of
    word sets and its permutation test, on `partitions` made once for each size. `clusters`:
    alignment of clusters with sets, and its permutation distribution.
agreement
    `raters`: Krippendorff's alpha, Cohen's kappa. `flips`: disagreement item by item;
    `hit_counts`: how many replicates are right on an item; `flip_counts`: in how many runs an item
    changes its side.
    `label_exchange`: whether answers fit far better with labels exchanged. `labels`: agreement of
    two models, answers broken and mended. `error_consistency`, `capa`: beyond what accuracies give.
    `scope`: shared invariances, with their controls in `scope_controls`.
distributions
    `divergence`: entropy of rows, Jensen-Shannon divergence between many.
    `outputs`: divergences of two models, temperatures. `sampled`: what samples and top-k allow.
    `two_sample`: one model or two. `unchecked`: distances for inner loops.
representations
    `cka`, `cca`, `rsa` (with Procrustes and STIR), `neighbors`, checked and centered in
    `centering`, with intervals and chance in `error`; `scaling`: a map of distances.

At the top: input checks in `arrays`, and `trees`: maximum spanning trees of many graphs.
"""
