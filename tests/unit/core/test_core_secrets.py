"""Secrets are known by their names, and by their names alone."""

import json

import pytest

from scrutiny.core.boundary.secrets import (
    from_environment,
    hide,
    is_secret,
    redacted,
    secrets_in_header,
    without_secrets,
)
from scrutiny.core.errors import ModelError

SECRETS = (
    "key api_key apikey API_KEY openai_api_key api-key secret client_secret token hf_token "
    "access_token password passwd pwd db_password credential credentials auth bearer secret_key "
    "passphrase token2 cookie X-Api-Key"
).split()
HARMLESS = (
    "max_tokens tokens tokenizer token_limit keyword keys monkey labels seed size author "
    "passage passes compass input samples secretary n_tokens"
).split()


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_left_out_and_what_follows_is_kept(name: str) -> None:
    assert is_secret(name)
    text = f"python:m:M#size=1,{name}=sk-1/2+3==,labels=a|b"
    assert redacted(text) == f"python:m:M#size=1,{name}=***,labels=a|b"
    assert redacted(redacted(text)) == redacted(text)
    assert redacted(f"--model python:m:M#{name}=a b") == f"--model python:m:M#{name}=***"


@pytest.mark.parametrize("name", HARMLESS)
def test_other_options_are_kept(name: str) -> None:
    assert not is_secret(name)
    assert redacted(f"python:m:M#{name}=7") == f"python:m:M#{name}=7"


def test_an_option_from_the_environment_is_written_as_it_stands() -> None:
    assert redacted("python:m:M#key=env:MY_KEY") == "python:m:M#key=env:MY_KEY"


def test_passwords_of_addresses_are_left_out() -> None:
    address = "python:m:M#url=https://me:hunter2@host.example/v1"
    assert redacted(address) == "python:m:M#url=https://***@host.example/v1"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://KEY1234@host/v1", "http://***@host/v1"),
        ("http://:KEY1234@host/v1", "http://***@host/v1"),
        ("http://me:KEY1234@host:80/v1#a=1", "http://***@host:80/v1#a=1"),
        ("http://me:p/a@KEY1234@host/v1", "http://***@host/v1"),
        ("http://host/v1?sig=KEY1234&page=2", "http://host/v1?sig=***&page=2"),
        (
            "http://host/v1?page=2&X-Amz-Signature=KEY1234",
            "http://host/v1?page=2&X-Amz-Signature=***",
        ),
        ("http://host/v1?code=KEY1234", "http://host/v1?code=***"),
        ("http://host:8080/a@b and me@x.example", "http://host:8080/a@b and me@x.example"),
        ("https://host/@name/1", "https://host/@name/1"),
        ("exit code=3, design=1", "exit code=3, design=1"),
    ],
)
def test_what_an_address_holds_is_left_out(url: str, shown: str) -> None:
    assert redacted(url) == shown
    assert redacted(shown) == shown


def test_secrets_are_hidden_as_they_stand_and_as_json_writes_them() -> None:
    odd = 'pa"ss\\word'
    assert hide(f"x {odd} y", [odd]) == "x *** y"
    assert hide(json.dumps({"said": odd}), [odd]) == '{"said": "***"}'
    assert hide("longer-key longer", ["longer", "longer-key"]) == "*** ***"
    assert hide("a short one", ["a", "on"]) == "a short one"


@pytest.mark.parametrize(
    "written",
    [
        r"pa\u0022ss\/w\u00F6rd\u002b",
        r"pa\\\"ss\\\/w\\u00f6rd+",
        "pa%22ss%2Fw%C3%B6rd%2b",
        "pa&quot;ss/w&#246;rd&#x2B;",
        "".join(f"\\u{ord(c):04x}" for c in 'pa"ss/w\u00f6rd+'),
    ],
)
def test_a_secret_that_is_escaped_is_hidden(written: str) -> None:
    assert hide(f"key {written} \\n", ['pa"ss/w\u00f6rd+']) == "key *** \\n"


def test_headers_hold_secrets_by_name_scheme_or_length() -> None:
    assert "sess-1" in secrets_in_header("Cookie", "id=sess-1; a=b")
    assert secrets_in_header("X-Whatever", "sk-0123456789abcdef") == ["sk-0123456789abcdef"]
    assert "bWU6cGE=" in secrets_in_header("X-Whatever", "Basic bWU6cGE=")
    assert secrets_in_header("api-version", "2026-11-28") == []


def test_all_texts_of_a_value_are_redacted() -> None:
    value = {"a": ["python:m:M#key=sk-1", 2, None], "params": {"api_key": "1", "token": "env:T"}}
    assert without_secrets(value) == {
        "a": ["python:m:M#key=***", 2, None],
        "params": {"api_key": "***", "token": "env:T"},
    }


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-1")
    found = from_environment({"key": "env:MY_KEY", "size": "3"}, source="python:m:M")
    assert found == {"key": "sk-1", "size": "3"}
    with pytest.raises(ModelError, match="variable 'NOT_SET_HERE' of the environment"):
        from_environment({"key": "env:NOT_SET_HERE"}, source="python:m:M")
