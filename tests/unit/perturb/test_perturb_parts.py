"""Documents, streams, fences, letters: the small parts under the engine."""

import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.core.randomness import StreamKeys, generator, stream_key
from scrutiny.perturb.engine import changes as streams_module
from scrutiny.perturb.engine.changes import Streams
from scrutiny.perturb.engine.document import TextDocument, covered, document_of, tokens_where
from scrutiny.perturb.engine.edit_gate import Chosen, Fences
from scrutiny.text.letters import same_class
from scrutiny.text.tagger import Tag
from scrutiny.text.tokens import graphemes


class CountingTagger:
    def __init__(self):
        self.asked = []

    def tag_at(self, words, index):
        self.asked.append(index)
        return Tag("NN", "NOUN")


def test_a_document_asks_its_tagger_once_for_each_token():
    tagger = CountingTagger()
    document = document_of("good old film", resources={"tagger": tagger})
    assert [document.tag(1), document.upos(1), document.tag(1)] == ["NN", "NOUN", "NN"]
    assert tagger.asked == [1]


def test_a_document_takes_the_borders_of_the_tokens_layer():
    example = Example("1", {"text": "don't"}, tokens={"text": ((0, 2), (2, 5))})
    assert TextDocument(example).words == ["do", "n't"]
    assert TextDocument(Example("1", {"text": "don't"})).words == ["don't"]


def test_a_document_knows_its_own_field_only():
    example = Example(
        "1",
        {"a": "x y", "b": "z"},
        gold=(Span("a", 0, 1, "G"),),
        spans=(Span("b", 0, 1, "S"),),
        protected=(Span("a", 2, 3),),
    )
    a, b = TextDocument(example, "a"), TextDocument(example, "b")
    assert (a.annotations, b.annotations) == ((Span("a", 0, 1, "G"),), (Span("b", 0, 1, "S"),))
    assert a.is_protected(1, 3)
    assert not a.is_protected(0, 2)
    assert not b.is_protected(0, 1)


@pytest.mark.parametrize(("text", "count"), [("a b.", 2), ("'s ... 42", 2), ("", 0), ("👍 !", 0)])
def test_words_are_tokens_with_letters_or_digits(text, count):
    assert document_of(text).word_count == count


def test_streams_are_those_of_the_kernel_in_any_order():
    streams = Streams()
    for name, item, draw in [
        ("a@1", "i", 0),
        ("b@1", "j", 3),
        ("a@1", "i", 0),
        ("a@1", "é\ud800", 1),
    ]:
        ours = streams.stream(7, "perturb", name=name, item=item, draw=draw)
        ours_drawn = [*ours.random(5).tolist(), int(ours.integers(0, 99)), float(ours.normal())]
        theirs = generator(7, "perturb", name=name, item=item, draw=draw)
        assert ours_drawn == [
            *theirs.random(5).tolist(),
            int(theirs.integers(0, 99)),
            float(theirs.normal()),
        ]


def test_keys_with_a_common_part_are_those_of_the_whole():
    keys = StreamKeys(-3, "control", "x@1")
    for item, draw in [("", 0), ("i1", 12), ("i", 112)]:
        assert keys.key(item, draw) == stream_key(-3, "control", "x@1", item, draw)


def edit(start, end, text="x", **more):
    return Edit("text", start, end, text, **more)


@pytest.mark.parametrize(
    ("start", "end", "overlaps"),
    [
        (0, 3, False),
        (0, 4, True),
        (4, 4, True),
        (3, 3, False),
        (5, 6, False),
        (5, 5, False),
        (9, 9, True),  # where something is inserted already
        (8, 10, True),
        (8, 9, False),
        (9, 11, False),
    ],
)
def test_chosen_edits_are_disjoint(start, end, overlaps):
    chosen = Chosen()
    chosen.add([edit(3, 5), edit(9, 9)])
    assert chosen.overlaps([edit(start, end)]) is overlaps
    assert chosen.add_if_free(edit(start, end)) is not overlaps


def test_candidates_may_not_overlap_themselves():
    assert Chosen().overlaps([edit(0, 3), edit(2, 4)])
    assert not Chosen().overlaps([edit(0, 0), edit(0, 3), edit(3, 4)])


def test_fences_tell_the_first_reason():
    fences = Fences([Span("text", 2, 6, "X")], [Span("text", 8, 9)])
    assert fences.refusal([edit(1, 3)]) == "crosses_span"
    assert fences.refusal([edit(1, 3, spans=(Span("text", 0, 1, "Y"),))]) is None
    assert fences.refusal([edit(8, 9)]) == "protected"
    assert fences.refusal([edit(2, 6, "")]) == "empties_span"
    assert fences.refusal([edit(2, 4, ""), edit(6, 6)]) is None
    fences.add([edit(2, 4, "")])
    assert fences.refusal([edit(4, 6, "")]) == "empties_span"


def test_characters_of_a_class():
    assert same_class("") == ""
    assert "é" not in same_class("é")
    assert set(same_class("Д")) <= set("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ")
    assert graphemes("e\u0301a") == ["e\u0301", "a"]


def test_covered_places_and_the_tokens_on_them():
    spans = (Span("text", 0, 2, "A"), Span("text", 1, 4, "B"))
    document = TextDocument(Example("1", {"text": "ab cd ef"}, spans=spans))
    assert list(covered(document, document.annotations)) == [1, 1, 1, 1, 0, 0, 0, 0]
    assert tokens_where(document, "within") == [0, 1]
    assert tokens_where(document, "around") == [2]
    assert tokens_where(document, "anywhere") == [0, 1, 2]
    assert tokens_where(document_of("a b"), "within") == []


def test_the_state_of_the_one_generator_is_set_from_plain_numbers():
    made = Streams()
    for item, draw in (("i1", 0), ("é\ud800", 3), ("", 1)):
        name = {"name": "typos@1", "item": item, "draw": draw}
        mine = made.stream(7, "perturb", **name)
        theirs = generator(7, "perturb", **name)
        assert mine.random(9).tolist() == theirs.random(9).tolist()
        assert int(mine.integers(1 << 30)) == int(theirs.integers(1 << 30))
    assert all(type(number) is int for number in made._key)


def test_the_words_of_a_key_are_its_halves():
    keys = StreamKeys(3, "perturb", "typos@1")
    low, high = keys.words("i1", 2)
    assert high << 64 | low == stream_key(3, "perturb", "typos@1", "i1", 2)


def test_the_common_part_of_a_name_is_hashed_once(monkeypatch):
    begun = []

    class Counted(StreamKeys):
        def __init__(self, *asked):
            begun.append(asked)
            super().__init__(*asked)

    monkeypatch.setattr(streams_module, "StreamKeys", Counted)
    made = Streams()
    for item in range(5):
        for name in ("typos@1", "keyboard@1"):
            made.stream(0, "perturb", name=name, item=str(item))
    assert begun == [(0, "perturb", "typos@1"), (0, "perturb", "keyboard@1")]
    for seed in range(3 * streams_module._NAMES):
        made.stream(seed, "perturb", name="typos@1", item="0")
    assert len(made._begun) <= streams_module._NAMES
