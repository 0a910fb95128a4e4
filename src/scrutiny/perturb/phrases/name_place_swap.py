"""Change of gender of people, or of the region of places.

A text in which some words change their gender and others can't is worse than none: "Tom Cruise …
an actress … her". So a text is left alone where a name of the old gender would stay, where a word
presupposes the old gender, or where a word that would change belongs to a title.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Change, whole_text, with_name
from scrutiny.perturb.languages.sentence_tokens import token_edit
from scrutiny.perturb.languages.verbs import could_be_verb
from scrutiny.perturb.phrases.entity_swap import without_article
from scrutiny.text.entities import first_name_gender, swap_gender
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import (
    REGIONS,
    Gender,
    cities,
    countries,
    first_names,
    needs_the,
    place_region,
    table,
    word_set,
)
from scrutiny.text.wordnet import exists

_TRIED: Final = 3
_SMALL_TITLES: Final[dict[Gender, frozenset[str]]] = {
    "male": frozenset({"mr"}),
    "female": frozenset({"ms", "mrs"}),
}
_LONGEST_PLACE: Final = 4  # tokens
_PRONOUNS: Final[dict[Gender, frozenset[str]]] = {
    "male": frozenset({"he", "him", "his", "himself", "he'd", "he'll", "he's"}),
    "female": frozenset({"she", "her", "hers", "herself", "she'd", "she'll", "she's"}),
}


@dataclass(frozen=True, slots=True)
class NamePlaceSwap(Change):
    """Changes all people of a text to one gender, or all places to one region.

    With names, every first name of the other gender becomes one of the wanted gender, the same for
    the same, and pronouns, titles and nouns follow: "her" becomes "him" or "his" by its part of
    speech. A text that cannot be turned as a whole is left alone: one of its names would stay, or
    somebody in it has a wife. With places, a city becomes a city and a country a country of the
    region.

    Parameters
    ----------
    change
        What is changed.
    gender
        Gender that the people have afterwards.
    region
        Region that the places are in afterwards.

    **Measures** whether the answer depends on the gender of people or the region of places.

    **Misleads when** gender or place is what the text is about ("the first woman to ..."). Names
    stand for groups only as far as readers take them so.

    References
    ----------
    Zhao et al. (2018). Gender bias in coreference resolution: evaluation and debiasing methods.
    Prabhakaran, Hutchinson, Mitchell (2019). Perturbation sensitivity analysis to detect unintended
    model biases.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> variant = perturb("he saw his mother", "name_place_swap", seed=0)
    >>> [edit.text for edit in variant.edits]
    ['she', 'her']
    """

    id = "name_place_swap@1"
    title = "names and places swapped"
    resources = ("tagger",)
    effect = keeps_unless("clusters", "extract", "relation", "text")
    intensity = ONE_SITE
    is_default = False  # see docs/transformation-quality.md
    where = "anywhere"
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"region": REGIONS}

    change: Literal["name", "place"] = "name"
    gender: Literal["female", "male"] = "female"
    region: str = "Africa"

    def sites(self, document: Document) -> Sequence[Site]:
        """The text as a whole, if there is anything in it to change."""
        if self.change == "place":
            found = bool(self._places(document))
        else:
            changed = {i for i, _ in self._people(document)}
            found = bool(changed) and not has_conflict(document, changed, self._other)
        return whole_text(document) if found else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """All names, or all places, changed consistently; a few draws of new ones."""
        for _ in range(_TRIED):
            if self.change == "place":
                yield tuple(self._moved(document, rng))
            else:
                yield tuple(self._renamed(document, rng))

    def _people(self, document: Document) -> Iterator[tuple[int, str | None]]:
        """(token, counterpart, or `None` for a first name) for all that must change."""
        is_small = document.text.islower()
        present = {word.lower() for word in document.words}
        for i, word in enumerate(document.words):
            name = word.capitalize() if is_small else word
            low = word.lower().replace("’", "'").removesuffix(".")
            if first_name_gender(_bare(name)) == self._other and _is_name(document, i):
                yield i, None
            elif word in _SMALL_TITLES[self._other] and document.words[i + 1 : i + 2] == ["."]:
                yield i, "ms" if self._other == "male" else "mr"
            elif low not in _PRONOUNS[self._other] and _bare(low) not in _gendered(self._other):
                continue
            elif _is_free(document, i):
                other = swap_gender(word, _pronoun_tag(document, i))
                if other is not None and (_is_pronoun(word) or other.lower() not in present):
                    yield i, other  # "Mom, Dad" would become "Mom, Mom"

    @property
    def _other(self) -> Gender:
        return "male" if self.gender == "female" else "female"

    def _renamed(self, document: Document, rng: Rng) -> Iterator[Edit]:
        people = list(self._people(document))
        old = list(dict.fromkeys(_bare(document.words[i]) for i, other in people if other is None))
        present = {_bare(word) for word in document.words}
        options = [n for n in first_names(self.gender) if n not in present]
        new = _drawn(dict.fromkeys(old, options), rng)
        for i, other in people:
            word = document.words[i]
            if other is None:
                bare = _bare(word)
                name = new[bare].lower() if bare.islower() else match_case(bare, new[bare])
                other = name + word[len(bare) :]
            yield token_edit(document, i, other)

    def _places(self, document: Document) -> list[tuple[int, int, str]]:
        """(start, end, name) of places outside the region, longest names first."""
        found = []
        i = 0
        tokens, text = document.tokens, document.text
        while i < len(tokens):
            width = 0
            for w in range(min(_LONGEST_PLACE, len(tokens) - i), 0, -1):
                bare = _bare(text[tokens[i][0] : tokens[i + w - 1][1]])
                region = place_region(bare)
                # a place in capitals; of a single word the tagger decides
                if region is None or not bare[:1].isupper():
                    continue
                if " " in bare or document.tag(i) in ("NNP", "NN", "JJ", "NNPS", "NNS"):
                    if region != self.region:
                        found.append((tokens[i][0], tokens[i][0] + len(bare), bare))
                    width = w
                    break
            i += max(1, width)
        return found

    def _moved(self, document: Document, rng: Rng) -> Iterator[Edit]:
        places = self._places(document)
        old = list(dict.fromkeys(name for _, _, name in places))
        countries_there, cities_there = (  # none that the text has
            [p for p in kind(self.region) if p not in old and not needs_the(p)]
            for kind in (countries, cities)
        )
        known = countries()
        new = _drawn({n: countries_there if n in known else cities_there for n in old}, rng)
        for start, end, name in places if new else ():
            yield from without_article(document, start, name)
            yield with_name(document, Edit(document.field, start, end, new[name]), top=-1)


def _drawn(options: Mapping[str, Sequence[str]], rng: Rng) -> dict[str, str]:
    """A random new name for each old one, no name twice; none at all if they do not suffice."""
    new: dict[str, str] = {}
    shares = rng.random(len(options)).tolist()
    for (name, of_name), share in zip(options.items(), shares, strict=True):
        left = [option for option in of_name if option not in new.values()]
        if not left:
            return {}
        new[name] = pick(left, share)
    return new


@cache
def _gendered(gender: Gender) -> frozenset[str]:
    """Lower-case nouns and titles with a gender."""
    column = 0 if gender == "female" else 1
    return frozenset(row[column].lower() for row in table("gender_pairs"))


def _bare(word: str) -> str:
    """A word without its possessive ending."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _is_free(document: Document, index: int) -> bool:
    """Whether a gendered word is no verb ("to groom") and no part of a name ("The Lord of ...")."""
    word = document.words[index]
    if _is_pronoun(word):
        return True
    if word.lower() in ("god", "host", "hosts") or document.tag(index).startswith("VB"):
        return False
    if word.islower() or word.isupper() or index == 0:
        return True
    following = document.words[index + 1 : index + 2]
    is_head = document.words[index - 1] in (".", "!", "?", '"', "“")
    return is_head or (bool(following) and following[0][:1].isupper())


