"""What a method of attribution is: a name, what it asks of a model, and a score for each word."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText


@dataclass(frozen=True, slots=True)
class Effort:
    """How much methods may ask.

    Parameters
    ----------
    steps
        Points of a path, at first: they are doubled while its attributions are not complete.
    samples
        Changed texts that LIME and KernelSHAP ask of each text, at least.
    """

    steps: int = 32
    samples: int = 64


#: Words of a text, where what is asked of it is told beforehand.
USUAL_WORDS: Final = 30


class AttributionMethod(ABC):
    """A method of attribution: the higher a word's score, the more it speaks for the answer.

    Attributes
    ----------
    name
        As it is written in parameters and conditions.
    needs
        Sets of capabilities of which a model must have one whole.
    of_one_text
        Whether items of several texts are beyond it.
    of_labels
        Whether other answers than labels are beyond it.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"predict"}),)
    of_one_text: ClassVar[bool] = False
    of_labels: ClassVar[bool] = False

    def cost(self, effort: Effort) -> int:
        """How many changed texts it asks about for a text of some `USUAL_WORDS`."""
        return 1

    @abstractmethod
    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """Score of each word ``(word,)`` of each text, in order; the model is asked in batches."""


def own_label(target: str, ctx: AskedModel) -> str:
    """A label of the data as the model calls it."""
    own = dict(zip(ctx.labels, ctx.model.labels, strict=False))
    return own.get(target, target)


def each(
    found: Sequence[Any | Failure], make: Callable[[int, Any], Floats | Failure]
) -> list[Floats | Failure]:
    """Scores made of each answer that is no failure; not finite ones are one."""
    made: list[Floats | Failure] = []
    for i, one in enumerate(found):
        scores = one if isinstance(one, Failure) else make(i, one)
        if not isinstance(scores, Failure) and not np.isfinite(scores).all():
            scores = Failure("non_finite", "an attribution is not finite")
        made.append(scores)
    return made
