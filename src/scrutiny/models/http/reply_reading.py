"""Reading of replies: JSON of any shape becomes texts, numbers and counts, or is refused by name.

A server may send anything. What is read here is looked at first: nothing is taken for what it is
not, and whatever does not fit is a `BadReply`, never another error.
"""

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

_SHOWN: Final = 200
_MARK: Final = "\ufeff"  # byte order mark
#: Most tokens that one reply can be about: beyond it a count is a mistake.
_MOST_TOKENS: Final = 10**9
_FARTHEST: Final = 1e6  # a log-probability from 0: those beyond are as unlikely
#: Names that interfaces give to the tokens that were read and written.
_TOLD: Final = (
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("prompt_eval_count", "eval_count"),  # Ollama
    ("tokens_evaluated", "tokens_predicted"),  # llama.cpp
)


class BadReply(Exception):
    """A reply is not what its interface says; asked again, another may come."""


def parsed(raw: bytes, charset: str | None = None) -> Any:
    r"""JSON of a reply, in the encoding that it states or that JSON shows.

    Raises
    ------
    BadReply
        If it is none, or if lists stand within lists too deep to read.

    Examples
    --------
    >>> parsed(b'\\xef\\xbb\\xbf{"label": "good"}')
    {'label': 'good'}
    """
    try:
        return json.loads(written(raw, charset).removeprefix(_MARK))
    except RecursionError:
        raise BadReply("its JSON holds values within values, too deep to read") from None
    except ValueError as error:
        raise BadReply(f"it is no JSON ({error})") from None


def written(raw: bytes, charset: str | None = None) -> str:
    """Text of a reply; what does not fit its encoding is replaced."""
    with suppress(LookupError, ValueError):
        return raw.decode(charset or json.detect_encoding(raw), "replace")
    return raw.decode("utf-8", "replace")


def at(data: Any, path: str) -> Any:
    """Part of JSON at a path of members and places: ``data.0.label``; all of it if empty.

    Raises
    ------
    BadReply
        If there is no such part.

    Examples
    --------
    >>> at({"data": [{"label": "good"}]}, "data.0.label")
    'good'
    """
    found = data
    for step in path.split(".") if path else []:
        try:
            found = found[int(step)] if isinstance(found, list) else table(found)[step]
        except (KeyError, IndexError, ValueError, BadReply):
            raise BadReply(f"there is no {path!r} in {short(data)}") from None
    return found


def table(value: Any, what: str = "it") -> Mapping[str, Any]:
    """JSON that must be an object."""
    if not isinstance(value, Mapping):
        raise BadReply(f"{what} is {_kind(value)}, no object: {short(value)}")
    return value


def words(value: Any, what: str) -> str:
    """JSON that must be a text; none is an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadReply(f"{what} is {_kind(value)}, no text: {short(value)}")
    return value


def name(value: Any, what: str) -> str:
    """JSON that must be the name of a label: a text or a number."""
    if not isinstance(value, (str, int, float)):
        raise BadReply(f"{what} is {_kind(value)}, no label: {short(value)}")
    return str(value)


def number(value: Any, what: str) -> float:
    """JSON that must be a number; it may be infinite or no number (NaN), as some servers write."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            return float(value)
    raise BadReply(f"{what} is no number: {short(value)}")


def tokens_told(data: Any) -> tuple[int, int]:
    """Tokens read and written that a reply counts, whatever else it holds; 0 where it counts none.

    Raises
    ------
    BadReply
        If a count is none.

    Examples
    --------
    >>> tokens_told({"usage": {"prompt_tokens": 20, "total_tokens": 25}})
    (20, 5)
    """
    if not isinstance(data, Mapping):
        return 0, 0
    usage = data.get("usage")
    held = usage if isinstance(usage, Mapping) else data
    counts = [(_count(held.get(read)), _count(held.get(wrote))) for read, wrote in _TOLD]
    read, wrote = max(counts, key=sum)
    return read, max(wrote, _count(held.get("total_tokens")) - read)


