"""Partial inputs: classifiers that are shown a part of each item alone, and whether they are right.

A part is one text of several (the hypothesis alone), the options without their question, or no word
at all: the lengths of the texts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.core.answers.choices import options_in
from scrutiny.core.example import Example
from scrutiny.core.facts import OPTIONS
from scrutiny.core.randomness import Rng
from scrutiny.core.task import Task
from scrutiny.diagnostics.artifacts.aflite import Array
from scrutiny.models.words.linear_classifier import features_of

#: Part that holds no word: how long each text is.
LENGTHS: Final = "lengths"
#: The options of an item, and the options with its question.
ONLY_OPTIONS: Final = "options"
WITH_QUESTION: Final = "question and options"
_CHOICES: Final = (ONLY_OPTIONS, WITH_QUESTION)
_BINS: Final = 10
#: Inverse of the penalty: the best of a grid on SNLI's hypotheses and SST-2's sentences, 5 folds.
_STRENGTH: Final = 0.3
#: Texts from which on a word has to stand in two of them.
_MANY: Final = 500


def shown_parts(task: Task, fields: Sequence[str]) -> tuple[str, ...]:
    """Parts that items with these fields can be shown in, by their names."""
    if OPTIONS.are_of(task.facts):
        asks = {"question", "text"} <= set(fields)
        return (ONLY_OPTIONS, *((WITH_QUESTION,) if asks else ()))
    own = [name for name in task.fields if name in fields]
    return (*(own if len(own) > 1 else ()), LENGTHS)


class Fitted(NamedTuple):
    """Whether the classifier of a part is right about each item ``(item,)``.

    ``right`` is of the gold answers, ``shuffled`` of answers that were dealt out at random.
    """

    right: Array
    shuffled: Array


def fit_part(
    shown: str,
    examples: Sequence[Example],
    *,
    rng: Rng,
    folds: int = 5,
    training: Sequence[Example] = (),
) -> Fitted:
    """Fit a linear classifier to a part of the items, and again with shuffled answers.

    Parameters
    ----------
    shown
        Part that it is shown, one of `shown_parts`.
    examples
        Items with a gold answer, at least two.
    rng
        Of the folds and of the shuffling.
    folds
        Parts of the items, each answered by a classifier of the others. Items that are shown alike
        are in one, so that none is answered by its copy.
    training
        Items that it is fitted to in place of the others of the data. Copies of items that are
        asked, in all of their texts, are left out; where none is left, it is fitted in folds.

    Notes
    -----
    **Measures**: what words and pairs of words of a part say of the right answer, by a linear
    support vector machine over their tf-idf. Answers are shuffled among items with as many options;
    fitted to them, it is right as often as it can be by chance, with the same labels.

    **Misleads when** few items are there: a baseline that learns nothing from 300 items may learn
    much from 300,000. A part can say the answer by right: the question of a quiz.

    **References**: Gururangan et al. (2018), Annotation artifacts in natural language inference
    data; Poliak et al. (2018), Hypothesis only baselines; Si et al. (2019), What does BERT learn
    from multiple-choice reading comprehension datasets?
    """
    own = {frozenset(e.fields.items()) for e in examples}
    training = [e for e in training if frozenset(e.fields.items()) not in own]
    everyone = [*training, *examples]
    is_choice = shown in _CHOICES
    rows, owners = _rows(shown, everyone)
    matrix = _matrix(rows)
    golds = np.array([int(e.gold) if is_choice else str(e.gold) for e in everyone])
    sizes = np.bincount(owners, minlength=len(everyone))
    first = len(training)
    place = _folds([str(_seen(shown, e)) for e in everyone[first:]], folds, rng)
    place = np.concatenate([np.full(first, -1), place])  # -1: fitted to, never asked
    outcomes = []
    for answers in (golds, _shuffled(golds, sizes, first, rng)):
        right = np.zeros(len(everyone), dtype=np.bool_)
        for fold in [0] if first else sorted(set(place.tolist())):
            asked = place >= 0 if first else place == fold
            right[asked] = _answered(matrix, owners, answers, asked, is_choice)
        outcomes.append(right[first:])
    return Fitted(*outcomes)


def _answered(
    matrix: Any,
    owners: Array,
    golds: Array,
    asked: Array,
    is_choice: bool,  # noqa: FBT001
) -> Array:
    """Whether a classifier of the other items is right about those asked, in order."""
    inside, outside = ~asked[owners], asked[owners]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owners))])[:-1]
    within = np.arange(len(owners)) - offsets[owners]  # place of a row among those of its item
    targets = (within == golds[owners]) if is_choice else golds[owners]
    known = np.unique(targets[inside])
    if len(known) < 2:
        return np.asarray(golds[asked] == known[0] if len(known) else np.zeros(asked.sum()) > 0)
    from sklearn.svm import LinearSVC

    model = LinearSVC(C=_STRENGTH, random_state=0).fit(matrix[inside], targets[inside])
    if not is_choice:
        return np.asarray(model.predict(matrix[outside]) == golds[asked])
    scores = np.full((len(asked), within.max() + 1), -np.inf)
    scores[owners[outside], within[outside]] = model.decision_function(matrix[outside])
    return np.asarray(scores[asked].argmax(axis=1) == golds[asked])


def _matrix(rows: Sequence[Sequence[str]]) -> Any:
    """Tf-idf ``(row, feature)`` of lists of features, sparse; no row is empty."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    least = 2 if len(rows) >= _MANY else 1
    made = TfidfVectorizer(analyzer=_as_they_are, min_df=least, sublinear_tf=True)
    return made.fit_transform(rows)


