"""Attributes of parts: of an entity, a word, a mention, an arc, by which a score falls apart.

Each is a function of one part, looked at on gold parts for gold and on predicted ones for those of
a model. Two definitions of label consistency and two ways to count what is frequent stand in the
released code of the papers; each has its name here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.example import Example, Link
from scrutiny.data.parts.buckets import Buckets, Numbers
from scrutiny.data.parts.part_attribute import TextPart, part_attribute
from scrutiny.data.parts.part_counts import PartCounts, parts_of, places_of, words_in

_BY_COUNT: Final = Buckets("values", (0,), 4)
_OF_SHARES: Final = Buckets("fixed", (0, 0.5, 0.999))
_SHARE: Final = Numbers(least=0, most=1)
_WHOLE: Final = Numbers(is_whole=True, least=0)
_NOTHING: Final[Counter[Any]] = Counter()
_DIGITS: Final = 3  # to which InterpretEval rounds


@part_attribute(
    "their length in tokens",
    buckets=Buckets("fixed", (1, 2, 3)),
    scale=Numbers(is_whole=True, least=1),
)
def length(part: TextPart) -> int:
    """Number of tokens: those of the data where they came in tokens, else ours."""
    return len(part.words)


@part_attribute("their length in characters", scale=Numbers(is_whole=True, least=1))
def characters(part: TextPart) -> int:
    """Number of characters."""
    return len(part.text)


@part_attribute("the length of their text in tokens", scale=Numbers(is_whole=True, least=1))
def text_length(part: TextPart) -> int:
    """Number of tokens of the text that they are in."""
    return len(part.tokens)


@part_attribute("the share of their text's tokens that are in gold parts", scale=_SHARE)
def density(part: TextPart) -> float:
    """Share of the tokens of the text that are inside of gold parts."""
    own = [p for p in parts_of(part.example.gold, part.example) if p.field == part.span.field]
    inside = sum(any(p.start <= a and b <= p.end for p in own) for a, b in part.tokens)
    return inside / max(len(part.tokens), 1)


@part_attribute(
    "the share of their text's tokens that the training data lacks",
    of_training=True,
    scale=_SHARE,
    buckets=_BY_COUNT,
)
def unseen_density(part: TextPart) -> float:
    """Share of the tokens of the text that the training data lacks as they are written."""
    text, seen = part.example.fields[part.span.field], part.beside.seen_words
    return sum(text[a:b] not in seen for a, b in part.tokens) / max(len(part.tokens), 1)


@part_attribute("whether the training data has them", of_training=True, groups=("seen", "unseen"))
def unseen(part: TextPart) -> str:
    """Whether a part of the training set has the same words, in any case."""
    return "seen" if part.text.casefold() in part.beside.counts.parts else "unseen"


@part_attribute(
    "whether the training data has them with the same label",
    of_training=True,
    groups=("in", "out"),
)
def dictionary(part: TextPart) -> str:
    """Whether a part of the training set has the same words with the same label.

    What a model that knows training by heart can find (Lin et al., 2020).
    """
    trained = part.beside.counts.parts.get(part.text.casefold(), _NOTHING)
    return "in" if part.span.label in trained else "out"


@part_attribute(
    "how often the training data has them", of_training=True, scale=_WHOLE, buckets=_BY_COUNT
)
def frequency(part: TextPart) -> int:
    """How often the training set has a part with the same words, in any case."""
    return part.beside.counts.parts.get(part.text.casefold(), _NOTHING).total()


@part_attribute(
    "their frequency as InterpretEval counts it", of_training=True, scale=_SHARE, buckets=_BY_COUNT
)
def frequency_interpreteval(part: TextPart) -> float:
    """Places of their words in training texts, divided by the fifth highest count of gold parts.

    As released: gold parts of the items are counted in the training texts, whether they are parts
    there or not; what is above the fifth highest count, or no gold part, has 0.
    """
    words = tuple(word.casefold() for word in part.words)
    if words not in part.beside.gold.part_words:
        return 0.0
    found = part.beside.counts.as_pattern(words).total() // len(words) / part.beside.usual_gold_part
    return 0.0 if found > 1 else round(found, _DIGITS)


@part_attribute(
    "the frequency of their words in the training data",
    of_training=True,
    scale=_SHARE,
    buckets=_BY_COUNT,
)
def word_frequency(part: TextPart) -> float:
    """Mean count of their words in training, each divided by the fifth highest, at most 1."""
    counts, most = part.beside.counts.word_labels, part.beside.counts.usual_word
    each = (counts.get(w.casefold(), _NOTHING).total() / most for w in part.words)
    return _mean(min(1.0, one) for one in each)


@part_attribute(
    "the frequency of their words as InterpretEval counts it",
    of_training=True,
    of_words=True,
    scale=_SHARE,
    buckets=_BY_COUNT,
)
def word_frequency_interpreteval(word: TextPart) -> float:
    """Count of each word in the training set, divided by the fifth highest; of words, not parts."""
    counts, most = word.beside.counts.word_labels, word.beside.counts.usual_word
    return round(min(1.0, counts.get(word.text.casefold(), _NOTHING).total() / most), _DIGITS)


@part_attribute(
    "the frequency of their characters in the training data", of_training=True, scale=_SHARE
)
def character_frequency(part: TextPart) -> float:
    """Mean count of their characters in parts of training, each divided by the fifth highest."""
    counts, most = part.beside.counts.character_places, part.beside.counts.usual_character
    text = part.text.casefold()
    return _mean(min(1.0, counts.get(c, _NOTHING).total() / most) for c in text)


@part_attribute(
    "the consistency of their label in training, over whole parts",
    of_training=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def consistency_spans(part: TextPart) -> float:
    """Share of the places of their words in training that are a part with their label.

    As in ExplainaBoard: a place counts for a label where a part has exactly these borders, and
    else for none ("New York" inside of "New York Times"). 0 for words that training lacks.
    """
    return _share(part.beside.counts.as_parts(part.words), part.span.label)


@part_attribute(
    "the consistency of their label in training, over tokens",
    of_training=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def consistency_tokens(part: TextPart) -> float:
    """Share of the tokens at the places of their words in training that have their label.

    InterpretEval's definition: every place counts, inside of longer parts and outside of any. 0 for
    words that training lacks.
    """
    return _share(part.beside.counts.inside(part.words), part.span.label)


@part_attribute(
    "the consistency of their label as InterpretEval counts it",
    of_training=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def consistency_interpreteval(part: TextPart) -> float:
    """The same over tokens, as released.

    Words that are no part of training have 0, the words are taken as a regular expression ("d.c."
    is found in "dock"), and shares have three digits.
    """
    counts = part.beside.counts
    if tuple(word.casefold() for word in part.words) not in counts.part_words:
        return 0.0
    return round(_share(counts.as_pattern(part.words), part.span.label), _DIGITS)


@part_attribute(
    "the consistency of their words' label in training",
    of_training=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def word_consistency(part: TextPart) -> float:
    """Mean over their words of the share of places in training with their label; 0 if unseen."""
    labels = part.beside.counts.word_labels
    return _mean(_share(labels.get(w.casefold(), {}), part.span.label) for w in part.words)


@part_attribute(
    "the consistency of their words' label as InterpretEval counts it",
    of_training=True,
    of_words=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def word_consistency_interpreteval(word: TextPart) -> float:
    """Share of a word's places in training with its label; of words, not parts.

    As released, an unseen word has the share of the last seen one before it in the same part.
    """
    labels, part = word.beside.counts.word_labels, word.whole or word.span
    before = words_in(word.example, part._replace(end=word.span.end))
    known = (labels[w.casefold()] for w in reversed(before) if w.casefold() in labels)
    seen = next(known, _NOTHING)
    return round(_share(seen, word.span.label), _DIGITS)


@part_attribute(
    "the consistency of their characters' places in training",
    of_training=True,
    scale=_SHARE,
    buckets=_OF_SHARES,
)
def character_consistency(part: TextPart) -> float:
    """Mean over characters of the share of their places in words of training (B, M, E, S)."""
    text, counts = part.text.casefold(), part.beside.counts.character_places
    places = zip(text, places_of(len(text)), strict=True)
    return _mean(_share(counts.get(c, {}), place) for c, place in places)


COVERAGE: Final = ("1", "over 0.5", "over 0 to 0.5", "0, seen otherwise", "0, unseen")


@part_attribute("how training covers them and their labels", of_training=True, groups=COVERAGE)
def coverage(part: TextPart) -> str:
    """Group of the entity coverage ratio (Fu et al., 2020), of `entity_coverage`.

    Words that no gold part has are looked at with the label that the part has.
    """
    text = part.text.casefold()
    trained = part.beside.counts.parts.get(text, _NOTHING)
    share = coverage_ratio(trained, part.beside.gold.parts.get(text, {part.span.label: 1}))
    if share == 0:
        return COVERAGE[3] if trained else COVERAGE[4]
    return COVERAGE[0] if share > 1 - 1e-9 else COVERAGE[1] if share > 0.5 else COVERAGE[2]


@part_attribute("how they are capitalized", groups=("none", "first", "all", "mixed", "no letters"))
def capitals(part: TextPart) -> str:
    """Whether no letter, first letters only, all letters or other letters are capitals."""
    text = "".join(c for c in part.text if c.isalpha())
    if text.lower() == text.upper():
        return "no letters"
    if text in (text.lower(), text.upper()):
        return "none" if text == text.lower() else "all"
    words = [w for w in part.words if any(map(str.isalpha, w))]
    return "first" if all(w[:1].isupper() and w[1:] == w[1:].lower() for w in words) else "mixed"


@part_attribute("their position in the text", scale=_SHARE)
def position(part: TextPart) -> float:
    """Tokens before them, as a share of the text's: 0 for the first one."""
    return sum(b <= part.span.start for _, b in part.tokens) / max(len(part.tokens), 1)


