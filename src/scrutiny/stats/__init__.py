"""Statistics on arrays: intervals, resampling, tests and measures, as small frozen dataclasses.

No module here reads files, knows labels or holds random state: the random generator is an argument.
Only numpy and scipy are needed. The rooms:

resampling
    `weights`: units of resampling (`Units`) and their draws, which are cached. `sums`: additive
    components by unit and cell, collapsed where rows are equal. `resample`: a
    statistic of every replicate on every draw of items (of sums, of weighted rows, or refitted).
    `unchanged`: answers that an unchanged system would give, asked once more, whose replicates lie
    as far apart as `seed_spread` can tell.
significance
    `exact_tests`: their result, with its smallest attainable p; McNemar's test and rank tests.
    `permutation_tests`: flips of signs, by unit. `binomial`: without the rest of scipy's
    distributions. `combined_tests`: Holm, Benjamini-Hochberg, max-T, claims whose
    components must all hold, and whether two sources answer alike, sequentially. `power`: minimum
    detectable effects, equivalence. `odd_one_out`: whether answers have changed, over many looks.
    `worst_of_several`: the lowest of equal conditions, by chance. `over_buckets`: a score over
    buckets, their gap by chance. `weak_groups`: groups with a lower score, proposed by one half of
    the items and tested by the other. `published_shares`: before and after without their items.
intervals
    `interval`: `Interval`, and the scales on which it is symmetric, with Wilson's. `crossed`: the
    default, replicates crossed with items (of `components`); a score with abstention.
    `contrast`: two sides, paired or unpaired; the largest difference between replicates.
    `one_factor`: items only (percentiles), or seeds only.
    `simultaneous`: limits that hold for all rows of a family at once (`families`, of `rows`, with
    the items or seeds that would do). `seed_error`: moderated over a family, and against item
    error. `share_limits`: exact limits of few failures, in clusters too. `variance_budget`: shares
    of items, wordings, repeats and seeds. `two_way`: other models on other datasets. `ranks`: of
    systems, their limits, ties and reorderings.
distributions
    `divergence`: entropy of rows, Jensen-Shannon divergence between many; ones for inner loops.
    `output_distances`: of two models, temperatures, what samples and top-k allow. `two_sample`: one
    model or two.
association
    `correlation`: of two quantities over replicates. `rank_correlation`: Kendall's tau-b of many
    pairs of rankings, two measures over all pairs of models. `regression`: least squares of many
    outcomes from sums of products, errors by cluster. `word_sets`: effect size of word sets and its
    permutation test, on `partitions`; clusters aligned with sets. `moved_features`: the cell that
    follows a feature best, beside the feature moved.
influence
    `logistic_heads` on fixed features, `influences` of their training rows, `shared_features`.
agreement
    `corrected_means`: means of a judge's verdicts, corrected by few human labels.
    `kappa`: corrected for chance, of raters and of probabilities. `flips`: disagreement item by
    item, and in how many replicates an item is right or changes its side. `labels`: of two models,
    answers broken and mended, labels exchanged. `error_consistency`: beyond what accuracies give.
    `scope`: shared invariances, with their controls in `scope_controls`.
representations
    `cka`, `cca`, `item_distances` (RSA, Procrustes, nearest neighbors, STIR, a map), checked and
    centered in `two_representations`, with intervals and chance. `mean_cosines` of pairs of texts
    from running sums, `principal_axes`. `online_code`: bits of labels given vectors, by softmax
    regressions that are fitted block by block.

At the top: input checks in `arrays`, and `trees`: maximum spanning trees of many graphs.
"""
