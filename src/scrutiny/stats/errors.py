"""The error of the statistics: an input that the method cannot take."""

from scrutiny.core.errors import UserError


class StatisticsError(UserError, ValueError):
    """An array, a design or an option that the statistic does not allow."""
