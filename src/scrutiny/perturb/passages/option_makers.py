"""Other wrong options: stretches of the passage that a reader finds, or what a writer writes.

The other two attacks of AdvRACE (Si et al. 2021). The right option stays as it is. Both hang on a
model of their own, whose skill is checked on the run's items before it is used; without it they are
refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final
from weakref import WeakKeyDictionary

from scrutiny.core.answers.choices import OPTION, Option, is_option_field, options_in
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import OPTIONS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import AsksAhead, Document, Site, may_change_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Candidates, Change, Sites, whole_text
from scrutiny.perturb.resources.capabilities import AskedPassage
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import sentences, token_texts

_BEST: Final = 20  # stretches of a reader
_SURE: Final = 3  # of them, those that may be the right answer in other words
_SPOKEN: Final = frozenset(
    "i i'm i'll i've i'd me my mine we we'll us our you you're you'll your yours lot bit minute "
    "moment example course earth fact truth all that".split()
)
_FEWEST, _CHECKED = 30, 300  # items on which skill is checked
_MOST_WORDS: Final = 12
#: Questions whose wrong options are what the passage does not say.
_ASKS_FOR_TRUTH: Final = re.compile(
    r"\b(true|correct|false|right|wrong|following|not|except|learn|learned|infer|inferred|know|"
    r"conclude|conclusion|imply|implied|mean|means|title|topic|about)\b|n't\b",
    re.IGNORECASE,
)


class OtherOptions(Change, AsksAhead):
    """Base of changes that put other wrong options in the place of those of an item."""

    __slots__ = ()

    effect = may_change_unless("option")
    intensity = ONE_SITE
    where = "anywhere"
    wants = (OPTIONS,)
    is_default = False

    #: Whether the model's skill is checked on the items of the run.
    checked: bool

    def sites(self, document: Document) -> Sites:
        """Each wrong option of a question about a text, of which the right one is known."""
        example = document.example
        is_asked = is_option_field(document.field) and _is_asked(example)
        return whole_text(document) if is_asked and example.gold != _place(document) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The option that comes in this one's place; the first wrong one gets the best."""
        example = document.example
        if self.checked:
            self._must_have_skill(document)
        found = self._found([example], document)[0]
        number = _place(document) - (_place(document) > int(example.gold))
        if number < len(found):
            text = _spelled_like(document.text, found[number])
            yield (Edit(document.field, 0, len(document.text), text),)

    def warm(self, documents: Sequence[Document], sites: Sequence[Sequence[Site]]) -> None:
        """Query the model about all items of several documents at once."""
        asked = {d.example.id: d.example for d, own in zip(documents, sites, strict=True) if own}
        if asked:
            self._found([*asked.values()], documents[0])

    def _must_have_skill(self, document: Document) -> None:
        """Raise a `PlanError` if the model has no skill on the items of the run."""
        items = find_resource(document.resources, "items")
        known = _REFUSALS.setdefault(items, {})
        key = (type(self), id(self._model(document)))
        if key not in known:
            known[key] = self._refusal(_drawn([e for e in items if _is_asked(e)]), document)
        if known[key]:
            raise PlanError(known[key])

    def _model(self, document: Document) -> Any:
        """What finds or writes options."""
        return find_resource(document.resources, self.resources[0])

    def _refusal(self, examples: Sequence[Example], document: Document) -> str:
        """Why the model will not do; empty if it will."""
        name, made_by = self.id.partition("@")[0], self.resources[0]
        said = document.resources.get(made_by, "words")
        said = repr(said) if isinstance(said, str) else f"of the type {type(said).__name__}"
        ways = (
            f'Give another ({made_by} = "hf:FOLDER" or "python:FILE:NAME"), or take its options '
            f"unchecked: {name}(checked=false)."
        )
        if len(examples) < _FEWEST:
            return (
                f"{name} checks on {_FEWEST} items or more whether its {made_by} {said} has skill, "
                f"and there are {len(examples)} questions about a text whose right option is "
                f"known. {ways}"
            )
        from scrutiny.stats.intervals.interval import wilson  # NumPy, for this check alone

        hits, without = self._skill(examples, document)
        rate = wilson(round(sum(hits)), len(hits))
        if rate.low > without:
            return ""
        return (
            f"{name}: the {made_by} {said} has no skill on these data, so that what it gives would "
            f"be no distractors. {self._in_words()} in {100 * fmean(hits):.1f} % "
            f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}] of {len(hits)} questions, and in "
            f"{100 * without:.1f} % without skill. {ways}"
        )

    def _found(self, examples: Sequence[Example], document: Document) -> list[list[str]]:
        """New options of each item, the best first."""
        raise NotImplementedError

    def _skill(self, examples: Sequence[Example], document: Document) -> tuple[list[float], float]:
        """Whether the model is right about each item (a share of ties), and chance."""
        raise NotImplementedError

    def _in_words(self) -> str:
        """What is counted, in words."""
        raise NotImplementedError


