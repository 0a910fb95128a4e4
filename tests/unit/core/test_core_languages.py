"""Codes of languages: read, named, and what supports them."""

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.languages import (
    CASED,
    IN_LATIN,
    SPACED_WORDS,
    both,
    code_of,
    counted,
    in_words,
    left_out,
    must_know,
    name_of,
    script_of,
    speaks,
    speaks_any,
)


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("pt_br", "pt-BR"),
        ("zh-hans-cn", "zh-Hans-CN"),
        ("german", "de"),
        ("Chinese", "zh"),
        ("deu", "de"),
        ("cmn", "zh"),
        (" en ", "en"),
        ("yue", "yue"),
        ("klingon", ""),
        ("", ""),
        ("e", ""),
        ("de!", ""),
    ],
)
def test_a_language_is_stated_by_code_or_name(stated, code):
    assert code_of(stated) == code


def test_every_script_has_its_languages():
    found = {
        code: script_of(code) for code in ("en", "ru", "el", "ja", "zh", "ko", "th", "sr-Latn")
    }
    assert found == {
        "en": "Latn",
        "ru": "Cyrl",
        "el": "Grek",
        "ja": "Jpan",
        "zh": "Hani",
        "ko": "Hang",
        "th": "Thai",
        "sr-Latn": "Latn",
    }
    assert [script_of(code) for code in ("und", "und-Cyrl")] == ["", "Cyrl"]


@pytest.mark.parametrize(
    ("languages", "spoken", "not_spoken"),
    [
        (frozenset({"*"}), ("de", "und", "ja"), ()),
        (frozenset({"en"}), ("en", "en-GB"), ("de", "und", "und-Latn", "eng")),
        (frozenset({"pt-BR"}), ("pt-BR",), ("pt", "pt-PT")),
        (IN_LATIN, ("de", "vi", "hi-Latn", "und-Latn"), ("ru", "hi", "zh", "und")),
        (SPACED_WORDS, ("de", "ru", "ar", "hi", "ko"), ("zh", "ja", "th", "zh-Hans", "und")),
        (CASED, ("de", "ru", "el", "hy"), ("ar", "hi", "ko", "ja", "ka")),
    ],
)
def test_what_supports_a_language(languages, spoken, not_spoken):
    assert [code for code in (*spoken, *not_spoken) if speaks(languages, code)] == list(spoken)


def test_data_of_several_languages_are_known_if_one_is():
    assert speaks_any(frozenset({"en"}), {"de", "en"})
    assert not speaks_any(frozenset({"en"}), {"de", "fr"})
    assert speaks_any(frozenset({"en"}), ())  # nobody says which


def test_steps_support_what_all_of_them_do():
    assert both(SPACED_WORDS, frozenset({"en"})) == {"en"}
    assert both(IN_LATIN, SPACED_WORDS) == IN_LATIN
    assert both(frozenset({"*"}), frozenset({"zh"})) == {"zh"}
    assert both(frozenset({"en"}), frozenset({"zh"})) == frozenset()
    assert both(frozenset({"en-GB"}), frozenset({"en"})) == {"en-GB"}


def test_languages_are_named():
    assert name_of("de") == "German (de)"
    assert name_of("pt-BR") == "Portuguese (pt-BR)"
    assert name_of("xyz") == "xyz"
    assert name_of("und") == "unknown (und)"
    assert in_words({"zh", "en"}) == "English (en), Chinese (zh)"
    assert in_words({"en", *SPACED_WORDS}).startswith("any language with spaces between words, En")
    many = {"en", "de", "fr", "es", "it", "nl", "pl", "sv"}
    assert in_words(many).endswith(" and 2 others")
    assert in_words(many, most=8).endswith("Swedish (sv)")
    assert counted({"en": 1, "de": 1200}) == "German (de): 1,200, English (en): 1"


def test_what_knows_no_language_of_the_data_is_left_out_or_refused():
    (said,) = left_out("attacks", ["PWWS"], {"de"}, data="dev")
    assert said.startswith(
        "1 attack left out of dev, whose texts are in German (de), which it does"
    )
    assert "#language=en" in said
    assert left_out("attacks", [], {"de"}, data="dev") == ()
    with pytest.raises(PlanError, match=r"tense is for texts in English .*'dev' is German .*=en"):
        must_know("tense", frozenset({"en"}), {"de"}, data="dev")
    with pytest.raises(PlanError, match=r"for texts in Chinese \(zh\).*#language=zh"):
        must_know("sounds", frozenset({"zh"}), {"und-Latn"}, data="dev")
    must_know("typos", SPACED_WORDS, {"de", "zh"}, data="dev")
