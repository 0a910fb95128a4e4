"""Rules such as ``accuracy_drop <= 0.05 where transformation=typos`` as values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.claim import OPERATORS
from scrutiny.core.errors import PlanError

_RULE = re.compile(
    r"^\s*(?P<metric>.+?)?\s*(?P<operator><=|>=|<|>)\s*(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
    r"(?P<percent>\s*%)?\s*(?:where\s+(?P<where>.+))?$"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A comparison of a metric with a limit.

    ``where`` holds what the condition of an estimate must contain, as text.
    """

    metric: str
    operator: str
    limit: float
    where: Mapping[str, str] = field(default_factory=dict)

    def fits(self, metric: str, condition: Mapping[str, object]) -> bool:
        """Whether an estimate of this metric and condition is meant."""
        if metric != self.metric and metric.partition("@")[0] != self.metric:
            return False
        return all(_says(condition.get(name), text) for name, text in self.where.items())


def _says(value: object, text: str) -> bool:
    """Whether a condition's value is what a rule says; versions may be left out."""
    return str(value) == text or str(value).replace("@1", "") == text


def parse_rule(text: str) -> Rule:
    """Rule of its written form.

    Raises
    ------
    PlanError
        If it does not read.

    Examples
    --------
    >>> parse_rule("accuracy_drop <= 5% where transformation=typos")
    Rule(metric='accuracy_drop', operator='<=', limit=0.05, where={'transformation': 'typos'})
    """
    found = _RULE.match(text)
    parts = [] if found is None else _parts(found["where"] or "")
    if found is None or not found["metric"] or not all(name and value for name, value in parts):
        raise PlanError(
            f"The rule {text!r} does not read. It is METRIC OPERATOR LIMIT, for instance "
            "'accuracy_drop <= 0.05' or 'flip_rate < 10% where transformation=typos'; operators "
            f"are {', '.join(OPERATORS)}."
        )
    limit = float(found["limit"]) / (100 if found["percent"] else 1)
    return Rule(found["metric"], found["operator"], limit, dict(parts))


def _parts(text: str) -> list[tuple[str, str]]:
    """Name and value of each ``name=value`` between commas."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return [(name.strip(), value.strip()) for name, _, value in pairs]
