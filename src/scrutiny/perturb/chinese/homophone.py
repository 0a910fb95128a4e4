"""A Chinese character replaced by one that sounds the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.chinese.places import changes, character_sites
from scrutiny.perturb.resources.chinese_sounds import homophones
from scrutiny.perturb.resources.loading import find_resource

if TYPE_CHECKING:
    from numpy.random import Generator

    from scrutiny.perturb.resources.capabilities import PinyinReader


@dataclass(frozen=True, slots=True)
class Homophone:
    """One character replaced by a common one with the same usual reading.

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

    id: ClassVar[str] = "homophone@1"
    summary: ClassVar[str] = "a Chinese character replaced by one that sounds the same"
    languages: ClassVar[frozenset[str]] = frozenset({"zh"})
    resources: ClassVar[tuple[str, ...]] = ("pinyin",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    with_tone: bool = False
    most_alike: int = 10

    def sites(self, document: Document) -> Sequence[Site]:
        """Tokens of Chinese characters."""
        return character_sites(document)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Characters in a fixed order; nothing is drawn."""
        reader: PinyinReader = find_resource(document, "pinyin")
        for edits in changes(
            document, site, lambda char: homophones(char, reader, with_tone=self.with_tone)
        ):
            yield from edits[: self.most_alike]
