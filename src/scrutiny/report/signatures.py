"""One-line signatures of numbers: written from a run, found in any text, checked against a run.

::

    drop(accuracy){transformation=typos} .028 [-.001, .057] n=640 seeds=5 scope=recipe \
id=5f1c02aa scrutiny=0.1.0 run=1a2b3c4d

Whoever reads such a line knows what stands behind the number, and whoever has the run can check it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from math import floor, log10
from typing import Final

from scrutiny.core.boundary.json_text import canonical_json, digest, plain
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.record import grouped
from scrutiny.store.run_folder import RunFolder

_ID: Final = 8  # digits of a number's and a run's identity
_DECIMALS: Final = 3
_MOST_DECIMALS: Final = 12
_LEVEL: Final = 0.95  # that goes without saying
_SEEDS: Final = 3  # from which on a number is of a recipe
_SLACK: Final = 1e-9  # relative, of binary fractions
_NUMBER: Final = r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
_SIGNATURE: Final = re.compile(
    rf"(?P<name>[^\s`|\"'<>]+)\s+(?P<value>{_NUMBER})"
    rf"(?:\s+\[(?P<low>{_NUMBER}),\s+(?P<high>{_NUMBER})\])?"
    r"\s+n=(?P<n>\d+)\s+seeds=(?P<seeds>\d+)\s+scope=(?P<scope>\w+)"
    r"(?:\s+level=(?P<level>\S+))?(?:\s+limits=(?P<limits>\w+))?"
    r"\s+id=(?P<id>[0-9a-f]{8})\s+scrutiny=(?P<scrutiny>\S+)\s+run=(?P<run>[0-9a-f]{8})\b"
)
#: What ends a signature; where it stands without one, a signature was damaged.
_END: Final = re.compile(r"\bscrutiny=\S+\s+run=\w+")
_SCOPES: Final = {
    "this recipe": "recipe",
    "these checkpoints": "checkpoints",
    "this checkpoint": "checkpoint",
    "beyond this dataset": "datasets",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """A number with what stands behind it, every member as it is printed.

    Parameters
    ----------
    name
        Metric and condition, without blanks.
    value, low, high
        Number and interval; both ends are empty where there is no interval.
    n, seeds
        Items that were measured, and replicates.
    scope
        Of what it is true: ``checkpoint``, ``checkpoints``, ``recipe`` or ``datasets``.
    level
        Confidence level; empty for .95.
    limits
        ``joint`` where the interval holds for all numbers of its family at once.
    id, run
        Beginnings of the identities of the number and of the run's plan.
    scrutiny
        Version that measured it.
    """

    name: str
    value: str
    low: str
    high: str
    n: str
    seeds: str
    scope: str
    level: str
    limits: str
    id: str
    scrutiny: str
    run: str

    def __str__(self) -> str:
        """The line."""
        ends = f" [{self.low}, {self.high}]" if self.low else ""
        own = {name: getattr(self, name) for name in (f.name for f in fields(self)[4:])}
        return f"{self.name} {self.value}{ends} " + " ".join(
            f"{name}={value}" for name, value in own.items() if value
        )


def signatures_in(text: str) -> list[Signature]:
    """All signatures in a text; between their parts may be blanks and ends of lines.

    Raises
    ------
    PlanError
        If there is none, or if one cannot be read.
    """
    found = [
        Signature(**{name: value or "" for name, value in match.groupdict().items()})
        for match in _SIGNATURE.finditer(text)
    ]
    ended = len(_END.findall(text))
    if ended > len(found):
        raise PlanError(
            f"{ended - len(found)} of {ended} signatures cannot be read: a part is missing or was "
            "changed. A signature reads: accuracy .983 [.975, .989] n=2000 seeds=3 scope=recipe "
            "id=5f1c02aa scrutiny=0.1.0 run=1a2b3c4d; `scrutiny report RUN --sign all` prints "
            "those of a run."
        )
    if not found:
        raise PlanError(
            "There is no signature in it. `scrutiny report RUN --sign all` prints those of a run; "
            "give one in quotation marks, or a file that holds some."
        )
    return found


@dataclass(frozen=True, slots=True)
class SignatureCheck:
    """Outcome of one signature: of another run, or what differs from the run's own number.

    Parameters
    ----------
    signature
        As it was found.
    is_other_run
        Whether it names another run, so that nothing could be compared.
    differs
        What differs, a few words for each part; empty if all is as in the run.
    """

    signature: Signature
    is_other_run: bool = False
    differs: tuple[str, ...] = ()


class Signer:
    """Signs the numbers of one finished run, and checks signatures against them."""

    def __init__(self, folder: RunFolder) -> None:
        manifest = folder.manifest
        self._folder = folder
        self.run = str(manifest.get("identity", ""))[:_ID]
        self._version = str(manifest.get("environment", {}).get("scrutiny", "unknown"))

    def sign(self, number: Estimate | Finding) -> Signature:
        """Signature of an estimate, or of a finding's number with the limits that decided.

        Raises
        ------
        PlanError
            If it has no value.
        """
        estimate = number.estimate if isinstance(number, Finding) else number
        if estimate is None or estimate.value is None:
            why = "it was not measured" if estimate is None else estimate.reason or estimate.status
            raise PlanError(f"There is no number to sign: {why}.")
        scope = _scope(estimate)
        if isinstance(number, Finding):
            scope = _SCOPES.get(number.scope.partition(",")[0], scope)
        decimals = _decimals(estimate.value)
        has_ends = estimate.low is not None and estimate.high is not None
        low, high = (_printed(end, decimals) if has_ends else "" for end in estimate.ends[::2])
        return Signature(
            name=_name(estimate.key),
            value=_printed(estimate.value, decimals),
            low=low,
            high=high,
            n=str(estimate.counts.n),
            seeds=str(estimate.n_replicates),
            scope=scope,
            level="" if estimate.level == _LEVEL else f"{estimate.level:g}",
            limits="joint" if isinstance(number, Finding) else "",
            id=digest(canonical_json(plain(estimate.key)))[:_ID],
            scrutiny=self._version,
            run=self.run,
        )

    def all_of(self, metric: str = "") -> list[Signature]:
        """Signatures of the numbers over all replicates, and of those with limits that decided.

        Parameters
        ----------
        metric
            Name of a metric, with or without version; empty for all of them.

        Raises
        ------
        UnknownNameError
            If the run has no such metric.
        """
        numbers = [
            one for one in self._numbers() if isinstance(one, Finding) or one.key.replicate is None
        ]
        keys = [_key(one) for one in numbers]
        known = {key.metric_name for key in keys}
        if metric and metric not in known | {key.metric for key in keys}:
            raise UnknownNameError("metric in this run", metric, known)
        fitting = [
            one
            for one, key in zip(numbers, keys, strict=True)
            if not metric or metric in (key.metric, key.metric_name)
        ]
        return list(dict.fromkeys(map(self.sign, fitting)))

    def check(self, signature: Signature) -> SignatureCheck:
        """What a signature says, beside the run's own number."""
        if signature.run != self.run:
            return SignatureCheck(signature, is_other_run=True)
        own = [
            _differences(signature, one, signed)
            for one, signed in self._signed.get((signature.id, signature.limits), ())
        ]
        if not own:
            return SignatureCheck(signature, differs=("the run has no such number",))
        return SignatureCheck(signature, differs=min(own, key=len))

    @cached_property
    def _signed(self) -> dict[tuple[str, str], list[tuple[Estimate | Finding, Signature]]]:
        """Numbers with their signatures, by identity and limits; read once for all checks."""
        signed = [(one, self.sign(one)) for one in self._numbers()]
        return grouped(((own.id, own.limits), (one, own)) for one, own in signed)

    def _numbers(self) -> Iterator[Estimate | Finding]:
        """Numbers that have a value, with those of single replicates."""
        for estimate in self._folder.estimates():
            if estimate.value is not None:
                yield estimate
        for finding in self._folder.findings():
            if finding.estimate is not None and finding.estimate.value is not None:
                yield finding


