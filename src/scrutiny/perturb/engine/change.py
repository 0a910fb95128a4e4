"""What most transformations declare: English, and no change of annotated spans."""

from typing import TYPE_CHECKING, ClassVar, TypeAlias

from scrutiny.core.transformation import Transformation, Where

if TYPE_CHECKING:
    from numpy.random import Generator  # loading numpy takes longer than a list of names

Rng: TypeAlias = "Generator"


class Change(Transformation):
    """A transformation that declares nothing but what it does otherwise than most.

    Attributes
    ----------
    languages
        Languages that it knows: English.
    where
        What it may do to annotated spans: it goes around them.
    """

    __slots__ = ()

    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    where: ClassVar[Where] = "around"
