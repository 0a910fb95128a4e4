"""Secrets (keys, passwords): kept out of all output, and read from the environment.

``#api_key=env:MY_KEY`` names a variable of the environment; such an option is written as it stands.
The value of any other option whose name looks like that of a secret is left out.
"""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from scrutiny.core.errors import ModelError

FROM_ENVIRONMENT: Final = "env:"
HIDDEN: Final = "***"
_WORDS: Final = (
    r"(?:api|access|secret|private|auth)?[_-]?key|(?:\w*[_-])?token|secret|pass(?:word|wd|phrase)?"
    r"|pwd|credentials?|auth|authorization|bearer|cookies?"
)
_OPTION: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?P<name>(?:[A-Za-z0-9]+[_-])*?(?:{_WORDS})(?:[_-]?\d+)?)="
    rf"(?!{re.escape(HIDDEN)}|{FROM_ENVIRONMENT}|-?\d{{1,2}}(?:[,\s]|$))(?P<value>[^,\n]+)",
    re.IGNORECASE,
)
#: What stands behind ``://``: who asks, host, path and query, up to a blank or a quote.
_ADDRESS: Final = re.compile(r"(?<=://)[^\s\"'<>#]+")
#: A colon before the first slash that is no port: a password that holds a slash.
_PASSWORD: Final = re.compile(r"[^/@]*:(?!\d*(?:[/?]|$))")
#: Values of a query that sign it, or stand for a password.
_QUERY: Final = re.compile(
    r"(?<=[?&])(?P<name>[\w.-]*?(?:sig|signature|signed|code|session|sid|ticket|jwt|assertion|hmac"
    rf"|credential|sas|cookie|{_WORDS}))=(?!{re.escape(HIDDEN)})(?P<value>[^&\s#,\"']+)",
    re.IGNORECASE,
)
#: What writes a character otherwise: escapes of JSON, percent signs, entities of HTML.
_ESCAPES: Final = re.compile(r"\\|%[0-9A-Fa-f]{2}|&#?\w{1,8};")
_SHORTEST: Final = 4  # letters of a secret that is looked for in texts
_LONG: Final = 16  # letters of what may be a key, whatever the header is called
_NAMED: Final[Mapping[str, str]] = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SCHEMES: Final = frozenset({"bearer", "basic", "digest", "token", "apikey"})


def is_secret(name: str) -> bool:
    """Whether an option's name looks like that of a secret.

    Examples
    --------
    >>> [is_secret(name) for name in ("api_key", "HF_TOKEN", "max_tokens", "keyword")]
    [True, True, False, False]
    """
    return _OPTION.fullmatch(f"{name}=x") is not None


def redacted(text: str) -> str:
    """Text without the values of options that look like secrets, and without those in URLs.

    Examples
    --------
    >>> redacted("python:./m.py:M#api_key=sk-123,size=3")
    'python:./m.py:M#api_key=***,size=3'
    >>> redacted("python:./m.py:M#api_key=env:MY_KEY")
    'python:./m.py:M#api_key=env:MY_KEY'
    >>> redacted("conll:x.txt#token=0,tag=-1")  # numbers of columns
    'conll:x.txt#token=0,tag=-1'
    >>> redacted("http://KEY@host/v1?sig=abc&page=2"), redacted("https://host/@user")
    ('http://***@host/v1?sig=***&page=2', 'https://host/@user')
    """
    if "://" in text:
        text = _ADDRESS.sub(lambda found: _without_user(found[0]), text)
        text = _QUERY.sub(rf"\g<name>={HIDDEN}", text)
    return _OPTION.sub(rf"\g<name>={HIDDEN}", text) if "=" in text else text


def _user_of(rest: str) -> str:
    """Name and password before the host of an address, as they are written."""
    authority = re.split("[/?]", rest, maxsplit=1)[0]
    if "@" in authority:
        return authority.rpartition("@")[0]
    return rest.rpartition("@")[0] if _PASSWORD.match(rest) else ""


def _without_user(rest: str) -> str:
    user = _user_of(rest)
    return f"{HIDDEN}@{rest[len(user) + 1 :]}" if user else rest


def secrets_in_url(url: str) -> list[str]:
    """Parts of a URL that must not be shown, also as a server may say them back.

    Examples
    --------
    >>> secrets_in_url("http://me:pa%2Fss@host/v1?sig=abcd")
    ['me:pa%2Fss', 'me:pa/ss', 'pa%2Fss', 'pa/ss', 'bWU6cGEvc3M=', 'abcd']
    """
    found = []
    rest = url.partition("://")[2]
    if user := _user_of(rest):
        name, colon, word = user.partition(":")
        plain = unquote(user)
        found += [user, plain, word if colon else name, unquote(word if colon else name)]
        found.append(b64encode((plain if colon else f"{plain}:").encode()).decode())
    found += [part for match in _QUERY.finditer(url) for part in (match["value"],)]
    return list(dict.fromkeys(found))


def secrets_in_header(name: str, value: str) -> list[str]:
    """Parts of a header that must not be shown: by its name, its scheme, or as long as keys are.

    Examples
    --------
    >>> secrets_in_header("Authorization", "Bearer sk-1234"), secrets_in_header("X-Date", "2026-01")
    (['Bearer sk-1234', 'sk-1234'], [])
    """
    first, *_ = parts = [part for part in re.split(r"[\s,;]+", value) if part] or [""]
    own = [part for part in parts if part.lower() not in _SCHEMES]
    if is_secret(name) or first.lower() in _SCHEMES:
        within = [part.partition("=")[2] for part in own if "=" in part]  # a cookie's value
        return list(dict.fromkeys(filter(None, [value, *own, *within])))
    return [part for part in own if len(part) >= _LONG]


def hide(text: str, secrets: Iterable[str]) -> str:
    r"""Text in which none of these secrets stands, as it is or as JSON, URLs and HTML write it.

    Examples
    --------
    >>> hide(r"ab+cd/ef ab\u002Bcd\/ef ab%2Bcd%2fef", ["ab+cd/ef"])
    '*** *** ***'
    """
    is_escaped = _ESCAPES.search(text) is not None
    for secret in sorted({one for one in secrets if len(one) >= _SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
        if is_escaped:
            text = _escaped(secret).sub(HIDDEN, text)
    return text


@lru_cache(maxsize=64)
def _escaped(secret: str) -> re.Pattern[str]:
    """Pattern of a text in which any character may be escaped."""
    return re.compile("".join(map(_any_form, secret)))


def _any_form(char: str) -> str:
    """Pattern of a character as it is, and as it is escaped in JSON (also twice), URLs and HTML."""
    own = re.escape(char)
    units = char.encode("utf-16-be", "surrogatepass").hex()
    in_json = "".join(rf"\\{{1,4}}u(?i:{units[i : i + 4]})" for i in range(0, len(units), 4))
    in_url = "".join(f"%(?i:{byte:02x})" for byte in char.encode("utf-8", "surrogatepass"))
    named = "|".join(f"&{name};" for name, sign in _NAMED.items() if sign == char)
    in_html = f"&#0*{ord(char)};|&#[xX]0*(?i:{ord(char):x});" + (f"|{named}" if named else "")
    return rf"(?:{own}|\\{{1,4}}{own}|{in_json}|{in_url}|{in_html})"


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
