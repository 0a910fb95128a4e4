"""Languages of items: stated, or found when the data are read."""

import pytest

from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.data.item_languages import with_languages
from scrutiny.data.opening import iter_examples, open_data
from scrutiny.data.summary import summarize

GERMAN = [
    "Der Film ist nicht gut, aber die Schauspieler sind gut.",
    "Ich liebe diesen Film, er ist sehr schön.",
    "ok",
    "👍",
]
ENGLISH = [
    "The film is not good, but the actors are.",
    "I love this one, it is very fine.",
    "lol",
    "Meh",
]
MIXED = {
    "ar": "هذا الفيلم جيد جدا ولم يعجبني الممثل",
    "hi": "यह फिल्म बहुत अच्छी है।",
    "ru": "Этот фильм не плохой.",
    "ko": "이 영화는 좋지 않다.",
    "ja": "この映画は良くない。",
    "zh": "这部电影不好。",
    "fr": "Le film n'est pas mal, c'est l'idée d'un ami.",
    "el": "Ταινία πολύ καλή.",
}


def rows(texts):
    return [{"text": text, "label": "ab"[k % 2]} for k, text in enumerate(texts)]


def languages(data):
    return [example.language for example in data.examples]


def test_german_is_found_and_said():
    data = load_dataset(rows(GERMAN))
    assert languages(data) == ["de"] * 4
    assert data.languages == {"de"}
    assert data.language_note.startswith("The texts are in German (de), as their script and words")
    assert data.language_note in data.notes
    assert data.warnings == ()


def test_english_is_found_and_nothing_is_said():
    data = load_dataset(rows(ENGLISH))
    assert languages(data) == ["en"] * 4
    assert (data.language_note, data.warnings) == ("", ())


def test_several_languages_are_told_item_by_item():
    data = load_dataset(rows(MIXED.values()))
    assert languages(data) == list(MIXED)
    assert "several languages (Arabic (ar): 1, Greek (el): 1" in data.language_note
    assert data.languages == set(MIXED)


def test_of_many_items_in_one_language_the_last_is_told():
    texts = [
        *(ENGLISH[:2] * 1_000),
        MIXED["fr"],
        "Le film et la fin sont bons dans une salle.",
        "lol",
    ]
    assert languages(load_dataset(rows(texts)))[-4:] == ["en", "fr", "fr", "en"]


def test_a_rare_language_is_told_and_is_none_of_the_data():
    data = load_dataset(rows([*(ENGLISH[:2] * 20), MIXED["fr"]]))
    assert data.language_counts == {"en": 40, "fr": 1}
    assert data.languages == {"en"}


@pytest.mark.parametrize("stated", ["en", "EN", "English", "eng"])
def test_what_is_stated_holds(stated):
    data = load_dataset(rows(GERMAN), columns={"language": stated})
    assert languages(data) == ["en"] * 4
    assert data.language_note == ""


def test_a_column_states_it_and_an_empty_cell_is_found():
    own = rows(GERMAN)
    for row, lang in zip(own, ("", "pt_BR", "", None), strict=True):
        row["lang"] = lang
    data = load_dataset(own, columns={"language": "lang"})
    assert languages(data) == ["de", "pt-BR", "de", "de"]


def test_a_cell_that_is_no_language_is_a_bad_row():
    own = rows(ENGLISH)
    for row, lang in zip(own, ("en", "klingon", 3, "de"), strict=True):
        row["lang"] = lang
    data = load_dataset(own, columns={"language": "lang"})
    assert [bad.reason for bad in data.bad_rows] == [
        "language is 'klingon', neither the code of a language (de) nor its name",
        "language is 3, neither the code of a language (de) nor its name",
    ]


@pytest.mark.parametrize(
    ("texts", "code", "said"),
    [
        (["1", "22", ":)"], "und", "The language of the texts could not be told."),
        (["zzq wvx", "qqz xxw"], "und-Latn", "The language of the texts, in Latin letters, could"),
    ],
)
def test_where_nothing_tells_it_is_asked_for_and_the_data_are_read(texts, code, said):
    data = load_dataset(rows(texts))
    assert languages(data) == [code] * len(texts)
    (warning,) = data.warnings
    assert warning.startswith(said)
    assert "#language=en" in warning
    assert warning in summarize(data).notes


def test_a_file_states_what_was_found_in_its_data_string(write):
    write("de.csv", "text,label\n" + "".join(f'"{text}",a\n' for text in GERMAN))
    data = load_dataset("de.csv")
    assert data.data_string == "csv:de.csv#text=text,label=label,language=de"
    again = load_dataset(data.data_string)
    assert (languages(again), again.language_note) == (["de"] * 4, "")
    assert again.fingerprint == data.fingerprint
    write("en.csv", "text,label\nIt is the best film that I have seen.,a\n")
    assert "language" not in load_dataset("en.csv").data_string


def test_both_texts_of_a_pair_count():
    own = [{"premise": "ok", "hypothesis": text, "label": "x"} for text in GERMAN[:2]]
    assert languages(load_dataset(own)) == ["de", "de"]


def test_the_same_in_a_stream_and_no_row_behind_the_limit_is_read():
    many = rows([*GERMAN, *ENGLISH] * 300)
    reading = open_data([*many[:4], {"text": "", "label": "a"}])
    assert [e.language for e in reading.limited(4)] == ["de"] * 4
    assert reading.bad_rows == []
    whole = load_dataset(many)
    assert [e.language for e in iter_examples(many)] == languages(whole)
    assert set(languages(whole)) >= {"de", "en"}


def test_permuted_labels_do_not_change_languages():
    data = load_dataset(rows(MIXED.values()), columns={"permute": "1"})
    assert languages(data) == list(MIXED)


@pytest.mark.parametrize(
    "source",
    "messages reviews pairs entities agreement stereotypes continuations associations".split(),
)
def test_our_own_data_are_english(source):
    assert load_dataset(f"builtin:{source}").language_counts.keys() == {"en"}


@pytest.mark.data("multi30k")
def test_shared_sentences_are_in_their_languages(shared):
    for language in ("de", "en"):
        place = shared / "multi30k" / f"test_2016_flickr.lc.norm.tok.{language}"
        counts = load_dataset(f"text:{place}", limit=500).language_counts
        assert counts == {language: 500}


def test_items_of_a_log_get_theirs():
    made = [Example(str(k), {"text": text}, "x") for k, text in enumerate(GERMAN)]
    found = with_languages(made)
    assert [example.language for example in found] == ["de"] * 4
    assert [example.with_language("en") for example in found] == made
