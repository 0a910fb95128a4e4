"""Audit profiles: which diagnostics run by default."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.core.errors import UnknownNameError
from scrutiny.core.registry import OWN, Entry


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile: the diagnostics of an audit.

    Parameters
    ----------
    says
        What it is for, in one line.
    diagnostics
        Names without versions; nothing for every diagnostic that applies. Those that a plug-in
        brings are asked in any profile: whoever installed it wants them.
    """

    says: str
    diagnostics: frozenset[str] = frozenset()

    def has(self, entry: Entry) -> bool:
        """Whether it includes a diagnostic."""
        short = entry.registration.name.partition("@")[0]
        return not self.diagnostics or entry.origin != OWN or short in self.diagnostics


#: The usual one.
SHIP: Final = "ship"
STUDY: Final = "study"
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
                    "robustness",
                    "similarity.outputs",
                }
            ),
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
