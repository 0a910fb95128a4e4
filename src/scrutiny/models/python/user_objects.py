"""Objects of the user's code: how one is found, asked as a pipeline, and asked several times.

A pipeline of transformers by itself tells the likeliest label alone and fails on a text that is too
long; it is asked for all labels, with truncation. One that tags gives its pieces joined to
entities. What its user has set stays as it is.

A sampled model is asked for labels; its probabilities are their shares of the samples. Sample k
of n has the number ``draw * n + k``, which the object is given as ``draw=`` where it takes such an
argument, so that it can draw the same again. ``#samples=20,draw=1`` is a second, independent set of
samples of the same model: what two such sets disagree on is noise.
"""

import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from scrutiny.core.boundary.json_text import digest
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
    place, colon, path = source.target.rpartition(":")
    if Path(source.target).suffix in _PICKLES or Path(place).suffix in _PICKLES:
        raise ModelError(
            f"{source.text!r} is a pickle, which scrutiny never loads: unpickling runs whatever "
            "code is in it. Load it yourself in a Python file and name the object: "
            "python:./my_model.py:model."
        )
    if not colon or not place or not path:
        raise ModelError(
            f"{source.text!r} must name a module and an object: python:my_module:model or "
            "python:./my_model.py:model."
        )
    module = _import_file(Path(place), source) if place.endswith(".py") else _import(place, source)
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            names = sorted(n for n in dir(found) if not n.startswith("_"))
            near = get_close_matches(name, names, n=3, cutoff=0.5)
            if near:
                hint = "Did you mean " + " or ".join(repr(n) for n in near) + "?"
            else:
                hint = f"It has: {', '.join(names[:12]) or 'nothing'}."
            raise ModelError(f"{source.text!r}: {place} has no {name!r}. {hint}")
        found = getattr(found, name)
    return found


def file_must_be_there(source: ModelSource) -> None:
    """Refuse an object of the user's in a Python file that does not exist.

    Raises
    ------
    ModelError
        With the Python files of the folder.
    """
    path = Path(source.target.rpartition(":")[0])
    full = path.expanduser().resolve()
    if path.suffix == ".py" and not full.is_file():
        near = sorted(p.name for p in full.parent.glob("*.py")) if full.parent.is_dir() else []
        hint = f" Python files there: {', '.join(near[:12])}." if near else ""
        raise ModelError(f"{source.text!r}: there is no file {str(path)!r}.{hint}")


def _import(name: str, source: ModelSource) -> ModuleType:
    """Module of this name, also from the working folder, as with ``python -m``."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise ModelError(
                f"{source.text!r}: the module {name} needs {error.name}, which is not installed."
            ) from error
        raise ModelError(
            f"{source.text!r}: there is no module {error.name!r} in this environment or in the "
            "working folder. A file is named with its ending: python:./my_model.py:model."
        ) from error
    except Exception as error:
        raise ModelError(_does_not_import(source, error)) from error


def _import_file(path: Path, source: ModelSource) -> ModuleType:
    """Module of a Python file, imported once in a process; its folder is importable from it."""
    file_must_be_there(source)
    full = path.expanduser().resolve()
    name = f"scrutiny_user_{full.stem}_{digest(str(full), size=4)}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise ModelError(f"{source.text!r}: {str(path)!r} cannot be imported.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if str(full.parent) not in sys.path:
        sys.path.insert(0, str(full.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception):
            raise ModelError(_does_not_import(source, error)) from error
        raise
    return module


def _does_not_import(source: ModelSource, error: Exception) -> str:
    """Message for a module that raises an error while it is imported, with the line."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}"
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{source.text!r} cannot be imported: {type(error).__name__} at {place}: {said}."


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
