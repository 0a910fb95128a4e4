"""Translation: a text in, the same in another language out; BLEU and chrF of a corpus.

N-grams of a written text that its references have are counted by sacrebleu. Both metrics are
functions of their sums over texts, shares of 1 as all scores here are: a resample of texts is
scored by adding up counts, and no text is compared twice. What may be lost: the difference of two
systems at which four of five human judgments agree with the metric (Kocmi et al. 2024, Navigating
the metrics maze): 2.34 points of BLEU, 1.63 of chrF.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Final, Literal

import numpy as np

from scrutiny.core.answers.texts import TEXT as OF_TEXT
from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.core.errors import DataError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.reliability.row_statistics import Additive, Array, divide
from scrutiny.tasks.cells import text_of
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import Borders, ByColumns, text_role

_DOCUMENT: Final = ("document", "doc_id", "doc", "docid")
#: Longest n-grams of BLEU, in words, and of chrF, in characters.
WORDS: Final = 4
CHARACTERS: Final = 6
Tokenizer = Literal["13a", "zh", "ja-mecab", "char"]
_NGRAMS: Final = range(1, WORDS + 1)
#: Counts behind BLEU, in the order of `bleu_counts`.
OF_BLEU: Final = (
    Measure("words", unit="words"),
    Measure("reference_words", unit="words"),
    *(Measure(f"right_{n}", unit="n-grams of words") for n in _NGRAMS),
    *(Measure(f"ngrams_{n}", unit="n-grams of words") for n in _NGRAMS),
)
#: Counts behind chrF, in the order of `chrf_counts`.
OF_CHRF: Final = tuple(
    Measure(f"{name}_{n}", unit="n-grams of characters")
    for n in range(1, CHARACTERS + 1)
    for name in ("written", "reference", "common")
)


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


#: Characters of Japanese kana, of Chinese, and of scripts that put no spaces between words.
_OF_KANA: Final = r"\u3041-\u30ff\u31f0-\u31ff"
_OF_HAN: Final = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA: Final = re.compile(f"[{_OF_KANA}]")
_HAN: Final = re.compile(f"[{_OF_HAN}]")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_WORD: Final = re.compile(rf"[^\W\d_{_OF_KANA}{_OF_HAN}]+")
_FEW: Final = 0.05


@lru_cache(maxsize=1 << 16)  # one text is asked for under its original, variants and controls
def bleu_counts(
    text: str, references: tuple[str, ...], tokenizer: Tokenizer = "13a"
) -> tuple[float, ...]:
    """Length, length of the nearest reference, and n-grams that are right, and all, by length.

    Words are cut by one of sacrebleu's tokenizers: one for a corpus, see `tokenizer_of`.

    Examples
    --------
    >>> bleu_counts("a cat sat", ("the cat sat down",))
    (3.0, 4.0, 2.0, 1.0, 0.0, 0.0, 3.0, 2.0, 1.0, 0.0)
    """
    return _counts(_metric("BLEU", tokenize=tokenizer), text, references)


def tokenizer_of(references: Iterable[str]) -> Tokenizer:
    """Tokenizer of sacrebleu for a corpus, by the script of most words of its references.

    A character of Chinese or Japanese counts as a word. Chinese: ``zh``. Japanese: ``ja-mecab`` if
    MeCab is installed (``sacrebleu[ja]``), else ``char``, as for Thai, Lao, Burmese and Khmer.
    Others, which have spaces: ``13a``.

    Examples
    --------
    >>> tokenizer_of(["\u6211\u559c\u6b22\u732b\u3002", "OK"]), tokenizer_of(["I like \u732b."])
    ('zh', '13a')
    """
    n_kana, n_han, n_unspaced, n_spaced = 0, 0, 0, 0
    for text in references:
        n_kana += len(_KANA.findall(text))
        n_han += len(_HAN.findall(text))
        words = _WORD.findall(text)
        unspaced = sum(_UNSPACED.match(word) is not None for word in words)
        n_unspaced += unspaced
        n_spaced += len(words) - unspaced
    if n_kana + n_han > n_unspaced + n_spaced:
        if n_kana <= _FEW * (n_kana + n_han):
            return "zh"
        return "ja-mecab" if find_spec("MeCab") and find_spec("ipadic") else "char"
    return "char" if n_unspaced > n_spaced else "13a"


@lru_cache(maxsize=1 << 16)
def chrf_counts(text: str, references: tuple[str, ...]) -> tuple[float, ...]:
    """For n-grams of each length: those of the text, of the reference, and of both.

    Of several references, the one that is most like the text. Spaces do not count.

    Examples
    --------
    >>> chrf_counts("abc", ("abd",))[:6]
    (3.0, 3.0, 2.0, 2.0, 2.0, 1.0)
    """
    return _counts(_metric("CHRF"), text, references)


def _counts(metric: Any, text: str, references: Sequence[str]) -> tuple[float, ...]:
    """Counts of one text."""
    # sacrebleu's own significance tests resample what this method gives
    (found,) = metric._extract_corpus_statistics([text], [[one] for one in references])
    return tuple(map(float, found))


@cache
def _metric(name: str, **options: str) -> Any:
    """Metric of sacrebleu."""
    require_packages("Scoring what models write", "generation", "sacrebleu")
    from sacrebleu import metrics

    return getattr(metrics, name)(**options)


_BETA: Final = 2.0  # recall counts twice as much as precision


def _bleu(sums: Array) -> Array:
    """BLEU ``(...)`` of summed counts ``(..., 10)``, with sacrebleu's smoothing (``exp``).

    NaN without references.
    """
    length, reference = sums[..., 0], sums[..., 1]
    right, all_of = sums[..., 2 : 2 + WORDS], sums[..., 2 + WORDS :]
    halved = 0.5 ** np.cumsum(right == 0, axis=-1)  # instead of 0: 1/2, 1/4, … of one n-gram
    precisions = np.where(all_of > 0, np.where(right > 0, right, halved), 0) / np.maximum(all_of, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.where(length < reference, np.exp(1 - divide(reference, length)), 1.0)
        found = brevity * np.exp(np.log(precisions).mean(axis=-1))
    found = np.where(right.any(axis=-1), np.nan_to_num(found), 0.0)
    return np.where(reference > 0, found, np.nan)


def _chrf(sums: Array) -> Array:
    """Return chrF2 ``(...)`` of summed counts ``(..., 18)``; NaN without references.

    Precision and recall are means over the lengths of n-grams that both sides have.
    """
    written, reference, common = (sums[..., i::3] for i in range(3))
    counts = (written > 0) & (reference > 0)
    n = counts.sum(axis=-1)
    precision, recall = (
        np.where(counts, np.nan_to_num(divide(common, of)), 0.0).sum(axis=-1) / np.maximum(n, 1)
        for of in (written, reference)
    )
    found = divide((1 + _BETA**2) * precision * recall, _BETA**2 * precision + recall)
    return np.where(reference.sum(axis=-1) > 0, np.nan_to_num(found), np.nan)


def _as_they_are(measures: Array) -> Array:
    return measures


BLEU: Final = Additive(
    "bleu@1",
    "BLEU",
    tuple(measure.name for measure in OF_BLEU),
    _as_they_are,
    _bleu,
    scale="logit",
    higher_is="better",
    tolerance=0.023,
    headline="BLEU",
)
CHRF: Final = Additive(
    "chrf@1",
    "chrF",
    tuple(measure.name for measure in OF_CHRF),
    _as_they_are,
    _chrf,
    scale="logit",
    higher_is="better",
    tolerance=0.016,
)
