"""Estimates and claims of erasure.

For a single weight: flips and divergences of the highest, the second, the lowest and the second
lowest, against a random other weight (the 2 x 2 table, the gap of divergences by the gap of
weights) and against other weights of the same sum. For sets: share of tokens erased until the
decision flips, by order.
"""

from collections.abc import Iterator
from functools import partial

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.shares import points
from scrutiny.diagnostics.faithfulness.orders import OrderName, order_names
from scrutiny.diagnostics.faithfulness.params import ErasureParams

_TOP = OrderName("attention")
_GRADIENT = OrderName("gradient_attention")
#: Orders whose first step is a single weight of a known rank, or gradient.
_SINGLE = ("attention", "second", "ascending", "second_lowest", "other", "same_mass")
#: Orders of sets.
_SETS = ("attention", "ascending", "gradient", "gradient_attention", "sign_attention", "random")
_TABLE = tuple(f"flips({which})" for which in ("only_first", "only_other", "both", "neither"))
_GAPS = ("gap(mean(js))", "erasure_js_reversed", "erasure_js_slope")


def make_erasure_design(params: ErasureParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    names = order_names(params)
    return Design(
        conditions=tuple(name.condition for name in names),
        estimates=tuple(_specs(params, names)),
        claims=tuple(_claims(params, inputs)),
        notes=tuple(_notes(params)),
        families={
            "erasure": f"decisions of {inputs.subject.name} need the largest attention weights "
            "more than others, and as much as gradients say"
        },
        contrasts=tuple(ContrastSpec.untrained(["flip_gap/other/0", "share_gap/random/0"])),
    )


def _specs(params: ErasureParams, names: list[OrderName]) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    yield EstimateSpec(
        "level", "accuracy@1", {"": _selector(_TOP)}, role="baseline", condition={"order": "none"}
    )
    for name in names:
        if name.order in _SINGLE:
            for metric in ("share(flip)", "mean(js)", "mean(kl)"):
                yield _one(metric, name)
        if name.order in _SETS:
            for metric in ("mean(share)", "mean(mass)", "never_flips"):
                yield _one(metric, name)
    for name in names:
        if name.order in ("other", "same_mass"):
            yield _two("gap(share(flip))", "flip_gap", _TOP, name)
        if name.order == "other":
            for metric in (*_TABLE, *_GAPS):
                yield _two(metric, metric, _TOP, name)
        if name.order == "random":
            yield _two("erasure_share_gap", "share_gap", name, _TOP)
    yield _two("erasure_share_gap", "share_gap", _GRADIENT, _TOP)


def _selector(name: OrderName) -> Selector:
    return Selector(name.role, name.condition)


def _label(name: OrderName) -> str:
    """Name of an order in the estimates."""
    parts = [name.order, *([] if name.draw is None else [str(name.draw)])]
    return "/".join([*parts, *(["as_released"] if name.procedure == "as_released" else [])])


def _one(metric: str, name: OrderName) -> EstimateSpec:
    """Specification of one order."""
    short = f"{metric.removeprefix('erasure_')}/{_label(name)}"
    return EstimateSpec.of(short, f"{metric}@1", name.condition, role=name.role)


def _two(metric: str, short: str, first: OrderName, other: OrderName) -> EstimateSpec:
    """Specification of two orders on the same texts; its condition names the second."""
    named = other if first == _TOP else first
    condition = {
        **named.condition,
        "order": f"{first.order} - {other.order}",
    }
    return EstimateSpec(
        f"{short}/{_label(named)}",
        f"{metric}@1",
        {"first": _selector(first), "other": _selector(other)},
        condition=condition,
    )


def _claims(params: ErasureParams, inputs: Inputs) -> Iterator[Claim]:
    """The highest weight against others, and orders against each other."""
    claim = partial(Claim, family="erasure", competence=(("level", inputs.data.chance),))
    drawn = partial(claim, checks=("items", "seeds", "choices:draw", "datasets"))
    margin, share_margin = params.margin, params.share_margin
    yield drawn(
        "highest",
        "erasing the highest attention weight flips decisions more often than erasing a random "
        f"other one, by {points(margin)}",
        components=(
            *_in_draws("flip_gap/other", margin, "a random other", params.draws),
            *inputs.beyond_untrained("flip_gap/other/0", margin),
        ),
    )
    yield drawn(
        "highest beyond its size",
        "erasing the highest attention weight flips decisions more often than erasing others with "
        f"the same sum, by {points(margin)}",
        components=tuple(_in_draws("flip_gap/same_mass", margin, "the same sum", params.draws)),
    )
    yield drawn(
        "order",
        "erasing from the highest weight down flips decisions sooner than a random order, by "
        f"{share_margin:g} of the tokens",
        components=(
            *_in_draws("share_gap/random", share_margin, "random order", params.draws),
            *inputs.beyond_untrained("share_gap/random/0", 0.0),
        ),
    )
    against = "control: gradient x weight"
    yield claim(
        "as good as gradients",
        "erasing from the highest weight down flips decisions about as soon as by gradient times "
        f"weight (later by less than {share_margin:g} of the tokens)",
        components=(Component("share_gap/gradient_attention", -share_margin, against),),
        checks=Claim.checks_with(),
    )


def _in_draws(name: str, margin: float, what: str, draws: int) -> Iterator[Component]:
    """Alternative that each draw excludes; the first draw is the control, others are choices."""
    for d in range(draws):
        against = f"choice: draw {d + 1}, {what}" if d else f"control: {what}"
        yield Component(f"{name}/{d}", margin, against)


def _notes(params: ErasureParams) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "Weights are set to zero and the others normalized to sum 1; vectors do not change. "
        "The original weights fix the order of erasure. Texts of one token are skipped."
    )
    yield (
        f"{params.draws} random orders of each text, the same for every replicate. Shares of "
        "tokens are over texts whose decision flips; never_flips is the share of the others."
    )
    yield (
        "same_mass erases random others until their sum is closest to the highest weight; texts "
        "whose highest weight exceeds the sum of all others are skipped."
    )
    if "as_released" in params.procedures:
        yield (
            "as_released follows the released code where it differs: a random rank is used as a "
            "position, and the signed order is reversed attention. No claim uses it."
        )
