"""Gate rules such as ``drop(accuracy) <= 0.05 where transformation=typos``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.claim import OPERATORS
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import says
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import parted, subtracted

_RULE: Final = re.compile(
    r"^\s*(?P<metric>.*?[^<>=\s])?\s*(?P<operator><=|>=|<|>)\s*(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
    r"(?P<percent>\s*%)?\s*(?:where\s+(?P<where>.+))?$"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Comparison of a metric with a limit, under a condition.

    ``where`` holds what the condition of an estimate must contain, as text, or columns of the
    items; ``slice`` is the rest of what stands behind ``where``: what the items must be. ``minus``
    is the same of what is subtracted, behind ``minus``.
    """

    metric: str
    operator: str
    limit: float
    where: Mapping[str, str] = field(default_factory=dict)
    slice: str = ""
    minus: tuple[Mapping[str, str], str] | None = None

    def fits(self, metric: str, condition: Mapping[str, object]) -> bool:
        """Whether the rule selects an estimate of this metric and condition."""
        if not names_metric(self.metric, metric):
            return False
        return all(
            name in condition and says(condition[name], text) for name, text in self.where.items()
        )


def parse_rule(text: str) -> Rule:
    """Parse a rule.

    Raises
    ------
    PlanError
        If it cannot be read, or its limit is no finite number.

    Examples
    --------
    >>> rule = parse_rule("drop(accuracy) <= 5% where transformation=typos, length > 20")
    >>> rule.metric, rule.operator, rule.limit, dict(rule.where), rule.slice
    ('drop(accuracy)', '<=', 0.05, {'transformation': 'typos'}, 'length > 20')
    """
    found = _RULE.match(text)
    if found is None or not found["metric"]:
        raise PlanError(
            f"The rule {text!r} cannot be read. It is METRIC OPERATOR LIMIT, for instance "
            "'drop(accuracy) <= 0.05' or 'flip_rate < 10% where transformation=typos'; operators "
            f"are {', '.join(OPERATORS)}."
        )
    limit = float(found["limit"]) / (100 if found["percent"] else 1)
    refuse_odd_values(limit, where=f"The limit {found['limit']} of the rule {text!r}")
    where, minus = subtracted(found["where"] or "")
    side = parted(minus) if minus else None
    return Rule(found["metric"], found["operator"], limit, *parted(where), side)
