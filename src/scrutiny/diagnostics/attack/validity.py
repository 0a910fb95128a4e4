"""Judges of adversarial texts: people, models that rate, similarity, perplexity, grammar.

A file of ratings is CSV, TSV, JSON Lines or Parquet with a column ``valid`` (a number from 0 to 1,
or yes and no) and

==================  ==============================================================================
``text``            the changed text as a whole; with ``item`` it counts for that item alone
``item, variant``   the same, by the name that a kept text has
``before, after``   one substitution, wherever it stands; an empty ``before`` is an insertion, an
                    empty ``after`` a deletion
==================  ==============================================================================

Several rows for one thing are several raters: their mean is the probability that it keeps the
meaning. Of a text whose substitutions were rated one by one the probability is their product
(Hauser et al. 2021): that takes them for independent.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log, prod
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.record import grouped
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.attempts import AttackParams
from scrutiny.diagnostics.attack.kept_texts import variant_name
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.row_files import read_rows
from scrutiny.models.strings.model_loading import load_model
from scrutiny.perturb.engine.edited_words import word_changes
from scrutiny.perturb.resources.capabilities import EntailmentJudge
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.search.state import State
from scrutiny.store.files import hash_file
from scrutiny.tasks.classification import TextPairClassification

_WORDS: Final[Mapping[str, float]] = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Ratings:
    """Mean ratings of texts and substitutions.

    Parameters
    ----------
    texts
        By (item, text): the item is empty where the rating holds for any.
    variants
        By (item, variant).
    substitutions
        By (before, after), in lower case.
    fingerprint
        Digest of the file.
    """

    texts: Mapping[Hashable, float] = field(default_factory=dict)
    variants: Mapping[Hashable, float] = field(default_factory=dict)
    substitutions: Mapping[Hashable, float] = field(default_factory=dict)
    fingerprint: str = ""

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """Probability that each text keeps the meaning; `None` if it was not rated.

        A rating of the whole text goes before the product over its substitutions.
        """
        found = []
        for state in states:
            item, text = state.base.id, "\n".join(state.texts)
            keys = (
                (self.texts, (item, text)),
                (self.texts, ("", text)),
                (self.variants, (item, variant_name(recipe, state.texts))),
            )
            rating = next((known[key] for known, key in keys if key in known), None)
            if rating is None:
                each = [self.substitutions.get(pair) for pair in rated_substitutions(state)]
                known_ones = [one for one in each if one is not None]
                if each and len(known_ones) == len(each):
                    rating = prod(known_ones)
            found.append(rating)
        return found


def rated_substitutions(state: State) -> list[tuple[str, str]]:
    """Words before and after each change that raters of an attack judge, in lower case.

    Examples
    --------
    >>> from scrutiny.core.edit import Edit
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.search.moves import Origin
    >>> start = State.start(Origin(Example("1", {"text": "A good film"})))
    >>> rated_substitutions(start.step([Edit("text", 4, 5, "0")]))
    [('good', 'go0d')]
    """
    found = []
    for name in state.origin.names:
        edits = [edit for edit in state.edits if edit.field == name]
        if not edits:
            continue
        document = state.origin.document(name)
        words, changes = word_changes(document, edits)
        for start, end, new_start, new_end in changes:
            before, after = document.words[start:end], words[new_start:new_end]
            found.append((" ".join(before).lower(), " ".join(after).lower()))
    return found


@lru_cache(maxsize=8)
def read_ratings(path: str) -> Ratings:
    """Ratings of a file.

    Raises
    ------
    DataError
        If it is missing, or a row cannot be read; the message names the line.
    """
    file = Path(path)
    try:
        rows = list(read_rows(file))
    except ModelError as error:
        raise DataError(f"The ratings {path!r} cannot be read: {error}") from error
    given = grouped((_key(row, where), _valid(row, where)) for where, row in rows)
    texts, variants, changes = (
        {key: sum(each) / len(each) for (of, key), each in given.items() if of == kind}
        for kind in ("text", "variant", "before")
    )
    return Ratings(texts, variants, changes, hash_file(file))


def _key(row: Mapping[str, Any], where: str) -> tuple[str, Hashable]:
    """Key of the rated object of a row."""
    item = str(row.get("item") or "")
    if row.get("text"):
        return "text", (item, str(row["text"]))
    if item and row.get("variant"):
        return "variant", (item, str(row["variant"]))
    if row.get("before") or row.get("after"):
        pair = str(row.get("before") or "").lower(), str(row.get("after") or "").lower()
        return "before", pair
    raise DataError(
        f"{where}: a rating needs text, or item and variant, or before and after; this row has "
        f"{', '.join(k for k, v in row.items() if k and v) or 'nothing'}."
    )


def _valid(row: Mapping[str, Any], where: str) -> float:
    """Rating of a row."""
    stated = row.get("valid")
    written = str(stated).strip().lower()
    try:
        value = _WORDS[written] if written in _WORDS else float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise DataError(
            f"{where}: valid is {stated!r}; it is a number from 0 to 1, or yes or no. Bring "
            "ratings of five steps to 0 and 1 first: what counts as kept is yours to say."
        )
    return value


#: Task of the model that judges whether one text entails another.
_TASK: Final = TextPairClassification.name


class JudgedText(NamedTuple):
    """Judgments of a text; `None` where no judge was asked or could answer.

    Parameters
    ----------
    valid
        Probability that it keeps the meaning.
    similarity
        Cosine to the original.
    log_perplexity_ratio
        Log of its perplexity over the original's.
    mistakes
        Mistakes in spelling and grammar that the original does not have.
    """

    valid: float | None = None
    similarity: float | None = None
    log_perplexity_ratio: float | None = None
    mistakes: float | None = None


class Rater(Protocol):
    """A rater of whether texts keep the meaning of the original."""

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """Probability for each text; `None` if it cannot say."""


@dataclass(frozen=True, slots=True)
class EntailmentRater:
    """An entailment classifier of text pairs, asked in both directions.

    Parameters
    ----------
    model
        The classifier.
    label
        Position of its label for entailment.
    """

    model: Any
    label: int

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """The smaller of the probabilities that each text entails the other."""
        pairs = []
        for state in states:
            before, after = _changed_texts(state)
            pairs += [(before, after), (after, before)]
        asked = [
            Example(str(i), {"text": one, "text_pair": other})
            for i, (one, other) in enumerate(pairs)
        ]
        found: list[float | None] = []
        for answer in predict_or_fail(self.model, asked):
            if not isinstance(answer, Prediction):
                found.append(None)
            elif answer.scores is not None:
                found.append(answer.scores[self.label])
            else:
                found.append(float(answer.answer == self.model.labels[self.label]))
        both = zip(found[::2], found[1::2], strict=True)
        return [None if one is None or two is None else min(one, two) for one, two in both]


@dataclass(frozen=True, slots=True)
class JudgeRater:
    """The resource ``nli``, asked in both directions."""

    judge: EntailmentJudge

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """The smaller of the probabilities that each text entails the other."""
        pairs = [_changed_texts(state) for state in states]
        found = list(self.judge.entailment([*pairs, *((b, a) for a, b in pairs)]))
        return [min(one, two) for one, two in zip(found, found[len(pairs) :], strict=False)]


def rater_of(params: AttackParams) -> Rater | None:
    """The rater, if there is one."""
    if params.ratings:
        return read_ratings(params.ratings)
    if "nli" in params.resources:
        return JudgeRater(find_resource(params.resources, "nli"))
    return _entailment(params.rater) if params.rater else None


@lru_cache(maxsize=2)
def _entailment(source: str) -> EntailmentRater:
    """Rater of a model string.

    Raises
    ------
    ModelError
        If it has no label for entailment, or several.
    """
    model = load_model(source, registry().load("task", _TASK)())
    found = [
        i
        for i, label in enumerate(model.labels)
        if label.lower().startswith("entail") or label.lower() in {"implies", "duplicate"}
    ]
    if len(found) != 1:
        raise ModelError(
            f"{source!r} cannot rate validity: one of its labels has to be 'entailment', and they "
            f"are {', '.join(model.labels)}. Rename them with #labels=…|…."
        )
    return EntailmentRater(model, found[0])


def judge(params: AttackParams, recipe: str, states: Sequence[State]) -> list[JudgedText]:
    """Judgments of texts, in order."""
    rater = rater_of(params)
    valid: Sequence[float | None] = [None] * len(states)
    if rater is not None and states:
        valid = rater.rate(recipe, list(states))
    texts = [text for state in states for text in _changed_texts(state)]
    similar: Sequence[float | None] = [None] * len(states)
    if "encoder" in params.resources and states:
        vectors = np.asarray(find_resource(params.resources, "encoder").encode(texts), dtype=float)
        one, other = vectors[::2], vectors[1::2]
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        dots = (one * other).sum(axis=1)
        similar = [float(d / n) if n > 0 else None for d, n in zip(dots, lengths, strict=True)]
    surprise: Sequence[float | None] = [None] * len(states)
    if "perplexity" in params.resources and states:
        found = list(find_resource(params.resources, "perplexity").perplexity(texts))
        both = zip(found[::2], found[1::2], strict=True)
        surprise = [log(b / a) if a > 0 and b > 0 else None for a, b in both]
    new: Sequence[float | None] = [None] * len(states)
    if "grammar" in params.resources:
        lints = find_resource(params.resources, "grammar").lints
        both = zip(texts[::2], texts[1::2], strict=True)
        new = [float((Counter(lints(b)) - Counter(lints(a))).total()) for a, b in both]
    return [JudgedText(*row) for row in zip(valid, similar, surprise, new, strict=True)]


#: Code points of a long text that are judged in front of its changes and behind them.
_AROUND: Final = 500


def _changed_texts(state: State) -> tuple[str, str]:
    """The fields that were changed, before and after, joined by a space.

    Of a long text what is near its changes: judges read a few hundred words, and one that sees none
    of the changes would call any text the same.
    """
    pairs = [
        _near_changes(old, new)
        for old, new in zip(state.origin.texts, state.texts, strict=True)
        if old != new
    ] or [(state.origin.texts[0], state.texts[0])]
    return " ".join(one for one, _ in pairs), " ".join(other for _, other in pairs)


def _near_changes(old: str, new: str) -> tuple[str, str]:
    """Two texts without most of what they begin and end with alike.

    Examples
    --------
    >>> old = "a " * 900 + "good film" + " z" * 900
    >>> [len(text) for text in _near_changes(old, old.replace("good", "bad"))]
    [1004, 1003]
    """
    most = min(len(old), len(new))
    same = next((i for i in range(most) if old[i] != new[i]), most)
    left = most - same
    alike = next((i for i in range(left) if old[-1 - i] != new[-1 - i]), left)
    start, cut = max(0, same - _AROUND), max(0, alike - _AROUND)
    return old[start : len(old) - cut], new[start : len(new) - cut]
