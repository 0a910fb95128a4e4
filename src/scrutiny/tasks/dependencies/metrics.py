"""Attachment scores and accuracies of parts of speech: shares of words, from sums over sentences.

``las@1``
    **Measures**: words whose head and relation are right, of all; subtypes of relations do not
    count. F1 where a model finds its words itself, as in the CoNLL 2018 shared task.
    **Misleads when**: relations of two schemes are compared, such as Stanford's and UD's.
``uas@1``
    **Measures**: words whose head is right, by a parser, or a probe of attention maps.
    **Misleads when**: probes differ in what they are given: attention-only and word-fed ones do
    not answer one question.
``upos@1``, ``xpos@1``
    **Measures**: words whose part of speech is right, universal or of the treebank.
    **Misleads when**: a model's words are others than the data's: it is F1 then.
"""

from typing import Final

from scrutiny.reliability.additive import Additive, divide, second


def _share(name: str, says: str, right: str, words: str, headline: str = "") -> Additive:
    """Share of right words."""
    return Additive(
        name,
        says,
        (right, words),
        lambda measures: measures,
        lambda sums: divide(sums[..., 0], sums[..., 1]),
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        divisor=second,
        flips_over=second,
        headline=headline,
    )


LAS: Final = _share("las@1", "labeled attachment score (LAS)", "right_arcs", "arcs")
UAS: Final = _share("uas@1", "unlabeled attachment score (UAS)", "right_heads", "arcs", "UAS")
UPOS: Final = _share("upos@1", "part-of-speech accuracy (UPOS)", "right_upos", "upos", "UPOS")
XPOS: Final = _share("xpos@1", "treebank tag accuracy (XPOS)", "right_xpos", "xpos", "XPOS")
