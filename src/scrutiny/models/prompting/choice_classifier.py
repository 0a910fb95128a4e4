"""Language models as classifiers: ``choice:smollm2``, ``choice:zoo:bert-4x128/seed-{seed}``.

Behind ``choice:`` stands any model string of a causal or masked language model. Options, behind
the ``#`` or as ``-M key=value``:

``template``  the text with the task's fields in braces; a masked model says its word at
              ``{mask}``, a causal one goes on behind the end; ``@FILE`` reads it from a file
``choices``   ``label=words`` with commas, or bars, between them: the label map
``length``    ``sum`` (default) or ``mean`` of the log-probabilities of a label's tokens
``scored``    of items with options, ``full`` (default) or ``partial``: without their own words
``other``     ``true``: the first token only, not renormalized; the rest is the label ``other``

All others are the language model's own. Where items have options of their own (multiple choice,
pronouns), these are the choices, without a template, and ``length`` is ``mean`` by default.

With ``--batch auto`` the choices of one text share a batch and no two texts do: in batches, float32
moves the probabilities of a network of 135 M parameters by some 1e-6, alone not at all. ``--batch
16`` asks for sixteen texts together, which pays on an accelerator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS, OPTIONS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.core.task import Prediction, Task
from scrutiny.models import named_models as named
from scrutiny.models import zoo
from scrutiny.models.answers.checked import answer_or_fail, index_of
from scrutiny.models.hf.batching import a_few_at_a_time
from scrutiny.models.prompting.label_likelihoods import CAPABILITIES, Scoring, log_likelihoods
from scrutiny.models.prompting.option_likelihoods import SCORED, OptionChooser
from scrutiny.models.prompting.prompts import Prompt, read_prompt
from scrutiny.models.prompting.wordings import (
    WORDINGS,
    Wording,
    by_wording,
    reworded,
    wording_of,
)
from scrutiny.models.strings.adapters import Adapter, checkpoint_of, must_answer_task
from scrutiny.models.strings.model_families import members
from scrutiny.models.strings.model_strings import TRAINING, ModelSource, captures, parse

#: Label of all that no choice stands for.
OTHER: Final = "other"
_VERSION: Final = "choice@1"
_OWN: Final = ("template", "choices", "length", "other", "scored", TRAINING)
_LENGTHS: Final = ("sum", "mean")


class ChoiceClassifier(Model):
    """A classifier by the likelihood of each label's words in a language model.

    **Measures** the probability of each label's words behind, or inside, a filled template,
    renormalized over the labels; with `OTHER`, the probability of their first tokens as it is.

    **Misleads when** the words are of unequal frequency or length (the prior of a word is part of
    its likelihood), and when none of them is at all likely: renormalizing hides that, which is
    what `OTHER` is for. The template is a choice like any other; vary it.

    References
    ----------
    Brown et al. (2020), Language models are few-shot learners, section 2.4.
    Schick & Schütze (2021), Exploiting cloze questions for few shot text classification.
    """

    def __init__(
        self,
        model: Any,
        prompt: Prompt,
        scoring: Scoring,
        *,
        task: Task,
        source: str,
        batch: int | str = "auto",
    ) -> None:
        self.source = source
        self.task = task.name
        self._at_once = batch if isinstance(batch, int) else 1
        self.labels = (*prompt.labels, OTHER) if scoring.has_other else prompt.labels
        self.is_batch_invariant = bool(model.is_batch_invariant)
        own = {"gradients"} if "logprob_slopes" in model.capabilities else set()
        self.capabilities = frozenset({"predict", WORDINGS} | own)
        self._fields = task.fields
        self._model = model
        self._prompt = prompt
        self._scoring = scoring

    def fingerprint(self) -> str | None:
        """Digest of the language model, the template, the label map and the way of scoring."""
        own = self._model.fingerprint()
        if own is None:
            return None
        scoring = [self._scoring.length, self._scoring.has_other]
        return digest(_VERSION, own, canonical_json([self._prompt.plain(), scoring]))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order.

        Raises
        ------
        AnswerError
            ``too_long`` if a filled template does not fit.
        """
        found: dict[int, Prediction] = {}
        for key, places in by_wording(examples).items():
            prompt = self._in_wording(wording_of(key)) if key else self._prompt
            for batch in self.batches(places):
                own = [places[i] for i in batch]
                logs = self._asked([examples[place] for place in own], prompt)
                made = (Prediction(scores=self._scoring.scores(one)) for one in logs)
                found.update(zip(own, made, strict=True))
        return [found[place] for place in range(len(examples))]

    def wordings(self, stated: Sequence[Wording]) -> list[Wording]:
        """Those wordings in which its prompt is another one than its own."""
        return [one for one in stated if self._in_wording(one) != self._prompt]

    def _in_wording(self, wording: Wording) -> Prompt:
        return reworded(self._prompt, wording, self._fields)

    def batches(self, examples: Sequence[Any]) -> list[list[int]]:
        """Indices of the examples that are asked together."""
        return a_few_at_a_time(len(examples), self._at_once)

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example, in order.

        With regard to the vectors of the example's own pieces; those of the template are not
        there. An example that does not fit fails (``too_long``).

        Raises
        ------
        ModelError
            For a label that the model does not have, or if it gives no gradients.
        """
        from scrutiny.models.prompting.choice_gradients import WantedSlopes, gradients_of

        if "gradients" not in self.capabilities:
            raise ModelError(f"{self.source!r} has no gradients: its language model gives none.")
        targets = [index_of(label, self.labels, source=self.source) for label in labels]
        parts = ([examples[i] for i in batch] for batch in self.batches(examples))
        answers = [
            one for part in parts for one in answer_or_fail(self._asked, part, source=self.source)
        ]
        wanted = [
            WantedSlopes(example, self._scoring.slopes(one, target))
            for example, one, target in zip(examples, answers, targets, strict=True)
            if not isinstance(one, Failure)
        ]
        first = self._scoring.has_other
        rest = iter(gradients_of(self._model, self._prompt, wanted, is_first_only=first))
        return [one if isinstance(one, Failure) else next(rest) for one in answers]

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the language model's vocabulary; the same object each time."""
        given: InputEmbeddings = self._model.embeddings()
        return given

    def _asked(
        self, examples: Sequence[Example], prompt: Prompt | None = None
    ) -> list[list[tuple[float, ...]]]:
        """Log-probabilities of the tokens of each choice, by example and choice."""
        first = self._scoring.has_other
        return log_likelihoods(self._model, prompt or self._prompt, examples, is_first_only=first)


