"""Labels in what models write: each way of reading, and what it refuses to guess."""

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.queries.remote import Reply
from scrutiny.models.prompting.written_labels import LabelReading, check_reading

WORDS = {"0": " negative", "1": " positive", "2": "very positive"}


def read(way, text, words=WORDS, **more):
    found = LabelReading(way, words).answer(Reply(text, **more))
    if isinstance(found, Failure):
        return found.reason
    assert found.said == text
    return found.answer


@pytest.mark.parametrize(
    ("way", "text", "answer"),
    [
        ("start", "positive", "1"),
        ("start", ' **"Positive"**. It is fun.', "1"),
        ("start", "very positive!", "2"),
        ("start", "Positively awful", "unparsed"),
        ("start", "not positive", "unparsed"),
        ("start", "positive or negative", "unparsed"),
        ("start", "Positive/negative", "unparsed"),
        ("start", "positive, because it is fun", "1"),
        ("start", "The answer is positive", "unparsed"),
        ("only", "Negative.", "0"),
        ("only", "Negative, I think", "unparsed"),
        ("last", "It could be negative, but it is positive.", "1"),
        ("last", "It is very positive.", "2"),
        ("last", "nothing", "unparsed"),
        ("after:Answer:", "Fun. answer: positive. Dull. ANSWER: Negative", "0"),
        ("after:Answer:", "positive", "unparsed"),
        ("json:label", 'Sure: {"label": "Positive", "why": "fun"}', "1"),
        ("json:label", '{"label": "so-so"} then', "unparsed"),
        ("json:label", '{"label": 1}', "unparsed"),
        ("json:label", "{label: positive}", "unparsed"),
        ("start", "  ", "empty"),
        ("start", "I'm sorry, I can't say.", "refused"),
        ("start", "As an AI I hold no opinion", "refused"),
        ("start", "positive, though as an AI I hold no opinion", "1"),
    ],
)
def test_each_way_reads_what_it_says(way, text, answer):
    assert read(way, text) == answer


@pytest.mark.parametrize(
    ("way", "text", "answer"),
    [
        ("start", "positive. The film", "1"),
        ("start", "Well, the film", "cut_off"),
        ("last", "It could be negative, but", "cut_off"),
        ("only", "positive", "cut_off"),
        ("json:label", '{"label": "positive"}, {"', "1"),
        ("json:label", '{"label": "posi', "cut_off"),
    ],
)
def test_a_cut_reply_counts_only_where_its_end_does_not_matter(way, text, answer):
    assert read(way, text, end="length") == answer


def test_scripts_without_spaces_have_no_borders():
    words = {"0": "负面", "1": "正面"}
    assert read("start", "正面的评价", words) == "1"
    assert read("last", "这不是负面而是正面评价", words) == "1"


def test_refusals_of_the_endpoint_come_first():
    assert read("start", "positive", refusal="I will not") == "refused"
    assert read("start", "positive", end="content_filter") == "refused"


def test_messages_show_what_was_written():
    found = LabelReading("start", WORDS).answer(Reply("Hm. " * 200))
    assert found.message.startswith("read=start finds no label in the reply: 'Hm. Hm.")
    assert len(found.message) < 300


@pytest.mark.parametrize("way", ["first", "after:", "json", "start:x", ""])
def test_unknown_ways_are_refused(way):
    with pytest.raises(ModelError, match="There are: start, only, last, after:WORDS"):
        check_reading(way, source="http://x")
