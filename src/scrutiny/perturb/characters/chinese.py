"""Chinese characters: those that sound or look alike, their replacement, and function words."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.changes import Candidates, Change, Sites, sites_where
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.lexicon import listed

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import PinyinReader


_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
#: Particles, pronouns, prepositions, conjunctions, auxiliaries and measure words of simplified
#: Chinese, single characters and words; our own selection.
FUNCTION_WORDS: Final = frozenset(listed("chinese_function_words"))


def is_chinese(word: str) -> bool:
    """Whether a token consists of Chinese characters."""
    return _HAN.fullmatch(word) is not None


def has_chinese(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return _HAN.search(text) is not None


@cache
def look_alikes() -> Mapping[str, str]:
    """Chinese characters that look like another one: apart by a stroke, its length, or a part.

    Examples
    --------
    >>> look_alikes()["未"], look_alikes()["晴"]
    ('末', '睛清请情')
    """
    found: dict[str, str] = {}
    for group in listed("chinese_look_alikes"):
        for char in group:
            others = found.get(char, "") + group.replace(char, "")
            found[char] = "".join(dict.fromkeys(others))
    return MappingProxyType({char: others for char, others in found.items() if others})


@cache
def common_characters() -> str:
    """The 3,755 characters of level 1 of GB 2312-80, in its order, which is by sound.

    Examples
    --------
    >>> common_characters()[:3], common_characters()[-1], len(common_characters())
    ('啊阿埃', '座', 3755)
    """
    rows = (bytes((0xB0 + row, 0xA1 + cell)) for row in range(40) for cell in range(94))
    return "".join(pair.decode("gb2312", errors="ignore") for pair in rows)


@lru_cache(maxsize=8)
def _characters_by_sound(reader: Any, *, with_tone: bool) -> dict[str, str]:
    """Common characters by their usual reading, in the order of GB 2312."""
    found: dict[str, str] = {}
    for char in common_characters():
        for reading in reader.readings(char)[:1]:
            sound = reading if with_tone else reading.rstrip("12345")
            found[sound] = found.get(sound, "") + char
    return found


def homophones(char: str, reader: Any, *, with_tone: bool) -> str:
    """Common characters with the same usual reading as a character, without itself."""
    readings = reader.readings(char)
    if not readings:
        return ""
    sound = readings[0] if with_tone else readings[0].rstrip("12345")
    return _characters_by_sound(reader, with_tone=with_tone).get(sound, "").replace(char, "")


class OtherCharacter(Change):
    """Base of changes of one Chinese character; those of a word are tried from left to right."""

    __slots__ = ()

    languages = frozenset({"zh"})
    is_for_search = True
    is_local = True

    @abstractmethod
    def alike(self, document: Document, char: str) -> str:
        """Characters that can stand in place of one, in a fixed order."""

    def sites(self, document: Document) -> Sites:
        """Tokens of Chinese characters."""
        return sites_where(document, is_chinese)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Candidates in a fixed order, without randomness."""
        for place in range(site.start, site.end):
            for other in self.alike(document, document.text[place]):
                yield (Edit(document.field, place, place + 1, other, inside=True),)


@dataclass(frozen=True, slots=True)
class Homophone(OtherCharacter):
    """A Chinese character replaced by a homophone.

    Replaces one character by a common one with the same usual reading.

    Where the text comes in words, each character of the word is tried in its turn.

    Parameters
    ----------
    with_tone
        Whether the tone has to be the same, too. People who type by sound give no tone.
    most_alike
        How many characters are tried for each, in the order of GB 2312.

    **Measures** with a search on top, what slips of typing by sound do to a model.

    **Misleads when** a character has several readings and is not meant in its usual one.

    References
    ----------
    Su et al. (2022). RoCBert: robust Chinese BERT with multimodal contrastive pretraining.
    GB 2312-80 (the common characters).

    Examples
    --------
    >>> Homophone().resources
    ('pinyin',)
    """

    id = "homophone@1"
    title = "homophones"
    resources = ("pinyin",)

    with_tone: bool = False
    most_alike: int = 10

    def alike(self, document: Document, char: str) -> str:
        """Common characters of the same sound, in the order of GB 2312."""
        reader: PinyinReader = find_resource(document.resources, "pinyin")
        return homophones(char, reader, with_tone=self.with_tone)[: self.most_alike]


@dataclass(frozen=True, slots=True)
class LookAlike(OtherCharacter):
    """A Chinese character replaced by a similar-looking one.

    Replaces one character by one that looks similar.

    The table is a small one of our own, of simplified characters; where the text comes in words,
    each character of the word is tried in its turn.

    **Measures** with a search on top, what slips of the eye, of handwriting and of optical readers
    do to a model.

    **Misleads when** few characters of a text are in the table: look at the number of changed
    items.

    References
    ----------
    Su et al. (2022). RoCBert: robust Chinese BERT with multimodal contrastive pretraining.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> [site.start for site in LookAlike().sites(document_of("我 love 未来!", language="zh"))]
    [7]
    """

    id = "look_alike@1"
    title = "look-alike characters"

    def sites(self, document: Document) -> Sites:
        """Tokens with a character that is in the table."""
        known = look_alikes().keys()
        return sites_where(document, lambda w: is_chinese(w) and not known.isdisjoint(w))

    def alike(self, document: Document, char: str) -> str:
        """Characters in the order of the table."""
        return look_alikes().get(char, "")
