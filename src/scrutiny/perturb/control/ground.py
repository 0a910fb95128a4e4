"""The parts of a text that random changes may edit: the same for all controls of the text."""

from functools import cached_property

from scrutiny.core.transformation import Where
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.fences import tokens_where
from scrutiny.text.tokens import graphemes, is_punctuation, is_word


class Ground:
    """Tokens of a text, grouped by what a control may do with them; lists are computed on demand.

    Parameters
    ----------
    document
        The text as it was.
    where
        Which tokens may be changed, as for the treatment.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> ground = Ground(document_of("Oh, well"), "around")
    >>> ground.allowed, ground.words, sorted(ground.free)
    ([0, 1, 2], [0, 2], [0, 2])
    """

    def __init__(self, document: TextDocument, where: Where) -> None:
        self.document = document
        self.where = where

    @cached_property
    def allowed(self) -> list[int]:
        """Tokens that may be changed."""
        return tokens_where(self.document, self.where)

    @cached_property
    def words(self) -> list[int]:
        """The words among the tokens that may be changed."""
        surface = self.document.words
        return [i for i in self.allowed if surface[i].isalpha() or is_word(surface[i])]

    @cached_property
    def free(self) -> frozenset[int]:
        """Tokens that random words may replace; inside entities only if the treatment may."""
        surface = self.document.words
        inside = frozenset(tokens_where(self.document, "within"))
        is_inside = self.where == "within"
        return frozenset(
            i
            for i, word in enumerate(surface)
            if (i in inside) == is_inside and not is_punctuation(word)
        )

    @cached_property
    def composed(self) -> frozenset[int]:
        """Words with combining marks, in which not every position lies between two characters."""
        if self.document.text.isascii():
            return frozenset()
        surface = self.document.words
        return frozenset(i for i in self.words if len(graphemes(surface[i])) < len(surface[i]))
