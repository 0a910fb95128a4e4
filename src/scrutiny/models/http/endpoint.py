"""Endpoint: where requests go, what they hold, how replies are read, and what may be spent.

Written behind a URL (``http://host/v1#api=chat,model=NAME``) or in a TOML file (``http:FILE.toml``)
whose keys are the same.
"""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.boundary.secrets import (
    hide,
    is_secret,
    redacted,
    secrets_in_header,
    secrets_in_url,
)
from scrutiny.core.errors import ModelError
from scrutiny.models.http.posting import must_be_address, must_be_header, must_be_json
from scrutiny.models.prompting.prompts import read_choices
from scrutiny.models.strings.model_strings import TRAINING, ModelSource

_VERSION: Final = "http@1"
_FROM_ENVIRONMENT: Final = re.compile(r"\benv:([A-Za-z_]\w*)")
#: Paths of the OpenAI-compatible interfaces.
_PATHS: Final = {"chat": "/chat/completions", "completions": "/completions", "own": ""}
#: Members that change how answers are asked for, never what a reply is.
OF_SENDING: Final = frozenset(
    {"timeout", "attempts", "concurrency", "per_minute", "proxy", "certificates", "api_key"}
    | {"most_requests", "most_tokens", "most_cost", "price", "price_in", "price_out", "headers"}
)
#: Members that say how a reply is read.
_OF_READING: Final = frozenset({"read", "choices", "labels"})
#: Members that are no part of what is asked where they are not stated: those that came later.
_ADDED: Final = frozenset({"logprobs"})
_DAY_S: Final = 86_400.0
_ONE_A_DAY: Final = 1 / 1440  # requests in a minute
_LISTS: Final = {"url": "|", "labels": "|", "stop": "|"}


class Endpoint(BaseModel):
    """An endpoint, as its user describes it.

    Parameters
    ----------
    url
        Where requests go; several are used in turn.
    api
        ``chat`` and ``completions`` are the OpenAI-compatible ones; ``own`` sends ``body``.
    model
        Name of the model there.
    headers, api_key
        Sent with each request; ``env:NAME`` in them is read from the environment. A key is sent as
        ``Authorization: Bearer``.
    template, choices, labels, system
        What is asked: a text with the task's fields in braces (``@FILE`` reads it from one), what
        the model is to write for each label (``label=words``), or the labels where they are those
        words, and the system prompt of a chat.
    max_tokens, temperature, seed, stop, extra
        How the model writes, and other members of the request.
    body, batch
        Request of an endpoint of your own, with ``{text}`` (or another field) in its strings; with
        ``batch`` texts in a request, ``{texts}`` is the list of them.
    items, text, label, scores, logprobs
        Where the reply of such an endpoint holds its parts: members and places with points between
        them (``data.0.label``); ``items`` leads to the list of a batch, ``logprobs`` to the likely
        tokens of the first place.
    by
        ``text`` reads the label from what was written, ``logprobs`` takes the probabilities of the
        first token.
    read
        How a label is read from a text (`scrutiny.models.prompting.written_labels`).
    samples
        Replies for each text; their shares are the probabilities.
    timeout, attempts
        Seconds for one request, and how often it is sent at most.
    concurrency, per_minute
        Most requests at one time and in a minute; fewer where the endpoint says that it is busy.
    most_requests, most_tokens, most_cost
        Budgets: a request that could exceed one is not sent, and the command ends.
    price, price_in, price_out
        Money for a request, and for a million tokens read and written.
    proxy, certificates
        URL of a proxy (the environment's otherwise), and a file of trusted certificates.
    revision
        Version of the model there. Where it is stated, answers are kept for later commands too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    url: tuple[str, ...] = Field(min_length=1)
    api: Literal["chat", "completions", "own"] = "own"
    model: str = ""
    headers: dict[str, str] = {}
    api_key: str = ""
    template: str = ""
    choices: dict[str, str] = {}
    labels: tuple[str, ...] = ()
    system: str = ""
    max_tokens: int = Field(16, ge=1)
    temperature: float = Field(0.0, ge=0)
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: dict[str, Any] = {}
    body: Any = None
    batch: int = Field(1, ge=1)
    items: str = ""
    text: str = ""
    label: str = ""
    scores: str = ""
    logprobs: str = ""
    by: Literal["text", "logprobs"] = "text"
    read: str = "start"
    samples: int = Field(1, ge=1, le=100)
    timeout: float = Field(60.0, gt=0, le=_DAY_S)
    attempts: int = Field(5, ge=1, le=20)
    concurrency: int = Field(16, ge=1, le=1024)
    per_minute: float | None = Field(None, ge=_ONE_A_DAY)
    most_requests: int | None = Field(None, ge=1)
    most_tokens: int | None = Field(None, ge=1)
    most_cost: float | None = Field(None, gt=0)
    price: float = Field(0.0, ge=0)
    price_in: float = Field(0.0, ge=0)
    price_out: float = Field(0.0, ge=0)
    proxy: str = ""
    certificates: str = ""
    revision: str = ""

    @field_validator("url", "labels", "stop", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        """One text where a list of one is meant."""
        return (value,) if isinstance(value, str) else value

    @field_validator("url")
    @classmethod
    def _are_urls(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Raise unless each is an address of a web server."""
        for one in value:
            must_be_address(one, schemes=("http", "https"))
        return value

    @field_validator("proxy")
    @classmethod
    def _is_proxy(cls, value: str) -> str:
        """Raise unless it is an address of a proxy, or none."""
        if value:
            must_be_address(value, schemes=("http", "https", "socks5", "socks5h"))
        return value

    @field_validator("extra", "body")
    @classmethod
    def _is_json(cls, value: Any) -> Any:
        """Raise for what JSON cannot hold: dates of TOML, infinite numbers."""
        return must_be_json(value)

    def addresses(self) -> tuple[str, ...]:
        """URLs that requests are sent to."""
        path = _PATHS[self.api]
        return tuple(u if u.endswith(path) else u.rstrip("/") + path for u in self.url)

    def asked_of(self, prompt: Any) -> str:
        """Digest of all that can change a reply; headers are left out, they may hold secrets."""
        left_out = (
            OF_SENDING
            | _OF_READING
            | {"template"}
            | {one for one in _ADDED if not getattr(self, one)}
        )
        own = self.model_dump(mode="json", exclude=set(left_out))
        return digest(_VERSION, canonical_json([own, prompt]))

    def read_as(self) -> str:
        """Digest of how a reply is read."""
        own = self.model_dump(mode="json", include=set(_OF_READING))
        return digest(_VERSION, canonical_json(own))

    def secrets(self) -> tuple[str, ...]:
        """Values that must not be shown or kept: of the key, of headers and of addresses.

        Raises
        ------
        ModelError
            If a variable is not set.
        """
        every = [*self.headers.values(), self.api_key]
        named = [name for value in every for name in _FROM_ENVIRONMENT.findall(value)]
        literal = [
            part
            for name, value in {**self.headers, "api_key": self.api_key}.items()
            if value and not _FROM_ENVIRONMENT.search(value)
            for part in secrets_in_header(name, value)
        ]
        urls = [part for url in (*self.url, self.proxy) for part in secrets_in_url(url)]
        return tuple(filter(None, [*literal, *(_variable(name) for name in named), *urls]))

    def sent_headers(self) -> dict[str, str]:
        """Headers of each request, with variables of the environment filled in.

        Raises
        ------
        ModelError
            If a variable is not set, or a header holds what no header can.
        """
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        sent = {
            name: _FROM_ENVIRONMENT.sub(lambda match: _variable(match[1]), value)
            for name, value in {**key, **self.headers}.items()
        }
        for name, value in sent.items():
            must_be_header(name, value)
        return sent

    def without_secrets(self, text: str) -> str:
        """Text in which no secret of this endpoint stands."""
        return redacted(hide(text, self.secrets()))