@dataclass(frozen=True, slots=True)
class _Unlabeled:
    """Task for loading a language model, which predicts none of its labels."""

    name: str
    fields: tuple[str, ...]
    scored_by: None = None
    must_be_answered: bool = False


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Classifier around the language model named after ``choice:``.

    Raises
    ------
    ModelError
        If that is no causal or masked language model, or an option cannot be read.
    """
    from scrutiny.models.strings.model_loading import load_model

    must_answer_task(task, (LABELS, OPTIONS), source=source.text)
    own = {name: value for name, value in source.options.items() if name not in _OWN}
    unlabeled = cast("Task", _Unlabeled(task.name, task.fields))
    below = LoadOptions(options.device, options.batch, options=own)
    if OPTIONS.are_of(task.facts):
        return _chooser(source, task, load_model(source.target, unlabeled, below), options.batch)
    prompt, scoring = read_prompt(source, task.fields), _scoring(source)
    if scoring.has_other and OTHER in prompt.labels:
        raise ModelError(f"{source.text!r}: with other=true no choice can be called {OTHER!r}.")
    model = load_model(source.target, unlabeled, below)
    wanted = CAPABILITIES[prompt.has_mask]
    if wanted not in model.capabilities:
        # Message for a language model without the required capability.
        if wanted == "masked_logprobs" and "token_logprobs" in model.capabilities:
            cannot = (
                f"{source.text!r} is a causal language model, which goes on behind the end: leave "
                "{mask} out of the template."
            )
        elif wanted == "token_logprobs" and "masked_logprobs" in model.capabilities:
            cannot = (
                f"{source.text!r} is a masked language model: write {{mask}} into the template, "
                'where it shall say its word ("{text} It was {mask}.").'
            )
        else:
            cannot = (
                f"{source.text!r}: {source.target} is no language model; it has "
                f"{', '.join(sorted(model.capabilities)) or 'nothing'}."
            )
        raise ModelError(cannot)
    return ChoiceClassifier(
        model, prompt, scoring, task=task, source=source.text, batch=options.batch
    )


def _chooser(source: ModelSource, task: Task, model: Any, batch: int | str) -> Model:
    """Chooser among the options of each item; a template has no place for them."""
    length = source.options.get("length", "mean")
    scored = source.options.get("scored", SCORED[0])
    stated = {"template", "choices", "other"} & source.options.keys()
    if length not in _LENGTHS or scored not in SCORED or stated:
        raise ModelError(
            f"{source.text!r}: of a task whose items have options, length is one of "
            f"{', '.join(_LENGTHS)} and scored one of {', '.join(SCORED)}; there is no template, "
            "and the choices are the items' own."
        )
    if not {*CAPABILITIES} & model.capabilities:
        has = ", ".join(sorted(model.capabilities)) or "nothing"
        raise ModelError(f"{source.text!r}: {source.target} is no language model; it has {has}.")
    at_once = batch if isinstance(batch, int) else 1
    return OptionChooser(
        model, task, source=source.text, length=length, scored=scored, at_once=at_once
    )


def _targets() -> tuple[str, ...]:
    """Complete targets of the language models with known replicates."""
    try:
        trained = zoo.targets()
    except ModelError:  # the zoo is not installed
        trained = ()
    return (*(f"zoo:{target}" for target in trained), *named.targets())


def _matches(source: ModelSource) -> tuple[list[dict[str, str]] | None, str]:
    """Values of the placeholders of the model after ``choice:``, and which exist.

    Raises
    ------
    ModelError
        If a template stands in the model string, whose braces would be captures.
    """
    if captures(source.options.get("template", "")):
        raise ModelError(
            f"{source.text!r}: in a model string, braces are captures of a family. Give the "
            "template as -M template=..., or keep it in a file: #template=@prompt.txt."
        )
    return members(parse(source.text.partition(":")[2]))


def _scoring(source: ModelSource) -> Scoring:
    """Way of scoring that the options state."""
    length, other = source.options.get("length"), source.options.get("other", "false")
    if length not in {None, *_LENGTHS} or other not in {"true", "false"}:
        raise ModelError(
            f"{source.text!r}: length is one of {', '.join(_LENGTHS)}, and other is true or false; "
            f"not length={length}, other={other}."
        )
    if other == "true" and length is not None:
        raise ModelError(
            f"{source.text!r}: with other=true the first token of a choice counts alone, so "
            "there is no length to choose."
        )
    return Scoring(length or "sum", other == "true")


ADAPTER: Final = Adapter(
    load,
    targets=_targets,
    matches=_matches,
    as_checkpoint=lambda source: checkpoint_of(parse(source.target)),
)
