"""Label words: words that occur with one label more often than the labels' shares let expect."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
import scipy.stats

from scrutiny.core.errors import DataError
from scrutiny.models.words.linear_classifier import features_of
from scrutiny.stats.significance.combined_tests import holm
from scrutiny.text.tokens import is_lexical

#: Added to each count of a word with a label before its PMI, as published.
SMOOTHING: Final = 100.0
Expected = Literal["shares", "uniform"]


class LabelWord(NamedTuple):
    """A word and the label that it occurs with more often than expected.

    Parameters
    ----------
    field, word, label
        Name of the text that holds it; the word in lower case; the label.
    with_label, texts
        Texts that hold the word and have the label; and all that hold it.
    expected
        Share of the label among texts that hold the word, if the word said nothing.
    pmi
        Pointwise mutual information in nats, of smoothed counts.
    z
        Distance of the share from the expected one, in standard errors.
    p
        Adjusted by Holm over all words and labels.
    """

    field: str
    word: str
    label: str
    with_label: int
    texts: int
    expected: float
    pmi: float
    z: float
    p: float

    @property
    def share(self) -> float:
        """Share of the texts with the word that have the label."""
        return self.with_label / self.texts


def label_words(
    texts: Mapping[str, Sequence[str]],
    labels: Sequence[str],
    *,
    expected: Expected = "shares",
    least: int = 5,
    smoothing: float = SMOOTHING,
) -> list[LabelWord]:
    """Test each word with each label, the clearest first.

    Parameters
    ----------
    texts
        Texts of the items, by the name of their field: words of all fields are one family.
    labels
        Label of each item.
    expected
        How often a label is to be expected: ``shares``, as often as in the data, with exact
        p-values (hypergeometric); ``uniform``, as the competency problems have it, each label
        alike, with p-values of z.
    least
        Least number of texts that hold a word. It is stated before labels are looked at, so that
        it costs the tests nothing.
    smoothing
        Added to each count of a word with a label for its PMI alone: 100 as published.

    Raises
    ------
    DataError
        If there are not as many texts as labels, or ``expected`` is something else.

    Notes
    -----
    **Measures**: single words that give a label away. A word counts once in a text. p-values are
    adjusted by Holm over every word and label that was tested: the chance of one false word among
    all is held.

    **Misleads when**: a word rightly belongs to a label ("awful" in reviews); texts of several
    items are the same, as the premise of three pairs, so that they are fewer than counted; pairs
    of words matter.

    **References**: Gururangan et al. (2018), Annotation artifacts in natural language inference
    data (PMI); Gardner et al. (2021), Competency problems (z). Exact tests beside the labels' own
    shares, and Holm, are ours.

    Examples
    --------
    >>> texts = ["nobody sleeps"] * 8 + ["someone sleeps"] * 8
    >>> found = label_words({"text": texts}, ["no"] * 8 + ["yes"] * 8)
    >>> [(one.word, one.label, round(one.z, 1)) for one in found]
    [('nobody', 'no', 2.8), ('someone', 'yes', 2.8)]
    """
    for name, own in texts.items():
        if len(own) != len(labels):
            raise DataError(f"{name} has {len(own):,} texts, and there are {len(labels):,} labels.")
    if expected not in ("shares", "uniform"):
        raise DataError(f"expected is {expected!r}; it is 'shares' or 'uniform'.")
    held: list[set[tuple[str, str]]] = [set() for _ in labels]
    for name, own in texts.items():
        for words_of, text in zip(held, own, strict=True):
            words_of |= {(name, w) for w in features_of(text, has_pairs=False) if is_lexical(w)}
    counts = Counter(word for words in held for word in words)
    words = [word for word, n in counts.items() if n >= least]
    names = sorted(set(labels))
    if not words or len(names) < 2:
        return []
    row, column = {w: i for i, w in enumerate(words)}, {name: j for j, name in enumerate(names)}
    both = np.zeros((len(words), len(names)), dtype=np.int64)
    for there, label in zip(held, labels, strict=True):
        for word in there:
            if word in row:
                both[row[word], column[label]] += 1
    n, n_word = len(labels), both.sum(axis=1, keepdims=True)
    n_label = np.bincount([column[label] for label in labels], minlength=len(names))[None]
    share = n_label / n if expected == "shares" else np.full((1, len(names)), 1 / len(names))
    z = (both / n_word - share) / np.sqrt(share * (1 - share) / n_word)
    p = (
        scipy.stats.hypergeom.sf(both - 1, n, n_label, n_word)
        if expected == "shares"
        else scipy.stats.norm.sf(z)
    )
    smooth = both + smoothing
    pmi = np.log(smooth * smooth.sum() / (smooth.sum(axis=1, keepdims=True) * smooth.sum(axis=0)))
    adjusted = holm(np.clip(p, 0, 1).ravel()).reshape(p.shape)
    found = [
        LabelWord(
            words[i][0],
            words[i][1],
            names[j],
            int(both[i, j]),
            int(n_word[i, 0]),
            float(share[0, j]),
            float(pmi[i, j]),
            float(z[i, j]),
            float(adjusted[i, j]),
        )
        for i, j in np.argwhere(both / n_word > share)
    ]
    return sorted(found, key=lambda one: (one.p, -one.z, one.field, one.word))
