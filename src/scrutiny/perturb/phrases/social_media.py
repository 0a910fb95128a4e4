"""Social media style: abbreviations, a mention, a link."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase, digits
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, WHOLE_TEXT, Change, whole_text, with_unknown
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import social_abbreviations, word_set
from scrutiny.text.tokens import token_texts

_HANDLE: Final = ascii_lowercase + digits
_ALTERNATIVES: Final = 3
_DETERMINERS: Final = word_set("determiners")
# In names of classes whose texts are told by the links in them.
_UNWANTED: Final = word_set("unwanted_messages")
_BE: Final = frozenset("am are is".split())
_BEFORE_HEDGE: Final = word_set("before_hedges")


@dataclass(frozen=True, slots=True)
class SocialMedia(Change):
    """Abbreviates phrases, and adds a mention or a link at the start or the end.

    Parameters
    ----------
    abbreviations
        Abbreviate; of two phrases that overlap, the longer one.
    handle
        What is added: a mention (``at``), a link (``url``), one of both, or nothing.

    **Measures** the answer to the manner of short messages.

    **Misleads when** the text is of a sort that nobody would write so: a contract with a mention
    in front is not what the model will meet. Or when links are what the classes differ in, as
    spam and other mail do: then an added one may change the right answer; ``handle=none`` adds
    none, and a report says so.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("I will be right back", "social_media(handle=none)", seed=0).edits[0].text
    'brb'
    """

    id = "social_media@1"
    title = "social media style"
    effect = keeps_unless("text", "upos", "xpos")
    intensity = EVERY_SITE

    abbreviations: bool = True
    handle: Literal["random", "at", "url"] | None = "random"

    def sites(self, document: Document) -> Sequence[Site]:
        """The text as a whole for the mention, and every phrase."""
        found = [*whole_text(document)] if self.handle is not None else []
        words, tokens = [word.lower() for word in document.words], document.tokens
        known = _phrases_by_first_word() if self.abbreviations else {}
        done = 0
        for i, word in enumerate(words):
            for phrase in known.get(word, ()) if i >= done else ():  # the longest first
                stop = i + len(phrase)
                if tuple(words[i:stop]) == phrase and _is_meant(phrase, words, i, stop):
                    found.append(Site(tokens[i][0], tokens[stop - 1][1], i))
                    done = stop
                    break
        return found

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """A few random handles; or the abbreviation."""
        if site.token != WHOLE_TEXT:
            phrase = document.text[site.start : site.end]
            short = social_abbreviations()[" ".join(token_texts(phrase.lower()))]
            yield (Edit(document.field, site.start, site.end, match_case(phrase, short)),)
            return
        for _ in range(_ALTERNATIVES):
            shares = rng.random(16).tolist()
            is_link = shares[0] < 0.5 if self.handle == "random" else self.handle == "url"
            name = random_handle(shares[2:], is_link=is_link)
            at, text = document.tokens[-1][1], f" {name}"
            if shares[1] < 0.5:
                at, text = document.tokens[0][0], f"{name} "
            yield (with_unknown(document, Edit(document.field, at, at, text)),)

    def signs_of(self) -> frozenset[str]:
        """Unwanted mail, which a link or a mention may be the sign of."""
        return frozenset() if self.handle is None else _UNWANTED


def random_handle(shares: Sequence[float], *, is_link: bool) -> str:
    """Mention of three to ten characters, or a link."""
    size = 3 + int(shares[0] * 8)
    name = "".join(pick(_HANDLE, share) for share in shares[1 : 1 + size])
    if not is_link:
        return "@" + name
    host, path = name[: max(2, size // 2)], "".join(pick(_HANDLE, s) for s in shares[-3:])
    domain = pick(ascii_lowercase, shares[1]) + pick(ascii_lowercase, shares[2])
    return f"https://{host}.{domain}/{path}"


@cache
def _phrases_by_first_word() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Phrases as tokens, by their first token, longest first."""
    read = [(tuple(token_texts(phrase)), phrase) for phrase in social_abbreviations()]
    found = grouped((tokens[0], tokens) for tokens, text in read if " ".join(tokens) == text)
    return {
        first: tuple(sorted(phrases, key=lambda p: (-len(p), p)))
        for first, phrases in found.items()
    }


def _is_meant(phrase: Sequence[str], words: Sequence[str], start: int, stop: int) -> bool:
    """Whether a phrase can be shortened here: not "gonna a party", not "the kinda film"."""
    last, following = phrase[-1], words[stop] if stop < len(words) else ""
    if phrase[0] in ("kind", "sort") and last == "of":
        return start > 0 and words[start - 1] in _BEFORE_HEDGE
    if last in _BE and not following.isalpha():
        return False  # "I know who you are."
    short = social_abbreviations()[" ".join(phrase)]
    before = words[start - 1] if start else ""
    is_before_number = short[-1].isdigit() and following[:1].isdigit()
    if is_before_number or (short[0].isdigit() and before[-1:].isdigit()):
        return False  # "to 5 others"
    if phrase[0] == "going" or last == "have":
        return following.isalpha() and following not in _DETERMINERS
    return True
