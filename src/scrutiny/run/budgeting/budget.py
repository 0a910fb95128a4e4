"""Fitting a plan into a time budget before the first query: items, draws, changes, searches.

Numbers about the items as they are come first: they cost one text an item, and all else
presupposes them. What makes texts of its own is kept only if enough items fit to find something,
and what is kept shares the time that is left; whoever needs less leaves the rest to the others.
First go draws beyond the first, then the random changes that stand beside (they tell why something
hurts, not whether), then the least useful changes and attacks, then texts of a search, then the
measurement: few changes on enough items tell more than many on too few.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest, plain
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.plan import Budget, MeasurePlan, Plan
from scrutiny.core.registry import registry
from scrutiny.run.budgeting.cost import items_in, left_out, parts_of, risk_names, too_little
from scrutiny.run.budgeting.timing import Timer
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.measurements import inputs_of, measurement_of
from scrutiny.run.planning.resolve import designed
from scrutiny.run.planning.resolved import Measurement, Resolved
from scrutiny.run.reusing import as_tuples
from scrutiny.store.run_folder import RunFolder

#: What is said before anything is asked; the report says what each measurement has less.
REDUCED: Final = "The budget does not suffice for everything: the report says what was left out."
#: Share of the budget that asking may take; estimates and the page have the rest.
_ASKING: Final = 0.85
_TIMING: Final = 1 / 30  # of the budget: most that one more stretch of items may take to be timed
_AT_LEAST_S: Final = 5.0  # of asking, whatever loading has taken; or all of a smaller budget
_LEAST: Final = 10  # items below which nothing can be said
_LEAST_SEARCH: Final = 25  # texts of a search
_MORE_TIME: Final = 1.25  # steps in which a budget that would do is looked for
_FEW: Final = 2  # texts of an item that is simply predicted


def _digest(resolved: Resolved, seconds: float) -> str:
    """Digest of the requested plan, which identifies it when it is issued again."""
    return digest("budget", resolved.identity, f"{seconds:g}")


def resolved_within(
    resolved: Resolved, seconds: float, *, folders: Iterable[Path] = (), **given: Any
) -> Resolved:
    """Plan within a time budget, resolved.

    What the same request chose earlier, in one of these run folders, is chosen again, so that it
    goes on there; ``given`` is that of `within`.
    """
    for folder in folders:
        with suppress(DataError):  # nothing there, or damaged
            known = chosen_before(RunFolder(folder), resolved, seconds)
            if known is not None:
                measure, budget = known
                return designed(resolved, replace(resolved.plan, measure=measure, budget=budget))
    return designed(resolved, within(resolved, seconds, **given))


def within(
    resolved: Resolved,
    seconds: float,
    *,
    spent: float = 0.0,
    is_cached: bool = True,
    models: LoadedModels | None = None,
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
        Models of this process.

    Raises
    ------
    PlanError
        If too few of the items themselves fit for anything to be said; with a budget that would do.
    """
    begun = perf_counter()
    models = models or LoadedModels(resolved.options)
    timer = Timer(resolved, models, most_s=seconds * _TIMING)
    tried = {name: _variations(one, resolved) for name, one in resolved.measurements.items()}
    chooser = _Chooser(resolved, timer, is_cached, tried)
    asked = resolved.plan.measure
    whole = sum(chooser.seconds(one) for one in asked)  # times all there is
    gone = spent + (perf_counter() - begun) + timer.loading
    asking = seconds * _ASKING
    left = max(min(_AT_LEAST_S, asking), asking - gone)
    chosen = tuple(asked) if whole <= left else tuple(chooser.chosen(left))
    if few := chooser.too_few(chosen):
        enough = min(whole, chooser.enough_time(left))
        raise PlanError(too_little(few, seconds, *((s + gone) / _ASKING for s in (enough, whole))))
    measured = {one.id for one in chosen}
    least = (chooser.least(one) for one in asked if one.id not in measured)
    costs = [(measurement_of(one, resolved), chooser.seconds(one)) for one in least]
    said = left_out(resolved, chosen, seconds=seconds, too_much=costs)
    budget = Budget(seconds, _digest(resolved, seconds), tuple(said))
    return replace(resolved.plan, measure=chosen, budget=budget)


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Reduces the measurements of a plan; ``variations`` are their changes or attacks, if any."""

    resolved: Resolved
    timer: Timer
    is_cached: bool
    variations: Mapping[str, tuple[str, ...]]
    _known: dict[tuple[object, ...], Measurement] = field(default_factory=dict, init=False)

    def _made(self, plan: MeasurePlan) -> Measurement:
        """Measurement of a plan, which differs from those that were asked for in two things."""
        key = plan.id, plan.items, canonical_json(plain(plan.params))
        if key not in self._known:
            self._known[key] = measurement_of(plan, self.resolved)
        return self._known[key]

    def seconds(self, plan: MeasurePlan, *, is_own: bool = False) -> float:
        """Expected time of a measurement, from its timing.

        Its own is that of the texts beyond the items as they are, which others have asked about.
        """
        made, like = self._made(plan), self.resolved.measurements[plan.id]
        parts = list(parts_of(made, self.resolved, self.timer, like=like))
        seconds = sum(part.seconds for part in parts)
        if is_own and self.is_cached:
            seconds -= sum(p.seconds * p.items * p.replicates / max(1, p.queries) for p in parts)
        # How many times as large a share of its texts is asked as of the one that was timed. A
        # search that ends early asks about as many texts with a smaller budget, until it uses it
        # up; and the changes that are kept may be those that change every item.
        before, now = self._size(like.plan), self._size(plan)
        if now >= before:
            share_used = 1.0
        else:
            used = [self.timer.speed(like, family=f, data=d).texts for f, d in like.designs]
            share_used = min(before / now, 1 / max([*used, 1e-9]))
        return seconds * share_used

    def _size(self, plan: MeasurePlan) -> int:
        """Texts of an item in proportion: how many changes or searches, of how many texts.

        Controls change as many texts as what they stand beside.
        """
        params = {**self._params(plan), **plan.params}
        field = self.resolved.measurements[plan.id].diagnostic.varies
        tried = plan.params.get(field) or self.variations[plan.id] or [""]
        return len(tried) * (params.get("budget") or 1)

    def chosen(self, left: float) -> Iterator[MeasurePlan]:
        """Measurements that fit into the remaining time, in plan order."""
        asked = [_once_drawn(one, self._params(one)) for one in self.resolved.plan.measure]
        plain_ones = [one for one in asked if self._is_plain(one)]
        dear = [one for one in asked if one not in plain_ones]
        timed = [one for one in plain_ones if self.seconds(one)]
        # the items themselves are the same texts for all that ask about nothing else
        together = max if self.is_cached else sum
        rest = left - (together(map(self.seconds, timed)) if timed else 0.0)
        if rest < left / 2 and timed:
            is_worth = any(self._own(self.least(one)) <= left / 2 for one in dear)
            rest = left / 2 if is_worth else max(0.0, rest)
            share = (left - rest) / (1 if self.is_cached else len(timed))
            plain_ones = [self._cut(o, share) if o in timed else o for o in plain_ones]
        made = {one.id: one for one in (*plain_ones, *self._shared(dear, rest))}
        yield from (made[one.id] for one in asked if one.id in made)

    def too_few(self, chosen: Iterable[MeasurePlan]) -> Measurement | None:
        """Measurement of the items themselves that has too few of them to say anything, if any."""
        for one in filter(self._is_plain, chosen):
            made = self._made(one)
            if items_in(made) < items_in(self._made(self._enough(one))):
                return made
        return None

    def enough_time(self, left: float) -> float:
        """Time in which the items themselves are enough, and something that changes them fits."""
        wants_more = not all(map(self._is_plain, self.resolved.plan.measure))
        whole = sum(map(self.seconds, self.resolved.plan.measure))
        while left < whole:
            left *= _MORE_TIME
            chosen = list(self.chosen(left))
            has_more = not all(map(self._is_plain, chosen))
            if (has_more or not wants_more) and not self.too_few(chosen):
                break
        return left

    def _own(self, plan: MeasurePlan) -> float:
        return self.seconds(plan, is_own=True)

    def _shared(self, plans: Sequence[MeasurePlan], rest: float) -> Iterator[MeasurePlan]:
        """Measurements that share the time, each with enough items; the others are left out."""
        least = {one.id: self._own(self.least(one)) for one in plans}
        cheapest = sorted(plans, key=lambda one: least[one.id])
        equal = rest / max(1, len(plans))
        kept = [one for one in cheapest if least[one.id] <= equal or self._is_needed(one)]
        kept = kept or [one for one in cheapest[:1] if least[one.id] <= rest]
        for place, one in enumerate(kept):
            share = rest / (len(kept) - place)
            versions = list(self._versions(one))
            fits = (v for v in versions if self._own(self._enough(v)) <= share)
            found = self._cut(next(fits, versions[-1]), share)
            rest -= self._own(found)
            yield found

    def least(self, plan: MeasurePlan) -> MeasurePlan:
        """Its smallest version, with enough items to be worth asking."""
        *_, last = self._versions(_once_drawn(plan, self._params(plan)))
        return self._enough(last)

    def _versions(self, plan: MeasurePlan) -> Iterator[MeasurePlan]:
        """A measurement as it is, without controls, with fewer changes, and with less search."""
        field = self.resolved.measurements[plan.id].diagnostic.varies
        names = () if self._is_needed(plan) else self.variations[plan.id]
        params = self._params(plan)
        yield plan
        if params.get("control") and not self._is_needed(plan):
            plan = _with(plan, control=False)
            yield plan
        yield from (_with(plan, **{field: names[:count]}) for count in range(len(names) - 1, 0, -1))
        texts = params.get("budget")
        while isinstance(texts, int) and (texts := texts // 2) >= _LEAST_SEARCH:
            for count in range(max(1, len(names)), 0, -1):
                fewer = {field: names[:count]} if count < len(names) else {}
                yield _with(plan, **fewer, budget=texts)

    def _enough(self, plan: MeasurePlan) -> MeasurePlan:
        """Measurement of no more items than it takes to say something."""
        made = self._made(plan)
        return self._of(plan, made.diagnostic.enough_items(max(1, len(risk_names(made)))))

    def _cut(self, plan: MeasurePlan, share: float) -> MeasurePlan:
        """Measurement of as many items as fit into a share of the time, but of the minimum."""
        cost = self.seconds if self._is_plain(plan) else self._own
        low, high = 0, self._items(plan)
        while low < high:
            middle = (low + high + 1) // 2
            fits = cost(replace(plan, items=middle)) <= share
            low, high = (middle, high) if fits else (low, middle - 1)
        return self._of(plan, max(_LEAST, low))

    def _of(self, plan: MeasurePlan, items: int) -> MeasurePlan:
        """Measurement of so many items; of all where there are no more, or they belong together."""
        is_whole = registry().load("diagnostic", plan.diagnostic).of_suites
        return plan if is_whole or items >= self._items(plan) else replace(plan, items=items)

    def _items(self, plan: MeasurePlan) -> int:
        """Number of items that it was asked to measure."""
        return items_in(self.resolved.measurements[plan.id])

    def _params(self, plan: MeasurePlan) -> dict[str, Any]:
        """Parameters of a measurement, defaults included."""
        return dict(plain(self.resolved.measurements[plan.id].params))

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
        if whole.profile:  # whose own estimates say what they are of
            return plan.diagnostic in presupposed or plan.id in {e.source for e in whole.estimate}
        named = (*whole.estimate, *whole.claim, *whole.relate, *whole.published)
        return bool(named) or plan.diagnostic in presupposed


def _variations(measurement: Measurement, resolved: Resolved) -> tuple[str, ...]:
    """Changes or attacks of a measurement, the most useful first."""
    family, data = next(iter(measurement.designs))
    inputs = inputs_of(measurement.plan, resolved, family=family, data=data)
    return measurement.diagnostic.variations(measurement.params, inputs)


def _once_drawn(plan: MeasurePlan, params: Mapping[str, Any]) -> MeasurePlan:
    """Measurement with one draw instead of several."""
    draws = params.get("draws")
    if not isinstance(draws, int) or draws <= 1:
        return plan
    return _with(plan, draws=1)


def _with(plan: MeasurePlan, **params: Any) -> MeasurePlan:
    """Measurement with other parameters."""
    return replace(plan, params={**plan.params, **params})


def chosen_before(
    folder: RunFolder, resolved: Resolved, seconds: float
) -> tuple[tuple[MeasurePlan, ...], Budget] | None:
    """Measurements that the same request chose earlier to meet its budget, if any."""
    plan = folder.manifest.get("plan", {})
    kept = plan.get("budget")
    if not kept or kept["asked"] != _digest(resolved, seconds):
        return None
    measures = tuple(MeasurePlan(**as_tuples(one)) for one in plan["measure"])
    return measures, Budget(**as_tuples(kept))
