"""Fitting a plan into a time budget before the first query: items, draws, search budgets.

Numbers about the items as they are come first: they cost one text an item, and all else
presupposes them. What makes texts of its own shares what is left equally; whoever needs less
leaves the rest to the others. First go draws beyond the first, then items, then texts of a search
where that keeps fifty items, then the measurement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest, plain
from scrutiny.core.plan import Budget, MeasurePlan, Plan
from scrutiny.run.budgeting.cost import parts_of
from scrutiny.run.budgeting.durations import in_words
from scrutiny.run.budgeting.timing import Timer
from scrutiny.run.planning.resolve import measurement_of
from scrutiny.run.planning.resolved import Measurement, Resolved

#: Share of the budget that asking may take; estimates and the page have the rest.
_ASKING: Final = 0.85
_AT_LEAST_S: Final = 5.0  # of asking, whatever loading has taken
_ENOUGH, _LEAST = 50, 10  # items that are worth it, and below which nothing can be said
_LEAST_SEARCH: Final = 25  # texts of a search
_FEW: Final = 2  # texts of an item that is simply predicted


def asked_digest(resolved: Resolved, seconds: float) -> str:
    """Digest of the requested plan, which identifies it when it is issued again."""
    return digest("budget", resolved.identity, f"{seconds:g}")


def within(
    resolved: Resolved,
    seconds: float,
    *,
    spent: float = 0.0,
    is_cached: bool = True,
    models: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan that is expected to meet a time budget, with a list of what was left out.

    Parameters
    ----------
    resolved
        The requested plan.
    seconds
        The budget.
    spent
        Seconds already spent.
    is_cached
        Whether a text is sent once, even if several measurements need it.
    models
        Python objects for names in the plan.
    """
    begun = perf_counter()
    timer = Timer(resolved, models or {})
    chooser = _Chooser(resolved, timer, is_cached)
    asked = resolved.plan.measure
    whole = sum(chooser.seconds(one) for one in asked)  # times all there is
    gone = spent + (perf_counter() - begun) + timer.loading
    left = max(_AT_LEAST_S, seconds * _ASKING - gone)
    chosen = tuple(asked) if whole <= left else tuple(chooser.chosen(left))
    left_out = tuple(_left_out(resolved, chosen, f"For a budget of {in_words(seconds)}, "))
    budget = Budget(seconds, asked_digest(resolved, seconds), left_out)
    return replace(resolved.plan, measure=chosen, budget=budget)


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Reduces the measurements of a plan."""

    resolved: Resolved
    timer: Timer
    is_cached: bool

    def seconds(self, plan: MeasurePlan) -> float:
        """Expected time of a measurement, from its timing."""
        made, like = measurement_of(plan, self.resolved), self.resolved.measurements[plan.id]
        parts = parts_of(made, self.resolved, self.timer, like=like)
        return sum(part.seconds for part in parts) * self._share_used(plan, like)

    def _share_used(self, plan: MeasurePlan, like: Measurement) -> float:
        """How many times as large a share of its texts a search uses as the one that was timed.

        A search that ends early asks about as many texts with a smaller budget, until it uses it
        up.
        """
        now, before = plan.params.get("budget"), self._params(like.plan).get("budget")
        if not (isinstance(now, int) and isinstance(before, int)) or now >= before:
            return 1.0
        used = [self.timer.speed(like, family=f, data=d).texts for f, d in like.designs]
        return min(before / now, 1 / max([*used, 1e-9]))

    def chosen(self, left: float) -> Iterator[MeasurePlan]:
        """Measurements that fit into the remaining time, in plan order."""
        asked = [_once_drawn(one, self._params(one)) for one in self.resolved.plan.measure]
        plain_ones = [one for one in asked if self._is_plain(one) and self.seconds(one)]
        made: dict[str, MeasurePlan | None] = {}
        # the items themselves are the same texts for all that ask about nothing else
        together = max if self.is_cached else sum
        rest = left - (together(map(self.seconds, plain_ones)) if plain_ones else 0.0)
        if rest < left / 2:
            share = left / 2 / (1 if self.is_cached else len(plain_ones))
            made = {one.id: self._cut(one, share) for one in plain_ones}
            rest = left / 2
        dear = sorted((one for one in asked if one not in plain_ones), key=self.seconds)
        for place, one in enumerate(dear):
            found = made[one.id] = self._fitted(one, rest / (len(dear) - place))
            rest -= 0.0 if found is None else self.seconds(found)
        for one in asked:
            kept = made.get(one.id, one)
            if kept is not None:
                yield kept

    def _fitted(self, plan: MeasurePlan, share: float) -> MeasurePlan | None:
        """Measurement reduced to its share of the time; ``None`` if that is too little."""
        if self.seconds(plan) <= share:
            return plan
        one = plan
        while self._most(one, share) < _ENOUGH and (smaller := self._less_searched(one)):
            one = smaller
        if self._most(one, share) >= _LEAST or self._is_needed(plan):
            return self._cut(one, share)
        return None

    def _cut(self, plan: MeasurePlan, share: float) -> MeasurePlan:
        """Measurement of as many items as fit, but no fewer than the minimum."""
        items = max(_LEAST, self._most(plan, share))
        return plan if items >= self._items(plan) else replace(plan, items=items)

    def _most(self, plan: MeasurePlan, share: float) -> int:
        """Number of items that fit into a share of the time."""
        low, high = 0, self._items(plan)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.seconds(replace(plan, items=middle)) <= share
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def _items(self, plan: MeasurePlan) -> int:
        """Number of items of the largest measured dataset."""
        examples = self.resolved.measurements[plan.id].examples
        return max(map(len, examples.values()))

    def _params(self, plan: MeasurePlan) -> dict[str, Any]:
        """Parameters of a measurement, defaults included."""
        return dict(plain(self.resolved.measurements[plan.id].params))

    def _less_searched(self, plan: MeasurePlan) -> MeasurePlan | None:
        """Measurement with half the search budget; ``None`` if it has none, or a small one."""
        texts = {**self._params(plan), **plan.params}.get("budget")
        if not isinstance(texts, int) or texts // 2 < _LEAST_SEARCH:
            return None
        return replace(plan, params={**plan.params, "budget": texts // 2})

    def _is_plain(self, plan: MeasurePlan) -> bool:
        """Whether only the items themselves are sent to models."""
        designs = self.resolved.measurements[plan.id].designs.values()
        return all(d.queries_per_item <= _FEW and not d.search_per_item for d in designs)

    def _is_needed(self, plan: MeasurePlan) -> bool:
        """Whether another part of the plan may refer to a measurement."""
        whole = self.resolved.plan
        presupposed = {
            name for m in self.resolved.measurements.values() for name in m.diagnostic.presupposes
        }
        named = (*whole.estimate, *whole.claim, *whole.relate, *whole.published)
        return bool(named) or plan.diagnostic in presupposed


def _once_drawn(plan: MeasurePlan, params: Mapping[str, Any]) -> MeasurePlan:
    """Measurement with one draw instead of several."""
    draws = params.get("draws")
    if not isinstance(draws, int) or draws <= 1:
        return plan
    return replace(plan, params={**plan.params, "draws": 1})


def _left_out(resolved: Resolved, chosen: Sequence[MeasurePlan], lead: str) -> Iterator[str]:
    """A sentence for each measurement that is smaller than requested, or left out."""
    made = {one.id: one for one in chosen}
    for name, asked in resolved.measurements.items():
        one = made.get(name)
        if one is None:
            yield f"{lead}{name} was left out: too few items would have fitted."
            continue
        said = []
        items = max(map(len, asked.examples.values()))
        if one.items is not None and one.items < items:
            said.append(f"{one.items:,} of {items:,} items")
        for param, word in (("draws", "draws"), ("budget", "texts of each search")):
            now, before = one.params.get(param), plain(asked.params).get(param)
            if now is not None and now != before:
                said.append(f"{now} of {before} {word}")
        if said:
            yield f"{lead}{name} has {', '.join(said)}."
