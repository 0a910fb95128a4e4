"""Error of the statistics: input that a method cannot handle."""

from scrutiny.core.errors import UserError


class StatisticsError(UserError, ValueError):
    """Invalid array, design or option for a statistic."""