def check_against(
    signatures: Iterable[Signature], signers: Iterable[Signer]
) -> list[SignatureCheck]:
    """Check of each signature against the run that it names, if that is among these."""
    known = {signer.run: signer for signer in signers}
    return [
        known[one.run].check(one) if one.run in known else SignatureCheck(one, is_other_run=True)
        for one in signatures
    ]


def _key(number: Estimate | Finding) -> EstimateKey:
    estimate = number.estimate if isinstance(number, Finding) else number
    assert estimate is not None
    return estimate.key


def _scope(estimate: Estimate) -> str:
    """Of what an interval is true: of a recipe, or of the models that were measured."""
    if estimate.n_replicates < 2:
        return "checkpoint"
    is_recipe = estimate.n_replicates >= _SEEDS and not estimate.is_fixed
    return "recipe" if is_recipe else "checkpoints"


def _name(key: EstimateKey) -> str:
    """Metric and what tells the number apart, without blanks.

    Examples
    --------
    >>> _name(EstimateKey("d@1", "drop(accuracy)@1", "m", "x", condition={"change": "typos@1"}))
    'drop(accuracy){change=typos}'
    """
    told: Mapping[str, object] = {
        **dict(sorted(key.condition.items())),
        **({} if key.role == "measured" else {"role": key.role}),
        **({} if key.group == "all" else {"group": key.group}),
        **({} if key.replicate is None else {"replicate": key.replicate}),
    }
    named = ",".join(f"{name}={without_versions(str(value))}" for name, value in told.items())
    whole = f"{key.metric_name}{{{named}}}" if named else key.metric_name
    return re.sub(r"[\s`|\"'<>]+", "_", whole)


