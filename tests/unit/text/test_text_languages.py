"""Language of texts: by script, by frequent words, and not at all where nothing tells."""

import os
import random
import subprocess
import sys

import pytest

from scrutiny.core.languages import name_of, script_of
from scrutiny.text.language_detection import Main, evidence, main_language, tell
from scrutiny.text.lexicon import table

SENTENCES = {
    "en": "I did not think that this would be so good.",
    "de": "Ich habe nicht gedacht, dass der Film so gut ist.",
    "fr": "Je n'ai pas aimé ce film, mais les acteurs sont très bons.",
    "es": "No me gustó la película, pero los actores son muy buenos.",
    "it": "Non mi è piaciuto il film, ma gli attori sono molto bravi.",
    "pt": "Eu não gostei do filme, mas os atores são muito bons.",
    "nl": "Ik vond de film niet goed, maar de acteurs zijn heel goed.",
    "pl": "Nie podobał mi się ten film, ale aktorzy są bardzo dobrzy.",
    "cs": "Ten film se mi nelíbil, ale herci jsou velmi dobří a byli jsme rádi.",
    "hu": "Nem tetszett a film, de a színészek nagyon jók és ez egy szép este volt.",
    "tr": "Bu filmi hiç beğenmedim ama oyuncular çok iyi ve bir daha görmek için gelirim.",
    "sv": "Jag tyckte inte om filmen, men skådespelarna är mycket bra.",
    "da": "Jeg kunne ikke lide filmen, men skuespillerne er meget gode, og det var af stor værdi.",
    "fi": "En pitänyt elokuvasta, mutta näyttelijät ovat hyvin hyviä ja se on hyvä.",
    "ro": "Nu mi-a plăcut filmul, dar actorii sunt foarte buni și povestea este bună.",
    "vi": "Tôi không thích bộ phim này nhưng các diễn viên rất tốt.",
    "id": "Saya tidak suka film ini karena ceritanya bisa lebih bagus, tetapi saat itu telah usai.",
    "hi-Latn": "yeh film bahut achhi hai aur mujhe kuch nahi chahiye",
    "ru": "Мне не понравился этот фильм, но актёры очень хорошие.",
    "uk": "Мені не сподобався цей фільм, але актори дуже гарні і це є добре.",
    "el": "Δεν μου άρεσε η ταινία.",
    "he": "לא אהבתי את הסרט.",
    "ar": "هذا الفيلم جيد جدا ولم يعجبني الممثل",
    "fa": "این فیلم خیلی خوب نیست اما من آن را دوست دارم",
    "hi": "यह फिल्म बहुत अच्छी है।",
    "th": "หนังเรื่องนี้ไม่ดี",
    "ko": "이 영화는 좋지 않다.",
    "ja": "この映画は良くない。",
    "zh": "这部电影不好。",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_tells_its_language(language):
    assert tell(SENTENCES[language]) == language
    one = evidence(SENTENCES[language])
    assert main_language([one], [SENTENCES[language]]).language == language


@pytest.mark.parametrize(
    "text", ["", "ok", "lol", "42 :)", "🙂🙂", "12/3", "Anna", "http://a.de/b"]
)
def test_nothing_is_told_by_what_says_nothing(text):
    assert tell(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "lol",
        "die hard",  # words of German, and too few
        "la la land",
        "De Niro in Das Boot",
        "42",
        "Привет is Russian for hello and it is what they say there",
        "We ate 寿司 at the Über bar, and it was great",
        "RT @von_der_leyen: so good #die #der http://der.die/das/und/nicht",
    ],
)
def test_a_short_or_mixed_english_text_is_split_off_from_no_english_data(text):
    assert evidence(text).clearly("en") == ""


@pytest.mark.parametrize("language", sorted(set(SENTENCES) - {"en"}))
def test_a_whole_sentence_is_split_off(language):
    assert evidence(SENTENCES[language]).clearly("en") in (language, "")
    if script_of(language) != "Latn":
        assert evidence(SENTENCES[language]).clearly("en") == language


def test_chinese_and_japanese_are_told_apart_and_belong_together():
    assert tell("東京都") == "zh"  # no kana: nobody could tell
    assert evidence("東京都庁前").clearly("ja") == ""
    assert tell("我 love 未来!") == "zh"
    assert tell("I think that 未来 is the word for the future") == "en"


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["good plot", "bad song", "great cast"], "en"),  # no function word at all
        (["a gripping , funny film", "lol u r so funny", "ok"], "en"),
        (["ok", "Das war nicht gut.", "42", "Sie hat es nicht gelesen."], "de"),
        (["今日は天気がいいです。", "東京"], "ja"),
        (["1", "2", ""], "und"),
        (["zzq wvx kqj", "qqz xxw"], "und-Latn"),
        (["ҡҡҡ ҙҙҙ", "ҙҡҙ"], "und-Cyrl"),
    ],
)
def test_most_texts_tell_the_language_of_all(texts, language):
    assert main_language(list(map(evidence, texts)), texts).language == language


def test_short_texts_belong_to_the_rest_where_it_is_of_one_language():
    texts = [SENTENCES["de"]] * 9 + ["ok", "The end", "🙂"]
    found = list(map(evidence, texts))
    main = main_language(found, texts)
    assert (main.language, main.others) == ("de", frozenset())
    assert {main.of(one) for one in found} == {"de"}


def test_a_mixture_has_a_language_for_each_text():
    texts = [SENTENCES["de"], SENTENCES["en"]] * 5 + ["sehr gut", "very good", "🙂"]
    found = list(map(evidence, texts))
    main = main_language(found, texts)
    assert main.others >= {"de", "en"}
    assert [main.of(one) for one in found] == ["de", "en"] * 5 + ["de", "en", "und"]


@pytest.mark.parametrize("code", ["en", "de", "fr", "zh", "und", "und-Latn"])
def test_what_is_told_sooner_is_what_evidence_tells(code):
    words = [word for _, _, own in table("languages") for word in own.split() if word.isascii()]
    drawn, main = random.Random(7), Main(code)
    texts = [" ".join(drawn.sample(words, drawn.randrange(1, 9))) for _ in range(400)]
    texts += [f"{a}, {b} {a.capitalize()}!" for a in SENTENCES.values() for b in SENTENCES.values()]
    texts += ["", "42", "RT @von_der_leyen: so good #die #der http://der.die/das/und/nicht"]
    assert [main.of_text(text) for text in texts] == [main.of(evidence(text)) for text in texts]


def test_a_stray_sentence_is_split_off():
    texts = [SENTENCES["en"]] * 40 + [SENTENCES["fr"], SENTENCES["ru"], "C'est bon"]
    found = list(map(evidence, texts))
    main = main_language(found, texts)
    assert [main.of(one) for one in found[-4:]] == ["en", "fr", "ru", "en"]


def test_only_the_beginning_of_a_long_text_is_looked_at():
    assert evidence(SENTENCES["de"] * 10_000).n_words < 200
    assert tell(SENTENCES["de"] + " " + "x" * 100_000) == "de"


def test_the_same_in_every_process():
    script = (
        "from scrutiny.text.language_detection import evidence; "
        f"print(sorted(evidence({SENTENCES['nl']!r}).scores.items()))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] != ""


def test_the_table_is_of_languages_that_have_names():
    rows = table("languages")
    codes = [code for code, _, _ in rows]
    assert len(set(codes)) == len(codes) > 45
    for code, letters, words in rows:
        assert name_of(code) != code
        assert len(set(words.split())) >= 20, code
        assert all(
            word == word.lower() and len(letter) == 1
            for word in words.split()
            for letter in letters.split()
        ), code
