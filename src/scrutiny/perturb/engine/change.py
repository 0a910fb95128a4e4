"""What most transformations declare: English, no resources, the gold answer kept."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from scrutiny.core.transformation import Effect, Intensity

if TYPE_CHECKING:
    from numpy.random import Generator  # loading numpy takes longer than a list of names

Rng: TypeAlias = "Generator"


class Change:
    """A transformation that declares nothing but what it does otherwise than most.

    Attributes
    ----------
    languages
        Languages that it knows: English.
    resources
        Names of what it needs besides the text: nothing.
    effect
        What it does to the gold answer, by task: it stays.
    intensity
        How many units are changed: a tenth of the words, at least 1 and at most 10.
    where
        What it may do to annotated spans: it goes around them.
    """

    __slots__ = ()

    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
