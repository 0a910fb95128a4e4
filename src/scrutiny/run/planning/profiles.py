"""Audit profiles: which diagnostics run by default."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from scrutiny.core.errors import UnknownNameError
from scrutiny.core.plan import MeasurePlan
from scrutiny.core.registry import OWN, Entry


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile: the diagnostics of an audit.

    Parameters
    ----------
    says
        Purpose, in one line.
    diagnostics
        Names without versions; empty for every diagnostic that applies. Those of installed plug-ins
        run in any profile.
    draws
        Most random draws of each change; `None`: as many as a diagnostic asks for in audits.
    """

    says: str
    diagnostics: frozenset[str] = frozenset()
    draws: int | None = None

    def has(self, entry: Entry) -> bool:
        """Whether it includes a diagnostic."""
        short = entry.registration.name.partition("@")[0]
        return not self.diagnostics or entry.origin != OWN or short in self.diagnostics

    def limited(self, measure: MeasurePlan) -> MeasurePlan:
        """Measurement with no more draws of each change than the profile takes."""
        if self.draws is None or measure.params.get("draws", 0) <= self.draws:
            return measure
        return replace(measure, params={**measure.params, "draws": self.draws})


#: The usual one.
SHIP: Final = "ship"
STUDY: Final = "study"
#: Of an audit without data.
LANGUAGE: Final = "language"
PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        SHIP: Profile(
            "whether a classifier or tagger can be shipped: its score, by class, too, its "
            "confidence, doubtful labels, leakage, attacks, changes that should not matter, and "
            "agreement with a reference",
            frozenset(
                {
                    "attack",
                    "calibration",
                    "classes",
                    "labels",
                    "leakage",
                    "performance",
                    "repeats",
                    "robustness",
                    "similarity.outputs",
                    "suites",
                }
            ),
            draws=1,
        ),
        LANGUAGE: Profile(
            "which stereotypes and associations a language model has, on English sentences that "
            "ship with scrutiny: what an audit without data asks",
            frozenset({"association.seat", "stereotypes.pairs"}),
        ),
        STUDY: Profile("every diagnostic that applies, those that look inside the model, too"),
    }
)


def profile_of(name: str) -> Profile:
    """Profile by name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if name not in PROFILES:
        raise UnknownNameError("profile", name, PROFILES)
    return PROFILES[name]
