"""A finished run as plain values, the input of the report; its slices stand apart.

Nothing here knows how a run is stored; `scrutiny.report.load` makes a `RunView` of one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrutiny.blocks.cases import Evidence
from scrutiny.blocks.labels import short_names
from scrutiny.core.claim import IN_SLICES, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.languages import counted, name_of
from scrutiny.core.published import Reproduction
from scrutiny.core.slice_syntax import complement

if TYPE_CHECKING:
    import numpy as np

    from scrutiny.reliability.assignment import Assignment
    from scrutiny.store.panels import Recorded
    from scrutiny.store.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class InSlices:
    """Numbers inside slices, the requested slices, and the claims about them.

    Parameters
    ----------
    sizes
        Each slice of each dataset: ``dataset``, ``where``, items ``inside`` and ``elsewhere``.
    estimates
        Inside of slices, and inside minus elsewhere.
    findings
        Whether a number is worse in a slice than elsewhere.
    """

    sizes: tuple[Mapping[str, Any], ...] = ()
    estimates: tuple[Estimate, ...] = ()
    findings: tuple[Finding, ...] = ()


def without_slices(
    manifest: Mapping[str, Any], estimates: Sequence[Estimate], findings: Sequence[Finding]
) -> tuple[tuple[Estimate, ...], tuple[Finding, ...], InSlices]:
    """Main numbers and findings of a run, and those of its slices.

    Of the findings on the slices of one number, the clearest stands among the main ones.
    """
    sizes = tuple(manifest.get("slices", ()))
    groups = {group for size in sizes for group in _groups_of(size["where"])}
    own = tuple(f for f in findings if f.claim.family.endswith(IN_SLICES))
    best: dict[str, Finding] = {}  # the one with the smallest p of each number
    for one in own:
        known = best.setdefault(one.claim.family, one)
        if _p(one) < _p(known):
            best[one.claim.family] = one
    clearest = {id(one) for one in best.values()}
    return (
        tuple(e for e in estimates if e.key.group not in groups),
        tuple(f for f in findings if f not in own or id(f) in clearest),
        InSlices(sizes, tuple(e for e in estimates if e.key.group in groups), own),
    )


def _groups_of(where: str) -> tuple[str, str]:
    """Groups of the estimates of a slice: inside, and inside minus elsewhere."""
    return where, f"{where} - {complement(where)}"


def gap_key(inside: EstimateKey) -> dict[str, Any]:
    """Key that pairs the difference from elsewhere with the number inside a slice."""
    return {"role": "contrast", "group": _groups_of(inside.group)[1], "reference": inside.subject}


def _p(finding: Finding) -> float:
    return 2.0 if finding.p_supported is None else finding.p_supported


@dataclass(frozen=True, slots=True)
class DiagnosticNotes:
    """Texts from a diagnostic's documentation.

    Parameters
    ----------
    summary
        One sentence.
    measured
        Sentences for "how this was measured".
    misleads
        Sentences for "how far to trust it".
    """

    summary: str = ""
    measured: tuple[str, ...] = ()
    misleads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetLine:
    """A dataset of the run, its known overlap with training text, and row warnings.

    ``doubts`` are sentences on rows, ``class_words`` name a class of answers and what is counted,
    ``languages`` and ``n_cases`` (of a suite) count items, ``metric_names`` has names of metrics.
    """

    name: str
    source: str
    n_items: int
    fingerprint: str = ""
    overlap: str = "not checked"
    doubts: tuple[str, ...] = ()
    class_words: tuple[str, str] = ("class", "items")
    languages: Mapping[str, int] = field(default_factory=dict)
    n_cases: int = 0
    metric_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> str:
        """Number of items in words; of a suite, its cases are what counts."""
        count, what = (self.n_cases, "case") if self.n_cases else (self.n_items, "item")
        return f"{count:,} {what}{'s' * (count != 1)}"

    @property
    def language(self) -> str:
        """Languages in words: one by its name, several with their counts."""
        return name_of(*self.languages) if len(self.languages) == 1 else counted(self.languages)


@dataclass(frozen=True, slots=True)
class Missing:
    """Variants that could not be asked, counted by reason."""

    diagnostic: str
    recipe: str
    status: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """A 0/1 measure of one condition for each item, with its margin if there is one.

    Parameters
    ----------
    key
        Of what: its metric is "hit", its group "all".
    replicates, items
        Names along the axes of ``hit``.
    hit, margin
        ``(replicate, item)``; NaN where an item has none. ``margin`` may be nothing.
    columns
        Columns of the items that group them (``a_*``), by name.
    """

    key: EstimateKey
    replicates: tuple[str | None, ...]
    items: tuple[str, ...]
    hit: "np.ndarray[Any, Any]"
    margin: "np.ndarray[Any, Any] | None" = None
    columns: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnInterval:
    """A single replicate: its interval over items only, and its standard error."""

    value: float
    low: float
    high: float
    se: float


class Records:
    """Interface of parts to a run's records, with those of a run that stored none.

    ``folder`` is where they are stored, with further data of a family.
    """

    folder: "RunFolder | None" = None

    def hits(self) -> Sequence[Hits]:
        """Every measure named ``hit``, by condition, in plan order."""
        return ()

    def own_intervals(self, estimate: Estimate) -> Mapping[str, OwnInterval]:
        """Interval over items of each replicate of an estimate, by replicate; empty if unknown."""
        return {}

    def recorded(self, assigned: "Assignment") -> "Recorded | None":
        """Records that a specification of the manifest reads; `None` if there are none."""
        return None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about a run.

    Parameters
    ----------
    path, title
        Folder of the run, as the user gave it; what was examined, in a few words.
    subjects
        Model families.
    command
        Exact command that reproduces it.
    seed, replicates
        Seed of the run; replicates in words ("seed 1"), empty for single models.
    draws, method, level
        How the intervals were made.
    version
        Version of scrutiny.
    promise
        What a second run repeats exactly.
    status
        ``complete``, or what is left to do.
    replicates_of
        What differs between the replicates of each family examined ("pre-training",
        "fine-tuning", "initialization"), where a record says it.
    warnings
        Data that trained or chose a model that is measured on it; labels that may be swapped;
        missing answers, by reason.
    failures
        What was said of the first missing answers.
    sent
        Sums of what was sent to endpoints: requests, tokens, cost.
    labels
        How labels of the data were matched to the models', where their names do not show it.
    left_out
        What was asked for and did not fit into the budget of time.
    profile
        Profile of an audit with its version, `ship@1`; empty for other runs.
    environment
        Versions and devices, by name.
    """

    path: str
    title: str = ""
    subjects: tuple[str, ...] = ()
    command: str = ""
    seed: int = 0
    replicates: tuple[str, ...] = ()
    draws: int = 0
    method: str = ""
    level: float = 0.95
    version: str = ""
    promise: str = ""
    status: str = "complete"
    replicates_of: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    sent: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    profile: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class RunView:
    """A finished run, as read by all formats and parts.

    Parameters
    ----------
    facts
        What the run says of itself.
    manifest
        The manifest as it is, for the last section of the page.
    estimates, findings
        In plan order.
    evidence
        Items behind a claim, by the claim's id.
    notes
        What the diagnostics say of themselves, by name without version.
    datasets
        The data.
    missing
        Variants that could not be asked.
    families
        Plural sentence of a family of claims, by the family's name: "changes hurt the model more
        than random change does".
    published
        Printed figures beside the run's own.
    records
        Raw measures, read when a page asks for them.
    slices
        What was computed in the slices that were asked for; it stands nowhere else, but for the
        clearest finding of each number.
    has_texts
        Whether texts of the data may be shown.
    """

    facts: RunFacts
    manifest: Mapping[str, Any] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    findings: tuple[Finding, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    notes: Mapping[str, DiagnosticNotes] = field(default_factory=dict)
    datasets: tuple[DatasetLine, ...] = ()
    missing: tuple[Missing, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    published: tuple[Reproduction, ...] = ()
    records: Records = field(default_factory=Records)
    slices: InSlices = field(default_factory=InSlices)
    has_texts: bool = True

    def without_texts(self) -> "RunView":
        """Return the same run without texts of the data."""
        data = self.manifest.get("data", {})
        kept = {name: {k: v for k, v in d.items() if k != "bad_rows"} for name, d in data.items()}
        manifest = {**self.manifest, "data": kept, "failures": []}
        facts = replace(self.facts, failures=())
        return replace(self, manifest=manifest, facts=facts, evidence={}, has_texts=False)

    def on_data(self, subject: str, dataset: str) -> str:
        """Short names of a model and a dataset of the run: "spam-filter on sms.csv"."""
        models = short_names(self.facts.subjects)
        data = short_names([d.name for d in self.datasets])
        return f"{models.get(subject, subject)} on {data.get(dataset, dataset)}"

    @property
    def all_estimates(self) -> tuple[Estimate, ...]:
        """Every number of the run, those in slices last."""
        return (*self.estimates, *self.slices.estimates)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding of the run, those on slices last."""
        return (*self.findings, *(f for f in self.slices.findings if f not in self.findings))
