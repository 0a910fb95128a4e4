import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.tasks.tags import (
    Chunk,
    EntityTag,
    are_tags,
    bio_names,
    chunks,
    has_bare_types,
    repairs,
    spans_of,
    to_bio,
    token_borders,
    types_of,
)


def conlleval_chunks(tags):
    """The rules of conlleval.pl, written out as it has them (start and end of chunk)."""
    found, start = [], None
    previous, kind = "O", ""
    for i, tag in enumerate([*tags, "O"]):
        now, _, this = tag.partition("-")
        ends = (previous, now) in {
            ("B", "B"), ("B", "O"), ("I", "B"), ("I", "O"), ("E", "E"), ("E", "I"), ("E", "O"),
            ("B", "S"), ("I", "S"), ("E", "S"), ("E", "B"),
        } or previous == "S"  # fmt: skip
        ends = ends or (previous != "O" and kind != this)
        starts = now in ("B", "S") or (previous, now) in {
            ("E", "E"), ("E", "I"), ("S", "E"), ("S", "I"), ("O", "E"), ("O", "I"),
        }  # fmt: skip
        starts = starts or (now != "O" and kind != this)
        if start is not None and ends:
            found.append((start, i, kind))
            start = None
        if starts:
            start = i
        previous, kind = now, this
    return found


tag = st.sampled_from(["O", *(f"{p}-{t}" for p in "BIES" for t in ("PER", "LOC"))])


@given(st.lists(tag, max_size=12))
def test_any_tags_are_read_as_conlleval_does(tags):
    assert [tuple(c) for c in chunks(tags)] == conlleval_chunks(tags)


@st.composite
def sentences(draw):
    tokens = draw(st.lists(st.text("ab é字\u00a0", min_size=1, max_size=4), min_size=1, max_size=9))
    spans, place = [], 0
    borders = token_borders(tokens)
    while place < len(tokens):
        length = draw(st.integers(0, 3))
        if length:
            end = min(place + length, len(tokens))
            label = draw(st.sampled_from(["PER", "LOC", "B-x"]))
            spans.append(Span("text", borders[place][0], borders[end - 1][1], label))
            place = end  # the next entity may start right here
        else:
            place += 1
    return tokens, tuple(spans)


@given(sentences())
def test_spans_to_bio_and_back(sentence):
    tokens, spans = sentence
    borders = token_borders(tokens)
    tags = to_bio(borders, spans)
    assert spans_of(tags, borders) == spans
    assert to_bio(borders, tuple(reversed(spans))) == tags
    assert repairs(tags) == 0


@given(st.lists(tag, min_size=1, max_size=12))
def test_bio_of_any_tags_is_stable(tags):
    borders = token_borders(["x"] * len(tags))
    once = to_bio(borders, spans_of(tags, borders))
    assert [tuple(c) for c in chunks(once)] == conlleval_chunks(tags)
    assert to_bio(borders, spans_of(once, borders)) == once


def test_adjacent_entities_survive():
    tags = ["B-LOC", "B-LOC", "I-LOC", "B-PER"]
    assert chunks(tags) == [Chunk(0, 1, "LOC"), Chunk(1, 3, "LOC"), Chunk(3, 4, "PER")]


def test_bioes_and_bilou():
    expected = [Chunk(0, 1, "A"), Chunk(1, 2, "A"), Chunk(2, 5, "A"), Chunk(6, 7, "B")]
    assert chunks(["S-A", "S-A", "B-A", "I-A", "E-A", "O", "S-B"]) == expected
    assert chunks(["U-A", "U-A", "B-A", "I-A", "L-A", "O", "U-B"]) == expected


def test_types_with_hyphens_and_without():
    assert chunks(["B-creative-work", "I-creative-work"]) == [Chunk(0, 2, "creative-work")]
    assert chunks(["B", "I", "O"]) == [Chunk(0, 2, "")]
    assert to_bio([(0, 1), (2, 3)], [Span("text", 0, 3, "")]) == ["B", "I"]


