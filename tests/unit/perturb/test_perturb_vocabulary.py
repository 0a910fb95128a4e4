"""Pieces of vocabularies, and the best ways to put words together from them."""

from itertools import product
from time import process_time

import numpy as np
import pytest

from scrutiny.perturb.resources.mask_filler import WordPieces, pieces_of, whole_words
from scrutiny.text.letters import script_of


class Tokenizer:
    """A vocabulary and nothing else."""

    def __init__(self, *pieces, special=("[MASK]",)):
        self._pieces = [*special, *pieces]
        self.all_special_tokens = list(special)

    def __len__(self):
        return len(self._pieces)

    def convert_ids_to_tokens(self, ids):
        return [self._pieces[i] for i in ids]


def spelled(pieces, which):
    return [text for text, use in zip(pieces.texts, which, strict=True) if use]


def test_word_pieces_are_told_by_their_marks():
    tokenizer = Tokenizer("the", "##s", "a", "x", "42", "##7", "é", "好", "##好", "do-it")
    pieces = pieces_of(tokenizer, "latin")
    assert spelled(pieces, pieces.is_start) == ["the", "a", "x"]
    assert spelled(pieces, pieces.is_rest) == ["s"]
    assert [word for word in whole_words(tokenizer) if word] == ["the", "a"]
    assert spelled(pieces_of(tokenizer, "han"), pieces_of(tokenizer, "han").is_start) == ["好"]


@pytest.mark.parametrize("mark", ["Ġ", "▁"])
def test_vocabularies_that_mark_beginnings(mark):
    tokenizer = Tokenizer(f"{mark}the", "the", "s", f"{mark}I", mark, f"{mark}3", "好", f"{mark}好")
    pieces = pieces_of(tokenizer, "latin")
    assert spelled(pieces, pieces.is_start) == ["the", "I"]
    assert spelled(pieces, pieces.is_rest) == ["the", "s"]
    assert [word for word in whole_words(tokenizer) if word] == ["the", "I"]
    han = pieces_of(tokenizer, "han")
    assert spelled(han, han.is_start) == ["好", "好"]


def test_scripts_of_languages():
    assert [script_of(code) for code in ("zh", "zh-TW", "en", "de")] == [
        "han",
        "han",
        *["latin"] * 2,
    ]


def by_all_combinations(scores, pieces, top):
    """Likeliest spellings by looking at every one."""
    options = [
        [i for i in range(scores.shape[1]) if (pieces.is_rest if place else pieces.is_start)[i]]
        for place in range(len(scores))
    ]
    every = [
        (-sum(scores[place, i] for place, i in enumerate(ids)), ids) for ids in product(*options)
    ]
    return [ids for _, ids in sorted(every)[:top]]


@pytest.mark.parametrize("places", [1, 2, 3])
def test_the_best_spellings_are_those_of_all_combinations(places):
    rng = np.random.default_rng(places)
    size = 9
    texts = [chr(ord("a") + i) for i in range(size)]
    pieces = WordPieces(texts, np.arange(size) < 6, np.arange(size) > 2)
    for _ in range(20):
        scores = np.log(rng.dirichlet(np.ones(size), size=places))
        found = pieces.best_spellings(scores, top=size)
        assert [s.ids for s in found] == by_all_combinations(scores, pieces, size)
        totals = [sum(scores[p, i] for p, i in enumerate(s.ids)) for s in found]
        assert np.allclose(totals, [s.log_probability for s in found])
        assert totals == sorted(totals, reverse=True)


def test_equal_spellings_stand_in_the_order_of_their_ids():
    pieces = WordPieces(list("abc"), np.ones(3, dtype=bool), np.ones(3, dtype=bool))
    scores = np.log(np.full((2, 3), 1 / 3))
    assert [s.ids for s in pieces.best_spellings(scores, top=3)] == [(0, 0), (0, 1), (0, 2)]


def test_a_word_of_many_pieces_takes_bounded_time():
    rng = np.random.default_rng(0)
    size = 8000
    pieces = WordPieces(["x"] * size, np.ones(size, dtype=bool), np.ones(size, dtype=bool))
    scores = np.log(rng.dirichlet(np.ones(size), size=8))
    begin = process_time()
    assert len(pieces.best_spellings(scores, top=48)) == 48  # of 48 to the power of 8
    assert process_time() - begin < 2.0


def test_where_no_piece_can_stand_there_is_no_spelling():
    pieces = WordPieces(["a", ""], np.array([True, False]), np.array([False, False]))
    assert pieces.best_spellings(np.zeros((2, 2)), top=3) == []