def _as_they_are(features: Sequence[str]) -> Sequence[str]:
    """Features and one that every row has."""
    return ("", *features)


def _seen(shown: str, example: Example) -> tuple[str, ...]:
    """Texts of an item that a part shows."""
    if shown == LENGTHS:
        return tuple(example.fields.values())
    options = tuple(options_in(example.fields))
    if shown == ONLY_OPTIONS:
        return options
    if shown == WITH_QUESTION:
        return (example.fields.get("question", ""), *options)
    return (example.fields.get(shown, ""),)


def _rows(shown: str, examples: Sequence[Example]) -> tuple[list[list[str]], Array]:
    """Features of each row, and the item that it is of: one row for an item, or for an option."""
    if shown in _CHOICES:
        per_item = [list(_of_options(e, has_question=shown == WITH_QUESTION)) for e in examples]
        owners = [i for i, rows in enumerate(per_item) for _ in rows]
        return [row for rows in per_item for row in rows], np.array(owners)
    if shown == LENGTHS:
        rows = _lengths(examples)
    else:
        rows = [features_of(e.fields.get(shown, ""), has_pairs=True) for e in examples]
    return rows, np.arange(len(examples))


def _lengths(examples: Sequence[Example]) -> list[list[str]]:
    """Tenth of the items that each text's words, and its letters, lie in, as features."""
    rows: list[list[str]] = [[] for _ in examples]
    names = dict.fromkeys(name for e in examples for name in e.fields)
    for name in names:
        texts = [e.fields.get(name, "") for e in examples]
        for what, counts in (
            ("words", [len(t.split()) for t in texts]),
            ("letters", map(len, texts)),
        ):
            values = np.array(list(counts))
            edges = np.unique(np.quantile(values, np.linspace(0, 1, _BINS + 1)[1:-1]))
            for row, tenth in zip(rows, np.searchsorted(edges, values), strict=True):
                row.append(f"{name} {what} {tenth}")
    return rows


def _of_options(example: Example, *, has_question: bool) -> Iterator[list[str]]:
    """Features of each option: its words, its place, and how it stands beside the others."""
    texts = options_in(example.fields)
    words = [features_of(text, has_pairs=True) for text in texts]
    counts = Counter(word for own in words for word in set(own))
    lengths = [len(text) for text in texts]
    asked = features_of(example.fields.get("question", ""), has_pairs=False) if has_question else []
    for place, own in enumerate(words):
        told = [f"#place {place}"]
        told += ["#longest"] * (lengths[place] == max(lengths))
        told += ["#shortest"] * (lengths[place] == min(lengths))
        told += [f"#shared {sum(counts[w] > 1 for w in set(own)) * 4 // max(1, len(set(own)))}"]
        if asked:
            told += [f"#asked {len(set(asked) & set(own))}"]
            told += [f"{asked[0]} > {word}" for word in own]
        yield own + told


def _folds(keys: Sequence[str], folds: int, rng: Rng) -> Array:
    """Fold of each item at random, the same where the keys are equal."""
    number: dict[str, int] = {}
    groups = np.array([number.setdefault(key, len(number)) for key in keys])
    return np.asarray(rng.permutation(np.arange(len(number)) % folds)[groups])


def _shuffled(golds: Array, sizes: Array, first: int, rng: Rng) -> Array:
    """Gold answers exchanged at random among items with as many rows, on each side of a border."""
    found = golds.copy()
    for side in (np.arange(len(golds)) < first, np.arange(len(golds)) >= first):
        for size in np.unique(sizes[side]):
            alike = np.flatnonzero(side & (sizes == size))
            found[alike] = golds[rng.permutation(alike)]
    return found
