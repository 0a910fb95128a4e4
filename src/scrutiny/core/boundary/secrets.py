"""Secrets (keys, passwords): kept out of all output, and read from the environment.

``#api_key=env:MY_KEY`` names a variable of the environment; such an option is written as it stands.
The value of any other option whose name looks like that of a secret is left out.
"""

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from scrutiny.core.errors import ModelError

FROM_ENVIRONMENT: Final = "env:"
HIDDEN: Final = "***"
_WORDS: Final = (
    r"(?:api|access|secret|private|auth)?[_-]?key|(?:\w*[_-])?token|secret|pass(?:word|wd|phrase)?"
    r"|pwd|credentials?|auth|authorization|bearer"
)
_OPTION: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?P<name>(?:[A-Za-z0-9]+[_-])*?(?:{_WORDS})(?:[_-]?\d+)?)="
    rf"(?!{re.escape(HIDDEN)}|{FROM_ENVIRONMENT})(?P<value>[^,\n]+)",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")


def is_secret(name: str) -> bool:
    """Whether an option's name looks like that of a secret.

    Examples
    --------
    >>> [is_secret(name) for name in ("api_key", "HF_TOKEN", "max_tokens", "keyword")]
    [True, True, False, False]
    """
    return _OPTION.fullmatch(f"{name}=x") is not None


def redacted(text: str) -> str:
    """Text without the values of options that look like secrets, and without passwords in URLs.

    Examples
    --------
    >>> redacted("python:./m.py:M#api_key=sk-123,size=3")
    'python:./m.py:M#api_key=***,size=3'
    >>> redacted("python:./m.py:M#api_key=env:MY_KEY")
    'python:./m.py:M#api_key=env:MY_KEY'
    """
    if "=" in text:
        text = _OPTION.sub(rf"\g<name>={HIDDEN}", text)
    return _ADDRESS.sub(HIDDEN, text) if "://" in text else text


def without_secrets(value: Any) -> Any:
    """Plain JSON with every text in it redacted."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {
            name: HIDDEN
            if isinstance(part, str) and is_secret(name) and not part.startswith(FROM_ENVIRONMENT)
            else without_secrets(part)
            for name, part in value.items()
        }
    return [without_secrets(part) for part in value] if isinstance(value, (list, tuple)) else value


def from_environment(options: Mapping[str, str], *, source: str) -> dict[str, str]:
    """Options with their secrets (``env:NAME``) read from the environment.

    Raises
    ------
    ModelError
        If there is no such variable.
    """
    found = {}
    for name, value in options.items():
        if not value.startswith(FROM_ENVIRONMENT):
            found[name] = value
            continue
        variable = value.removeprefix(FROM_ENVIRONMENT)
        if variable not in os.environ:
            raise ModelError(
                f"{redacted(source)!r}: {name}={value} names the variable {variable!r} of the "
                f"environment, which is not set. Set it for this command: export {variable}=..."
            )
        found[name] = os.environ[variable]
    return found
