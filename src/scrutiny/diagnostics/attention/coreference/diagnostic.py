"""Attention heads as coreference resolvers: from a mention to its antecedent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.boundary.limits import known
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import MENTIONS
from scrutiny.core.queries.annotation import Mentions
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.claims import (
    OVER,
    SELECTED,
    attention_contrasts,
    claimed_presets,
    of_accuracy,
    preset_claim,
    specs_of,
)
from scrutiny.diagnostics.attention.coreference.mentions import (
    BASELINES,
    CANDIDATES,
    HEAD_WORDS,
    MentionQuestion,
    baselines_of,
    pointed_right,
    questions_of,
)
from scrutiny.diagnostics.attention.params import PresetParams
from scrutiny.diagnostics.attention.reading import Made, ReadsMaps

_BASELINE: Final = ("baseline", len(BASELINES))
_NO_QUESTION: Final = "no_antecedent"
_FAMILY: Final = "attention.coreference"
#: Kinds of mentions as conditions; ``all`` first.
KINDS: Final = ("all", "pronoun", "proper", "nominal")
_ALONG: Final = of_accuracy(("layer", "head"), "baseline")


@dataclass(frozen=True, slots=True)
class CoreferenceParams(PresetParams):
    """Mentions and presets of the coreference diagnostic.

    Parameters
    ----------
    presets
        Ways from pieces to words, each a condition; claims are of the first.
    options
        Choices of the user's own, on top of the first preset; a further condition, ``own``.
    candidates
        Mentions that a mention may go back to: ``preceding``, or ``all`` (of GAP, where a name may
        follow its pronoun).
    head_word
        Word that stands for a mention: ``rule``, ``last``, ``first``.
    margin
        Smallest difference of accuracy worth a claim.

    Raises
    ------
    PlanError, UnknownNameError
        If a name is not there.
    """

    candidates: str = "preceding"
    head_word: str = "rule"
    margin: float = 0.02

    def __post_init__(self) -> None:
        PresetParams.__post_init__(self)
        known("choice of candidates", [self.candidates], CANDIDATES)
        known("head word", [self.head_word], HEAD_WORDS)


class Coreference(ReadsMaps[CoreferenceParams]):
    """Attention heads as coreference resolvers.

    Accuracy of every head at finding the antecedent of a mention among other mentions.

    A head is right where the mention's head word attends to the head word of a coreferent mention
    more than to that of any other candidate. Records hold, for each text and kind of mention, how
    many mentions were right, of how many, beside the same counts of the nearest mention, the
    nearest with the same head word, and chance.

    **Measures**: whether some head links mentions of one person or thing, beyond distance and
    repeated words.

    **Misleads when**: candidates are few (two names in GAP: chance is one half); mentions repeat a
    word, which any head that looks for equal words resolves; the head word, which is found by rule
    and not by a parser, is not the head.

    **References**: Clark et al. (2019), What does BERT look at?, section 4.3 (code never released);
    Webster et al. (2018), Mind the GAP: a balanced corpus of gendered ambiguous pronouns.
    """

    id = "attention.coreference@1"
    View = Mentions
    wants = (MENTIONS,)
    measures = (
        Measure("tp", (LAYERS, HEADS), unit="mentions"),
        Measure("predicted", (LAYERS, HEADS), unit="mentions"),
        Measure("gold", unit="mentions"),
        Measure("baseline_tp", (_BASELINE,), unit="mentions"),
        Measure("baseline_predicted", (_BASELINE,), unit="mentions"),
    )

    def design(self, params: CoreferenceParams, inputs: Inputs) -> Design:
        """Every head and baseline, the chosen ones, and a claim, by kind of mention."""
        presets = params.conditions()
        places = [{"preset": name, "kind": kind} for name in presets for kind in KINDS]
        return Design(
            conditions=tuple(places),
            estimates=tuple(spec for place in places for spec in specs_of(place, _ALONG)),
            claims=(
                preset_claim(
                    "antecedents",
                    f"some head finds antecedents by {params.margin:g} more often than the nearest "
                    "mention, the same head word and chance, on the half it was not chosen on",
                    [(OVER, "baselines", "{}"), (SELECTED, "control: untrained", "untrained/{}")],
                    {name: f"{name}/all" for name in claimed_presets(list(presets))},
                    margin=params.margin,
                    family=_FAMILY,
                ),
            ),
            queries_per_item=len({p.is_lower_cased for p in presets.values()}),
            notes=(
                "A mention is asked about if it has an antecedent. Candidates: "
                f"{CANDIDATES[params.candidates]}. Its head word: {HEAD_WORDS[params.head_word]}.",
            ),
            families={
                _FAMILY: f"heads of {inputs.subject.name} find antecedents beyond the nearest "
                "mention, the same head word and untrained networks"
            },
            contrasts=tuple(attention_contrasts("/".join([*p.values(), SELECTED]) for p in places)),
        )

    def rows_of(
        self, params: CoreferenceParams, item: str, view: Mentions, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each preset and kind of mention."""
        questions = questions_of(view, candidates=params.candidates, head_word=params.head_word)
        for name, found in made.items():
            for kind in KINDS:
                asked = [q for q in questions if kind in ("all", q.kind)]
                values = _values(found, asked, view.words)
                yield RowKind.of({"preset": name, "kind": kind}).row(item, values)


def _values(
    made: Made, asked: Sequence[MentionQuestion], words: Sequence[str]
) -> tuple[float, ...] | Failure:
    """Counts of heads and baselines over the scored mentions, or why there are none."""
    if not asked:
        return Failure(_NO_QUESTION, status="skipped")
    if isinstance(made, Failure):
        return made
    by_head = np.sum([pointed_right(made, q) for q in asked], axis=0, dtype=np.float64).ravel()
    without = np.sum([baselines_of(words, q) for q in asked], axis=0)
    n = float(len(asked))
    values = [*by_head.tolist(), *[n] * by_head.size, n, *without.tolist()]
    return (*values, *[n] * len(BASELINES))
