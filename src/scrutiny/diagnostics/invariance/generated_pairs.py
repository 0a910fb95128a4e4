"""Generation of texts that keep the reference's answer, and of random controls."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from scrutiny.core.diagnostic import Reference
from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.invariance.scope_capabilities import ALL, Generation, ScopeParams
from scrutiny.perturb.search import (
    Answer,
    Base,
    Found,
    Goal,
    Search,
    Settings,
    State,
    Victim,
    search_all,
)
from scrutiny.perturb.search.methods.plain_searches import RandomChoice
from scrutiny.perturb.search.moves import Documents, Key

_TRIES: Final = 10
#: Nearer to every changed text than to the text itself.
_ANY_NUMBER: Final = 1_000_000
#: Controls draw from streams of their own, whatever the number of trials.
_CONTROL_DRAWS: Final = 1_000_000
_NOBODY: Final = Prediction("")
#: Nothing may be changed here, or not as much; all that may be changed costs the answer.
NO_PLACE: Final = "no_place"
NO_TEXT: Final = "no_pair"
#: A random text that is the searched one, as there is no other: it is no control.
ONLY_TEXT: Final = "only_text"


@dataclass(frozen=True, slots=True)
class SameAmount(Goal):
    """The same number of words changed as in another text.

    Goal: the same number of changed words as the searched text; score: minus the difference.
    """

    id: ClassVar[str] = "same_amount@1"

    words: Mapping[str, int]

    def skips(self, base: Base) -> str | None:
        """Items that were not searched."""
        return None if base.example.id in self.words else "no_treatment"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Negative difference in changed words, and whether it is zero."""
        gap = abs(state.words_changed - self.words[base.example.id])
        return -float(gap), gap == 0 and state.texts != state.origin.texts


@dataclass(slots=True)
class Maker:
    """Creates the variants of some items for one reference."""

    examples: Sequence[Example]
    params: ScopeParams
    reference: Reference
    seed: int
    analyzed: dict[str, Documents] = field(default_factory=dict, repr=False)

    def variants(self, made: Sequence[Generation]) -> Iterator[Variant]:
        """Searched and random texts, by item, in the order of generations and trials."""
        columns = [trial for generation in made for trial in self._trials(generation)]
        for number in range(len(self.examples)):
            for treatments, controls in columns:
                yield treatments[number]
                yield controls[number]

    def _trials(
        self, generation: Generation
    ) -> Iterator[tuple[Sequence[Variant], Sequence[Variant]]]:
        """Variants of all items, trial by trial; no text occurs twice."""
        searched: dict[str, frozenset[Key]] = {}
        drawn: dict[str, frozenset[Key]] = {}
        for trial in range(self.params.trials):
            found = list(
                search_all(
                    self.examples,
                    generation.search,
                    victim=Victim(self.reference.predict, self.reference.labels),
                    settings=Settings(self.seed, trial, self.params.budget, analyzed=self.analyzed),
                    resources=self.params.resources or None,
                    excluded=searched,
                )
            )
            words = _words(found, generation)
            random = list(self._draw(self.examples, generation, trial, words, drawn))
            pairs = list(zip(found, random, strict=True))
            only = self._without_another(generation, trial, pairs)
            yield (
                [self._treatment(*pair, generation, trial) for pair in pairs],
                [self._control(*pair, generation, trial, only) for pair in pairs],
            )
            _exclude(searched, (f for f in found if f.is_success))
            _exclude(drawn, random)

    def _draw(
        self,
        examples: Sequence[Example],
        generation: Generation,
        trial: int,
        words: Mapping[str, int],
        excluded: Mapping[str, frozenset[Key]],
    ) -> Iterator[Found]:
        """Random texts with so many changed words; no model is asked."""
        method = RandomChoice(_TRIES, generation.steps)
        return search_all(
            examples,
            Search(generation.space, SameAmount(words), method),
            victim=Victim(lambda asked: [_NOBODY] * len(asked)),
            settings=Settings(self.seed, _CONTROL_DRAWS + trial, analyzed=self.analyzed),
            resources=self.params.resources or None,
            excluded=excluded,
        )

    def _without_another(
        self, generation: Generation, trial: int, pairs: Sequence[tuple[Found, Found]]
    ) -> frozenset[str]:
        """Items whose only possible random text is the searched text."""
        keys = {
            f.item: frozenset((f.state.key,))
            for f, r in pairs
            if f.is_success and f.state and r.state and f.state.key == r.state.key
        }
        if not keys:
            return frozenset()
        examples = [example for example in self.examples if example.id in keys]
        words = _words([f for f, _ in pairs if f.item in keys], generation)
        others = self._draw(examples, generation, trial, words, keys)
        return frozenset(other.item for other in others if not _is_proposal(other, generation))

    def _treatment(
        self, found: Found, random: Found, generation: Generation, trial: int
    ) -> Variant:
        name = variant_name(generation, trial, self.reference)
        variant = _unmade(found, name, generation, trial)
        if found.status != "ok":
            return variant
        if not found.is_success or found.state is None:
            has_room = _is_proposal(random, generation)
            return replace(variant, status="skipped", reason=NO_TEXT if has_room else NO_PLACE)
        return replace(variant, edits=found.state.edits, gold=found.state.example.gold)

    def _control(
        self,
        searched: Found,
        found: Found,
        generation: Generation,
        trial: int,
        only: Collection[str],
    ) -> Variant:
        of = variant_name(generation, trial, self.reference)
        name = variant_name(generation, trial, self.reference, is_control=True)
        variant = replace(_unmade(found, name, generation, trial), role="control", control_of=of)
        if found.status != "ok":
            return variant
        is_proposed = searched.is_success or _is_proposal(found, generation)
        if found.state is None or not found.state.edits or not is_proposed:
            return replace(variant, status="undefined", reason="no_room")
        reason = ONLY_TEXT if found.item in only else None
        gold = found.state.example.gold
        return replace(variant, edits=found.state.edits, gold=gold, reason=reason)


def _unmade(found: Found, name: str, generation: Generation, trial: int) -> Variant:
    """Variant without edits, as it is where a search failed."""
    capability = generation.capability
    return Variant(
        found.item, name, "measured", None, capability, (), None, found.status, found.reason, trial
    )


def _words(found: Sequence[Found], generation: Generation) -> dict[str, int]:
    """Number of words that a random text changes: as in the searched one, or as requested."""
    wanted = _ANY_NUMBER if generation.amount == ALL else generation.steps
    return {
        f.item: f.state.words_changed if f.is_success and f.state else wanted
        for f in found
        if f.status == "ok"
    }


def _is_proposal(found: Found, generation: Generation) -> bool:
    """Whether a draw gave a text with the requested amount of change."""
    if found.state is None or not found.state.edits:
        return False
    return found.is_success or generation.amount == ALL


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
