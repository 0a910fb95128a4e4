"""Slice syntax: ``length > 20``, ``not negated``, ``topic = film and question``.

A slice is a predicate on attributes of an item. This module is about its text alone: attributes
and their values are in `scrutiny.data.slices`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.core.errors import PlanError

#: Key that holds a slice, in plans and selectors.
WHERE: Final = "where"
_WORD: Final = re.compile(r"[^\W\d][\w.@-]*")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'(?![\w])')
_OPERATOR: Final = re.compile(r"<=|>=|!=|==?|<|>")
_SHARE: Final = re.compile(
    r"in\s+(?:(?P<end>lowest|highest)\s+(?:(?P<part>half|third|quarter|fifth|tenth)|(?P<share>[\d.]+)\s*%)"
    r"|(?P<middle>middle\s+third)|(?P<low>[\d.]+)\s*%\s*(?:-|to)\s*(?P<high>[\d.]+)\s*%)(?!\w)"
)
#: A value that is read again as it is written without quotation marks.
_PLAIN: Final = re.compile(r"(?!['\"]|and\b)[^\s(),\"=<>!]+(?: (?!and\b)[^\s(),\"=<>!]+)*")
_AND: Final = re.compile(r",|and\b")
_NOT: Final = re.compile(r"not\b")
_RESERVED: Final = frozenset({"and", "not", "in", "or"})
_PARTS: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_HAS: Final = "has"


@dataclass(frozen=True, slots=True)
class Term:
    """Condition on one attribute.

    Parameters
    ----------
    name
        Of the attribute or of a column of the items.
    field
        Text field to restrict to (``length(hypothesis)``); default: all fields.
    operator
        ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``; empty if the name stands alone, or
        before the words of ``has``.
    value
        Value to compare with, as text; for ``in``, the share that `share_of` reads.
    """

    name: str
    field: str = ""
    operator: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """Written form."""
        if self.name == _HAS:
            return f"{self._named} {_in_quotes(self.value)}"
        value = self.value if self.operator == "in" else _written_value(self.value)
        return " ".join([self._named, self.operator, value]) if self.operator else self._named

    @property
    def _named(self) -> str:
        name = self.name if _WORD.fullmatch(self.name) else _in_quotes(self.name)
        return f"{name}({self.field})" if self.field else name


@dataclass(frozen=True, slots=True)
class Not:
    """Negation: items for which a term is known to be false."""

    of: "Predicate"

    @property
    def text(self) -> str:
        """Written form."""
        is_bare = isinstance(self.of, Term) and self.of.operator in ("", "in")
        return f"not {self.of.text}" if is_bare else f"not ({self.of.text})"


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction: items for which all terms hold."""

    parts: "tuple[Predicate, ...]"

    @property
    def text(self) -> str:
        """Written form."""
        return " and ".join(part.text for part in self.parts)


Predicate = Term | Not | And


def terms_of(predicate: Predicate) -> Iterator[Term]:
    """All terms of a predicate."""
    if isinstance(predicate, Term):
        yield predicate
    elif isinstance(predicate, Not):
        yield from terms_of(predicate.of)
    else:
        for part in predicate.parts:
            yield from terms_of(part)


def truth(predicate: Predicate, says: Callable[[Term], bool | None]) -> bool | None:
    """Truth value of a predicate for an item; ``None`` if unknown.

    Parameters
    ----------
    predicate
        What is asked.
    says
        Whether a term holds; None if the item has no value for it.
    """
    if isinstance(predicate, Term):
        return says(predicate)
    if isinstance(predicate, Not):
        inner = truth(predicate.of, says)
        return None if inner is None else not inner
    found = [truth(part, says) for part in predicate.parts]
    return False if False in found else None if None in found else True


def joined(*texts: str) -> str:
    """Intersection of slices, as text; empty texts are ignored."""
    return canonical(" and ".join(text for text in texts if text))


def complement(text: str) -> str:
    """Slice of the items that are known to be outside a slice.

    Examples
    --------
    >>> complement("negated"), complement("not negated"), complement("length > 20")
    ('not negated', 'negated', 'not (length > 20)')
    """
    whole = parse_predicate(text)
    return whole.of.text if isinstance(whole, Not) else Not(whole).text


def slice_of_values(columns: Mapping[str, str]) -> str:
    """Text of the slice of items with these values in columns; empty without columns.

    Examples
    --------
    >>> slice_of_values({"a_test": "weat 1", "a_kind": "and so on"})
    'a_test = weat 1 and a_kind = "and so on"'
    """
    return And(tuple(Term(name, "", "=", value) for name, value in columns.items())).text


def parted(text: str) -> tuple[dict[str, str], str]:
    """Values of ``name = value`` terms by name, and the rest of the slice.

    Examples
    --------
    >>> parted("transformation=typos, not negated and length > 20")
    ({'transformation': 'typos'}, 'not negated and length > 20')
    """
    if not text.strip():
        return {}, ""
    whole = parse_predicate(text)
    parts = whole.parts if isinstance(whole, And) else (whole,)
    plain = [p for p in parts if isinstance(p, Term) and p.operator == "="]
    rest = tuple(p for p in parts if p not in plain)
    return {p.name: p.value for p in plain}, And(rest).text


