"""Numbers of layers: accuracy of probes, code lengths, cosines in context, separated phrases.

``probe_accuracy@1``
    **Measures**: share of the words of other texts whose label a linear probe of a layer finds.
    **Misleads when**: read alone: what words alone give (layer 0, the word list) is much of it.
``known_word_accuracy@1``, ``beyond(known_word_accuracy)@1``
    **Measures**: the same over words that the probe was trained on; minus that of a control task
    with one label at random a word: selectivity. **Misleads when**: a probe is so small that it
    cannot learn the control task: it is then selective for any layer.
``label_bits@1``, ``label_compression@1``, ``beyond(label_compression)@1``
    **Measures**: online code length of the labels, in bits a word; how many times shorter it is
    than a uniform code; minus that of the control labels. **Misleads when**: compared between
    different numbers of training words.
``context_cosine@1``, ``beyond(context_cosine)@1``
    **Measures**: cosine of words (of one text, of neighbors, of one word in several texts); minus
    that of random words of different texts. **Misleads when**: the first is read alone: in a narrow
    cone all words are alike.
``phrase_cosine@1``, ``beyond(phrase_cosine)@1``
    **Measures**: cosine of neighbors in one base phrase; minus that of neighbors across phrases.
    **Misleads when**: neighbors in a phrase are function words more often than others.
``separated_phrases@1``, ``beyond(separated_phrases)@1``
    **Measures**: share of phrases that lie nearest to the center of their own type; minus that with
    types shuffled among phrases of one length. **Misleads when**: types differ in their words.

**References**: Hewitt & Liang (2019), Designing and interpreting probes with control tasks; Voita &
Titov (2020), Information-theoretic probing with minimum description length; Ethayarajh (2019), How
contextual are contextualized word representations?; Peters et al. (2018), Dissecting contextual
word embeddings.
"""

from typing import Any, Final

import numpy as np

from scrutiny.core.statistic import Chance
from scrutiny.reliability.row_statistics import Additive, Array, divide, ratio

#: Measures of a probe, in the order of its rows.
OF_PROBES: Final = (
    "right",
    "words",
    "right_known",
    "known_words",
    "bits",
    "coded_words",
    "uniform_bits",
)
_CONTROL: Final = Chance("labels at random, one a word")


def _same(measures: Array) -> tuple[Array, Array]:
    return measures[..., 0], measures[..., 1]


def _share(name: str, says: str, needs: tuple[str, str], chance: Chance | None = None) -> Additive:
    """Share of words, or of phrases, that are right."""
    stated: dict[str, Any] = {"scale": "logit", "higher_is": "better", "tolerance": 0.02}
    counted = {"flips_over": lambda sums: sums[..., 1]}
    return ratio(name, says, needs, _same, chance=chance, **stated, **counted)


PROBE_ACCURACY: Final = _share("probe_accuracy@1", "accuracy of a linear probe", OF_PROBES[:2])
KNOWN_WORD_ACCURACY: Final = _share(
    "known_word_accuracy@1",
    "accuracy of a linear probe on words that it has seen",
    ("right_known", "known_words"),
    _CONTROL,
)
LABEL_BITS: Final = ratio(
    "label_bits@1",
    "online code length of a label, bits",
    ("bits", "coded_words"),
    _same,
    scale="amount",
    higher_is="worse",
)
LABEL_COMPRESSION: Final = Additive(
    "label_compression@1",
    "compression of the labels (uniform code / online code)",
    ("uniform_bits", "bits"),
    lambda measures: measures,
    lambda sums: divide(sums[..., 0], sums[..., 1]),
    scale="amount",
    higher_is="better",
    chance=_CONTROL,
)


def _cosine(name: str, says: str, beside: str) -> Additive:
    """Mean cosine of pairs of words; rows hold pseudo-values."""
    return Additive(
        name,
        says,
        ("cosine",),
        lambda measures: np.stack([measures[..., 0], np.ones_like(measures[..., 0])], axis=-1),
        scale="coefficient",
        is_mean=True,
        chance=Chance(beside, "beside"),
    )


CONTEXT_COSINE: Final = _cosine(
    "context_cosine@1", "cosine of words", "random words of different texts"
)
PHRASE_COSINE: Final = _cosine(
    "phrase_cosine@1", "cosine of neighbors in a phrase", "neighbors across phrases"
)
SEPARATED_PHRASES: Final = _share(
    "separated_phrases@1",
    "phrases nearest to the center of their type",
    ("own_center", "phrases"),
    Chance("types shuffled among phrases of one length"),
)
