"""Write data/forms.txt.xz, irregular forms and known bases, from lemminflect's dictionary.

    python tools/lexicons/build_forms.py

Input: lemminflect 0.2.3, zipf.txt.xz, wordnet.txt.xz. Bases are the words of the latter two that
lemminflect's dictionary inflects. Three sections, separated by an empty line:

    VBD go=went ...        forms that scrutiny.text.inflection would get wrong ("" if none exists)
    V went=go ...          bases of frequent words that scrutiny.text.inflection would get wrong
    NV bases ...           frequent bases by the classes that they have
"""

import lzma
from collections import defaultdict
from pathlib import Path

from lemminflect import getAllInflections, getAllLemmas

from scrutiny.text import inflection, wordnet
from scrutiny.text.inflection import regular_form
from scrutiny.text.lexicon import frequencies

OUT = Path(__file__).parents[2] / "src/scrutiny/text/data/forms.txt.xz"
CLASSES = {"N": "NOUN", "V": "VERB", "A": "ADJ", "R": "ADV"}
# Where the dictionary prefers a form that is rare today, or lacks one.
OWN = {
    "NNS person": "people",
    "VBD babysit": "babysat",
    "VBN babysit": "babysat",
    "VBN bear": "borne",
    "VBN lie": "lain",
    "VBN get": "gotten",
}
INVARIANT = frozenset(
    "aircraft barracks bison cod crossroads deer fish gallows headquarters hovercraft means moose "
    "offspring plaice salmon series sheep shrimp spacecraft species squid swine trout tuna".split()
)
OWN_LEMMAS = {
    **{f"{letter} {word}": word for letter in "AR" for word in ("more", "most", "less", "least")},
    **{
        f"N {word}": word for word in ("thanks", "regards", "pants", "media", "statistics", "blues")
    },
    "A better": "good",
    "A best": "good",
    "R better": "well",
    "R best": "well",
    "R further": "further",
    "R later": "later",
    "N leaves": "leaf",
    "V lay": "lay",
    "V programmed": "program",
    "V programming": "program",
}


def vocabulary() -> list[str]:
    block = wordnet._load()[0].block
    words = set(frequencies())
    for line in block.decode().split("\n"):
        words.update(w.partition("=")[0].lower() for w in line.partition("|")[0].split(" "))
    return sorted(w for w in words if w.isalpha() and w.isascii())


def forms_of(base: str, upos: str) -> dict[str, tuple[str, ...]]:
    """All forms by tag: the dictionary's, where the base is its own lemma."""
    if base not in getAllLemmas(base).get(upos, ()):
        return {}
    forms = getAllInflections(base, upos)
    return {tag: tuple(form for form in found if form.isalpha()) for tag, found in forms.items()}


def choose(base: str, tag: str, forms: dict[str, tuple[str, ...]]) -> str:
    """The form to use; "" where there is none."""
    if f"{tag} {base}" in OWN:
        return OWN[f"{tag} {base}"]
    listed = forms.get(tag) or (forms.get("VBD", ()) if tag == "VBN" else ())
    regular = regular_form(base, tag) or ""
    if tag in ("JJR", "JJS"):  # the dictionary has many that nobody uses ("disputanter")
        attested = [form for form in (*listed, regular) if form in frequencies()]
        is_used = regular in listed or regular_form(base, "JJR") in frequencies()
        return attested[0] if attested else regular * is_used
    if tag == "NNS" and base in listed:  # mass nouns are listed as their own plural
        plurals = [form for form in (*listed, regular) if form != base and form in frequencies()]
        return base if base in INVARIANT else (plurals or [""])[0]
    attested = [form for form in listed if form in frequencies()]
    if tag[0] == "V" and attested:
        return max(attested, key=lambda form: (frequencies()[form], form == regular))
    if attested:
        return attested[0]
    if regular in listed or regular in forms.get("VBD", ()):
        return regular
    return listed[0] if listed else regular * (tag == "NNS")


def main() -> None:
    irregular: dict[str, str] = {}
    known: dict[str, str] = {}
    for base in vocabulary():
        classes = ""
        for letter, upos in CLASSES.items():
            forms = forms_of(base, upos)
            if not forms:
                continue
            classes += letter
            for tag in inflection._TAGS[letter]:
                chosen = choose(base, tag, forms)
                if chosen != (regular_form(base, tag) or ""):
                    irregular[f"{tag} {base}"] = chosen
        if classes and base in frequencies():
            known[base] = classes
    write(irregular, {}, known)
    inflection._forms.cache_clear()
    lemmas: dict[str, str] = {}
    for word in frequencies():
        for letter, upos in CLASSES.items():
            listed = getAllLemmas(word).get(upos, ())
            own = OWN_LEMMAS.get(f"{letter} {word}")
            chosen = own or (listed[0] if listed else "")
            if chosen and inflection.rule_lemma(word, letter) != chosen:
                lemmas[f"{letter} {word}"] = chosen
    write(irregular, lemmas, known)
    print(
        len(irregular), "forms,", len(lemmas), "lemmas,", len(known), "bases,", OUT.stat().st_size
    )


def write(irregular: dict[str, str], lemmas: dict[str, str], known: dict[str, str]) -> None:
    def grouped(mapping: dict[str, str]) -> str:
        groups = defaultdict(list)
        for key, value in sorted(mapping.items()):
            head, word = key.split(" ")
            groups[head].append(f"{word}={value}")
        return "\n".join(f"{head} {' '.join(pairs)}" for head, pairs in sorted(groups.items()))

    by_classes = defaultdict(list)
    for base, classes in sorted(known.items()):
        by_classes[classes].append(base)
    third = "\n".join(f"{key} {' '.join(bases)}" for key, bases in sorted(by_classes.items()))
    text = "\n\n".join([grouped(irregular), grouped(lemmas), third]) + "\n"
    OUT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
