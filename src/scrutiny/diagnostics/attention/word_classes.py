"""Attention to classes of words: parts of speech, negations, punctuation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import WORD_CLASSES
from scrutiny.core.queries.annotation import WordClasses
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.presets import Made, PresetParams, ReadsMaps, specs_of
from scrutiny.diagnostics.attention.word_maps import WordMap

#: Condition of all words that have a class.
ANY: Final = "any"
_NO_TARGET: Final = Failure("nothing_to_attend_to", status="undefined")
_METRICS: Final = dict.fromkeys(("mean(mass)", "class_mass_ratio"), ("layer", "head"))


@dataclass(frozen=True, slots=True)
class ClassesParams(PresetParams):
    """Classes and presets.

    Parameters
    ----------
    classes
        Conditions beside ``any``, all words that have a class.
    presets
        Ways from pieces to words, each a condition.
    options
        Choices of the user's own, on top of the first preset; a further condition, ``own``.
    """

    classes: tuple[str, ...] = ()

    def places(self) -> list[dict[str, object]]:
        """Conditions of the records, in order."""
        names = dict.fromkeys((ANY, *self.classes))
        return [{"preset": p, "class": name} for p in self.conditions() for name in names]


class AttendedClasses(ReadsMaps[ClassesParams]):
    """Attention to classes of words.

    Mean attention of every head to the words of a class, compared with uniform attention.

    **Measures**: whether heads look for a kind of word, however many of them a text has.

    **Misleads when**: words of the class stand where the head looks anyway (punctuation at the
    end), or are the text's most frequent; the map drops special tokens without renormalizing: a
    head at rest on [SEP] then has little mass for any class.

    **References**: Kovaleva et al. (2019), Revealing the dark secrets of BERT, section 4.3.
    """

    id = "attention.classes@1"
    View = WordClasses
    wants = (WORD_CLASSES,)
    measures = (
        Measure(
            "mass",
            (LAYERS, HEADS),
            says="attention to words of the class",
            scale="logit",
            per="rows",
            drawn_as=(("mean", "class_mass@1"),),
        ),
        Measure("rows", unit="words"),
        Measure("uniform"),
    )

    def design(self, params: ClassesParams, inputs: Inputs) -> Design:
        """Attention to each class, for every head; no claims."""
        places = params.places()
        return Design(
            conditions=tuple(places),
            estimates=tuple(spec for place in places for spec in specs_of(place, _METRICS)),
            queries_per_item=params.readings,
            notes=("Mass is a mean over words; its ratio is to attending to all words alike.",),
        )

    def rows_of(
        self, params: ClassesParams, item: str, view: WordClasses, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each condition."""
        for place in params.places():
            name = place["class"]
            members = [i for i, own in enumerate(view.classes) if own and name in (ANY, own)]
            found = made[str(place["preset"])]
            kind = RowKind.of(place)
            if not members:
                yield kind.row(item, Failure("no_such_class", status="skipped"))
            elif isinstance(found, Failure):
                yield kind.row(item, found)
            else:
                mass, rows, uniform = mass_on(found, members)
                values = (*mass.ravel().tolist(), rows, uniform)
                yield kind.row(item, values if uniform > 0 else _NO_TARGET)


def mass_on(found: WordMap, members: list[int]) -> tuple[NDArray[np.float64], float, float]:
    """Attention ``(layer, head)`` that a class of words gets, rows, and what it gets if uniform.

    Uniform attention gives every word one row's worth in all, whether or not words may attend to
    themselves; a word that stands alone may have nothing to attend to.
    """
    is_word, is_member = found.is_word, np.isin(found.words, members)
    kept = found.weights[..., is_word, :]
    mass = kept[..., is_member].sum(axis=(-1, -2), dtype=np.float64)
    n = int(is_word.sum())
    return mass, float(n), float(is_member.sum() if n > 1 else 0)
