"""The baseline of a watch: what a finished run asked one model, and what it answered."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.core.answers.answer import answer_of, answer_text, label_in
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction, Task
from scrutiny.data.labels import LabelMatch
from scrutiny.store.item_tables import examples_of
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task

#: Steps to which the log of the odds of the two likeliest labels is rounded: what is smaller is
#: arithmetic, of other batches and other hardware.
STEP: Final = 0.1
_LEAST: Final = 1e-6  # probability that is told from 0
_NOISE_FLOOR: Final = "noise_floor@1"
_ID: Final = 8  # digits of a run's identity


class Symbol(NamedTuple):
    """Answer as it is compared: its text, and how sure the model is of it, in steps.

    ``margin`` is the log of the odds of the two likeliest labels, NaN where there are no
    probabilities; ``step`` is that in steps, empty where probabilities are not compared.
    """

    answer: str
    step: str = ""
    margin: float = math.nan


def symbol_of(answer: str, scores: Sequence[float] | None, *, by_scores: bool) -> Symbol:
    """Answer as it is compared with others to the same item.

    Parameters
    ----------
    answer
        As a text.
    scores
        Probabilities of the labels, in any order; None without any.
    by_scores
        Whether they are compared.

    Examples
    --------
    >>> symbol_of("good", (0.25, 0.75), by_scores=True)[:2]
    ('good', '11')
    >>> symbol_of("good", None, by_scores=True).step
    'none'
    """
    if not by_scores:
        return Symbol(answer)
    if scores is None or len(scores) < 2:
        return Symbol(answer, "none")
    # as tables keep them, in single precision
    kept = np.asarray(scores, dtype=np.float32)
    two, one = np.sort(np.maximum(kept, np.float32(_LEAST)))[-2:].tolist()
    margin = math.log(one / two)
    return Symbol(answer, str(round(margin / STEP)), margin)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Items of one dataset of a run, with a model's answers to them.

    Parameters
    ----------
    run
        Beginning of the identity of the run's plan, as signatures have it.
    subject, dataset
        Names of the model and the data in the run.
    task
        What is asked.
    examples
        Items that it answered, by their identity.
    symbols
        Its answers.
    by_scores
        Whether probabilities are compared, too.
    noise, noise_of
        Share of its answers that changed when asked again, of so many; None where the run did not
        ask again.
    explicit
        The user's map of labels.
    """

    run: str
    subject: str
    dataset: str
    task: Task
    examples: Mapping[str, Example]
    symbols: Mapping[str, Symbol]
    by_scores: bool
    noise: float | None = None
    noise_of: int = 0
    explicit: Mapping[str, str] = field(default_factory=dict)

    def labels_for(self, model: Model) -> Mapping[str, str]:
        """Labels of the data by those of a model.

        Raises
        ------
        DataError
            If they do not match.
        """
        golds = {label for one in self.examples.values() if (label := label_in(one.gold))}
        if not model.labels or not golds:
            return {}
        match = LabelMatch.between(sorted(golds), model.labels, explicit_map=self.explicit or None)
        return match.in_data_words(model.labels)

    def symbol(self, found: Prediction | Failure, labels: Mapping[str, str]) -> Symbol:
        """Answer as it is compared; a reply without an answer is one by its reason."""
        if isinstance(found, Failure):
            return Symbol(f"no answer: {found.reason}", "none" if self.by_scores else "")
        answer = found.answer
        if (label := label_in(answer)) is not None:
            answer = labels.get(label, label)
        return symbol_of(answer_text(answer), found.scores, by_scores=self.by_scores)

    def is_right(self, item: str, symbol: Symbol) -> bool | None:
        """Whether an answer is the gold label; None for other tasks, and without a gold answer."""
        gold = self.examples[item].gold
        if gold is None or not self.task.gives_labels:
            return None
        return symbol.answer == answer_text(gold)


def read_baseline(folder: RunFolder, *, data: str = "", answers_only: bool = False) -> Baseline:
    """Baseline in a finished run: of its one model, on the data with most answers.

    Parameters
    ----------
    folder
        The run.
    data
        Name of the dataset; empty for the one with most answers.
    answers_only
        Leave probabilities aside, as where they are shares of samples.

    Raises
    ------
    PlanError
        If the run cannot be a baseline, and why.
    """
    manifest, name = folder.manifest, str(folder.path)
    if "imported" in manifest:
        raise PlanError(
            f"{name} is a log of another tool, whose questions cannot be asked again. Make a "
            "baseline: scrutiny audit --model ENDPOINT --data STRING --out baseline."
        )
    subject = _subject(manifest, name)
    rows = [
        row
        for row in folder.original_answers("scores").to_pylist()
        if row["subject"] == subject and row["answer"] is not None and row["condition"] == "{}"
    ]
    counts = Counter(row["dataset"] for row in rows)
    if not counts or (data and data not in counts):
        known = ", ".join(sorted(counts)) or "none"
        raise PlanError(
            f"{name} has no answers of {subject} on {data or 'any data'}; data with answers: "
            f"{known}. Measure its performance first: scrutiny run performance --model ENDPOINT "
            "--data STRING --out baseline."
        )
    dataset = data or max(counts, key=lambda one: (counts[one], one))
    own = [row for row in rows if row["dataset"] == dataset]
    own = [row for row in own if row["replicate"] == own[0]["replicate"]]
    examples = examples_of(folder.items(), dataset)
    by_scores = not answers_only and all(row["scores"] for row in own)
    symbols = {
        row["item"]: symbol_of(
            answer_text(answer_of(row["answer"])), row["scores"], by_scores=by_scores
        )
        for row in own
        if row["item"] in examples
    }
    noise, noise_of = _noise(folder, subject, dataset)
    plan = next(one for one in manifest["plan"]["models"] if one["name"] == subject)
    return Baseline(
        run=str(manifest["identity"])[:_ID],
        subject=subject,
        dataset=dataset,
        task=load_task(manifest["data"][dataset]["task"]),
        examples={item: examples[item] for item in symbols},
        symbols=symbols,
        by_scores=by_scores,
        noise=noise,
        noise_of=noise_of,
        explicit=plan.get("labels") or {},
    )


def _subject(manifest: Mapping[str, Any], name: str) -> str:
    """The one model that a run measured."""
    own = [n for n, one in manifest["models"].items() if one["role"] == "measured"]
    if len(own) == 1:
        return str(own[0])
    raise PlanError(
        f"{name} measured {len(own)} models ({', '.join(own[:4])}), so it does not say which one "
        "is watched: make a run of the endpoint alone."
    )


def _noise(folder: RunFolder, subject: str, dataset: str) -> tuple[float | None, int]:
    """Noise floor of the run, and of how many items."""
    for one in folder.estimates():
        key = one.key
        if (key.metric, key.subject, key.dataset) == (_NOISE_FLOOR, subject, dataset):
            if key.replicate is None and key.role == "measured" and key.group == "all":
                return one.value, one.counts.n
    return None, 0
