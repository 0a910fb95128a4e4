"""Which languages each transformation and attack knows, and that it leaves the others alone."""

import pytest

from scrutiny.core.example import Example
from scrutiny.core.languages import CASED, IN_LATIN, SPACED_WORDS, speaks
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.apply import perturb

TEXTS = {
    "en": "He is not the best actor, but I love the 3 films that he made.",
    "de": "Der Film ist nicht gut, aber die Schauspieler waren in Rom sehr gut.",
    "fr": "Le film n'est pas mal, et les acteurs sont bons.",
    "ru": "Этот фильм совсем не плохой, актёры хорошие.",
    "ko": "이 영화는 별로 좋지 않다.",
    "zh": "这部电影不好，但是演员很好。",
    "ja": "この映画は良くないです。",
    "und": "12 34 :)",
}
#: Judged one by one: what each knows, English where it is not listed.
KNOWS = {
    "any": "concatenate delete_word punctuation same_mention same_number same_word "
    "vector_neighbors",
    "spaced": "asked_word_slip delete_letter "
    "hidden_reorder insert_letter invisible_character middle_swap "
    "split_word substitute_letter swap_letters typos",
    "Latin": "homoglyph ocr",
    "cased": "word_case",
    "QWERTY": "keyboard neighbor_key",
    "zh": "abbreviation chinese_number chinese_synonym homophone look_alike name_part "
    "reduplication verb_one_verb",
    "en, zh": "empty_prefix masked_insert masked_replace shown_replace",
}
LEFT_ALONE = {
    "any": (),
    "spaced": ("zh", "ja", "und"),
    "Latin": ("ru", "ko", "zh", "ja", "und"),
    "cased": ("ko", "zh", "ja", "und"),
    "QWERTY": ("de", "fr", "ru", "ko", "zh", "ja", "und"),
    "zh": ("en", "de", "fr", "ru", "ko", "ja", "und"),
    "en, zh": ("de", "fr", "ru", "ko", "ja", "und"),
    "en": ("de", "fr", "ru", "ko", "zh", "ja", "und"),
}
JUDGED = {f"{name}@1": kind for kind, names in KNOWS.items() for name in names.split()}
NAMES = registry().names("transformation")


@pytest.mark.parametrize("name", NAMES)
def test_every_transformation_is_judged(name):
    languages = registry().load("transformation", name).languages
    alone = [code for code in TEXTS if not speaks(languages, code)]
    kind = JUDGED.get(name, "en")
    wanted = [code for code in TEXTS if code in LEFT_ALONE[kind]]
    assert alone == wanted, (
        f"{name} declares other languages than those of {kind!r}: put it in the line of KNOWS "
        f"that says what it knows, or mend its `languages`"
    )


@pytest.mark.parametrize("name", NAMES)
def test_texts_in_languages_that_it_does_not_know_are_left_alone(name):
    languages = registry().load("transformation", name).languages
    for code, text in TEXTS.items():
        if not speaks(languages, code):
            variant = perturb(Example("1", {"text": text}, "x", language=code), name, seed=0)
            assert (variant.status, variant.reason, variant.edits) == ("skipped", "language", ())


@pytest.mark.parametrize(
    ("recipe", "codes"),
    [
        ("typos", ("en", "de", "fr", "ru")),
        ("ocr", ("en", "de", "fr")),
        ("word_case", ("en", "de", "fr", "ru")),
        ("punctuation", ("en", "de", "ru", "ko", "zh", "ja")),
        ("delete_word", ("en", "de", "ru", "ko", "zh")),
    ],
)
def test_texts_in_the_others_are_changed(recipe, codes):
    for code in codes:
        variant = perturb(Example("1", {"text": TEXTS[code]}, language=code), recipe, seed=0)
        assert variant.status == "ok", code


def test_ranges_are_what_they_say():
    assert IN_LATIN < SPACED_WORDS
    assert CASED < SPACED_WORDS


@pytest.mark.parametrize("name", registry().names("attack"))
def test_attacks_that_change_letters_know_spaced_words_and_others_their_languages(name):
    languages = registry().load("attack", name).languages
    assert speaks(languages, "de") == (name in {"deepwordbug@1", "pruthi@1", "input_reduction@1"})
    assert not speaks(languages, "ja") or name == "input_reduction@1"


def test_a_plain_text_is_english_unless_it_is_clearly_not():
    assert perturb(TEXTS["en"], "tense", seed=0).reason != "language"
    assert perturb("reines", "tense", seed=0).reason == "no_site"  # nobody could tell
    for code in ("de", "ru", "zh"):
        assert perturb(TEXTS[code], "tense", seed=0).reason == "language"
        assert perturb(TEXTS[code], "reverse_negation", seed=0).edits == ()


def test_a_text_of_one_language_in_data_of_another_is_left_alone_by_itself():
    items = [Example(code, {"text": TEXTS[code]}, language=code) for code in ("en", "de")]
    found = [perturb(item, "reverse_negation(plain=false)", seed=0) for item in items]
    assert [v.status for v in found] == ["ok", "skipped"]
