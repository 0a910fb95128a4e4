"""Properties that all functions and values of scrutiny.stats have."""

import copy
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import scrutiny.stats
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.seed_error import Spread
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.power import CrossedDesign

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(scrutiny.stats.__path__, "scrutiny.stats.")
)
#: What the modules define, by its name.
public = SimpleNamespace(
    **{
        name: value
        for module in map(importlib.import_module, MODULES)
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
    }
)


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def gap(sums, weight):
    return sums[..., 1, 0] / sums[..., 1, 1] - sums[..., 0, 0] / sums[..., 0, 1]


def weighted_mean(m, w):
    return w @ m[:, 0] / w.sum(axis=1)


def with_ones(x):
    return np.stack([x, np.ones_like(x)], axis=-1)


def bits(g, *shape):
    return (g.random(shape) < 0.6).astype(float)


class Case(NamedTuple):
    """How a function is called on made inputs, and which reordering must not matter."""

    make: Callable[[np.random.Generator], tuple[Any, ...]]
    call: Callable[..., Any]  # (*inputs, rng)
    reorder: Callable[..., tuple[Any, ...]] | None  # (*inputs, generator); None: see REASONS


def sides(g):
    both = resample(with_ones(bits(g, 10, 200)), mean, rng=g, draws=300)
    return both.select(slice(0, 5)), both.select(slice(5, 10))


def by_columns(x, g):
    return (x[:, g.permutation(x.shape[1])],)


def by_entries(x, g):
    return (x[g.permutation(x.size)],)


def by_pairs(a, b, g):
    order = g.permutation(a.size)
    return a[order], b[order]


def each_by_itself(a, b, g):
    return a[g.permutation(a.size)], b[g.permutation(b.size)]


def same(*inputs):
    return inputs[:-1]


def replicate_order(a, b, g):
    order = g.permutation(5).tolist()
    return a.select(order), b.select(order)


