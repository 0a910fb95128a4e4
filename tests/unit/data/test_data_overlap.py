import time
import zipfile
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import letters_hash, training_hashes
from scrutiny.data.near_duplicates import find_near
from scrutiny.data.overlap import (
    SHORTEST,
    OverlapPair,
    find_contained,
    overlap,
    overlap_with_hashes,
    window_hashes,
)
from scrutiny.text.letters import letters

LONG = "The second half of the film drags, and nobody in it seems to mind."


def test_kinds():
    a = [
        "A FINE film ...",
        LONG,
        "ant bee cat dog elk fox gnu hen ibis jay kite",
        "something else entirely",
        "123",
    ]
    b = [
        "nothing",
        f"It starts well. {LONG} Then it ends.",
        "ant bee cat dog elk fox gnu hen ibis jay lark",
        "a fine film",
        "a fine film!",
        "123",
    ]
    report = overlap(a, b)
    assert (report.exact, report.contained, report.near) == (1, 1, 1)
    assert report.pairs == (
        OverlapPair(0, 3, "exact", 1.0),
        OverlapPair(1, 1, "contained", 1.0),
        OverlapPair(2, 2, "near", 9 / 11),
    )
    assert (report.n_a, report.n_b, report.n_overlapping, report.share) == (5, 6, 3, 0.6)


def test_near_can_be_left_out_and_tightened():
    a, b = ["a b c d e f"], ["a b c d e g"]
    assert overlap(a, b, near=None).near is None
    assert overlap(a, b, near=0.6).near == 1
    assert overlap(a, b, near=0.7).near == 0
    for near in (0, 1.1, -1):
        with pytest.raises(DataError, match="Jaccard"):
            overlap(a, b, near=near)


@pytest.mark.parametrize(("a", "b"), [([], []), (["x"], []), ([], ["x"]), ([""], [""])])
def test_nothing_overlaps_with_nothing(a, b):
    report = overlap(a, b)
    assert report.pairs == ()
    assert report.share == 0.0


def shingles(text):
    words = text.split()
    return set(pairwise(words)) or set(words)


texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=7).map(" ".join), max_size=12)


