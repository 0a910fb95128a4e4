"""The answer cache: everything that changes an answer changes its key."""

import json
import sqlite3
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.core.answers.words import Words
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.example import Example, Span
from scrutiny.core.queries.language import Cloze, Continuation, SentencePair
from scrutiny.core.task import Prediction
from scrutiny.run.asking.answer_store import _plain_json, answer_keys, query_keys
from scrutiny.store.database import AnswerCache
from scrutiny.store.stored_forms import as_json, decode, decode_numbers, encode, encode_numbers

BASE = {"fingerprint": "f", "capability": "predict", "label_map": "l", "draw": 0}
EXAMPLE = Example("1", {"text": "a b", "text_pair": "c"}, tokens={"text": ((0, 1), (2, 3))})


def key(example=EXAMPLE, **changed):
    return answer_keys([example], **{**BASE, **changed})[0]


@pytest.mark.parametrize(
    "changed", [{"fingerprint": "g"}, {"capability": "x"}, {"label_map": "m"}, {"draw": 1}]
)
def test_keys_differ_by_who_is_asked_and_for_what(changed):
    assert key(**changed) != key()


@pytest.mark.parametrize(
    "other",
    [
        Example("1", {"text": "a b ", "text_pair": "c"}, tokens=EXAMPLE.tokens),
        Example("1", {"text": "a bc", "text_pair": ""}, tokens=EXAMPLE.tokens),
        Example("1", {"text": "c", "text_pair": "a b"}, tokens=EXAMPLE.tokens),
        Example("1", {"text": "a b", "other": "c"}, tokens=EXAMPLE.tokens),
        Example("1", {"text": "a b"}, tokens=EXAMPLE.tokens),
        Example("1", EXAMPLE.fields, tokens={"text": ((0, 3),)}),
        Example("1", EXAMPLE.fields, tokens={"text": ()}),
        Example("1", EXAMPLE.fields),
        Example("1", EXAMPLE.fields, tokens=EXAMPLE.tokens, language="de"),
    ],
)
def test_keys_differ_by_what_the_model_sees(other):
    assert key(other) != key()


def test_keys_do_not_differ_by_what_the_model_does_not_see():
    other = Example(
        "2",
        dict(EXAMPLE.fields),
        gold="x",
        tokens={"text": ((0, 1), (2, 3))},
        source="f:1",
        attributes={"a_x": 1.0},
    )
    assert key(other) == key()
    assert len(key()) == 16


def test_keys_come_in_the_order_of_the_examples():
    others = [Example(str(i), {"text": str(i)}) for i in range(5)]
    assert answer_keys(others, **BASE) == [key(e) for e in others]


@given(st.lists(st.floats(0, 1, allow_subnormal=True), min_size=1, max_size=5))
def test_probabilities_round_trip_exactly(scores):
    answer = Prediction("é", tuple(scores))
    assert decode(encode(answer)) == answer


@pytest.mark.parametrize(
    "answer",
    [
        Prediction("a"),
        Prediction(()),
        Prediction((Span("text", 0, 3, "PER"), Span("text", 4, 5, ""))),
        Prediction(Text("line\nline")),
        Prediction(Text("scored"), (0.1, 0.9)),
        Prediction(AnyOf((Text("one"), "two", ()))),
        Prediction(Words("text", ((0, 3), (4, 8)), (1, -1), ("nsubj", "root"))),
    ],
)
def test_answers_round_trip(answer):
    found = decode(encode(answer))
    assert found == answer
    assert type(found.answer) is type(answer.answer)


def test_what_is_put_is_there_after_reopening(tmp_path):
    path = tmp_path / "deep" / "answers.sqlite"
    cache = AnswerCache(path)
    cache.put_many({b"a" * 16: b"1", b"b" * 16: b"2"})
    cache.put_many({})
    cache.close()
    again = AnswerCache(path)
    assert again.get_many([b"b" * 16, b"z" * 16]) == {b"b" * 16: b"2"}
    assert again.get_many([]) == {}
    assert again.size()[0] == 2
    again.close()


