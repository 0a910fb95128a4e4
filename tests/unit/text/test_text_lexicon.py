"""The word lists: order, disjointness, and what others rely on."""

from importlib.resources import files
from itertools import combinations

import pytest

from scrutiny.core.errors import UnknownNameError
from scrutiny.text import lexicon
from scrutiny.text.lexicon import (
    REGIONS,
    cities,
    countries,
    first_names,
    frequencies,
    is_stop_word,
    listed,
    misspellings,
    place_region,
    places,
    social_abbreviations,
    zipf,
)
from scrutiny.text.tokens import is_word
from scrutiny.text.wordnet import is_known_word

LISTS = {
    "adverbs": (lambda: listed("adverbs"), 6),
    "opening phrases": (lambda: listed("opening_phrases"), 70),
    "proverbs": (lambda: listed("proverbs"), 90),
    "plain sentences": (lambda: listed("plain_sentences"), 60),
    "female names": (lambda: first_names("female"), 300),
    "male names": (lambda: first_names("male"), 300),
    "last names": (lambda: listed("last_names"), 400),
    "countries": (countries, 250),
    "cities": (cities, 950),
    "organizations": (lambda: listed("organizations"), 150),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_have_no_duplicates_and_no_stray_blanks(name):
    load, least = LISTS[name]
    entries = load()
    assert len(entries) >= least
    assert len(set(entries)) == len(entries)
    assert all(entry == entry.strip() and "  " not in entry for entry in entries)
    assert load() is entries  # kept


def test_every_data_file_is_named_in_the_notice():
    data = files("scrutiny.text").joinpath("data")
    notice = data.joinpath("NOTICE.md").read_text(encoding="utf-8")
    names = [p.name for p in data.iterdir() if p.name != "NOTICE.md"]
    derived = [name for name in names if name.endswith(".xz")]
    assert len(derived) == 5
    assert all(f"`{name}`" in notice for name in derived)
    assert {name.rpartition(".")[2] for name in names} == {"xz", "txt", "tsv"}
    assert sum(len(p.read_bytes()) for p in data.iterdir()) < 3_500_000


def test_names_of_the_two_genders_are_disjoint():
    assert not set(first_names("female")) & set(first_names("male"))
    assert not {"April", "June", "May"} & {*first_names("female"), *first_names("male")}


def test_places_by_region():
    assert sorted(REGIONS) == list(REGIONS)
    assert set(places()) == {p for region in REGIONS for p in places(region)}
    assert "Nairobi" in cities("Africa")
    assert "Kenya" in countries("Africa")
    assert all(len(cities(region)) >= 20 for region in REGIONS)
    assert not any(set(places(a)) & set(places(b)) for a, b in combinations(REGIONS, 2))
    assert place_region("Kyoto") == "Japan"
    assert place_region("kyoto") is None


def test_an_unknown_region_is_named_with_its_neighbors():
    with pytest.raises(UnknownNameError, match="'Europe'"):
        cities("Europ")


def test_frequencies_fall():
    values = list(frequencies().values())
    assert len(values) == 40_000
    assert values == sorted(values, reverse=True)
    assert zipf("The") == zipf("the") == values[0]
    assert zipf("") == zipf("qwxz") == 0.0


def test_misspellings_are_no_words():
    table = misspellings()
    assert len(table) > 7000
    assert all(is_word(right) and right.islower() for right in table)
    assert "difinately" in misspellings()["definitely"]
    assert all(zipf(right) >= 3.3 for right in table)
    wrong = [w for ws in table.values() for w in ws]
    assert not any(" " in w for w in wrong)
    assert not [w for w in wrong if is_known_word(w)]
    assert not {"form", "despatch", "fiend"} & set(wrong)
    assert all(len(ws) <= 12 and list(ws) == sorted(ws) for ws in table.values())
    assert "Definitely" not in misspellings()


def test_social_abbreviations():
    table = social_abbreviations()
    assert len(table) >= 140
    assert table["be right back"] == "brb"
    assert table["you"] == "u"
    assert all(phrase == phrase.lower() != short for phrase, short in table.items())
    with pytest.raises(TypeError):
        table["x"] = "y"


@pytest.mark.parametrize("word", ["the", "THE", "Isn't", "isn’t", "n't", "'s", "yourselves"])
def test_stop_words(word):
    assert is_stop_word(word)


def test_content_words_are_no_stop_words():
    assert not any(map(is_stop_word, ("film", "good", "", "42", "’")))


def test_adverbs_are_neutral():
    loaded = {"fortunately", "sadly", "happily", "badly", "well", "never", "not", "hardly"}
    assert not loaded & set(listed("adverbs"))


def test_table_leaves_comments_out():
    assert all(len(row) == 3 for row in lexicon.table("places"))
    assert not lexicon.table("places")[0][0].startswith("#")