FIVE = CrossedDesign(5, 300, 2.0, 30.0)
FUNCTIONS: dict[str, Case] = {
    "benjamini_hochberg": Case(
        lambda g: (g.random(9),), lambda p, rng: np.sort(public.benjamini_hochberg(p)), by_entries
    ),
    "bootstrap": Case(
        lambda g: (bits(g, 1, 300),),
        lambda x, rng: public.bootstrap(with_ones(x[0]), mean, rng=rng, draws=99),
        by_columns,
    ),
    "cohen_kappa": Case(
        lambda g: (g.integers(0, 3, 40), g.integers(0, 3, 40)),
        lambda a, b, rng: public.cohen_kappa(a, b),
        by_pairs,
    ),
    "crossed": Case(
        lambda g: (g.random((300, 5)),),
        lambda d, rng: public.crossed(d.mean(axis=0), d, rng=rng),
        by_columns,
    ),
    "crossed_power": Case(lambda g: (), lambda rng: public.crossed_power(3.0, FIVE), lambda g: ()),
    "draw_indices": Case(
        lambda g: (np.arange(6) // 2,),
        lambda u, rng: np.array(list(public.draw_indices(Units.of(6, u), draws=5, rng=rng))),
        None,
    ),
    "draw_weights": Case(
        lambda g: (np.arange(6) // 2,),
        lambda u, rng: np.concatenate(list(public.draw_weights(Units.of(6, u), draws=5, rng=rng))),
        by_entries,
    ),
    "flips": Case(lambda g: (bits(g, 5, 40),), lambda x, rng: public.flips(x).share, by_columns),
    "holm": Case(lambda g: (g.random(9),), lambda p, rng: np.sort(public.holm(p)), by_entries),
    "intersection_union": Case(
        lambda g: (g.random(4), g.random(4)),
        lambda a, b, rng: public.intersection_union(a, b),
        by_pairs,
    ),
    "krippendorff_alpha": Case(
        lambda g: (g.integers(0, 4, (3, 30)).astype(float),),
        lambda x, rng: public.krippendorff_alpha(x, level="ordinal"),
        by_columns,
    ),
    "largest_difference": Case(
        lambda g: sides(g)[:1],
        lambda x, rng: public.largest_difference(x).at(0.9),
        lambda x, g: (x.select(g.permutation(5).tolist()),),
    ),
    "max_t": Case(
        lambda g: (g.standard_normal((200, 5)),),
        lambda d, rng: np.sort(public.max_t(2 + d[0], d[1:])),
        by_columns,
    ),
    "mcnemar": Case(lambda g: (), lambda rng: public.mcnemar(4, 9), lambda g: ()),
    "mcnemar_by_replicate": Case(
        lambda g: (bits(g, 4, 60),),
        lambda x, rng: [t.p_value for t in public.mcnemar_by_replicate(x[:2], x[2:])],
        by_columns,
    ),
    "minimum_detectable_effect": Case(
        lambda g: (), lambda rng: public.minimum_detectable_effect(FIVE), lambda g: ()
    ),
    "paired_contrast": Case(
        sides, lambda a, b, rng: public.paired_contrast(a, b, rng=rng), replicate_order
    ),
    "poisson_binomial": Case(
        lambda g: (g.random((1, 6)),), lambda p, rng: public.poisson_binomial(p.T), by_columns
    ),
    "rank_sum": Case(
        lambda g: (g.random(6), g.random(7)),
        lambda a, b, rng: public.rank_sum(a, b),
        each_by_itself,
    ),
    "resample": Case(
        lambda g: (bits(g, 3, 300),),
        lambda x, rng: public.resample(with_ones(x), mean, rng=rng, draws=20).draws,
        by_columns,
    ),
    "resample_refit": Case(
        lambda g: (g.random((2, 30)),),
        lambda x, rng: (
            public.resample_refit(x[..., None], lambda m: float(m.mean()), rng=rng, draws=9).draws
        ),
        None,
    ),
    "resample_weighted": Case(
        lambda g: (g.random((2, 30)),),
        lambda x, rng: (
            public.resample_weighted(x[..., None], weighted_mean, rng=rng, draws=9).draws
        ),
        None,
    ),
    "sign_flip_test": Case(
        lambda g: (g.standard_normal(9),),
        lambda d, rng: public.sign_flip_test(d, rng=rng),
        by_entries,
    ),
    "signed_rank": Case(
        lambda g: (g.standard_normal(9),), lambda d, rng: public.signed_rank(d), by_entries
    ),
    "t_over_replicates": Case(
        lambda g: (g.random(5),), lambda x, rng: public.t_over_replicates(x), by_entries
    ),
    "tost": Case(lambda g: (), lambda rng: public.tost(0.1, 0.2, margin=0.5), lambda g: ()),
    "unpaired_contrast": Case(
        sides, lambda a, b, rng: public.unpaired_contrast(a, b, rng=rng), replicate_order
    ),
    "variance_ratio": Case(
        lambda g: (g.random(5), g.random(5)),
        lambda a, b, rng: public.variance_ratio(
            Spread.of(a, item_se=0.1), Spread.of(b, item_se=0.1)
        ),
        each_by_itself,
    ),
    "variance_ratio_power": Case(
        lambda g: (), lambda rng: public.variance_ratio_power(2.0, replicates=(5, 5)), same
    ),
    "wilson": Case(lambda g: (), lambda rng: public.wilson(7, 20), same),
    "workable_margin": Case(lambda g: (), lambda rng: public.workable_margin(0.3), same),
}
REASONS = {  # why reordered rows give other draws; their distribution is tested elsewhere
    "draw_indices": "rows are drawn by position",
    "resample_refit": "rows are drawn by position",
    "resample_weighted": "rows are drawn by position",
}
VALUES = {
    "RaterAgreement",
    "ClaimTest",
    "CrossedDesign",
    "Decomposition",
    "ExactTest",
    "Flips",
    "Interval",
    "Resampled",
    "Scale",
    "Spread",
    "Units",
    "VarianceRatio",
}


def numbers(result):
    """All numbers of a result, flat; words compared as they stand."""
    if dataclasses.is_dataclass(result):
        fields = [f.name for f in dataclasses.fields(result)]
        return np.concatenate([numbers(getattr(result, name)) for name in fields])
    if result is None or isinstance(result, str) or callable(result):  # limits at any level
        return np.empty(0)
    if isinstance(result, list | tuple):
        return np.concatenate([np.empty(0), *(numbers(r) for r in result)])
    return np.asarray(result, dtype=float).ravel()


def test_what_has_no_order_says_why():
    assert {n for n, c in FUNCTIONS.items() if c.reorder is None} == set(REASONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_seeds_give_equal_numbers(name):
    case = FUNCTIONS[name]
    inputs = case.make(np.random.default_rng(1))
    first, second = (numbers(case.call(*inputs, np.random.default_rng(2))) for _ in range(2))
    assert np.isfinite(first).all()
    assert first.size > 0
    assert np.array_equal(first, second)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_are_left_alone(name):
    case = FUNCTIONS[name]
    inputs = case.make(np.random.default_rng(1))
    before = copy.deepcopy(inputs)
    case.call(*inputs, np.random.default_rng(2))
    for now, then in zip(inputs, before, strict=True):
        assert np.array_equal(numbers(now), numbers(then))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(REASONS)))
def test_order_does_not_matter(name):
    case = FUNCTIONS[name]
    inputs = case.make(np.random.default_rng(1))
    shuffled = case.reorder(*inputs, np.random.default_rng(3))
    a, b = (case.call(*x, np.random.default_rng(2)) for x in (inputs, shuffled))
    if name == "draw_weights":  # ids decide what is drawn, not rows
        assert np.array_equal(a, b)
    elif name == "poisson_binomial":  # trials may come in any order
        np.testing.assert_allclose(np.sort(numbers(a)), np.sort(numbers(b)), rtol=1e-9)
    else:
        np.testing.assert_allclose(numbers(a), numbers(b), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_says_what_it_measures_and_when_it_misleads(name):
    text = inspect.getdoc(getattr(public, name))
    for section in ("**Measures**:", "**Misleads when**:", "**References**:", ">>> "):
        assert section in text
    first = text.splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 79


@pytest.mark.parametrize("name", FUNCTIONS)
def test_at_most_seven_parameters_and_keywords_after_the_second(name):
    found = inspect.signature(getattr(public, name)).parameters.values()
    assert len(found) <= 7
    positional = [p for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(positional) <= 3
    for p in found:
        if p.name == "rng":
            assert p.kind is p.KEYWORD_ONLY
            assert p.default is p.empty  # never a hidden generator


@pytest.mark.parametrize("name", sorted(VALUES))
def test_values_are_frozen_and_described(name):
    cls = getattr(public, name)
    assert dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen
    assert hasattr(cls, "__slots__")
    assert cls.__doc__
    assert not cls.__doc__.startswith(f"{name}(")  # not the generated one


def test_the_error_is_one_of_ours():
    assert issubclass(StatisticsError, ValueError)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    loaded = importlib.import_module(module)
    globs = {"np": np, **vars(loaded)}
    result = doctest.testmod(loaded, extraglobs=globs)
    assert result.failed == 0


def test_no_module_is_left_out_of_the_overview():
    for module in MODULES:
        name = module.rsplit(".", 1)[1]
        if name not in ("arrays", "errors"):
            told = scrutiny.stats.__doc__
            assert f"`{name}`" in told or f"\n{name}\n" in told  # a room
