"""Changed texts that leave the reference's answer, and random ones changed by as much."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from scrutiny.core.diagnostic import Reference
from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.invariance.capabilities import Generation
from scrutiny.diagnostics.invariance.params import ScopeParams
from scrutiny.perturb.search.engine import search_all
from scrutiny.perturb.search.found import Found
from scrutiny.perturb.search.goal import Answer, Base
from scrutiny.perturb.search.methods.random_choice import RandomChoice
from scrutiny.perturb.search.origin import Key
from scrutiny.perturb.search.setting import Search, Settings, Victim
from scrutiny.perturb.search.state import State

_TRIES: Final = 10
#: Controls draw from streams of their own, whatever the number of trials.
_CONTROL_DRAWS: Final = 1_000_000
_NOBODY: Final = Prediction(label="")


@dataclass(frozen=True, slots=True)
class SameAmount:
    """As many words changed as the searched text has; the score is minus the difference."""

    id: ClassVar[str] = "same_amount@1"
    summary: ClassVar[str] = "as many words changed as in another text"

    words: Mapping[str, int]

    def skips(self, base: Base) -> str | None:
        """Items without a searched text."""
        return None if base.example.id in self.words else "no_treatment"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Minus the difference in changed words, and whether there is none."""
        del answer
        gap = abs(state.words_changed - self.words[base.example.id])
        return -float(gap), gap == 0 and state.texts != state.origin.texts


@dataclass(slots=True)
class Maker:
    """Makes the variants of a stretch of items for one reference."""

    examples: Sequence[Example]
    params: ScopeParams
    reference: Reference
    seed: int

    def variants(self, made: Sequence[Generation]) -> Iterator[Variant]:
        """Searched and random texts, item by item, in the order of generations and trials."""
        columns = [trial for generation in made for trial in self._trials(generation)]
        for number in range(len(self.examples)):
            for treatments, controls in columns:
                yield treatments[number]
                yield controls[number]

    def _trials(
        self, generation: Generation
    ) -> Iterator[tuple[Sequence[Variant], Sequence[Variant]]]:
        """Variants of all items, trial by trial; no text comes twice."""
        searched: dict[str, frozenset[Key]] = {}
        drawn: dict[str, frozenset[Key]] = {}
        for trial in range(self.params.trials):
            found = list(self._search(generation, trial, searched))
            random = list(self._draw(generation, trial, found, drawn))
            yield (
                [self._treatment(f, e, generation, trial) for f, e in self._beside(found)],
                [self._control(f, e, generation, trial) for f, e in self._beside(random)],
            )
            _exclude(searched, (f for f in found if f.is_success))
            _exclude(drawn, random)

    def _beside(self, found: Sequence[Found]) -> Iterator[tuple[Found, Example]]:
        return zip(found, self.examples, strict=True)

    def _search(
        self, generation: Generation, trial: int, excluded: Mapping[str, frozenset[Key]]
    ) -> Iterator[Found]:
        """Texts that leave the reference's answer."""
        return search_all(
            self.examples,
            generation.search,
            victim=Victim(self.reference.predict, self.reference.labels),
            settings=Settings(seed=self.seed, draw=trial, budget=self.params.budget),
            resources=self.params.resources or None,
            excluded=excluded,
        )

    def _draw(
        self,
        generation: Generation,
        trial: int,
        found: Sequence[Found],
        excluded: Mapping[str, frozenset[Key]],
    ) -> Iterator[Found]:
        """Random texts with as many words changed; nobody is asked."""
        words = {f.item: f.state.words_changed for f in found if f.is_success and f.state}
        goal: Any = SameAmount(words)
        method: Any = RandomChoice(_TRIES, generation.steps)
        return search_all(
            self.examples,
            Search(generation.space, goal, method),
            victim=Victim(_nobody),
            settings=Settings(seed=self.seed, draw=_CONTROL_DRAWS + trial),
            resources=self.params.resources or None,
            excluded=excluded,
        )

    def _treatment(
        self, found: Found, example: Example, generation: Generation, trial: int
    ) -> Variant:
        name = variant_name(generation, trial, self.reference)
        variant = Variant(
            example.id, name, "measured", None, generation.capability, (), None, draw=trial
        )
        if found.status != "ok":
            return replace(variant, status=found.status, reason=found.reason)
        if not found.is_success or found.state is None:
            return replace(variant, status="skipped", reason="no_pair")
        return replace(variant, edits=found.state.edits, gold=found.state.example.gold)

    def _control(
        self, found: Found, example: Example, generation: Generation, trial: int
    ) -> Variant:
        of = variant_name(generation, trial, self.reference)
        name = variant_name(generation, trial, self.reference, is_control=True)
        variant = Variant(example.id, name, "control", of, generation.capability, (), None)
        variant = replace(variant, draw=trial)
        if found.status != "ok":
            return replace(variant, status=found.status, reason=found.reason)
        if found.state is None or not found.state.edits:
            return replace(variant, status="undefined", reason="no_room")
        return replace(variant, edits=found.state.edits, gold=found.state.example.gold)


def variant_name(
    generation: Generation, trial: int, reference: Reference, *, is_control: bool = False
) -> str:
    """Name of a changed text: capability, amount, trial, role, and whose invariance it is.

    Several references, and several replicates of one, stand in one file of variants.
    """
    role = "random" if is_control else "searched"
    whose = f"{reference.subject}{reference.replicate or ''}"
    return f"{generation.label}/{trial}/{role} for {whose}"


def _exclude(known: dict[str, frozenset[Key]], found: Iterator[Found] | Sequence[Found]) -> None:
    """Add the texts that were found to those that may not be found again."""
    for one in found:
        if one.state is not None and one.state.edits:
            known[one.item] = known.get(one.item, frozenset()) | {one.state.key}


def _nobody(examples: Sequence[Example]) -> list[Answer]:
    """Answers that say nothing."""
    return [_NOBODY] * len(examples)
