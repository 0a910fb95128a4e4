"""Informal writing: messages and chat, whose grammar a tagger trained on edited texts mistakes."""

import re
from functools import lru_cache
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.clitics import plain
from scrutiny.perturb.languages.tokens import sentence_tokens
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import is_spaced
from scrutiny.text.wordnet import is_known_word

#: Spellings and particles of messages, many of them frequent enough that word lists know them.
SPELLINGS: Final = frozenset(
    """u r ur ü ure ya im ive id dont cant wont didnt doesnt isnt wasnt havent wan wanna gonna gotta
    lemme gimme shld wld cld cud bout tho thats whos whats hes shes theyre youre weve theres heres
    lets tht dat dis wat wot lor lah liao leh jus coz cos cuz bcoz thx tnx thnx pls plz plse luv gud
    msg txt abt hv bt wid wif den dun juz frm lol lmao rofl omg wtf btw brb ttyl nvm idk tmr tmrw
    tonite nite rite goin doin comin nothin somethin yup yep yeah nope nah ppl fone yay dude bro
    babe""".split()
)
# Words that open or hold a talk, and state nothing.
_GREETINGS: Final = frozenset(
    """hi hello hey hiya oh ah aah ahh aww ooh ugh hmm hm mm mmm umm um er ha haha hahaha hehe ok
    okay okie alright thanks thank sorry congrats congratulations welcome bye goodbye goodnight
    cheers dear""".split()
)
# Tags behind "2" and "4" for "to" and "for", and behind "its" for "it's".
_BEHIND: Final = (
    frozenset("NN NNP VB VBP PRP PRP$ DT".split()),
    frozenset("DT EX IN PRP RB VBN WP WRB".split()),
)
_RUN: Final = re.compile(r"\.\.|[!?]{2}|\s\.\s\.|[a-z]{2}[.!?,][^\W\d_]")  # "so...", "hard.he"
_SMILEY: Final = re.compile(r"(?<![\d:])[:;=]['-]?(?:[()|\\*]|[DPpo]\b)|<3|&lt;3|\^_?\^")
_LINK: Final = re.compile(r"(?:^|\s)(?:RT\b|[@#]\s?[^\W\d_])|https?:|www\.")
_OWN: Final = re.compile(r"i(?:['’]|$)")  # "i", "i'm"
_LETTERS_AND_DIGITS: Final = re.compile(r"[^\W\d_]\d|\d(?!(?:st|nd|rd|th|s|am|pm)\b)[^\W\d_]")


def is_informal(document: Document) -> bool:
    """Whether a text is written as messages and chats are.

    It has smileys, mentions, links, greetings, or spellings of messages; dots or other marks run
    on; a word is unknown, or a sentence lacks the capital at its beginning or the mark at its end.
    Texts in lower case whose tokens are set apart by spaces need no capitals and marks, and may
    hold names in lower case: collections for training are kept so.
    """
    text = document.text
    words = [plain(word) for word in document.words]
    sentences = sentence_tokens(document)
    if _SMILEY.search(text) or _LINK.search(text) or not SPELLINGS.isdisjoint(words):
        return True
    if any(words[a] in _GREETINGS or document.tag(a) == "UH" for a, _ in sentences):
        return True
    spaced = is_spaced(text)
    if spaced and text == text.lower():
        return False
    if (not spaced and _RUN.search(text)) or any(map(_LETTERS_AND_DIGITS.search, words)):
        return True
    if text.rstrip()[-1:].isalnum() or any(_is_short_for(document, i) for i in range(len(words))):
        return True
    return any(_is_careless(document, *each) for each in sentences)


def _is_short_for(document: Document, index: int) -> bool:
    """Whether a word is short for others: "2" for "to", "4" for "for", "its" for "it's"."""
    word = plain(document.words[index])
    if word not in ("2", "4", "its") or index + 1 >= len(document.words):
        return False
    return document.tag(index + 1) in _BEHIND[word == "its"]


def _is_careless(document: Document, first: int, last: int) -> bool:
    """Whether a sentence begins without a capital, is all capitals, or has unknown words."""
    words = [word for word in document.words[first:last] if word[0].isalpha()]
    if not words or not words[0][0].isupper():
        return bool(words)
    if any(_OWN.match(word) for word in words):
        return True
    if len(words) > 1 and all(word.isupper() for word in words):
        return True
    return any(_is_unknown(word) for word in (words[0].lower(), *filter(str.islower, words)))


@lru_cache(maxsize=1 << 16)
def _is_unknown(word: str) -> bool:
    """Whether a lower-case word is none that dictionaries have; single letters are none."""
    if len(word) == 1:
        return word not in "ai"
    return word.isalpha() and not is_stop_word(word) and not is_known_word(word)
