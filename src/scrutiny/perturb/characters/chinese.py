"""Replacement of one Chinese character by a homophone or a look-alike."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import Candidates, Change, Edit, Rng, Sites, sites_where
from scrutiny.perturb.languages.zh.characters import is_chinese, look_alikes
from scrutiny.perturb.languages.zh.sounds import homophones
from scrutiny.perturb.resources.loading import find_resource

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import PinyinReader


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