def test_repairs_counts_entities_without_a_beginning():
    assert repairs(["I-A", "I-A", "O", "I-B", "B-A", "I-A"]) == 2
    assert repairs(["B-A", "I-B"]) == 1


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B I O B I I", [(0, 2, ""), (3, 6, "")]),  # marks alone: there is one type
        ("b i o b", [(0, 2, ""), (3, 4, "")]),
        ("B E S O U L", [(0, 2, ""), (2, 3, ""), (4, 5, ""), (5, 6, "")]),
        ("b-per i-per o b-loc", [(0, 2, "per"), (3, 4, "loc")]),
        ("B_PER I_PER O B_LOC", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("PER-B PER-I O LOC-S", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("PER_B PER_E O LOC_U", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("B-GPE M-GPE E-GPE W-PER", [(0, 3, "GPE"), (3, 4, "PER")]),  # BMEWO
        ("PER PER O LOC PER", [(0, 2, "PER"), (3, 4, "LOC"), (4, 5, "PER")]),  # IO
        ("person-actor person-actor O", [(0, 2, "person-actor")]),
        ("e-mail O s-bahn", [(0, 1, "e-mail"), (2, 3, "s-bahn")]),
        ("I-PER E-PER I-PER E-PER", [(0, 2, "PER"), (2, 4, "PER")]),  # IOE2
        ("DET NOUN NOUN PUNCT", [(0, 1, "DET"), (1, 2, "NOUN"), (2, 3, "NOUN"), (3, 4, "PUNCT")]),
        ("DT NN NN .", [(0, 1, "DT"), (1, 2, "NN"), (2, 3, "NN"), (3, 4, ".")]),
        ("B-NN I-NN NN", [(0, 2, "NN"), (2, 3, "NN")]),
    ],
)
def test_every_notation(tags, expected):
    assert [tuple(chunk) for chunk in chunks(tags.split())] == expected


def test_only_types_without_marks_leave_neighbors_open():
    assert has_bare_types(["PER", "O"])
    assert not any(map(has_bare_types, (["B-PER", "O"], ["B", "I"], ["PER_B"], ["NOUN"])))
    assert repairs(["PER", "O"]) == 0
    assert EntityTag.of("PER") == EntityTag("I", "PER", is_bare=True)


def test_sets_of_tags_name_their_types():
    assert types_of(["O", "PER_B", "I-PER", "B-LOC", "[CLS]", "B"]) == ("PER", "LOC")
    assert are_tags(["O", "B", "I"])
    assert are_tags(["o", "b-per", "i-per"])
    assert are_tags(["NOUN", "VERB"])
    assert not are_tags(["O"])
    assert not are_tags(["good", "bad"])
    assert not are_tags(["0", "1"])


@given(st.lists(st.sampled_from(["PER", "LOC", "creative-work"]), unique=True))
def test_bio_names_are_those_that_entities_get(labels):
    names = bio_names(labels)
    assert types_of(names) == tuple(labels)
    spans = [Span("text", 4 * i, 4 * i + 3, label) for i, label in enumerate(labels or [""])]
    borders = token_borders(["a"] * 2 * len(spans))
    assert set(to_bio(borders, spans)) == set(names) - {"O"}


@pytest.mark.parametrize("text", ["", "3", "_", "B-", "X-PER", "O-PER", "o-per"])
def test_what_is_no_tag(text):
    with pytest.raises(DataError, match="is not a tag"):
        chunks([text])


@pytest.mark.parametrize(
    ("spans", "phrase"),
    [
        ([Span("text", 0, 5, "A"), Span("text", 3, 5, "B")], "overlap"),
        ([Span("text", 0, 1, "A")], "inside the token"),
        ([Span("text", 1, 5, "A")], "inside the token"),
        ([Span("text", 2, 3, "A")], "has no token"),
        ([Span("text", 8, 9, "A")], "has no token"),
    ],
)
def test_spans_that_make_no_tags(spans, phrase):
    with pytest.raises(DataError, match=phrase):
        to_bio([(0, 2), (3, 5)], spans)
