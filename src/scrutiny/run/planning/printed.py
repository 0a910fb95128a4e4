"""Published numbers: their digits, and whether a value rounds to them."""

from decimal import Decimal, InvalidOperation
from typing import Final

from scrutiny.core.errors import PlanError

#: A value that lies on the border rounds either way; so much more is the float's own error.
_SLACK: Final = Decimal("1e-9")
_MINUS: Final = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-"})


def printed_text(printed: str) -> str:
    """Number that a plan copies from print, with an ordinary minus sign and without spaces.

    Examples
    --------
    >>> printed_text("< .001"), printed_text(f"{chr(0x2212)}.206")
    ('<.001', '-.206')
    """
    return printed.translate(_MINUS).replace(" ", "")


def printed_value(printed: str) -> Decimal:
    """Value of a number that a plan copies from print; for "< .001", the limit.

    Raises
    ------
    PlanError
        If it is no number.
    """
    try:
        found = Decimal(printed_text(printed).removeprefix("<"))
    except InvalidOperation as error:
        raise PlanError(
            f"{printed!r} is no printed number: 92.9, .415, 7.578e-5, < .001."
        ) from error
    if not found.is_finite():
        raise PlanError(f"{printed!r} is no printed number: it has to be finite.")
    return found


def half_unit(printed: str) -> Decimal:
    """Half of the last digit: largest distance of a value that rounds to it.

    Examples
    --------
    >>> half_unit("92.9"), half_unit("7.578e-5")
    (Decimal('0.05'), Decimal('5E-9'))
    """
    return Decimal((0, (5,), int(printed_value(printed).as_tuple().exponent) - 1))


def rounds_to(value: float, printed: str) -> bool:
    """Whether a value equals the one that a plan copies from print, at its digits.

    Examples
    --------
    >>> rounds_to(82.948, "82.9"), rounds_to(82.948, "92.9"), rounds_to(2e-5, "< .001")
    (True, False, True)
    """
    number = printed_value(printed)
    if printed_text(printed).startswith("<"):
        return value < number
    return abs(Decimal(value) - number) <= half_unit(printed) * (1 + _SLACK)


def at_digits(value: float, printed: str) -> str:
    """Value with as many digits as the published number, in its notation.

    Examples
    --------
    >>> at_digits(82.948, "92.9"), at_digits(0.4151, ".415"), at_digits(7.5776e-5, "7.578e-5")
    ('82.9', '.415', '7.578e-5')
    """
    text = printed_text(printed)
    if text.startswith("<"):
        return f"{value:.2g}"
    mantissa, e, _ = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    if e:
        shown, _, exponent = f"{value:.{decimals}e}".partition("e")
        return f"{shown}e{int(exponent)}"
    shown = f"{round(value, decimals) + 0.0:.{decimals}f}"
    is_bare = mantissa.lstrip("+-").startswith(".")
    return shown.replace("0.", ".", 1) if is_bare and abs(float(shown)) < 1 else shown
