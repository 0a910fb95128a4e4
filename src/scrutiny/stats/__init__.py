"""Statistics on arrays: intervals, resampling, tests and measures, as small frozen dataclasses.

No module here reads files, knows labels or holds random state: the random generator is an argument.
Only numpy and scipy are needed. The rooms:

resampling
    `weights`: units of resampling (`Units`) and their draws, cached in `kept`. `sums`: additive
    components by unit and cell, collapsed where rows are equal. `resample`: a statistic of every
    replicate on every draw of items (of sums, of weighted rows, or refitted).
intervals
    `crossed`: the default, replicates crossed with items (its pieces in `parts`, its scales in
    `scale`, with Wilson's interval). `contrast`: two sides, paired or unpaired. `bootstrap`: items
    only, percentile and BCa. `multibootstrap`: as published. `replicates`: seeds only.
significance
    `mcnemar`: result of an exact test, with its smallest attainable p; McNemar's test.
    `binomial`: without the rest of scipy's distributions. `rank`, `permutation` (by exchangeable
    unit, within strata; sign flips). `variance_ratio`: seed spread against item error.
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
    `raters`: Krippendorff's alpha, Cohen's kappa. `flips`: disagreement item by item.
    `label_exchange`: whether answers fit far better with labels exchanged. `labels`: agreement of
    two models, answers broken and mended. `error_consistency`, `capa`: beyond what accuracies give.
    `scope`: shared invariances, with their controls in `scope_controls`.
distributions
    `divergence`: entropy of rows, Jensen-Shannon divergence between many, and a map of it.
    `outputs`: divergences of two models, temperatures. `sampled`: what samples and top-k allow.
    `two_sample`: one model or two.
representations
    `cka`, `cca`, `rsa` (with Procrustes and STIR), `neighbors`, checked and centered in
    `centering`, with intervals and chance in `error`.

At the top: `interval` (`Interval`, `Decomposition`), input checks in `arrays`, and `trees`: maximum
spanning trees of many graphs.
"""

from scrutiny.stats.agreement.flips import Flips, flips, poisson_binomial
from scrutiny.stats.agreement.raters import Agreement, cohen_kappa, krippendorff_alpha
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Decomposition, Interval
from scrutiny.stats.intervals.bootstrap import bca_limits, bootstrap, jackknife
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.multibootstrap import (
    MultiBootstrap,
    Runs,
    Scheme,
    multibootstrap,
    multibootstrap_decomposition,
)
from scrutiny.stats.intervals.replicates import t_over_replicates
from scrutiny.stats.intervals.scale import Scale, wilson
from scrutiny.stats.resampling.resample import (
    Resampled,
    resample,
    resample_refit,
    resample_weighted,
)
from scrutiny.stats.resampling.weights import Units, draw_indices, draw_weights
from scrutiny.stats.significance.mcnemar import ExactTest, mcnemar, mcnemar_by_replicate
from scrutiny.stats.significance.multiplicity import benjamini_hochberg, holm, max_t
from scrutiny.stats.significance.permutation import permutation_test, sign_flip_test
from scrutiny.stats.significance.power import (
    CrossedDesign,
    crossed_power,
    minimum_detectable_effect,
    tost,
    workable_margin,
)
from scrutiny.stats.significance.rank import rank_sum, signed_rank
from scrutiny.stats.significance.variance_ratio import (
    Spread,
    VarianceRatio,
    variance_ratio,
    variance_ratio_power,
)
from scrutiny.stats.significance.verdict import ClaimTest, intersection_union

__all__ = [
    "Agreement",
    "ClaimTest",
    "CrossedDesign",
    "Decomposition",
    "ExactTest",
    "Flips",
    "Interval",
    "MultiBootstrap",
    "Resampled",
    "Runs",
    "Scale",
    "Scheme",
    "Spread",
    "StatisticsError",
    "Units",
    "VarianceRatio",
    "bca_limits",
    "benjamini_hochberg",
    "bootstrap",
    "cohen_kappa",
    "crossed",
    "crossed_power",
    "draw_indices",
    "draw_weights",
    "flips",
    "holm",
    "intersection_union",
    "jackknife",
    "krippendorff_alpha",
    "max_t",
    "mcnemar",
    "mcnemar_by_replicate",
    "minimum_detectable_effect",
    "multibootstrap",
    "multibootstrap_decomposition",
    "paired_contrast",
    "permutation_test",
    "poisson_binomial",
    "rank_sum",
    "resample",
    "resample_refit",
    "resample_weighted",
    "sign_flip_test",
    "signed_rank",
    "t_over_replicates",
    "tost",
    "unpaired_contrast",
    "variance_ratio",
    "variance_ratio_power",
    "wilson",
    "workable_margin",
]
