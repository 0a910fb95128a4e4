"""Attention heads as coreference resolvers: from a mention to its antecedent.

A mention is a question: which other mention is its antecedent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.parameters import known
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import MENTIONS
from scrutiny.core.queries.annotation import Mention, Mentions
from scrutiny.core.record import HEADS, LAYERS, Row
from scrutiny.diagnostics.attention.presets import (
    OVER,
    SELECTED,
    Made,
    PresetParams,
    ReadsMaps,
    accuracy_counts,
    attention_contrasts,
    claimed_presets,
    measures_of_heads,
    of_accuracy,
    preset_claim,
    spec_name,
    specs_of,
)
from scrutiny.diagnostics.attention.word_maps import WordMap

#: Where a nominal mention's head can no longer be: what follows belongs to a modifier.
_MODIFIERS: Final = frozenset(
    "of in on at by for from with to as about between under over after before during against "
    "who whom whose which that where when".split()
)
#: Baselines in the order of the measures.
BASELINES: Final = ("nearest", "head match", "uniform")
HEAD_WORDS: Final[Mapping[str, str]] = {
    "rule": "the last word before a comma, preposition or relative pronoun; of names the last word",
    "last": "the last word",
    "first": "the first word",
}
CANDIDATES: Final[Mapping[str, str]] = {
    "preceding": "mentions that begin before it",
    "all": "all other mentions",
}


class MentionQuestion(NamedTuple):
    """A mention whose antecedent is to be found, given by head words.

    Parameters
    ----------
    word
        Head word of the mention.
    kind
        pronoun, proper or nominal.
    candidates
        Head words of the mentions it could go back to, ascending, each once.
    is_right
        Whether each candidate corefers with it; at least one does.
    """

    word: int
    kind: str
    candidates: NDArray[np.int64]
    is_right: NDArray[np.bool_]


def questions_of(
    view: Mentions, *, candidates: str = "preceding", head_word: str = "rule"
) -> list[MentionQuestion]:
    """Questions of a text, one for each mention that has an antecedent, in text order.

    **Measures**: nothing yet: these are the cases of `attention.coreference`.

    **Misleads when**: mentions nest: two with one head word are one candidate, and none for each
    other.

    **References**: Clark et al. (2019), What does BERT look at?, section 4.3; Webster et al.
    (2018), Mind the GAP.
    """
    heads = [head_of_mention(view.words, mention, head_word) for mention in view.mentions]
    found = []
    for mention, word in zip(view.mentions, heads, strict=True):
        others = {
            other: any(
                head == other and one.cluster == mention.cluster
                for one, head in zip(view.mentions, heads, strict=True)
            )
            for other in sorted(set(heads) - {word})
            if candidates == "all" or other < word
        }
        if any(others.values()):
            found.append(
                MentionQuestion(
                    word,
                    mention.kind,
                    np.array(list(others), dtype=np.int64),
                    np.array(list(others.values()), dtype=bool),
                )
            )
    return found


def head_of_mention(words: Sequence[str], mention: Mention, how: str = "rule") -> int:
    """Word of a mention at which attention is read: its head, found without a parser.

    Examples
    --------
    >>> words = ("the", "old", "king", "of", "France")
    >>> head_of_mention(words, Mention((0, 1, 2, 3, 4), "1", "nominal"))
    2
    """
    if how != "rule":
        return mention.words[0 if how == "first" else -1]
    if mention.kind != "nominal":
        return mention.words[-1]
    for before, word in zip(mention.words, mention.words[1:], strict=False):
        if words[word] == "," or words[word].lower() in _MODIFIERS:
            return before
    return mention.words[-1]


def pointed_right(found: WordMap, question: MentionQuestion) -> NDArray[np.bool_]:
    """Whether each head ``(layer, head)`` attends most to an antecedent, among all candidates.

    The first of equals counts; without any attention to a candidate a head is wrong, and so is
    one that has no piece to look at.
    """
    shape = found.weights.shape[:2]
    (row,) = np.nonzero(found.words == question.word)
    columns = np.isin(found.words, question.candidates)
    if not row.size or not columns.any():
        return np.zeros(shape, dtype=bool)
    rivals = found.weights[:, :, row[0], columns]  # (layer, head, candidate)
    place = rivals.argmax(axis=-1)
    word = found.words[columns][place]
    right = question.candidates[question.is_right]
    return np.asarray(np.isin(word, right) & (rivals.max(axis=-1) > 0))


def baselines_of(words: Sequence[str], question: MentionQuestion) -> NDArray[np.float64]:
    """Expected number of correct answers of each of `BASELINES` to one question.

    The nearest candidate (the one before, of two); the nearest with the same head word, or else the
    nearest; any of them with equal chances.
    """
    candidates, is_right = question.candidates, question.is_right
    order = np.argsort(np.abs(candidates - question.word), kind="stable")
    own = words[question.word].lower()
    same = [i for i in order if words[candidates[i]].lower() == own]
    nearest = order[0]
    match = same[0] if same else nearest
    return np.array([is_right[nearest], is_right[match], is_right.mean()], dtype=np.float64)


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


class HeadCoreference(ReadsMaps[CoreferenceParams]):
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
    measures = measures_of_heads("mentions", (LAYERS, HEADS), (("baseline", len(BASELINES)),))

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
                    {name: f"{name}/all" for name in claimed_presets(presets)},
                    margin=params.margin,
                    family=_FAMILY,
                ),
            ),
            queries_per_item=params.readings,
            notes=(
                "A mention is asked about if it has an antecedent. Candidates: "
                f"{CANDIDATES[params.candidates]}. Its head word: {HEAD_WORDS[params.head_word]}.",
            ),
            families={
                _FAMILY: f"heads of {inputs.subject.name} find antecedents beyond the nearest "
                "mention, the same head word and untrained networks"
            },
            contrasts=tuple(attention_contrasts(spec_name(place, SELECTED) for place in places)),
        )

    def rows_of(
        self, params: CoreferenceParams, item: str, view: Mentions, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each preset and kind of mention."""
        questions = questions_of(view, candidates=params.candidates, head_word=params.head_word)
        for name, found in made.items():
            for kind in KINDS:
                asked = [q for q in questions if kind in ("all", q.kind)]
                values: tuple[float, ...] | Failure
                if not asked:
                    values = Failure("no_antecedent", status="skipped")
                elif isinstance(found, Failure):
                    values = found
                else:
                    right = np.sum([pointed_right(found, q) for q in asked], axis=0, dtype=float)
                    without = np.sum([baselines_of(view.words, q) for q in asked], axis=0)
                    values = accuracy_counts(right, without, float(len(asked)))
                yield RowKind.of({"preset": name, "kind": kind}).row(item, values)
