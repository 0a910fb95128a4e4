"""Accepted risks: known losses that do not fail a gate; only new ones do."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError, UnknownNameError

_KEYS: Final = ("risk", "why", "of", "most", "until")


@dataclass(frozen=True, slots=True)
class Accepted:
    """One accepted risk.

    Parameters
    ----------
    risk
        Claim or rule, as the gate prints it.
    why
        Reason for accepting it, which the report prints.
    of
        Model and dataset; empty for any.
    most
        Largest accepted cost; None for any.
    until
        Last day of acceptance; None for no limit.
    """

    risk: str
    why: str
    of: str = ""
    most: float | None = None
    until: date | None = None

    def covers(self, name: str, of: str, cost: float | None, today: date) -> bool:
        """Whether it accepts this risk: same name, not larger, not expired."""
        is_meant = self.is_about(name, of)
        is_small = self.most is None or (cost is not None and abs(cost) <= self.most)
        return is_meant and is_small and (self.until is None or today <= self.until)

    def is_about(self, name: str, of: str) -> bool:
        """Whether it names this risk, in capitals or not."""
        return self.risk.casefold() == name.casefold() and self.of in ("", of)


def read_accepted(path: Path) -> tuple[Accepted, ...]:
    """Accepted risks from a TOML file with tables ``[[accept]]``.

    Raises
    ------
    PlanError
        If it is not there or cannot be read, with the place and what is allowed.
    """
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{str(path)!r} is no TOML: {error}.") from error
    entries = read.get("accept", [])
    if set(read) - {"accept"} or not isinstance(entries, list):
        raise PlanError(f"{str(path)!r} holds tables [[accept]] and nothing else.")
    return tuple(
        _accepted(one, f"{path}: [[accept]] number {k}") for k, one in enumerate(entries, 1)
    )


def not_there(
    accepted: Sequence[Accepted], judged: Sequence[tuple[str, str]]
) -> tuple[Accepted, ...]:
    """Accepted risks that the run does not have: outdated, or mistyped."""
    return tuple(a for a in accepted if not any(a.is_about(name, of) for name, of in judged))


def _accepted(given: Any, where: str) -> Accepted:
    if not isinstance(given, dict):
        raise PlanError(f"{where} is no table.")
    for name in given:
        if name not in _KEYS:
            raise PlanError(f"{where}: {UnknownNameError('key', name, _KEYS)}")
    for name in ("risk", "why"):
        if not isinstance(given.get(name), str) or not given[name].strip():
            raise PlanError(
                f"{where} has no {name}: it names the risk, as the gate prints it, and why it is "
                'accepted, as in risk = "typos lowers accuracy by more than 1 point", why = '
                '"inputs are spell-checked".'
            )
    most, until = given.get("most"), given.get("until")
    is_number = isinstance(most, int | float) and not isinstance(most, bool)
    if most is not None and not (is_number and most >= 0):
        raise PlanError(f"{where}: most = {most!r} is no number from 0 on.")
    if until is not None and type(until) is not date:
        raise PlanError(f"{where}: until = {until!r} is no day, as in until = 2027-01-31.")
    if not isinstance(given.get("of", ""), str):
        raise PlanError(f'{where}: of = {given["of"]!r} is no text, as in of = "model on data".')
    return Accepted(**given)