def test_more_keys_than_sqlite_takes_at_once(tmp_path):
    cache = AnswerCache(tmp_path / "answers.sqlite")
    answers = {n.to_bytes(16, "big"): str(n).encode() for n in range(2500)}
    cache.put_many(answers)
    assert cache.get_many(list(answers)) == answers
    assert cache.clear() == 2500
    assert cache.get_many(list(answers)) == {}
    assert cache.size()[0] == 0
    cache.close()


def test_no_flipped_byte_of_an_answer_passes(tmp_path):
    path, key, value = tmp_path / "answers.sqlite", b"k" * 16, encode(Prediction("a", (0.1, 0.9)))
    cache = AnswerCache(path)
    cache.put_many({key: value})
    with sqlite3.connect(path) as other:
        (kept,) = other.execute("SELECT value FROM kept").fetchone()
        damaged = [
            kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1 :]
            for place in range(len(kept))
        ]
        for one in [*damaged, kept[:3], b"", "text"]:
            other.execute("UPDATE kept SET value = ?", (one,))
            other.commit()
            assert cache.get_many([key]) == {}
        other.execute("UPDATE kept SET key = ?, value = ?", (b"o" * 16, kept))
        other.commit()
        assert cache.get_many([b"o" * 16]) == {}  # the answer to another question
    cache.close()


# --- queries to language models ---

QUERIES = [
    (Cloze((1, 2), (0,), (5,)),),
    (Cloze((1, 2), (0,), (6,)),),
    (Cloze((1, 2), (0,), (5,), (0, 1)),),
    (Cloze((1, 2), (0,), (5,)), Cloze((1, 2), (0,), (5,))),
    (),
    Continuation((1, 2)),
    Continuation((1, 2), 2),
    (1, 2),
    (12,),
    SentencePair("a", "bé"),
    SentencePair("ab", "é"),
    SentencePair("a", "\ud800"),
]


def test_distinct_queries_have_distinct_keys():
    keys = query_keys([*QUERIES, *QUERIES], fingerprint="f", capability="c")
    assert len(set(keys)) == len(QUERIES)
    assert keys[: len(QUERIES)] == keys[len(QUERIES) :]


def test_keys_differ_by_model_and_capability():
    found = [
        query_keys(QUERIES[:1], fingerprint=f, capability=c)[0]
        for f, c in [("f", "c"), ("g", "c"), ("f", "d"), ("fc", "")]
    ]
    assert len(set(found)) == 4


def test_what_is_hashed_is_the_canonical_json():
    for query in QUERIES:
        assert _plain_json(query) == canonical_json(query)


VALUES = st.floats(allow_nan=False, allow_infinity=False)


@given(VALUES | st.lists(VALUES).map(tuple) | st.lists(st.lists(VALUES).map(tuple)).map(tuple))
def test_numbers_come_back_to_the_last_bit(answer):
    assert decode_numbers(encode_numbers(answer)) == answer


def test_an_answer_of_fourteen_clozes_is_small():
    answer = tuple((-float(n),) for n in range(14))
    assert len(encode_numbers(answer)) == 1 + 4 + 14 * 4 + 14 * 8


@given(
    st.none() | st.text(),
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 1)),
)
def test_what_classifiers_say_is_read_from_bytes_and_from_json(label, scores):
    answer = Prediction(label, tuple(scores))
    written = json.dumps(answer, separators=(",", ":"))
    assert as_json(answer) == written
    for data in (encode(answer), written.encode()):
        found = decode(data)
        assert found == answer
        assert list(map(type, found.scores)) == list(map(type, scores))


@pytest.mark.parametrize("count", [1, 255, 256, 1000])
def test_a_label_with_its_probabilities_is_small(count):
    answer = Prediction("é", (1 / 3,) * count)
    assert decode(encode(answer)) == answer
    assert (len(encode(answer)) == 4 + 8 * count) == (count < 256)


def test_halves_of_pairs_and_the_sign_of_zero_round_trip():
    answer = Prediction("\ud83d", (-0.0, 1.0))
    assert str(decode(encode(answer))) == str(answer)


def test_what_is_cut_off_does_not_read():
    for data in (b"c", b"c\x02ab"):
        with pytest.raises((ValueError, IndexError, struct.error)):
            decode(data)


def test_numbers_that_json_lacks_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(Prediction("a", (float("nan"), 1.0)))
