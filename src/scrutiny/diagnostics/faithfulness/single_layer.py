"""Base of diagnostics of a single layer of attention: texts of one length are read together."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT
from scrutiny.core.queries.attention import AttendedText, AttentionLayer
from scrutiny.core.record import Row
from scrutiny.models.answers.checked import answer_or_fail

#: Texts that are computed together; arrays of a group stay small.
_TOGETHER: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class LengthGroup:
    """Texts with the same number of tokens.

    Parameters
    ----------
    examples
        The items.
    attended
        What is attended to in each.
    hits
        1.0 for an item whose label is the likeliest, else 0.0.
    """

    examples: tuple[Example, ...]
    attended: tuple[AttendedText, ...]
    hits: tuple[float, ...]

    @property
    def weights(self) -> NDArray[np.float64]:
        """The layer's own weights ``(text, token)``."""
        return np.stack([one.weights for one in self.attended])

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probabilities ``(text, label)`` with these weights."""
        return np.stack([one.probabilities for one in self.attended])


def layer_of(ctx: Context) -> AttentionLayer:
    """The cell's model, as an interface to its attention layer."""
    return cast("AttentionLayer", ctx.model)


P = TypeVar("P")


class OfLayer(Diagnostic[P]):
    """Base of diagnostics of one attention layer; texts of one length are processed together."""

    needs = frozenset({"attention_layer"})
    wants = (ONE_TEXT,)

    def measure(self, params: P, cell: Cell, batch: Batch, ctx: Context) -> Iterator[Row]:
        """Rows item by item, in the order of the items; each item has one of each kind."""
        texts = [example.text for example in batch.examples]
        answers = answer_or_fail(layer_of(ctx).attention_layer, texts, source=ctx.model.source)
        lost: dict[str, Failure] = {}
        by_length: dict[int, list[tuple[Example, AttendedText, float]]] = {}
        for example, answer in zip(batch.examples, answers, strict=True):
            if isinstance(answer, Failure):
                lost[example.id] = answer
            elif not all(np.isfinite(n).all() for n in (answer.weights, answer.probabilities)):
                lost[example.id] = Failure("non_finite")
            elif len(answer.tokens) < 2:  # which has no other attention
                lost[example.id] = Failure("one_token", status="skipped")
            elif example.gold is None:
                lost[example.id] = Failure("no_gold", status="skipped")
            else:
                hit = float(ctx.labels[int(answer.probabilities.argmax())] == example.gold)
                by_length.setdefault(len(answer.tokens), []).append((example, answer, hit))
        groups = [
            LengthGroup(*zip(*members[start : start + _TOGETHER], strict=True))
            for members in by_length.values()
            for start in range(0, len(members), _TOGETHER)
        ]
        found = {
            example.id: [one if isinstance(one, Failure) else (*one, hit) for one in values]
            for group in groups
            for example, hit, values in zip(
                group.examples, group.hits, self.values_of(params, group, ctx), strict=True
            )
        }
        kinds = self.kinds(params)
        for example in batch.examples:
            own = found.get(example.id) or [lost[example.id]] * len(kinds)
            yield from (k.row(example.id, one) for k, one in zip(kinds, own, strict=True))

    @abstractmethod
    def kinds(self, params: P) -> Sequence[RowKind]:
        """Rows that each item has."""

    @abstractmethod
    def values_of(
        self, params: P, group: LengthGroup, ctx: Context
    ) -> Iterable[Sequence[Sequence[float] | Failure]]:
        """Values of each item of a group by the kind of row, without its hit, which is the last."""
