"""Objects of the user's code: how one is found, asked as a pipeline, and asked several times.

A pipeline of transformers by itself tells the likeliest label alone and fails on a text that is too
long; it is asked for all labels, with truncation. One that tags gives its pieces joined to
entities. What its user has set stays as it is.

A sampled model is asked for labels; its probabilities are their shares of the samples. Sample k
of n has the number ``draw * n + k``, which the object is given as ``draw=`` where it takes such an
argument, so that it can draw the same again. ``#samples=20,draw=1`` is a second, independent set of
samples of the same model: what two such sets disagree on is noise.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.user_code import must_be_a_file, named_object
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import BAD, first_failure_raised
from scrutiny.models.strings.model_strings import ModelSource

_PICKLES: Final = {".joblib", ".pkl", ".pickle", ".pt", ".pth"}


def find_object(source: ModelSource) -> Any:
    """Object of ``module:object`` or ``./file.py:object``; dots access attributes.

    Raises
    ------
    ModelError
        If the module or the object is not there, with near names.
    """
    place = source.target.rpartition(":")[0]
    if Path(source.target).suffix in _PICKLES or Path(place).suffix in _PICKLES:
        raise ModelError(
            f"{source.text!r} is a pickle, which scrutiny never loads: unpickling runs whatever "
            "code is in it. Load it yourself in a Python file and name the object: "
            "python:./my_model.py:model."
        )
    return named_object(source.target, said=source.text, error=ModelError)


def file_must_be_there(source: ModelSource) -> None:
    """Refuse an object of the user's in a Python file that does not exist.

    Raises
    ------
    ModelError
        With the Python files of the folder.
    """
    path = Path(source.target.rpartition(":")[0])
    must_be_a_file(path, said=source.text, error=ModelError)


_MODULE: Final = "transformers.pipelines"
_CLASSIFIES: Final = "TextClassificationPipeline"
_TAGS: Final = "TokenClassificationPipeline"


def is_pipeline(obj: Any, kind: str = "Pipeline") -> bool:
    """Whether an object is a pipeline of transformers, of a kind."""
    return any(
        base.__name__ == kind and base.__module__.startswith(_MODULE) for base in type(obj).__mro__
    )


def labels_of_pipeline(pipeline: Any) -> tuple[str, ...]:
    """Labels of a pipeline that classifies texts, in the order of its outputs; none of others."""
    if not is_pipeline(pipeline, _CLASSIFIES):
        return ()
    names = pipeline.model.config.id2label
    return tuple(str(names[index]) for index in sorted(names))


def ask_pipeline(pipeline: Any, given: Sequence[Any]) -> Any:
    """Answers of a pipeline to a list of texts, or of pairs of texts."""
    inputs = [
        dict(zip(("text", "text_pair"), one, strict=True)) if isinstance(one, tuple) else one
        for one in given
    ]
    # Settings of a call that its user has not chosen.
    settings: dict[str, Any] = {}
    if is_pipeline(pipeline, _CLASSIFIES):
        stated = getattr(pipeline, "_preprocess_params", {})
        settings["top_k"] = None
        if "truncation" not in stated:
            settings["truncation"] = True
    elif is_pipeline(pipeline, _TAGS):
        stated = getattr(pipeline, "_postprocess_params", {})
        how = str(stated.get("aggregation_strategy", "none"))  # or AggregationStrategy.NONE
        if how.rpartition(".")[2].lower() == "none":
            settings["aggregation_strategy"] = "simple"
    return pipeline(inputs, **settings)


SAMPLES: Final = "samples"
DRAW: Final = "draw"


class SampledModel(Model):
    """A classifier whose probabilities are shares of samples.

    **Measures** how often each label was answered.

    **Misleads when** shares are taken for probabilities: with n samples, two sets from the same
    distribution p lie apart by about the sum of 2 sqrt(p (1 - p) / (pi n)) over the labels (L1),
    which is .25 for two labels, p = 1/2 and n = 20. Compare a model with itself (``draw=1``) first.

    Parameters
    ----------
    model
        Asked once for each sample, whose number is its ``draw``.
    samples, draw
        How many samples, and which set of them.
    """

    is_of_the_user = True
    capabilities: frozenset[str] = frozenset({"predict"})
    n_samples: int

    def __init__(self, model: Any, *, samples: int, draw: int = 0) -> None:
        if len(model.labels) < 2:
            raise ModelError(
                f"{model.source!r}: the labels must be known before shares of them can be counted. "
                "Add them: #labels=negative|positive."
            )
        self.source = model.source
        self.task = model.task
        self.labels = model.labels
        self.n_samples = samples
        self._first = draw * samples
        self._model = model

    def fingerprint(self) -> str | None:
        """Digest of the object with its options, including the number of samples; or `None`."""
        stated: str | None = self._model.fingerprint()
        return stated

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Shares of the labels in the samples for each example, in order.

        Raises
        ------
        AnswerError
            For the first example of which a sample cannot be used.
        """
        return first_failure_raised(self.answers_or_failures(examples))

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Shares for each example, or what is wrong with the first of its samples that is."""
        counts: list[Counter[str]] = [Counter() for _ in examples]
        failures: dict[int, Failure] = {}
        for number in range(self._first, self._first + self.n_samples):
            self._model.draw = number
            for place, answer in enumerate(self._model.answers_or_failures(examples)):
                label = answer if isinstance(answer, Failure) else self._label(answer)
                if isinstance(label, Failure):
                    failures.setdefault(place, label)
                else:
                    counts[place][label] += 1
        return [
            failures.get(place)
            or Prediction(scores=tuple(count[label] / self.n_samples for label in self.labels))
            for place, count in enumerate(counts)
        ]

    def _label(self, answer: Prediction) -> str | Failure:
        """Label of one sample."""
        if answer.answer is None or answer.scores is not None:
            raise ModelError(
                f"{self.source!r} answers with probabilities, so there is nothing to sample: leave "
                "out samples=, or return labels."
            )
        if answer.answer not in self.labels:
            return Failure(
                BAD,
                f"{self.source!r} answered {answer.answer!r}, which is not among its labels: "
                f"{', '.join(self.labels)}.",
            )
        return str(answer.answer)


def stated_samples(source: ModelSource) -> dict[str, Any]:
    """Samples of a Python model that its options state: their number and their set; else `None`.

    Raises
    ------
    ModelError
        If they cannot be read.
    """
    samples, draw = source.options.get(SAMPLES), source.options.get(DRAW)
    if samples is None and draw is None:
        return {}
    if samples is None or not samples.isdecimal() or int(samples) < 2:
        raise ModelError(
            f"{source.text!r}: samples is a number from 2 on"
            + (", and draw needs one." if samples is None else f", not {samples!r}.")
        )
    if draw is not None and not draw.isdecimal():
        raise ModelError(f"{source.text!r}: draw is a whole number from 0 on, not {draw!r}.")
    return {SAMPLES: int(samples), DRAW: int(draw or 0)}
