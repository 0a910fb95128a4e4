"""Mentions as questions: which other mention is the antecedent of this one."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.queries.annotation import Mention, Mentions
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
