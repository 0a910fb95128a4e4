"""Language models that choose among the options of an item, by how likely each is in its place.

An option goes on behind the other texts, or fills the gap that one of them has: ``_`` in the place
of a pronoun. A causal model scores the option and what follows it (Trinh and Le 2018: *full*), or
what follows it alone (*partial*), a masked one the words of the option with all of them masked
(Kocijan et al. 2019).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.choices import GAP, Option, is_option_field, options_in
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.prompting.label_likelihoods import Scoring, continuation, masked
from scrutiny.models.prompting.prompts import MASK, Prompt

#: What a causal model scores: the option and what follows it, or what follows it alone.
SCORED: Final = ("full", "partial")
_VERSION: Final = "choice-of-options@1"


class Around(NamedTuple):
    """What stands in front of an option and behind it."""

    front: str
    back: str


def around(example: Example) -> Around:
    r"""Texts of an item around the place of its options.

    Examples
    --------
    >>> own = {"text": "Ida left. _ was ill.", "option_1": "Ida", "option_2": "Bo"}
    >>> around(Example("1", own))
    Around(front='Ida left. ', back=' was ill.')
    >>> around(Example("1", {"text": "It rained.", "question": "Did it?", "option_1": "yes"}))
    Around(front='It rained.\nDid it?\n', back='')
    """
    texts = [text for name, text in example.fields.items() if not is_option_field(name)]
    if len(texts) == 1 and texts[0].count(GAP) == 1:
        front, _, back = texts[0].partition(GAP)
        return Around(front, back)
    return Around("".join(f"{text}\n" for text in texts), "")


class OptionChooser(Model):
    """Options of an item by their likelihood in a language model.

    **Measures** which option a language model finds likeliest in its place, as a mean over its
    tokens, or their sum; its probability is renormalized over the options.

    **Misleads when** options are of unequal frequency: the likelihood of an option by itself is
    part of it. ``scored=partial`` leaves an option's own words out, for a causal model and a gap.

    References
    ----------
    Trinh, Le (2018). A simple method for commonsense reasoning.
    Kocijan et al. (2019). A surprisingly robust trick for the Winograd schema challenge.
    Brown et al. (2020). Language models are few-shot learners, section 2.4.
    """

    capabilities = frozenset({"predict"})

    def __init__(
        self, model: Any, task: Task, *, source: str, length: str, scored: str, at_once: int
    ) -> None:
        self.source, self.task = source, task.name
        self.is_batch_invariant = bool(model.is_batch_invariant)
        self._model, self._at_once = model, at_once
        self._scoring, self._scored = Scoring(length), scored

    def fingerprint(self) -> str | None:
        """Digest of the language model and of the way of scoring."""
        own = self._model.fingerprint()
        stated = canonical_json([self._scoring.length, self._scored])
        return None if own is None else digest(_VERSION, own, stated)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Likeliest option of each example, in order.

        Raises
        ------
        AnswerError
            ``too_long`` if a text does not fit.
        """
        starts = range(0, len(examples), self._at_once)
        parts = (examples[start : start + self._at_once] for start in starts)
        return [one for part in parts for one in self._chosen(part)]

    def batches(self, examples: Sequence[Any]) -> list[list[int]]:
        """Indices of the examples that are asked together."""
        size = self._at_once
        return [[*range(i, min(i + size, len(examples)))] for i in range(0, len(examples), size)]

    def _chosen(self, examples: Sequence[Example]) -> list[Prediction]:
        asked = [query for example in examples for query in self._queries(example)]
        if "masked_logprobs" in self._model.capabilities:
            logs = [one[0] for one in self._model.masked_logprobs([(q,) for q in asked])]
        else:
            logs = self._model.token_logprobs(asked)
        found, rest = [], iter(logs)
        for example in examples:
            own = [next(rest) for _ in options_in(example.fields)]
            shares = self._scoring.scores(own)
            best = shares.index(max(shares))
            found.append(Prediction(Option(best), (shares[best],)))
        return found

    def _queries(self, example: Example) -> list[Any]:
        """Question of each option of an example."""
        front, back = around(example)
        options = [self._in_case(option, front) for option in options_in(example.fields)]
        if "masked_logprobs" in self._model.capabilities:
            named = tuple((str(i), option) for i, option in enumerate(options))
            prompt = Prompt((front, MASK, back), named)
            return [one.query for one in masked(self._model, prompt, [example])]
        is_partial = self._scored == "partial" and bool(back.strip())
        texts = [front + option + back for option in options]
        borders = [len(front) + is_partial * len(option) for option in options]
        return [
            continuation(self._model, one, border).query
            for one, border in zip(self._model.encode(texts), borders, strict=True)
        ]

    def _in_case(self, option: str, front: str) -> str:
        """Option as it stands there: an article is small within a sentence, and large at its head.

        Examples
        --------
        >>> chooser = OptionChooser.__new__(OptionChooser)
        >>> chooser._in_case("The man", "He saw "), chooser._in_case("the man", "He saw it. ")
        ('the man', 'The man')
        """
        word, space, rest = option.partition(" ")
        before = front.rstrip(" \"“'(")
        if not before or before[-1] in ".!?\n":
            return option[:1].upper() + option[1:]
        return word.lower() + space + rest if word.lower() in _SMALL else option


_SMALL: Final = frozenset("the a an my your his her its our their this that".split())
