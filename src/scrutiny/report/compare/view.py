"""Two runs side by side as the page needs them: values only, whoever computed them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate

State = Literal["all items", "change shown", "nothing of its own", "not shown"]


@dataclass(frozen=True, slots=True)
class SideFacts:
    """One of both sides: what it is called, what it was made from, where it is kept."""

    name: str
    source: str
    replicates: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of the items that something happens to.

    ``is_noise`` tells the first model against itself from the second against the first.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    is_noise: bool = False


@dataclass(frozen=True, slots=True)
class AgreedFacts:
    """A measure of how far both agree: its value, that of the first against itself, why none."""

    name: str
    estimate: Estimate | None
    floor: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """A slice: its level before and after, and what is shown of the change.

    ``p`` is corrected for all slices; ``turn`` is what its answers mostly turned into.
    """

    name: str
    says: str
    n: int
    before: float
    after: float
    low: float | None
    high: float | None
    elsewhere: float | None
    p: float
    state: State
    turn: str = ""

    @property
    def value(self) -> float:
        """Change: second minus first."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class InputFacts:
    """An input on which both sides differ, with what either says."""

    item: str
    source: str
    text: str
    gold: str | None
    first: str | None
    second: str | None
    before: float
    after: float
    rank: float
    slices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelFacts:
    """One level of one model pair on one dataset.

    Parameters
    ----------
    name, dataset
        What is compared, and on what.
    first, second
        Names of the models.
    change
        Second minus first with its interval, in words; "" where there is no value.
    before, after, n, planned
        Level of both, and of how many items.
    noise, flips, tests
        In words.
    rates
        Noise floor and flips as shares.
    slices
        All items first, then every slice that was tested.
    inputs, n_inputs
        Those that differ most, and how many differ at all.
    detectable
        Smallest difference that is shown with 80 % power.
    margin, outcome
        Largest loss that does not matter, and whether it is a regression.
    lower_is_better
        Whether less is better.
    agreement, agreement_floor
        How far both agree beyond chance; what the first was held against to get its own values.
    """

    name: str
    dataset: str
    first: str
    second: str
    change: str
    before: float
    after: float
    n: int
    planned: int
    noise: str
    flips: str
    tests: str
    rates: tuple[Rate, ...]
    slices: tuple[SliceFacts, ...]
    inputs: tuple[InputFacts, ...]
    n_inputs: int
    detectable: float | None
    margin: float | None
    outcome: str | None
    lower_is_better: bool = False
    agreement: tuple[AgreedFacts, ...] = ()
    agreement_floor: str = ""


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """How often one model keeps its answer over changes that keep the other's.

    ``lift``, ``kappa``, ``soft`` and ``own_lift`` stand beside it where there is a value.
    """

    change: str
    reference: str
    target: str
    dataset: str
    is_judged: bool
    hard: Estimate
    random: Estimate
    ceiling: Estimate
    ceiling_name: str
    lift: Estimate | None
    own_lift: Estimate | None
    kappa: Estimate | None
    soft: Estimate | None
    finding: Finding


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """Shared invariances both ways, and how alike the vectors of both models are.

    ``vectors`` are measures, each with its estimates by whom they are of; ``claims`` what is
    claimed of them.
    """

    kept: tuple[KeptFacts, ...]
    margin: float
    outcome: str | None
    vectors: tuple[tuple[str, Mapping[str, Estimate]], ...] = ()
    claims: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class CompareView:
    """Everything that the page of a comparison says.

    Parameters
    ----------
    headline
        The one thing to know.
    outcome, outcome_says
        Whether it is a regression beyond the margin, and in words; nothing without a margin.
    first, second
        The two sides.
    levels
        One for each model pair and dataset.
    findings
        Every number that both runs have, second minus first.
    differences
        What the runs did differently beside the models.
    shared
        What two live models share beyond their answers, where that was asked for.
    command, version
        How to make the page again, and with what.
    """

    headline: str
    outcome: str | None
    outcome_says: str
    first: SideFacts
    second: SideFacts
    levels: tuple[LevelFacts, ...]
    findings: tuple[Finding, ...]
    differences: tuple[str, ...]
    shared: SharedFacts | None = None
    command: str = ""
    version: str = ""
