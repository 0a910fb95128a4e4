"""Chinese characters that sound or look alike."""

import numpy as np
import pytest

from scrutiny.core.errors import MissingExtraError
from scrutiny.core.example import Example
from scrutiny.perturb.characters.chinese import (
    FUNCTION_WORDS,
    Homophone,
    LookAlike,
    common_characters,
    homophones,
    look_alikes,
)
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.resources.capabilities import PinyinReader
from scrutiny.perturb.resources.loading import RESOURCES, load_resource
from scrutiny.text.edits import apply_to_text

SOUNDS = {
    "再": "zai4", "在": "zai4", "载": "zai3", "灾": "zai1",
    "他": "ta1", "她": "ta1", "它": "ta1", "塔": "ta3",
}  # fmt: skip


class Reader:
    """Readings of a few characters."""

    def readings(self, char):
        return (SOUNDS[char],) if char in SOUNDS else ()


def proposals(transformation, example, site=0, reader=None):
    document = TextDocument(example, resources={"pinyin": reader or Reader()})
    place = transformation.sites(document)[site]
    found = transformation.candidates(document, place, np.random.default_rng(0))
    return [apply_to_text(example.text, edits) for edits in found]


def chinese(text, **layers):
    return Example("1", {"text": text}, language="zh", **layers)


def test_common_characters_are_those_of_the_standard():
    common = common_characters()
    assert len(set(common)) == len(common) == 3755
    assert all(char in common for char in "我的人中国")
    assert "龘" not in common


def test_homophones_have_the_same_sound_with_or_without_its_tone():
    assert isinstance(Reader(), PinyinReader)
    reader = Reader()
    assert set(homophones("再", reader, with_tone=True)) == {"在"}
    assert set(homophones("再", reader, with_tone=False)) == {"在", "载", "灾"}
    assert homophones("龘", reader, with_tone=True) == ""


def test_characters_are_replaced_one_at_a_time():
    found = proposals(Homophone(with_tone=True), chinese("再见"))
    assert found == ["在见"]
    assert set(proposals(Homophone(), chinese("他说"))) == {"她说", "它说", "塔说"}
    assert len(proposals(Homophone(most_alike=2), chinese("他说"))) == 2
    assert proposals(LookAlike(), chinese("周未了"), site=0) == ["周末了"]


def test_words_are_tried_character_by_character():
    example = chinese("他她", tokens={"text": ((0, 2),)})
    found = proposals(Homophone(with_tone=True), example)
    assert set(found) == {"她她", "它她", "他他", "他它"}


def test_look_alikes_are_mutual_and_never_the_same():
    table = look_alikes()
    assert len(table) > 400
    for char, others in table.items():
        assert char not in others
        assert all(char in table[other] for other in others)
        assert all(len(c) == 1 and "\u4e00" <= c <= "\u9fff" for c in others)


def test_other_languages_are_left_alone():
    english = Example("1", {"text": "未 is a character"})
    assert perturb(english, "look_alike", seed=0).reason == "language"
    assert perturb(chinese("未来"), "look_alike", seed=0).status == "ok"


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    assert RESOURCES["pinyin"].extra == "zh"
    monkeypatch.setattr("scrutiny.perturb.resources.loading.find_spec", lambda name: None)
    load_resource.cache_clear()
    with pytest.raises(MissingExtraError, match=r"scrutiny\[zh\]"):
        load_resource("pinyin")


def test_real_readings_where_they_are_installed():
    pytest.importorskip("pypinyin")
    load_resource.cache_clear()
    reader = load_resource("pinyin")
    assert reader.readings("好")[0] == "hao3"
    assert reader.readings("x") == ()
    assert "在" in homophones("再", reader, with_tone=True)


def test_function_words_are_a_set_of_their_own():
    assert {"的", "了", "我们"} <= FUNCTION_WORDS
    assert not {"好", "坏"} & FUNCTION_WORDS