def canonical(text: str) -> str:
    """Canonical text of a slice; empty for an empty text.

    Examples
    --------
    >>> canonical("length>20,  not negated"), canonical("topic == 'a film'")
    ('length > 20 and not negated', 'topic = a film')
    """
    return parse_predicate(text).text if text.strip() else ""


def _written_value(value: str) -> str:
    """Value as parsable text, quoted if necessary."""
    return value if _PLAIN.fullmatch(value) else _in_quotes(value)


def _in_quotes(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def share_of(value: str) -> tuple[float, float]:
    """Rank interval of ``in``, as shares from the lowest value (0) to the highest (1).

    Examples
    --------
    >>> share_of("lowest 20%"), share_of("highest half"), share_of("25% to 50%")
    ((0.0, 0.2), (0.5, 1.0), (0.25, 0.5))
    """
    found = _SHARE.fullmatch(f"in {value}")
    if found is None:
        raise _unread(f"in {value}", f"{value!r} is no share")
    if found["middle"]:
        low, high = 1 / 3, 2 / 3
    elif found["end"]:
        share = 1 / _PARTS[found["part"]] if found["part"] else _percent(found["share"], value)
        low, high = (0.0, share) if found["end"] == "lowest" else (1.0 - share, 1.0)
    else:
        low, high = _percent(found["low"], value), _percent(found["high"], value)
    if not 0 <= low < high <= 1:
        raise _unread(f"in {value}", "shares go up, from 0% to 100%")
    return low, high


def _percent(text: str, value: str) -> float:
    try:
        return float(text) / 100
    except ValueError:
        raise _unread(f"in {value}", f"{text!r} is no number") from None


@lru_cache(maxsize=1024)
def parse_predicate(text: str) -> Predicate:
    """Parse a slice.

    Raises
    ------
    PlanError
        If it cannot be read.

    Examples
    --------
    >>> parse_predicate("length(text) in lowest third")
    Term(name='length', field='text', operator='in', value='lowest third')
    """
    reader = _Reader(text)
    found = reader.conjunction()
    if reader.rest:
        raise _unread(text, f"{reader.rest!r} is left over")
    return found


class _Reader:
    """Parser state: a slice's text, and the position in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    @property
    def rest(self) -> str:
        """Unparsed rest of the text."""
        return self._text[self._place :].strip()

    def conjunction(self) -> Predicate:
        """Parse terms between commas or ``and``."""
        parts = [self._term()]
        while self._take(_AND):
            parts.append(self._term())
        flat = [p for part in parts for p in (part.parts if isinstance(part, And) else (part,))]
        distinct = tuple(dict.fromkeys(flat))
        return distinct[0] if len(distinct) == 1 else And(distinct)

    def _term(self) -> Predicate:
        if self._take(_NOT):
            inner = self._term()
            return inner.of if isinstance(inner, Not) else Not(inner)
        if self._is_next("("):
            inner = self.conjunction()
            self._expect(")")
            return inner
        return self._comparison()

    def _comparison(self) -> Term:
        name = self._name()
        field = ""
        if self._is_next("("):
            field = self._name()
            self._expect(")")
        if name == _HAS:
            return Term(name, field, "", self._value())
        share = self._take(_SHARE)
        if share:
            value = " ".join(share.removeprefix("in").split())
            share_of(value)
            return Term(name, field, "in", value)
        operator = self._take(_OPERATOR)
        if not operator:
            return Term(name, field)
        return Term(name, field, "=" if operator == "==" else operator, self._value())

    def _name(self) -> str:
        found = self._take(_QUOTED) or self._take(_WORD)
        if not found or found in _RESERVED:
            before = f" behind {self._text[: self._place].strip()!r}" if self._place else ""
            raise _unread(self._text, f"the name of an attribute is expected{before}")
        return _unquoted(found)

    def _value(self) -> str:
        """Parse a quoted text, or everything up to a comma, ``and`` or the end."""
        quoted = self._take(_QUOTED)
        if quoted:
            return _unquoted(quoted)
        start, depth = self._place, 0
        while self._place < len(self._text):
            rest = self._text[self._place :]
            if depth == 0 and (rest[0] in ",)" or re.match(r"\s+and\s", rest)):
                break
            depth += (rest[0] == "(") - (rest[0] == ")")
            self._place += 1
        value = " ".join(self._text[start : self._place].split())
        if not value:
            raise _unread(self._text, "a value is missing")
        return value

    def _take(self, pattern: re.Pattern[str]) -> str:
        """Consume the match of a pattern at the position; empty if there is none."""
        start = len(self._text) - len(self._text[self._place :].lstrip())
        found = pattern.match(self._text, start)
        if found is None:
            return ""
        self._place = found.end()
        return found[0]

    def _is_next(self, mark: str) -> bool:
        return bool(self._take(re.compile(re.escape(mark))))

    def _expect(self, mark: str) -> None:
        if not self._is_next(mark):
            raise _unread(self._text, f"{mark!r} is missing")


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1]
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] == '"' else text


def _unread(text: str, why: str) -> PlanError:
    return PlanError(
        f"The slice {text!r} cannot be read: {why}. A slice is an attribute (negated), a "
        "comparison (length > 20, topic = film, length in lowest third), `not` before one, or "
        "several with `and` between them; `scrutiny list attributes` prints the attributes."
    )