def _is_pronoun(word: str) -> bool:
    """Whether a word is a pronoun of either gender."""
    low = word.lower().replace("’", "'")
    return low in _PRONOUNS["male"] or low in _PRONOUNS["female"]


def _pronoun_tag(document: Document, index: int) -> str:
    """Penn tag; the words after "her" decide between its two readings.

    A singular noun needs a determiner ("her book"), and an adjective without a noun takes none
    ("made her happy").
    """
    tag = document.tag(index)
    if document.words[index].lower() != "her":
        return tag
    following = [document.tag(i) for i in range(index + 1, min(index + 3, len(document.words)))]
    if following[:1] == ["NN"] or following in (["JJ", "NN"], ["JJ", "NNS"]):
        return "PRP$"
    if following[:1] == ["JJ"] and not following[-1].startswith(("JJ", "NN", "CC", ",")):
        return "PRP"
    return tag


def _is_name(document: Document, index: int) -> bool:
    """Whether a possible first name is a name here ("Will came", not "Will he come").

    A verb at the head of a sentence ("Mark my words") may be tagged as a name; what follows tells.
    """
    word = document.words[index]
    if _bare(word).lower() == "jesus" or is_no_first_name(document, index):
        return False  # "Jesus" is an exclamation as often as a name
    if word.islower():  # in a text without capitals: a name if it is no other word
        return document.text.islower() and not any(exists(_bare(word), pos) for pos in "nvar")
    if not word[:1].isupper() or document.tag(index) not in ("NNP", "NN", "FW"):
        return False
    opens = index == 0 or document.words[index - 1] in (".", "!", "?", '"', "“")
    if not opens or not could_be_verb(_bare(word)):
        return True
    if _bare(word) != word:
        return True
    following = document.tag(index + 1) if index + 1 < len(document.words) else "."
    return following in ("VBZ", "VBD", "VBP", "MD", "NNP", "CC", ",", "POS")