@given(texts, texts, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_near_finds_every_pair_that_all_against_all_finds(a, b, least):
    found = find_near(a, b, least=least)
    for i, one in enumerate(a):
        scores = []
        for j, other in enumerate(b):
            x, y = shingles(one), shingles(other)
            if x and y:
                scores.append((-len(x & y) / len(x | y), j))
        best = min(scores, default=(0.0, -1))
        if -best[0] >= least:
            assert found[i][0] == best[1]
            assert found[i][1] == pytest.approx(-best[0])
        else:
            assert i not in found


def test_near_in_chinese_counts_characters():
    assert find_near(["这部电影真的很好看啊"], ["这部电影真的很好看"], least=0.8) == {0: (0, 8 / 9)}


def test_a_negation_or_a_number_tells_texts_apart_unless_nothing_is_to():
    rest = "film that I would see again with all of my friends and with theirs as well"
    a, b = [f"a {rest}"], [f"not a {rest}", f"a three hour {rest}"]
    assert find_near(a, b[:1], least=0.8) == find_near(a, b[1:], least=0.8) == {}
    assert find_near(a, b, least=0.8, decisive=len) == {}
    found = find_near(a, b, least=0.8, decisive=lambda text: None)
    assert found == {0: (0, pytest.approx(16 / 17))}
    assert overlap(a, b).near == 0


def test_near_does_not_depend_on_the_size_of_blocks(monkeypatch):
    a = [f"{'abcdefg'[i % 7]}w {'abcdefg'[i % 5]}v x y z" for i in range(60)]
    b = [f"{'abcdefg'[i % 6]}w {'abcdefg'[i % 4]}v x y z" for i in range(50)]
    whole = find_near(a, b, least=0.5)
    monkeypatch.setattr("scrutiny.data.near_duplicates._CANDIDATES", 10)
    assert find_near(a, b, least=0.5) == whole
    assert len(whole) == 48


@given(st.text("ab", min_size=SHORTEST, max_size=60), st.text("ab", max_size=90), st.integers(0, 9))
def test_containment_agrees_with_in(short, long, place):
    planted = long[:place] + short + long[place:]
    found = find_contained([short, short[:31]], [long, planted])
    assert found == {0: 0 if short in long else 1}


def test_containment_does_not_cross_texts(monkeypatch):
    short = letters(LONG)
    halves = [LONG[:30], LONG[30:]]
    assert find_contained([short], halves) == {}
    monkeypatch.setattr("scrutiny.data.overlap._BLOCK", 5)
    assert find_contained([short], [*halves, "x", LONG]) == {0: 3}


def test_window_hashes_are_of_their_windows():
    text = "abcdefghijklmnopqrstuvwxyz" * 3
    hashes = window_hashes(text)
    assert len(hashes) == len(text) - SHORTEST + 1
    assert hashes[5] == window_hashes(text[5 : 5 + SHORTEST])[0] == hashes[31]
    assert len(set(hashes.tolist())) == 26
    assert len(window_hashes("short")) == 0


def test_against_hashes():
    hashes = training_hashes([f"It starts well. {LONG}", "A fine film."])
    report = overlap_with_hashes(
        ["a FINE film", LONG, f"{LONG} And so on.", "One. Two.", "", "unseen"], hashes
    )
    assert [(p.a, p.b, p.kind) for p in report.pairs] == [
        (0, -1, "exact"),
        (1, -1, "exact"),
        (2, -1, "contained"),
    ]
    assert (report.n_b, report.near) == (len(hashes) - 1, None)
    assert overlap_with_hashes(["a"], training_hashes([])).exact == 0


@pytest.mark.parametrize(
    "hashes",
    [
        np.array([2, 1], dtype=np.uint64),
        np.array([1, 2]),
        np.array([[1]], dtype=np.uint64),
    ],
)
def test_hashes_must_be_sorted_and_unsigned(hashes):
    with pytest.raises(DataError, match="sorted array of uint64"):
        overlap_with_hashes(["a"], hashes)


def test_twenty_thousand_texts_take_seconds():
    """All against all would be 80 million pairs: a minute and more."""
    rng = np.random.default_rng(0)
    words = [f"{a}{b}{c}" for a in "bcdfgh" for b in "aeiou" for c in "klmnprst"]
    made = [" ".join(chosen) for chosen in rng.choice(words, (20_000, 12)).tolist()]
    start = time.process_time()
    report = overlap([f"{text} indeed" for text in made[:4_000]], made)
    assert report.near == 4_000
    assert time.process_time() - start < 6  # 0.7 s where nothing else runs


def corpus(base, name):
    """Documents of a corpus of nltk_data."""
    with zipfile.ZipFile(base / "nltk_data" / "corpora" / f"{name}.zip") as archive:
        names = [n for n in sorted(archive.namelist()) if not n.endswith(("/", "README"))]
        contents = [archive.read(n) for n in names]
    try:
        return [content.decode() for content in contents]
    except UnicodeDecodeError:  # movie_reviews
        return [content.decode("latin-1") for content in contents]


@cache
def corpus_lines(base, name):
    return [line for text in corpus(base, name) for line in text.split("\n") if line.strip()]


@cache
def texts_of(source):
    return [e.text for e in load_dataset(source).examples]


@pytest.fixture
def sst(shared):
    if not (shared / "sst2").is_dir():
        pytest.skip("sst2 is not under SCRUTINY_DATA")
    return [texts_of(f"tsv:{shared}/sst2/{part}.tsv") for part in ("dev", "test")]


@pytest.mark.data("nltk_data")
@pytest.mark.parametrize(
    ("name", "exact"), [("sentence_polarity", (732, 1496)), ("subjectivity", (271, 589))]
)
def test_known_leak(shared, sst, name, exact):
    lines = corpus_lines(shared, name)
    reports = [overlap(texts, lines) for texts in sst]
    assert tuple(report.exact for report in reports) == exact
    assert tuple(report.n_a for report in reports) == (872, 1821)


@pytest.mark.data("nltk_data")
def test_the_leak_is_larger_than_whole_lines(shared, sst):
    # Lines of sentence_polarity hold several sentences: what is no whole line stands inside one.
    lines = corpus_lines(shared, "sentence_polarity")
    assert [overlap(texts, lines, near=None).contained for texts in sst] == [109, 237]
    hashes = training_hashes(lines)
    assert [overlap_with_hashes(texts, hashes).n_overlapping for texts in sst] == [871, 1817]


@pytest.mark.data("nltk_data")
def test_no_leak_in_movie_reviews(shared, sst):
    reviews = corpus(shared, "movie_reviews")
    assert len(reviews) == 2000
    assert overlap([text for texts in sst for text in texts], reviews).pairs == ()


@pytest.mark.parametrize("other", ["9", "11", "\u0661", "\U0001f600"])
def test_texts_that_differ_in_a_number_do_not_overlap(other):
    rest = "out of ten for this place, which I have seen too often by now, as you may well know"
    one, two = f"I would give 1 {rest}.", f"I would give {other} {rest}."
    assert overlap([one], [two]).n_overlapping == 0
    assert overlap([one], [f"{two} And more."]).n_overlapping == 0  # not contained either
    assert overlap([one], [one.upper() + "!"]).exact == 1
    assert overlap_with_hashes([one, two], training_hashes([one])).pairs == ((0, -1, "exact", 1.0),)


def test_hashes_of_earlier_versions_are_of_letters_alone():
    old = np.array([letters_hash("I give it 1 of ten")], dtype=np.uint64)
    assert overlap_with_hashes(["I give it 9 of ten"], old).exact == 1
