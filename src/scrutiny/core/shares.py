"""Shares in words: percent with a space before the sign, and points."""

from typing import Final

_MINUS: Final = "\N{MINUS SIGN}"


def hundred(share: float, decimals: int = 1) -> str:
    """Hundred times a share, with a true minus sign and no negative zero.

    Examples
    --------
    >>> hundred(0.0401), hundred(-0.0001), hundred(0.02, 0), hundred(-0.013)
    ('4.0', '0.0', '2', '−1.3')
    """
    return f"{round(100 * share, decimals) + 0.0:.{decimals}f}".replace("-", _MINUS)


def hundred_at_most(share: float) -> str:
    """Hundred times a share of all, with one decimal; all of it without any.

    Examples
    --------
    >>> hundred_at_most(0.978), hundred_at_most(1.0), hundred_at_most(0.9997)
    ('97.8', '100', '100')
    """
    return hundred(share).replace("100.0", "100")


def percent(share: float) -> str:
    """Share in percent, with one decimal.

    Examples
    --------
    >>> percent(0.00433), percent(0.908), percent(1.0), percent(0.0)
    ('0.4 %', '90.8 %', '100 %', '0.0 %')
    """
    return f"{hundred_at_most(share)} %"


def percent_within(share: float, low: float | None, high: float | None) -> str:
    """Share in percent with its limits in brackets, where it has any.

    Examples
    --------
    >>> percent_within(0.978, 0.97, 0.984), percent_within(0.5, None, None)
    ('97.8 % [97.0, 98.4]', '50.0 %')
    """
    if low is None or high is None:
        return percent(share)
    return f"{percent(share)} [{hundred_at_most(low)}, {hundred_at_most(high)}]"


def whole_percent(share: float) -> str:
    """Share in whole percent: a part of one is not nothing, and nearly all is not all.

    Examples
    --------
    >>> [whole_percent(share) for share in (0.0, 1e-9, 0.414, 0.998, 1.0)]
    ['0 %', '<1 %', '41 %', '99 %', '100 %']
    """
    each = 100 * share
    if 0 < each < 1:
        return "<1 %"
    return f"{int(each) if 99 < each < 100 else round(each)} %"


def points(margin: float) -> str:
    """Difference of shares in points, as it was stated.

    Examples
    --------
    >>> points(0.01), points(0.02), points(0.0)
    ('1 point', '2 points', '0 points')
    """
    return f"{100 * margin:g} point{'' if margin == 0.01 else 's'}"