# Words that say of whose gender they speak: who has a wife is rarely meant as a woman.
_PRESUPPOSES: Final[dict[Gender, frozenset[str]]] = {
    "male": word_set("presuppose_male"),
    "female": word_set("presuppose_female"),
}
_OF_TITLES: Final = word_set("of_titles")
_NAME_TAGS: Final = ("NN", "FW", "JJ")
_SAINTS: Final = frozenset({"st", "st.", "san", "saint"})


def has_conflict(document: Document, changed: Collection[int], gender: Gender) -> bool:
    """Whether some word prevents changing the gender of a whole text.

    Parameters
    ----------
    document
        The text.
    changed
        Tokens that would change.
    gender
        Gender that the people of the text have now.
    """
    is_small = document.text.islower()
    for i, word in enumerate(document.words):
        low, name = word.lower(), word.capitalize() if is_small else word
        if i in changed:
            before = document.words[max(0, i - 3) : i]
            is_torn = before[:1] == ["("] and before[2:] == [")"] and len(before[1]) == 1
            if is_torn or (is_small and low in _OF_TITLES):  # "( t ) his"
                return True
        elif low in _PRESUPPOSES[gender]:
            return True
        elif name[:1].isupper() and first_name_gender(name) == gender:
            is_name = document.tag(i).startswith(_NAME_TAGS)
            if is_name and not is_no_first_name(document, i):
                return True
    return False


def is_no_first_name(document: Document, index: int) -> bool:
    """Whether a name is a city of a saint ("St. Louis") or a family name ("Eddie George")."""
    words = document.words[max(0, index - 2) : index]
    low = [word.lower() for word in words]
    if not low:
        return False
    if low[-1] in _SAINTS or low == ["st", "."]:
        return True
    is_behind_name = words[-1][:1].isupper() and first_name_gender(words[-1]) is not None
    return is_behind_name and document.words[index][:1].isupper()