@part_attribute("their type", buckets=Buckets("discrete", count=12))
def label(part: TextPart) -> str:
    """Label of the part: the type of an entity, the relation of a word."""
    return part.span.label


@part_attribute(
    "the tokens between them and their head", scale=_WHOLE, buckets=Buckets("fixed", (0, 1, 3, 6))
)
def distance(part: TextPart) -> int | None:
    """Tokens between a word and its head; None for parts that are tied to nothing, as roots."""
    if not isinstance(part.span, Link) or part.span.to < 0:
        return None
    (_, low), (high, _) = sorted(
        [(part.span.start, part.span.end), (part.span.to, part.span.to_end)]
    )
    return sum(low <= a and b <= high for a, b in part.tokens)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _share(counts: Mapping[Any, int], label: str) -> float:
    """Share of a label among counts; 0 where there are none."""
    return counts.get(label, 0) / max(sum(counts.values()), 1)


def coverage_ratio(training: Mapping[str, int], gold: Mapping[str, int]) -> float:
    """Entity coverage ratio of one text, from its counts by label in training and here, 0 to 1.

    Examples
    --------
    >>> coverage_ratio({"ORG": 2, "LOC": 6}, {"ORG": 1, "LOC": 1})
    0.5
    """
    of_all = sum(training.values()) * sum(gold.values())
    return sum(training.get(k, 0) * n for k, n in gold.items()) / of_all if of_all else 0.0


def entity_coverage(training: Sequence[Example], examples: Sequence[Example]) -> float:
    """Expected entity coverage ratio of gold parts by a training set, 0 to 1.

    The mean over gold parts of the chance that a training part of the same words has the label of a
    gold part of these words (Fu et al., 2020, Rethinking generalization of neural models).
    """
    trained, gold = PartCounts(training).parts, PartCounts(examples).parts
    ratios = ((coverage_ratio(trained.get(t, {}), own), own.total()) for t, own in gold.items())
    found = [(ratio * n, n) for ratio, n in ratios]
    return sum(r for r, _ in found) / max(sum(n for _, n in found), 1)
