"""Where other options come from: readers that find stretches of a text, writers of new options.

``words`` is a reader by rules; ``hf:`` readers are heads for question answering, ``hf:`` writers
causal language models, and ``python:FILE:NAME`` is any function of the user's. Answers of a
function are checked here; whether a reader or a writer has skill is checked by the changes that use
them (`scrutiny.perturb.passages.option_makers`).
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from scrutiny.core.boundary.user_code import named_object
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.resources.capabilities import AskedPassage, FoundStretch
from scrutiny.perturb.resources.checkpoints import OverCheckpoint, remembered
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word, zipf
from scrutiny.text.spacy_pipeline import Annotation, load_spacy
from scrutiny.text.tokens import sentences

_LONGEST: Final = 12  # pieces, or words, of a stretch
_COMMONEST: Final = 8.0  # zipf: above that of any word


_KINDS: Final = (
    (re.compile(r"\b(how (much|many|long|old|often|far)|what time|when)\b", re.I), "CD"),
    (re.compile(r"\bwho(m|se)?\b", re.I), "NNP"),
    (re.compile(r"\bwhere\b", re.I), "IN"),
)
_PHRASES: Final = frozenset("dobj pobj attr nsubjpass oprd npadvmod prep xcomp ccomp conj".split())
_PLACES: Final = frozenset("at in from to near outside on".split())
_BESIDE: Final = 0.4  # weight of a question's word in the sentence before or behind
_OF_KIND: Final = 3.0
_POINTING: Final = frozenset("it that this he she they them him her i you we me us".split())


class WordReader:
    """Phrases of the sentences that have most of the question's words, by a parse.

    A phrase has at most twelve words, none of them the question's. Rare words of the question weigh
    more, and so do numbers where it asks how many, names where it asks who, places where it asks
    where.
    """

    def __init__(self) -> None:
        self._parser = load_spacy()
        self._parsed = lru_cache(maxsize=512)(self._parse)

    def stretches(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[FoundStretch]]:
        """At most so many phrases of each text, the best first."""
        return [self._found(one)[:most] for one in queries]

    def _parse(self, text: str) -> Annotation:
        (parse,) = self._parser.annotate([text])
        return parse

    def _found(self, asked: AskedPassage) -> list[FoundStretch]:
        text, parse = asked.text, self._parsed(asked.text)
        wanted = _content(asked.question)
        borders = sentences(text)
        weights = []
        for start, end in borders:
            own = _content(text[start:end])
            weights.append(sum(_COMMONEST - zipf(word) for word in wanted & own))
        kind = next((tag for rule, tag in _KINDS if rule.search(asked.question)), "")
        found = {}
        for first, last in _phrases(text, parse):
            start, end = parse.spans[first][0], parse.spans[last][1]
            place = next((i for i, (a, b) in enumerate(borders) if a <= start and end <= b), None)
            if place is None or wanted & _content(text[start:end]):
                continue
            beside = weights[max(0, place - 1) : place] + weights[place + 1 : place + 2]
            score = weights[place] + _BESIDE * sum(beside)
            tags = {parse.tags[i].xpos for i in range(first, last + 1)}
            is_place = kind == "IN" and text[start:end].split()[0].lower() in _PLACES
            score += _OF_KIND * (kind in tags if kind != "IN" else is_place)
            found[start, end] = FoundStretch(start, end, score)
        return sorted(found.values(), key=lambda one: (-one.score, one.start, one.end))


def _content(text: str) -> frozenset[str]:
    """Base forms of the words of a text that are no function words."""
    words = (word.lower() for word in re.findall(r"[\w'’]+", text))
    return frozenset(lemma(lemma(w, "NOUN"), "VERB") for w in words if not is_stop_word(w))


def _phrases(text: str, parse: Annotation) -> list[tuple[int, int]]:
    """First and last tokens of the phrases of a text: objects, places, clauses, without marks."""
    heads = parse.heads
    found = []
    for top, relation in enumerate(parse.deprels):
        if relation not in _PHRASES or parse.tags[top].upos == "PUNCT":
            continue
        own = {top}
        for _ in range(_LONGEST):
            grown = own | {i for i, head in enumerate(heads) if head in own}
            if grown == own:
                break
            own = grown
        first, last = min(own), max(own)
        words = [text[a:b].lower() for a, b in parse.spans[first : last + 1]]
        is_whole = len(own) == last - first + 1 <= _LONGEST
        is_said = any(
            char in '?!\n,:;"' for char in text[parse.spans[first][0] : parse.spans[last][1]]
        )
        is_bare = words[0] in _POINTING or words[0] == "of" or len(words) == 1
        if is_whole and not is_said and not is_bare:
            found.append((first, last))
    return found


class CheckpointReader(OverCheckpoint):
    """Stretches of a head for question answering, by the sum of its two scores."""

    head = "AutoModelForQuestionAnswering"

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        self._known: dict[tuple[AskedPassage, int], list[FoundStretch]] = {}

    def stretches(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[FoundStretch]]:
        """At most so many stretches of each text, the best first; a text that is long is cut."""
        keys = [(AskedPassage(one.text, one.question), most) for one in queries]
        return remembered(self._known, keys, lambda new: [self._ask(*key) for key in new])

    def _ask(self, asked: AskedPassage, most: int) -> list[FoundStretch]:
        import torch

        from scrutiny.models.hf.word_pieces import places_in_second  # it imports torch

        limit = min(self._tokenizer.model_max_length, self._model.config.max_position_embeddings)
        fed = self._tokenizer(
            [asked.question], [asked.text], truncation="only_second", max_length=limit,
            return_offsets_mapping=True, return_tensors="pt",
        )  # fmt: skip
        (places,) = places_in_second(fed)
        with torch.inference_mode():
            answered = self._model(**{k: v for k, v in fed.items() if k != "offset_mapping"})
        own = [i for i, (start, end) in enumerate(places) if start < end]
        starts, ends = (one[0].numpy()[own] for one in (answered.start_logits, answered.end_logits))
        sums = starts[:, None] + ends[None, :]  # (start, end)
        fits = np.triu(np.tril(np.ones_like(sums, dtype=bool), _LONGEST - 1))
        ranked = np.argsort(-np.where(fits, sums, -np.inf), axis=None, kind="stable")
        found = []
        for at in ranked[: min(most, int(fits.sum()))].tolist():
            first, last = divmod(at, len(own))
            start, end = int(places[own[first]][0]), int(places[own[last]][1])
            found.append(FoundStretch(start, end, float(sums[first, last])))
        return found


class CheckpointWriter(OverCheckpoint):
    """Wrong options that a causal language model writes behind the right one, by beam search."""

    head = "AutoModelForCausalLM"

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        self._known: dict[tuple[AskedPassage, int], list[str]] = {}
        # An option is a line: beams that went on would differ behind it, and say the same.
        pieces = tokenizer.batch_decode([[i] for i in range(len(tokenizer))])
        ends = [i for i, piece in enumerate(pieces) if "\n" in piece]
        self._ends = [i for i in (tokenizer.eos_token_id, *ends) if i is not None]

    def options(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[str]]:
        """At most so many options for each question, the likeliest first.

        Of a passage that is too long, the end is read.
        """
        keys = [(one, most) for one in queries]
        return remembered(self._known, keys, lambda new: [self._ask(*key) for key in new])

    def _ask(self, asked: AskedPassage, most: int) -> list[str]:
        import torch

        prompt = (
            f"{asked.text}\n\nQuestion: {asked.question}\nRight answer: {asked.right}\n"
            "Wrong answer, which sounds right:"
        )
        room = self._model.config.max_position_embeddings - 2 * _LONGEST
        ids = self._tokenizer(prompt, return_tensors="pt")["input_ids"][:, -room:]
        with torch.inference_mode():
            rows = self._model.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=2 * _LONGEST,
                do_sample=False, num_beams=most, num_return_sequences=most,
                eos_token_id=self._ends, pad_token_id=self._tokenizer.eos_token_id,
            )  # fmt: skip
        written = self._tokenizer.batch_decode(rows[:, ids.shape[1] :], skip_special_tokens=True)
        return [text.strip().split("\n")[0].strip() for text in written]


class PythonReader:
    """A function ``(question, text, most)`` of the user's, whose stretches are checked."""

    def __init__(self, function: Callable[..., Any], said: str) -> None:
        self._function, self._said = function, said

    def stretches(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[FoundStretch]]:
        """Stretches that it gives: texts that stand in the text, or pairs of code points."""
        return [
            [*self._read(self._function(one.question, one.text, most), one.text)][:most]
            for one in queries
        ]

    def _read(self, given: Any, text: str) -> list[FoundStretch]:
        found = []
        for rank, one in enumerate(given):
            start, end = (text.find(one), len(one)) if isinstance(one, str) else one[:2]
            end = start + end if isinstance(one, str) else end
            if not 0 <= start < end <= len(text):
                raise ModelError(
                    f"{self._said} gave {one!r:.60}, which is no stretch of the text; it gives "
                    "texts that stand in it, or pairs (start, end) in code points, the best first."
                )
            found.append(FoundStretch(start, end, float(-rank)))
        return found


class PythonWriter:
    """A function ``(text, question, right, most)`` of the user's, whose options are checked."""

    def __init__(self, function: Callable[..., Any], said: str) -> None:
        self._function, self._said = function, said

    def options(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[str]]:
        """Options that it gives, which are texts."""
        found = []
        for one in queries:
            given = self._function(one.text, one.question, one.right, most)
            if isinstance(given, str) or not all(isinstance(text, str) for text in given):
                raise ModelError(
                    f"{self._said} gave {given!r:.60}; it gives a list of texts, the wrong options."
                )
            found.append([*given][:most])
        return found


def load_python(spec: str, kind: Callable[[Callable[..., Any], str], Any]) -> Any:
    """Reader or writer over ``python:module:function`` or ``python:./file.py:function``.

    Raises
    ------
    PlanError
        If it is not there, or cannot be called.
    """
    found = named_object(spec.removeprefix("python:"), said=spec, error=PlanError)
    if not callable(found):
        raise PlanError(f"{spec!r} is a {type(found).__name__}; it must be a function.")
    return kind(found, spec)