def _count(value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadReply(f"it counts {short(value)} tokens")
    if not 0 <= value <= _MOST_TOKENS:
        raise BadReply(f"it counts {short(value)} tokens, which no request has")
    return int(value)


def scores_of(value: Any, labels: Iterable[str]) -> tuple[float, ...]:
    """Probabilities in the order of the labels: a list, a table, or a list of label and score.

    Raises
    ------
    BadReply
        If they are none, or one is missing.

    Examples
    --------
    >>> scores_of({"good": 0.9, "bad": 0.1}, ("bad", "good"))
    (0.1, 0.9)
    """
    found = value
    if isinstance(found, list) and found and isinstance(found[0], Mapping):
        rows = [table(one, "a score") for one in found]
        found = {name(one.get("label"), "the name of a score"): one.get("score") for one in rows}
    if isinstance(found, Mapping):
        missing = [label for label in labels if label not in found]
        if missing:
            raise BadReply(f"no score for {missing[0]!r} in {short(found)}")
        found = [found[label] for label in labels]
    if not isinstance(found, list):
        raise BadReply(f"the scores are {_kind(found)}, no list of numbers: {short(found)}")
    return tuple(number(one, "a score") for one in found)


def first_tokens(logs: Any) -> dict[str, float]:
    """Log-probabilities of the likely first tokens of a choice, in each form that servers give.

    ``content`` (chats; also completions of llama.cpp) lists the written tokens with the likely
    ones of their places; ``top_logprobs`` and ``tokens`` are those of completions.
    """
    if logs is None:
        return {}
    held = table(logs, "logprobs")
    if written_tokens := _list(held, "content"):
        return likely(written_tokens[0])
    if tops := _list(held, "top_logprobs"):
        return likely(tops[0])
    tokens, values = _list(held, "tokens"), _list(held, "token_logprobs")
    return likely([{"token": tokens[0], "logprob": values[0]}]) if tokens and values else {}


def likely(place: Any) -> dict[str, float]:
    """Log-probabilities of the likely tokens of one place.

    Parameters
    ----------
    place
        A table of tokens; a list of objects with ``token`` or ``text``, and ``logprob``; or an
        object whose ``top_logprobs`` are one of these.

    Raises
    ------
    BadReply
        If it is none of them.

    Examples
    --------
    >>> likely([{"text": "good", "logprob": -0.5}, {"text": "bad", "logprob": -1.5}])
    {'good': -0.5, 'bad': -1.5}
    """
    if place is None:
        return {}
    if isinstance(place, Mapping) and not all(
        value is None or isinstance(value, (int, float)) for value in place.values()
    ):
        place = place.get("top_logprobs") or [place]
    if isinstance(place, Mapping):
        pairs = list(place.items())
    elif isinstance(place, list):
        rows = [table(one, "a likely token") for one in place]
        pairs = [(one.get("token", one.get("text")), one.get("logprob")) for one in rows]
    else:
        raise BadReply(f"the likely tokens are {_kind(place)}: {short(place)}")
    found: dict[str, float] = {}
    for token, value in pairs:
        if value is not None:  # minus infinity, which JSON does not have
            own = words(token, "a likely token")
            log = number(value, "a log-probability")
            log = max(-_FARTHEST, min(_FARTHEST, log)) if math.isfinite(log) else log
            found[own] = _together(found.get(own), log)
    return found


def _together(one: float | None, other: float) -> float:
    """Log-probability of either of two tokens that are written alike."""
    if one is None or one == -math.inf:
        return other
    low, high = sorted((one, other))
    return high + math.log1p(math.exp(low - high)) if math.isfinite(high) else high


def _list(held: Mapping[str, Any], member: str) -> list[Any]:
    value = held.get(member)
    if value is not None and not isinstance(value, list):
        raise BadReply(f"{member} is {_kind(value)}, no list: {short(value)}")
    return value or []


def _kind(value: Any) -> str:
    """Kind of a piece of JSON, in words."""
    kinds = {Mapping: "an object", list: "a list", str: "a text", bool: "true or false"}
    kinds |= {int: "a number", float: "a number"}
    return next((told for kind, told in kinds.items() if isinstance(value, kind)), "nothing")


def short(value: Any) -> str:
    """Beginning of JSON."""
    try:
        told = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "values within values"
    return told if len(told) <= _SHOWN else told[: _SHOWN - 1] + "…"
