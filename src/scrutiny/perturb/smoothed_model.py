"""Classifiers averaged over changed copies of a text: ``smoothed:hf:./runs/seed-{seed}``.

Behind ``smoothed:`` stands any model string of a classifier. Options, behind the ``#`` or as
``-M key=value``:

``copies``  how many changed copies stand for a text (8)
``change``  the transformation that makes them (``synonym_wordnet``)
``share``   the share of words that it changes (.25); 0 leaves the text as it is
``seed``    another number draws other copies (0)

All others are the classifier's own.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import Adapter, checkpoint_of, known_targets, must_answer_task
from scrutiny.models.strings.model_families import members
from scrutiny.models.strings.model_strings import TRAINING, ModelSource, parse
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe
from scrutiny.stats.distributions.divergence import softmax
from scrutiny.text.edits import apply_edits

_VERSION: Final = "smoothed@1"
_OWN: Final = ("copies", "change", "share", "seed")
_LEAST: Final = 1e-12  # a probability of 0 would veto a label whatever the other copies say


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How the copies of a text are made."""

    recipe: Recipe
    copies: int = 8
    share: float = 0.25
    seed: int = 0

    def copies_of(self, examples: Sequence[Example]) -> Iterator[list[Example]]:
        """Changed copies of each text; the text itself if it cannot be changed.

        They hang on the text alone, so that a text has one answer whoever asks.
        """
        if self.share == 0:
            yield from ([example] * self.copies for example in examples)
            return
        named = [replace(e, id=digest(*e.fields.values()), gold=None) for e in examples]

        def drawn(draw: int) -> list[Example]:
            pairs = perturb_stream(named, [self.recipe], Setting(self.seed, draw=draw))
            return [apply_edits(e, v.edits) if v.status == "ok" else e for e, (v,) in pairs]

        yield from map(list, zip(*map(drawn, range(self.copies)), strict=True))


class SmoothedClassifier(Model):
    """A classifier whose logits are averaged over randomly changed copies of the text.

    **Measures** the answer to a text's neighborhood instead of to the text: what an attack has
    found at one place counts for one copy in so many.

    **Misleads when** it is taken for a defense against an attacker who asks the smoothed model
    itself, or when the changes are of another kind than the attacker's. A text costs ``copies``
    answers, and accuracy on unchanged texts may fall: report both.

    References
    ----------
    Hauser, Meng, Pascual, Wattenhofer (2021), BERT is robust! A case against synonym-based
    adversarial examples in text classification: the post-processing step. How many copies they
    average is theirs to say; the defaults here are ours.
    """

    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, model: Model, smoothing: Smoothing, *, source: str) -> None:
        self.source = source
        self.task = model.task
        self.labels = model.labels
        self.is_batch_invariant = model.is_batch_invariant
        self._model = model
        self._smoothing = smoothing

    def fingerprint(self) -> str | None:
        """Digest of the classifier and of how the copies are made."""
        own = self._model.fingerprint()
        if own is None:
            return None
        how = self._smoothing
        stated = how.recipe.name, str(how.copies), repr(how.share), str(how.seed)
        return digest(_VERSION, own, *stated)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Softmax of the mean logits of each text's copies; all copies are asked in one batch.

        Raises
        ------
        ModelError
            If the classifier gives labels without probabilities.
        """
        copies = list(self._smoothing.copies_of(examples))
        answers = iter(self._model.predict([copy for own in copies for copy in own]))
        return [self._mean([next(answers) for _ in own]) for own in copies]

    def _mean(self, answers: Sequence[Prediction]) -> Prediction:
        """Mean answer: log-probabilities serve as logits."""
        scores = [answer.scores for answer in answers if answer.scores is not None]
        if len(scores) < len(answers):
            raise ModelError(
                f"{self.source!r}: {self._model.source} gives labels alone, and there is nothing "
                "to average. It needs probabilities."
            )
        columns = zip(*scores, strict=True)
        logs = [sum(math.log(max(p, _LEAST)) for p in column) / len(scores) for column in columns]
        return Prediction(scores=softmax(logs))


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Classifier around the one named after ``smoothed:``.

    Raises
    ------
    ModelError
        If an option cannot be read, or the change does not keep the task's labels.
    """
    from scrutiny.models.strings.model_loading import load_model

    must_answer_task(task, (LABELS,), source=source.text)
    smoothing = _smoothing(source, task)
    own = {name: value for name, value in source.options.items() if name not in _OWN}
    model = load_model(source.target, task, LoadOptions(options.device, options.batch, options=own))
    return SmoothedClassifier(model, smoothing, source=source.text)


def _matches(source: ModelSource) -> tuple[list[dict[str, str]] | None, str]:
    """Values of the placeholders of the model after ``smoothed:``, and which exist."""
    own = {k: v for k, v in source.options.items() if k not in (*_OWN, TRAINING)}
    return members(replace(parse(source.text.partition(":")[2]), options=own))


def _smoothing(source: ModelSource, task: Task) -> Smoothing:
    """Options for making copies."""
    stated = source.options
    share = _number(source, "share", 0.25)
    copies, seed = _number(source, "copies", 8), _number(source, "seed", 0)
    if not 0 <= share <= 1 or copies < 1 or copies % 1 or seed < 0 or seed % 1:
        raise ModelError(
            f"{source.text!r}: copies is a whole number from 1, seed one from 0, and share lies "
            f"between 0 and 1; not copies={copies:g}, seed={seed:g}, share={share:g}."
        )
    written = stated.get("change", "synonym_wordnet")
    if "(" not in written:
        written = f"{written}(share={share:g})" if share else written
    try:
        recipe = parse_recipe(written)
    except PlanError as error:
        raise ModelError(f"{source.text!r}: {error}") from error
    if recipe.effect(task.facts) != "keeps":
        raise ModelError(
            f"{source.text!r}: {recipe.name} does not keep the labels of {task.name}, so its "
            "copies are no copies of the question. `scrutiny show NAME` says which ones do."
        )
    return Smoothing(recipe, int(copies), share, int(seed))


def _number(source: ModelSource, name: str, default: float) -> float:
    """Number given as an option."""
    text = source.options.get(name)
    try:
        return default if text is None else float(text)
    except ValueError:
        raise ModelError(f"{source.text!r}: {name}={text} is no number.") from None


#: Replicates are those of the built-in classifier; the checkpoint tells the training data.
ADAPTER: Final = Adapter(
    load,
    targets=lambda: tuple(f"builtin:{one}" for one in known_targets("builtin")),
    matches=_matches,
    as_checkpoint=lambda source: checkpoint_of(parse(source.target)),
)
