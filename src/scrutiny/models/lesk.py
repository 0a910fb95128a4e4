"""Baselines for senses of a word: the first sense, and the description most like the text (Lesk).

References
----------
Michael Lesk (1986), Automatic sense disambiguation using machine readable dictionaries; in the
simplified form of Kilgarriff & Rosenzweig (2000): words of the description and of its examples that
stand around the marked word, of equals the first.
"""

import re
from collections.abc import Sequence
from typing import Final

from scrutiny.core.answers.choices import Ranking, options_in, squashed
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.example import Example
from scrutiny.core.facts import SENSES
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word

_MARKED: Final = re.compile(r"<t>.*?</t>")
_WORD: Final = re.compile(r"[^\W\d_]+")


class SensesInOrder(IdentifiedModel):
    """Senses in the order of the dictionary, or of the words in common with the text."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})
    labels: tuple[str, ...] = ()

    def __init__(self, task: Task, source: ModelSource) -> None:
        self._reads = source.target == "lesk"
        super().__init__(source.text, task.name, digest("senses@2", source.target))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Order of the senses of each example; how sure Lesk is are its words in common."""
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example) -> Prediction:
        glosses = options_in(example.fields)
        if not self._reads:
            return Prediction(Ranking(range(len(glosses))))
        around = _words(_MARKED.sub(" ", example.text))
        common = [len(around & _words(gloss)) for gloss in glosses]
        order = Ranking(sorted(range(len(glosses)), key=lambda place: -common[place]))
        return Prediction(order, (squashed(common[order[0]]),))


def _words(text: str) -> frozenset[str]:
    """Base forms of the words of a text that are no function words."""
    words = map(str.lower, _WORD.findall(text))
    return frozenset(lemma(lemma(w, "NOUN"), "VERB") for w in words if not is_stop_word(w))


def load_senses(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """The first sense of each word, or the one whose description is most like the text.

    Raises
    ------
    ModelError
        If the task's answers are no senses.
    """
    del options
    source.refuse_unknown_options(())
    must_answer_task(task, (SENSES,), source=source.text)
    return SensesInOrder(task, source)
