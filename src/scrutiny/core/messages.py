"""Messages: what was said before a prompt, as text fields of an item.

The prompt is the item's first field. Each earlier message is a field of its own behind it, named
after its number and who says it: ``1_system``, ``2_user``, ``3_assistant``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

#: Who says something.
SPEAKERS: Final = ("system", "user", "assistant")
_FIELD: Final = re.compile(r"(\d+)_(system|user|assistant)")


class Message(NamedTuple):
    """What one side says."""

    role: str
    content: str


def message_fields(messages: Sequence[Message]) -> dict[str, str]:
    """Earlier messages as text fields of an item.

    Examples
    --------
    >>> message_fields([Message("system", "Be brief."), Message("user", "Hi")])
    {'1_system': 'Be brief.', '2_user': 'Hi'}
    """
    return {f"{n}_{one.role}": one.content for n, one in enumerate(messages, 1)}


def earlier_messages(fields: Mapping[str, str]) -> list[Message]:
    """Messages before the prompt, in the order of their numbers; none of other items.

    Examples
    --------
    >>> earlier_messages({"prompt": "And now?", "2_user": "Hi", "1_system": "Be brief."})
    [Message(role='system', content='Be brief.'), Message(role='user', content='Hi')]
    """
    found = [(match, text) for name, text in fields.items() if (match := _FIELD.fullmatch(name))]
    return [Message(match[2], text) for match, text in sorted(found, key=lambda p: int(p[0][1]))]


def is_said_by_model(field: str) -> bool:
    """Whether a field holds what the system or the assistant says, which no user writes."""
    match = _FIELD.fullmatch(field)
    return match is not None and match[2] != "user"