_REFUSALS: Final[WeakKeyDictionary[Any, dict[Any, str]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class OptionFromPassage(OtherOptions):
    """Stretches of the passage in the place of the wrong options: what a reader finds next best.

    They are of sentences that have no word of the right option, and none of what the reader finds
    best (three stretches). Where there are too few, old options stay. Questions for what is true,
    or not so, get none.

    Parameters
    ----------
    checked
        Whether the reader's skill is checked first, on at least 30 items of the run: the first of
        its stretches that has words of some options has to be likest to the right one more often
        than a guess.

    **Measures** whether a model takes an option because the passage has its words.

    **Misleads when** the passage says the right answer twice, in other words; or when a model of
    the options alone loses as much, which the page of artifacts tells: then the change shows.

    References
    ----------
    Si et al. (2021). Benchmarking robustness of machine reading comprehension models (AdvRACE):
    distractor extraction. Their reader is trained with all options put into the passage.
    """

    id = "option_from_passage@1"
    title = "wrong options from the passage"
    resources = ("reader", "items")

    checked: bool = True

    def _found(self, examples: Sequence[Example], document: Document) -> list[list[str]]:
        asked = [_asked(example) for example in examples]
        found = self._model(document).stretches(asked, most=_BEST)
        return [_chosen(e, [*own]) for e, own in zip(examples, found, strict=True)]

    def _skill(self, examples: Sequence[Example], document: Document) -> tuple[list[float], float]:
        found = self._model(document).stretches([_asked(e) for e in examples], most=_BEST)
        hits = [_told(example, own) for example, own in zip(examples, found, strict=True)]
        return hits, _guessing(examples)

    def _in_words(self) -> str:
        return "The first of its stretches that tells options apart is likest to the right one"


@dataclass(frozen=True, slots=True)
class WrittenOption(OtherOptions):
    """Options of a writer in the place of the wrong ones: a generator, told the right option.

    An option that is the right one by its words, longer than twelve words, or there already is left
    out; where too few are left, old options stay.

    Parameters
    ----------
    checked
        Whether the writer's skill is checked first, on at least 30 items of the run: its options
        have to share more words with their own passage than with another item's, more often than
        not.

    **Measures** whether a model takes an option that sounds right.

    **Misleads when** what is written is right as well: a writer may say the right option in other
    words, so read a sample; or when a model of the options alone loses as much.

    References
    ----------
    Si et al. (2021). Benchmarking robustness of machine reading comprehension models (AdvRACE):
    distractor generation.
    """

    id = "written_option@1"
    title = "written wrong options"
    resources = ("writer", "items")

    checked: bool = True

    def _found(self, examples: Sequence[Example], document: Document) -> list[list[str]]:
        asked = [_asked(example) for example in examples]
        most = max(len(options_in(e.fields)) for e in examples)
        found = self._model(document).options(asked, most=most)
        return [_new(e, own) for e, own in zip(examples, found, strict=True)]

    def _skill(self, examples: Sequence[Example], document: Document) -> tuple[list[float], float]:
        hits = []
        passages = [_words(example.text) for example in examples]
        for at, own in enumerate(self._found(examples, document)):
            said = frozenset().union(*map(_words, own))
            here, there = (len(said & passages[at - k]) for k in (0, 1))
            hits.append((here > there) + (here == there) / 2 if own else 0.0)
        return hits, 0.5

    def _in_words(self) -> str:
        return "Its options share more words with their own passage than with another one"


def _place(document: Document) -> int:
    """Place of the option that a document is."""
    return int(document.field.removeprefix(OPTION)) - 1


def _is_asked(example: Example) -> bool:
    """Whether a question about a text asks for what the text says, and its answer is known."""
    question = example.fields.get("question", "")
    is_known = isinstance(example.gold, Option) and "text" in example.fields and bool(question)
    return is_known and not _ASKS_FOR_TRUTH.search(question)


def _asked(example: Example) -> AskedPassage:
    right = options_in(example.fields)[int(example.gold)]
    return AskedPassage(example.text, example.fields["question"], right)


def _drawn(examples: Sequence[Example]) -> Sequence[Example]:
    """Items on which skill is checked: all, or so many at equal distances."""
    step = max(1, len(examples) // _CHECKED)
    return examples[::step][:_CHECKED]


def _told(example: Example, found: Sequence[Any]) -> float:
    """Whether the first stretch that tells options apart is likest to the right one.

    A share where several are alike; that of a guess where none tells.
    """
    options = [_words(option) for option in options_in(example.fields)]
    for one in found:
        said = _words(example.text[one.start : one.end])
        alike = [_alike(said, option) for option in options]
        best = max(alike)
        if 0 < alike.count(best) < len(alike):
            return (alike[int(example.gold)] == best) / alike.count(best)
    return 1 / len(options)


def _guessing(examples: Sequence[Example]) -> float:
    """Share that guessing among the options gets."""
    return fmean(1 / len(options_in(example.fields)) for example in examples)


def _words(text: str) -> frozenset[str]:
    """Base forms of the words of a text that are no function words."""
    words = (word.lower() for word in token_texts(text) if any(map(str.isalnum, word)))
    return frozenset(lemma(lemma(w, "NOUN"), "VERB") for w in words if not is_stop_word(w))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Twice the words in common, of all words: F1 of their sets."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _chosen(example: Example, found: Sequence[Any]) -> list[str]:
    """Stretches that can be wrong options, the best first."""
    right = options_in(example.fields)[int(example.gold)]
    text, wanted = example.text, _words(right)
    borders = sentences(text)

    def sentence(start: int) -> int:
        return max((i for i, (a, _) in enumerate(borders) if a <= start), default=0)

    evidence = {i for i, (a, b) in enumerate(borders) if wanted & _words(text[a:b])}
    evidence |= {sentence(one.start) for one in found[:_SURE]}
    free = [text[s.start : s.end] for s in found if sentence(s.start) not in evidence]
    return _new(example, [one for one in free if not _is_spoken(one)])


def _is_spoken(text: str) -> bool:
    """Whether it has words of a speaker, or those of empty phrases, which no option has."""
    return not _SPOKEN.isdisjoint(word.lower() for word in token_texts(text))


def _new(example: Example, texts: Sequence[str]) -> list[str]:
    """Texts that say something, are not the right option, and neither hold nor lie in another."""
    right = options_in(example.fields)[int(example.gold)]
    wanted = _words(right)
    found: list[str] = []
    for text in texts:
        said, own = _words(text), text.casefold().strip(" .")
        is_same = said <= wanted or (bool(wanted) and wanted <= said)
        is_other = bool(said) and not is_same
        others = [one.casefold().strip(" .") for one in (*found, *([] if wanted else [right]))]
        is_apart = not any(own in one or one in own for one in others)
        if is_other and is_apart and len(text.split()) <= _MOST_WORDS:
            found.append(text)
    return found


def _spelled_like(old: str, new: str) -> str:
    """A new option with the first letter and the final mark of the old one."""
    bare = new.strip().rstrip(".!?,;: ")
    if old[:1].isupper():
        bare = bare[:1].upper() + bare[1:]
    return bare + ("." if old.rstrip().endswith(".") else "")