def _decimals(value: float) -> int:
    """Decimals of a number: three, or three digits of a small one.

    Examples
    --------
    >>> _decimals(0.98312), _decimals(0.000123456), _decimals(0.0)
    (3, 6, 3)
    """
    if not value or abs(value) >= 0.01:
        return _DECIMALS
    return min(_MOST_DECIMALS, _DECIMALS - 1 - floor(log10(abs(value))))


def _printed(value: float, decimals: int) -> str:
    """Number with so many decimals, without the zero before the point.

    Examples
    --------
    >>> _printed(0.9834, 3), _printed(-0.0001, 3), _printed(12.5, 3)
    ('.983', '.000', '12.500')
    """
    text = f"{value:.{decimals}f}"
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def is_rounding_of(printed: str, value: float) -> bool:
    """Whether a printed number is a rounding of a value, up or down at a tie.

    Examples
    --------
    >>> is_rounding_of(".983", 0.98349), is_rounding_of(".983", 0.9836), is_rounding_of(".5", 0.45)
    (True, False, True)
    """
    mantissa, _, exponent = printed.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    half = 0.5 * 10.0**-decimals
    return abs(float(printed) - value) <= half + _SLACK * max(abs(value), half)


def _differences(found: Signature, number: Estimate | Finding, own: Signature) -> tuple[str, ...]:
    """What a signature says otherwise than the run."""
    estimate = number.estimate if isinstance(number, Finding) else number
    assert estimate is not None
    stored = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    said: list[str] = []
    for part in (one.name for one in fields(Signature)):
        theirs, ours = getattr(found, part), getattr(own, part)
        value = stored.get(part)
        if theirs and ours and value is not None:
            if not is_rounding_of(theirs, value):
                by = float(theirs) - value
                said.append(f"{part} {theirs}, in the run {ours} ({by:+.2g})")
        elif theirs != ours:
            said.append(f"{part} {theirs or 'not there'}, in the run {ours or 'not there'}")
    return tuple(said)
