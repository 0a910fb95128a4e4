"""Translation: a text in, the same in another language out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.answers.any_of import AnyOf
from scrutiny.core.answers.text import TEXT as OF_TEXT
from scrutiny.core.answers.text import Text
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.tasks.columns.by_columns import Borders, ByColumns
from scrutiny.tasks.columns.cells import text_of
from scrutiny.tasks.columns.roles import text_role
from scrutiny.tasks.generation.metrics import OF_BLEU, OF_CHRF
from scrutiny.tasks.generation.ngrams import Tokenizer, bleu_counts, chrf_counts, tokenizer_of
from scrutiny.tasks.scored import level_of

_DOCUMENT: Final = ("document", "doc_id", "doc", "docid")


class Translation(ByColumns):
    """Translation, scored by chrF and BLEU against one or several references.

    A model without skill gives the text back as it is.
    """

    name = "translation"
    roles = (
        text_role("text", "column of the text to translate", "source", "src", "sentence"),
        Role(
            "reference",
            "column of its translation, or of a list of translations",
            "gold",
            ("reference", "references", "translation", "target", "ref", "tgt"),
        ),
        Role("document", "column of the document of a text", "unit", _DOCUMENT),
    )
    answer_type = OF_TEXT
    measures = (*OF_CHRF, *OF_BLEU)
    scored_by = Score(
        level="chrf@1",
        also=("bleu@1",),
        tolerance=0.016,
        no_skill="the score of the texts as they are, untranslated",
    )

    _tokenizer: Tokenizer | None = None

    def on(self, examples: Sequence[Example]) -> "Translation":
        """Translation into the language of these items' references: BLEU has one tokenizer.

        The score's ``note`` names it, and so does what BLEU is called.
        """
        told = Translation()
        told._tokenizer = tokenizer_of(_all_references(examples))
        said = f"Words of BLEU are cut by sacrebleu's tokenizer {told._tokenizer}."
        names = {"bleu@1": f"BLEU ({told._tokenizer})"}
        told.scored_by = replace(self.scored_by, note=said, names=names)
        return told

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Text | AnyOf | None:
        """References of a row: one, or several any of which will do; None without their column.

        Raises
        ------
        DataError
            If it has none, or one is empty or no text.
        """
        if self.answer not in row:
            return None
        given = row[self.answer]
        if not isinstance(given, list | tuple):
            return Text(text_of(row, self.answer))
        texts = [Text(text_of({self.answer: one}, self.answer)) for one in given]
        if not texts:
            raise DataError(f"{self.answer} is an empty list")
        return texts[0] if len(texts) == 1 else AnyOf(texts)

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: references that are the text itself, and the doubts of any row."""
        yield from super().doubts(row, example)
        if example.gold is not None and example.text in _references_of(example.gold):
            yield "have a reference that is the text itself, untranslated"

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Counts of n-grams of the translation that the references have."""
        references = _references_of(gold)
        written = str(prediction.answer)
        tokenizer = self._tokenizer or tokenizer_of(references)  # of one item alone
        return (*chrf_counts(written, references), *bleu_counts(written, references, tokenizer))

    def chance(self, examples: Sequence[Example]) -> float:
        """Score of the texts as they are: of a model that translates nothing."""
        return level_of(self, examples, [Prediction(Text(e.text)) for e in examples])


def _all_references(examples: Sequence[Example]) -> Iterator[str]:
    """References of all items that have some."""
    for example in examples:
        yield from () if example.gold is None else _references_of(example.gold)


def _references_of(gold: Text | AnyOf) -> tuple[str, ...]:
    """References as plain texts."""
    return tuple(map(str, gold)) if isinstance(gold, AnyOf) else (str(gold),)