def _variable(name: str) -> str:
    """Value of a variable of the environment."""
    if name not in os.environ:
        raise ModelError(
            f"An endpoint takes a secret from the variable {name!r} of the environment, which is "
            f"not set. Set it for this command: export {name}=..."
        )
    return os.environ[name]


#: What the reader of options says, in the words of practitioners.
_PLAIN: Final = {
    "Field required": "it is missing",
    "Input should be": "it should be",
    "a valid tuple": "a text or a list of texts",
    "a valid dictionary": "a table, such as { name = 1 }",
    "a valid string": "a text",
    "a valid integer, unable to parse string as an integer": "a whole number",
    "a valid integer": "a whole number",
    "a valid number, unable to parse string as a number": "a number",
    "a valid number": "a number",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "more than",
}


def read_endpoint(source: ModelSource) -> Endpoint:
    """Endpoint of a model string.

    Raises
    ------
    ModelError
        If a file or an option cannot be read.
    """
    options: dict[str, Any] = {k: v for k, v in source.options.items() if k != TRAINING}
    stated = {
        name: value.split(_LISTS[name]) if name in _LISTS else value
        for name, value in options.items()
    }
    if "choices" in options:
        stated["choices"] = dict(read_choices(options["choices"], source=source.text))
    if source.target.startswith("//"):
        found: dict[str, Any] = {"url": source.text.partition("#")[0]}
    else:
        found = _in_file(Path(source.target).expanduser(), source)
    try:
        return Endpoint(**{**found, **stated})
    except ValidationError as error:
        first = error.errors()[0]
        where, what = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        for said, plain in _PLAIN.items():
            what = what.replace(said, plain)
        if first["type"] == "extra_forbidden":
            known = ", ".join(Endpoint.model_fields)
            what = f"there is no such option. There are: {known}"
        raise ModelError(f"{redacted(source.text)!r}: {where}: {what}.") from error


def _in_file(path: Path, source: ModelSource) -> dict[str, Any]:
    """Members of a TOML file; what it names by ``@`` lies beside it."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = (
            "values within values, too deep to read" if isinstance(error, RecursionError) else error
        )
        raise ModelError(
            f"{source.text!r}: {str(path)!r} cannot be read: {why}. Behind http: stands a URL "
            "(http://host/path) or a TOML file that describes the endpoint."
        ) from error
    # Refuse a file that others can read if a secret stands in it.
    headers = found.get("headers")
    written = {**found, **(headers if isinstance(headers, dict) else {})}
    plain = [
        name
        for name, value in written.items()
        if isinstance(value, str) and is_secret(name) and not _FROM_ENVIRONMENT.search(value)
    ]
    mode = stat.S_IMODE(path.stat().st_mode)
    if plain and os.name == "posix" and mode & (stat.S_IRGRP | stat.S_IROTH):
        raise ModelError(
            f"{source.text!r}: the secret {plain[0]} stands in {str(path)!r}, which others on this "
            f"machine can read (mode {mode:o}). Keep it to yourself (chmod 600 {path}), or name a "
            f'variable of the environment instead: {plain[0]} = "env:MY_KEY".'
        )
    template = found.get("template", "")
    if isinstance(template, str) and template.startswith("@"):
        found["template"] = f"@{path.parent / template[1:]}"
    return found
