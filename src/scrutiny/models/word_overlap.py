"""Baselines by words in common: options by the passage, candidates by the query, options alone.

``rules:overlap`` takes the option whose words, with those of the question, stand closest together
in the passage: the sliding window of Richardson et al. (2013). ``rules:longest-option`` takes the
longest option and reads nothing else. ``rules:bm25`` puts candidates in the order of BM25
(Robertson and Zaragoza 2009), where the candidates of the item are the collection. Words are those
of any writing; of scripts without spaces, single characters and pairs of them.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Final

from scrutiny.core.answers.choices import Option, Ranking, is_option_field, options_in, squashed
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.example import Example
from scrutiny.core.facts import OPTIONS, RANKINGS
from scrutiny.core.languages import UNSPACED, script_of
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.text.tokens import token_texts

#: Saturation of a word's count, and how much long texts are held back: the usual values.
_K1, _B = 1.2, 0.75


@lru_cache(maxsize=4096)
def terms_of(text: str, *, is_unspaced: bool = False) -> tuple[str, ...]:
    """Words of a text in lower case, without punctuation; with pairs of neighbors if unspaced.

    Examples
    --------
    >>> terms_of("It's Ida's."), terms_of("我们去", is_unspaced=True)
    (("it's", "ida's"), ('我', '们', '去', '我们', '们去'))
    """
    words = tuple(w.lower() for w in token_texts(text) if any(map(str.isalnum, w)))
    pairs = tuple(a + b for a, b in pairwise(words)) if is_unspaced else ()
    return words + pairs


def sliding_window(passage: Sequence[str], asked: Sequence[str], option: Sequence[str]) -> float:
    """Most weight of words of a question and an option in one window of the passage.

    The window has as many words as both have different ones; a word weighs ln(1 + 1 / its count in
    the passage).

    References
    ----------
    Richardson, Burges, Renshaw (2013). MCTest: a challenge dataset for the open-domain machine
    comprehension of text, algorithm 1.

    Examples
    --------
    >>> round(sliding_window("a b a c".split(), ["b"], ["c"]), 3)  # b and a, or a and c: ln 2
    0.693
    """
    counts, wanted = Counter(passage), {*asked, *option}
    weights = [log(1 + 1 / counts[word]) if word in wanted else 0.0 for word in passage]
    size = len(wanted)
    best = total = sum(weights[:size])
    for old, new in zip(weights, weights[size:], strict=False):
        total += new - old
        best = max(best, total)
    return best


@lru_cache(maxsize=4096)
def _counted(text: str, is_unspaced: bool) -> tuple[Counter[str], int]:  # noqa: FBT001
    """Counts of the words of a text, and their sum; a change of one candidate leaves the others."""
    counts = Counter(terms_of(text, is_unspaced=is_unspaced))
    return counts, counts.total()


def bm25(query: str, texts: Sequence[str], *, is_unspaced: bool = False) -> list[float]:
    """BM25 of each text for a query; the texts are the collection.

    References
    ----------
    Robertson, Zaragoza (2009). The probabilistic relevance framework: BM25 and beyond. The weight
    of a word is ln(1 + (N - n + .5) / (n + .5)), which is never negative, as in Lucene.

    Examples
    --------
    >>> [round(score, 3) for score in bm25("the Rhine", ["the sea", "the river Rhine"])]
    [0.199, 0.809]
    """
    collection = [_counted(text, is_unspaced) for text in texts]
    mean = sum(size for _, size in collection) / max(1, len(collection)) or 1.0
    asked = terms_of(query, is_unspaced=is_unspaced)
    holding = {word: sum(word in own for own, _ in collection) for word in asked}
    rarity = {w: log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for w, n in holding.items()}
    found = []
    for own, size in collection:
        held = _K1 * (1 - _B + _B * size / mean)
        shares = (rarity[w] * own[w] * (_K1 + 1) / (own[w] + held) for w in asked if w in own)
        found.append(sum(shares))
    return found


class WordOverlap(IdentifiedModel):
    """Scores of options, or of candidates, by words."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, task: Task, source: ModelSource) -> None:
        super().__init__(source.text, task.name, digest("word-overlap@1", source.target))
        self._rule = source.target
        self._ranks = RANKINGS.are_of(task.facts)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """The best option, or all candidates in order, the first among equals."""
        return [self._answered(example) for example in examples]

    def _answered(self, example: Example) -> Prediction:
        scores = self._scores(example)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        if self._ranks:
            return Prediction(Ranking(order), (squashed(scores[order[0]]),))
        return Prediction(Option(order[0]))

    def _scores(self, example: Example) -> list[float]:
        options = options_in(example.fields)
        if self._rule == "longest-option":
            return [float(len(option)) for option in options]
        is_unspaced = script_of(example.language) in UNSPACED
        texts = [text for name, text in example.fields.items() if not is_option_field(name)]
        if self._ranks:
            return bm25(" ".join(texts), options, is_unspaced=is_unspaced)
        passage, *asked = ([*terms_of(text, is_unspaced=is_unspaced)] for text in texts)
        question = [word for text in asked for word in text]
        own = ([*terms_of(option, is_unspaced=is_unspaced)] for option in options)
        return [sliding_window(passage, question, option) for option in own]


#: What each rule answers.
_ANSWERS: Final = {
    "bm25": (RANKINGS,),
    "longest-option": (OPTIONS,),
    "overlap": (OPTIONS,),
}


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Baseline of this name.

    Raises
    ------
    ModelError
        If the task has no options, or no candidates.
    """
    del options
    source.refuse_unknown_options(())
    must_answer_task(task, _ANSWERS[source.target], source=source.text)
    return WordOverlap(task, source)
