"""Names and contexts of a corpus: changes that each take away one thing a tagger learns from.

Lin et al. (2020) ask whether a model knows names by their form (regularity), by having seen them
(coverage) or by their contexts:

===================  ==========================================================================
name permutation     each distinct name becomes other words, the same everywhere: forms go, and
                     what is seen stays seen
mention permutation  each occurrence becomes a sequence of words of its own: forms and coverage go
context reduction    training keeps all its mentions in fewer different contexts
mention reduction    training keeps all its contexts with fewer different names
===================  ==========================================================================

Words put in a name's place are words of the data that stand in no name, as many as the name has,
so that the tags stay as they are: in their most frequent written form, those without a capital
first; rare ones, so that few contexts have them as well. Read the score on names that training has
with the same type, and on others, apart (`parts` by ``dictionary``). Misleads when: names of one
training set overlap with those of the test set for another reason than coverage (duplicated
sentences).

The procedure follows the abstract and the names of the changes; the paper has no released code.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Final, NamedTuple
from unicodedata import category

from scrutiny.core.errors import DataError
from scrutiny.core.example import Case, Example, Span
from scrutiny.core.record import grouped


class NamedSpan(NamedTuple):
    """Name in a sentence: its first word, the one after its last, and its type."""

    first: int
    end: int
    type: str


class NamedSentence(NamedTuple):
    """Sentence as words, with its names in order."""

    id: str
    words: tuple[str, ...]
    mentions: tuple[NamedSpan, ...]

    def name_of(self, mention: NamedSpan) -> str:
        """Words of a mention, in lower case."""
        return " ".join(self.words[mention.first : mention.end]).casefold()

    @property
    def types(self) -> tuple[str, ...]:
        """Types of its mentions in order."""
        return tuple(mention.type for mention in self.mentions)

    def filled(self, names: Sequence[Sequence[str]]) -> "NamedSentence":
        """The same context with other names in the places of its own."""
        words: list[str] = []
        mentions = []
        done = 0
        for mention, name in zip(self.mentions, names, strict=True):
            words += self.words[done : mention.first]
            mentions.append(NamedSpan(len(words), len(words) + len(name), mention.type))
            words += name
            done = mention.end
        return NamedSentence(self.id, (*words, *self.words[done:]), tuple(mentions))

    @property
    def tags(self) -> list[str]:
        """Tag of each word (IOB2)."""
        tags = ["O"] * len(self.words)
        for first, end, label in self.mentions:
            tags[first:end] = [f"B-{label}", *[f"I-{label}"] * (end - first - 1)]
        return tags


class NamedCorpus(NamedTuple):
    """Sentences of a training set and of a test set."""

    train: Sequence[NamedSentence]
    test: Sequence[NamedSentence]


def named_sentence(example: Example) -> NamedSentence:
    """Sentence of an item of a tagging task.

    Raises
    ------
    DataError
        If it has no tokens or no spans of tokens.
    """
    ((name, borders),) = (example.tokens or {"": ()}).items()
    text = example.fields.get(name, "")
    starts = {start: n for n, (start, _) in enumerate(borders)}
    ends = {end: n + 1 for n, (_, end) in enumerate(borders)}
    gold = example.gold if isinstance(example.gold, tuple) else None
    if gold is None or not borders or not all(isinstance(one, Span) for one in gold):
        raise DataError(
            f"{example.source or example.id} has no tagged words: names are changed in data of "
            "tokens and tags, as conll: reads them."
        )
    mentions = sorted(NamedSpan(starts[one.start], ends[one.end], one.label) for one in gold)
    words = tuple(text[start:end] for start, end in borders)
    return NamedSentence(example.id, words, tuple(mentions))


def name_permutation(corpus: NamedCorpus, rng: random.Random) -> NamedCorpus:
    """Other words for each distinct name, the same wherever it stands; a bijection of names."""
    names = dict.fromkeys(_name(s, m) for s in _all(corpus) for m in s.mentions)
    fresh = _fresh(corpus, rng, [name.count(" ") + 1 for name in names])
    put = dict(zip(names, fresh, strict=True))

    def of(sentence: NamedSentence) -> NamedSentence:
        return sentence.filled([put[_name(sentence, mention)] for mention in sentence.mentions])

    return NamedCorpus(tuple(map(of, corpus.train)), tuple(map(of, corpus.test)))


def mention_permutation(corpus: NamedCorpus, rng: random.Random) -> NamedCorpus:
    """Other words for each occurrence of a name, in a sequence that no other name has."""
    sizes = [mention.end - mention.first for s in _all(corpus) for mention in s.mentions]
    fresh = iter(_fresh(corpus, rng, sizes))

    def of(sentence: NamedSentence) -> NamedSentence:
        return sentence.filled([next(fresh) for _ in sentence.mentions])

    return NamedCorpus(tuple(map(of, corpus.train)), tuple(map(of, corpus.test)))


def context_reduction(corpus: NamedCorpus, rng: random.Random, share: float = 0.5) -> NamedCorpus:
    """Training with a share of its contexts, which take the mentions of the others.

    A context takes those of a sentence whose mentions have the same types in the same order; of
    contexts with the same types one is kept at least.
    """
    found = {}
    for same in grouped((s.types, s) for s in corpus.train).values():
        kept = rng.sample(same, max(1, round(share * len(same))))
        ids = {sentence.id for sentence in kept}
        for sentence in same:
            context = sentence if sentence.id in ids else rng.choice(kept)
            names = [sentence.words[m.first : m.end] for m in sentence.mentions]
            found[sentence.id] = context.filled(names)._replace(id=sentence.id)
    return NamedCorpus([found[sentence.id] for sentence in corpus.train], corpus.test)


def mention_reduction(corpus: NamedCorpus, rng: random.Random, share: float = 0.5) -> NamedCorpus:
    """Training with a share of the names of each type, which stand where the others stood."""
    names: dict[str, dict[tuple[str, ...], None]] = {}
    for sentence in corpus.train:
        for m in sentence.mentions:
            names.setdefault(m.type, {})[sentence.words[m.first : m.end]] = None
    kept = {
        label: rng.sample([*own], max(1, round(share * len(own)))) for label, own in names.items()
    }
    known = {label: {*own} for label, own in kept.items()}

    def of(sentence: NamedSentence) -> NamedSentence:
        own = (sentence.words[m.first : m.end] for m in sentence.mentions)
        return sentence.filled(
            [
                name if name in known[label] else rng.choice(kept[label])
                for name, label in zip(own, sentence.types, strict=True)
            ]
        )

    return NamedCorpus(tuple(map(of, corpus.train)), corpus.test)


#: Words for names: so many, or as make so many times the names that are needed.
_LEAST_WORDS: Final = 500
_SPARE: Final = 2
#: They join letters, or keep them apart, and are none.
_JOINERS: Final = "\u200c\u200d"
Regularity = Callable[[NamedCorpus, random.Random], NamedCorpus]
#: Changes by name; the first two change the test set as well.
CHANGES: Final[Mapping[str, Regularity]] = {
    "name permutation": name_permutation,
    "mention permutation": mention_permutation,
    "context reduction": context_reduction,
    "mention reduction": mention_reduction,
}
OF_TEST: Final = ("name permutation", "mention permutation")


class NameCounts(NamedTuple):
    """Counts of a corpus: what it still has after a change, and what it lost.

    Parameters
    ----------
    sentences, contexts
        Sentences of training, and different ones but for their names.
    mentions, names
        Occurrences of names in training, and different names with their type.
    coverage
        Share of the mentions of the test set whose name training has with the same type, 0 to 1.
    """

    sentences: int
    contexts: int
    mentions: int
    names: int
    coverage: float


def counts_of(corpus: NamedCorpus) -> NameCounts:
    """Counts of a corpus, by which the changes are told apart."""
    contexts = {tuple(s.filled([[m.type] for m in s.mentions]).words) for s in corpus.train}
    seen = Counter((s.name_of(m), m.type) for s in corpus.train for m in s.mentions)
    asked = [(s.name_of(m), m.type) for s in corpus.test for m in s.mentions]
    coverage = sum(one in seen for one in asked) / max(1, len(asked))
    return NameCounts(len(corpus.train), len(contexts), seen.total(), len(seen), coverage)


def conll_text(sentences: Iterable[NamedSentence]) -> str:
    """Sentences as a CoNLL file: a word and its tag on each line."""
    blocks = (
        "\n".join(f"{word}\t{tag}" for word, tag in zip(one.words, one.tags, strict=True))
        for one in sentences
    )
    return "\n\n".join(blocks) + "\n"


def names_suite(examples: Sequence[Example], changed: Mapping[str, NamedCorpus]) -> list[Example]:
    """Suite of the test set: its sentences, and each with the names that a change gives it.

    What a tagger that was trained on the data as it is loses where names have lost their form.
    """
    known = {example.id: example for example in examples}
    cases = [
        _case(known[sentence.id], sentence, title)
        for title in OF_TEST
        for sentence in changed[title].test
        if sentence.mentions
    ]
    bases = dict.fromkeys(case.case.of for case in cases if case.case is not None)
    return [*(known[name] for name in bases), *cases]


def _case(base: Example, sentence: NamedSentence, title: str) -> Example:
    """Case of a changed sentence."""
    ((name, _),) = (base.tokens or {}).items()
    borders: list[tuple[int, int]] = []
    for word in sentence.words:
        start = borders[-1][1] + 1 if borders else 0
        borders.append((start, start + len(word)))
    spans = [
        Span(name, borders[m.first][0], borders[m.end - 1][1], m.type) for m in sentence.mentions
    ]
    return replace(
        base,
        id=f"{title}/{base.id}",
        fields={name: " ".join(sentence.words)},
        gold=tuple(spans),
        spans=(),
        tokens={name: tuple(borders)},
        case=Case("gold", title, "regularity of names", of=base.id),
    )


def _all(corpus: NamedCorpus) -> Iterable[NamedSentence]:
    return (*corpus.train, *corpus.test)


def _name(sentence: NamedSentence, mention: NamedSpan) -> str:
    return sentence.name_of(mention)


def _fresh(
    corpus: NamedCorpus, rng: random.Random, sizes: Sequence[int]
) -> Sequence[tuple[str, ...]]:
    """Different sequences of words that stand in no name, of these lengths.

    Raises
    ------
    DataError
        If the data has too few such words.
    """
    needed = Counter(sizes)
    spare = (ceil((_SPARE * n) ** (1 / size)) for size, n in needed.items())
    words = _outside(corpus)[: max(_LEAST_WORDS, *spare, 0)]
    for size, n in needed.items():
        if len(words) ** size < n:
            of = f"{size} word{'s' * (size != 1)}"
            raise DataError(
                f"The data has {len(words):,} different words outside of names. They make "
                f"{len(words) ** size:,} names of {of}, and {n:,} are needed. Add sentences "
                "without names, or take fewer of those that have names."
            )
    found: dict[tuple[str, ...], None] = {}
    alone = iter(rng.sample(words, needed[1]))
    made = []
    for size in sizes:
        one = (next(alone),) if size == 1 else tuple(rng.choices(words, k=size))
        while one in found:  # of several words: there are as many as are needed
            one = tuple(rng.choices(words, k=size))
        found[one] = None
        made.append(one)
    return made


def _outside(corpus: NamedCorpus) -> Sequence[str]:
    """Words that stand in no name, as they are written most often: rare ones first.

    Those that are written with a capital come last, since a capital is the form of a name.
    """
    inside = {
        word.casefold()
        for s in _all(corpus)
        for m in s.mentions
        for word in s.words[m.first : m.end]
    }
    forms: dict[str, Counter[str]] = {}
    for word in (word for s in _all(corpus) for word in s.words):
        key = word.casefold()
        if key not in inside and _is_word(word):
            forms.setdefault(key, Counter())[word] += 1
    counts = {max(sorted(own), key=own.__getitem__): own.total() for own in forms.values()}
    return sorted(counts, key=lambda word: (word != word.lower(), counts[word], word))


def _is_word(text: str) -> bool:
    """Whether a token has letters, and else only marks and joiners, as words of Hindi have.

    Examples
    --------
    >>> [_is_word(text) for text in ("हिन्दी", "Straße", "2nd", "don't", "$")]
    [True, True, False, False, False]
    """
    kinds = {category(c)[0] for c in text if c not in _JOINERS}
    return "L" in kinds and kinds <= {"L", "M"}
