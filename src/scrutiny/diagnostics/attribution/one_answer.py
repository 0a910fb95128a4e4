"""Explanations of single answers, without a run: by occlusion, which any model that answers allows.

Occlusion asks for nothing but answers, and what it names is what an answer loses without a word,
in probability: a reader can check each score by hand. Whether a method may be believed at all is
what `run attribution` tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.answers.answer import renamed
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.randomness import Rng, generator
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attribution.explained import Explained
from scrutiny.diagnostics.attribution.methods.method import Effort
from scrutiny.diagnostics.attribution.methods.occlusion import Occlusion
from scrutiny.diagnostics.attribution.read_texts import read_text
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.language_answers import ask_or_fail

#: Method that explains where none is named.
METHOD: Final = Occlusion.name
_LONGEST: Final = 300  # words of a text, each of which is a question


@dataclass(frozen=True, slots=True)
class AskedAlone:
    """A model that is asked without a run; ``labels`` are in the data's words."""

    model: Model
    labels: tuple[str, ...]

    def predict(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Checked answers, whose labels are in the data's words."""
        names = dict(zip(self.model.labels, self.labels, strict=False))
        return [
            one
            if isinstance(one, Failure)
            else one._replace(answer=renamed(one.answer, lambda name: names.get(name, name)))
            for one in predict_or_fail(self.model, examples)
        ]

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Checked answers to queries, as the model has them."""
        return ask_or_fail(self.model, capability, queries)

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> Rng:
        """Random generator of this name."""
        return generator(0, purpose, name=name, item=item, draw=draw)


def explain_answers(asked: AskedAlone, examples: Sequence[Example]) -> list[Explained | Failure]:
    """The model's own answer to each text with the scores of its words, or why there are none."""
    texts = []
    for example, answer in zip(examples, asked.predict(examples), strict=True):
        text = read_text(example, answer, asked.labels)
        if not isinstance(text, Failure) and len(text) > _LONGEST:
            text = Failure("long_text", f"more than {_LONGEST} words", "skipped")
        texts.append(text)
    known = [text for text in texts if not isinstance(text, Failure)]
    scores = iter(Occlusion().scores(known, asked, Effort()))
    return [
        text if isinstance(text, Failure) else Explained(text, {METHOD: next(scores)})
        for text in texts
    ]
