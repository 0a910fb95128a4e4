"""Head match: coreference by main words, and pronouns by the nearest mention that fits.

The usual baseline: what it finds needs no knowledge of what a text says. Names and noun phrases
join the cluster whose latest mention has the same main word, unless their genders or numbers
differ; a noun phrase that introduces somebody (*a man*) begins a cluster. *I*, *we* and *you* have
one cluster each. Other pronouns join the nearest mention before them that may be meant.

Mentions are personal pronouns (except *it*, which is seldom anybody), names, and noun phrases up to
their noun whose noun is of a person or one of a few places: what LitBank annotates.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import CLUSTERS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.returned_answers import borders
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.text import wordnet
from scrutiny.text.entities import first_name_gender
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import Gender, table
from scrutiny.text.tagger import default_tagger

Kind = Literal["pronoun", "name", "noun"]
Number = Literal["one", "many"]


class DescribedMention(NamedTuple):
    """Words that refer to somebody or something.

    Parameters
    ----------
    first, last
        Its words.
    kind
        Pronoun, name, or noun phrase.
    head
        Its main word in lower case; of pronouns all forms of a person have one.
    gender, number
        What its words tell, if they do.
    is_thing
        Whether it is no person, if its words tell.
    is_new
        Whether it introduces what it names: *a man*, not *the man*.
    """

    first: int
    last: int
    kind: Kind
    head: str
    gender: Gender | None = None
    number: Number | None = None
    is_thing: bool | None = None
    is_new: bool = False


_FORMS: Final[tuple[tuple[str, Gender | None, Number | None, bool | None], ...]] = (
    ("i me my mine myself", None, "one", False),
    ("you your yours yourself yourselves thou thee thy thine thyself ye", None, None, False),
    ("we us our ours ourselves", None, "many", False),
    ("he him his himself", "male", "one", False),
    ("she her hers herself", "female", "one", False),
    ("it its itself", None, "one", True),
    ("they them their theirs themselves", None, "many", None),
)
_PRONOUNS: Final = {
    form: DescribedMention(0, 0, "pronoun", forms.split()[0], gender, number, is_thing)
    for forms, gender, number, is_thing in _FORMS
    for form in forms.split()
}
_TITLES: Final[dict[str, Gender | None]] = {
    **dict.fromkeys("dr rev st capt col".split()),
    **dict.fromkeys("mr sir lord master king prince duke count uncle".split(), "male"),
    **dict.fromkeys("mrs miss ms madam madame lady queen princess aunt".split(), "female"),
}
_PLACES: Final = frozenset(
    "house room garden world town city village street road river sea church school hall court home "
    "country county chamber drawing-room bedroom kitchen parlour cottage castle palace hotel inn "
    "shop farm park square island earth neighbourhood churchyard office bungalow carriage ship "
    "boat".split()
)
_NOUNS: Final = frozenset({"NN", "NNS", "NNP", "NNPS"})
_NAMES: Final = frozenset({"NNP", "NNPS"})
_INSIDE: Final = _NOUNS | {"JJ", "JJR", "JJS", "CD", "VBN"}
_STARTS: Final = frozenset({"DT", "PDT", "PRP$"})
_NEW: Final = frozenset("a an another some any no every each".split())


def find(words: Sequence[str]) -> list[DescribedMention]:
    """Mentions in a text, in order of place; of two that begin together the longer one first."""
    tags = [tag.xpos for tag in default_tagger().tag(words)]
    pronouns = (
        described(words, tags, i, i)
        for i, word in enumerate(words)
        if word.lower() in _PRONOUNS and not _PRONOUNS[word.lower()].is_thing
    )
    return sorted(chain(pronouns, _phrases(words, tags)), key=lambda m: (m.first, -m.last))


def _phrases(words: Sequence[str], tags: Sequence[str]) -> Iterator[DescribedMention]:
    """Names, and noun phrases whose noun is of a person or a place."""
    start = 0
    while start < len(words):
        end = start + (tags[start] in _STARTS and words[start].lower() not in ("this", "that"))
        while end < len(words) and (
            tags[end] in _INSIDE
            or (words[end] == "." and end > 0 and words[end - 1].lower() in _TITLES)
        ):
            end += 1
        while end > start and tags[end - 1] not in _NOUNS:
            end -= 1
        if end > start:
            found = described(words, tags, start, end - 1)
            is_told = found.is_thing is False or found.head in _PLACES
            if found.kind == "name" or (found.kind == "noun" and is_told):
                yield found
        start = max(end, start + 1)


def described(words: Sequence[str], tags: Sequence[str], first: int, last: int) -> DescribedMention:
    """Mention of the words from the first to the last, as they tell of it."""
    pronoun = _PRONOUNS.get(words[first].lower()) if first == last else None
    if pronoun is not None:
        return pronoun._replace(first=first, last=last)
    # Main word of a phrase: the last noun of its first row of nouns, or its last word.
    found = None
    for i in range(first, last + 1):
        if tags[i] in _NOUNS:
            found = i
        elif found is not None and tags[i] not in ("POS", "."):
            break
    main = last if found is None else found
    word, tag = words[main], tags[main]
    number: Number = "many" if tag in ("NNS", "NNPS") else "one"
    before = [w.lower().rstrip(".") for w in words[first:main]]
    if tag in _NAMES:
        titled = next((_TITLES[w] for w in before if _TITLES.get(w)), None)
        named = (first_name_gender(w) for w in words[first : main + 1])
        gender = titled or next(filter(None, named), None)
        return DescribedMention(first, last, "name", word.lower(), gender, number)
    noun = lemma(word.lower(), "NOUN")
    gender = _genders().get(word.lower())
    senses = wordnet.synsets(noun, "n")
    is_person = noun == "people" or (senses and wordnet.lexname(senses[0]) == "noun.person")
    is_thing = gender is None and not is_person
    return DescribedMention(
        first, last, "noun", noun, gender, number, is_thing, is_new=not _NEW.isdisjoint(before)
    )


@lru_cache
def _genders() -> dict[str, Gender]:
    """Gender of nouns for people."""
    found: dict[str, Gender] = {}
    for female, male in table("gender_pairs"):
        found.setdefault(female.lower(), "female")
        found.setdefault(male.lower(), "male")
    return found


_VERSION: Final = "head-match@1"
_TOLD: Final = ("gender", "number", "is_thing")
_SPEAKERS: Final = frozenset({"i", "you", "we"})


class _Cluster:
    """Cluster in the making, and what is known of whom its mentions name."""

    def __init__(self) -> None:
        self.mentions: list[DescribedMention] = []
        self._known: dict[str, set[Any]] = {name: set() for name in _TOLD}

    def add(self, mention: DescribedMention) -> None:
        """Take a mention in."""
        self.mentions.append(mention)
        for name, known in self._known.items():
            known.update({getattr(mention, name)} - {None})

    def fits(self, mention: DescribedMention) -> bool:
        """Whether all that is known agrees with what a mention tells."""
        told = ((known, getattr(mention, name)) for name, known in self._known.items())
        return all(value is None or known <= {value} for known, value in told)


def _resolved(mentions: Iterable[DescribedMention]) -> list[list[DescribedMention]]:
    """Clusters of mentions, which come in the order of the text."""
    clusters: list[_Cluster] = []
    seen: list[tuple[DescribedMention, _Cluster]] = []
    for mention in mentions:
        found = None if mention.is_new else _meant(mention, seen)
        if found is None:
            found = _Cluster()
            clusters.append(found)
        found.add(mention)
        seen.append((mention, found))
    return [cluster.mentions for cluster in clusters]


def _meant(
    mention: DescribedMention, seen: Sequence[tuple[DescribedMention, _Cluster]]
) -> _Cluster | None:
    """Cluster of the nearest mention before another that may be meant by it."""
    is_open = mention.kind == "pronoun" and mention.head not in _SPEAKERS
    for other, cluster in reversed(seen):
        is_candidate = other.last < mention.first if is_open else other.head == mention.head
        if is_candidate and cluster.fits(mention):
            return cluster
    return None


class HeadMatch(IdentifiedModel):
    """Head match on English texts, with its own mentions or those of the gold answer."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})
    labels: tuple[str, ...] = ()

    def __init__(self, task: Task, source: ModelSource) -> None:
        self._mentions = source.options.get("mentions", "own")
        if self._mentions not in ("own", "gold"):
            raise ModelError(f"{source.text!r}: mentions= is own or gold, not {self._mentions!r}.")
        # gold mentions are not in the texts
        identity = digest(_VERSION) if self._mentions == "own" else None
        super().__init__(source.text, task.name, identity)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Clusters of each example."""
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example) -> Prediction:
        places, text = borders(example), example.text
        words = [text[start:end] for start, end in places]
        mentions = find(words) if self._mentions == "own" else _given(example, places, words)
        field = next(iter(example.fields))
        clusters = _resolved(mentions)
        return Prediction(
            clusters_of(
                field, [[(places[m.first][0], places[m.last][1]) for m in c] for c in clusters]
            )
        )


def _given(
    example: Example, places: Sequence[tuple[int, int]], words: Sequence[str]
) -> list[DescribedMention]:
    """Mentions of the gold answer; what they refer to is not looked at.

    Raises
    ------
    ModelError
        If there is none, or a mention has no words of its own.
    """
    if example.gold is None:
        raise ModelError("mentions=gold needs items with gold answers.")
    firsts = {start: i for i, (start, _) in enumerate(places)}
    lasts = {end: i for i, (_, end) in enumerate(places)}
    tags = [tag.xpos for tag in default_tagger().tag(words)]
    found = [
        described(words, tags, firsts[start], lasts[end]) for start, end in example.gold.mentions
    ]
    return sorted(found, key=lambda m: (m.first, -m.last))


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Coreference by main words; ``#mentions=gold`` takes the mentions of the gold answer.

    Raises
    ------
    ModelError
        If the task is another.
    """
    del options
    source.refuse_unknown_options(("mentions",))
    must_answer_task(task, (CLUSTERS,), source=source.text)
    return HeadMatch(task, source)
