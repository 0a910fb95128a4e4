"""Write the minimal pairs on agreement: src/scrutiny/data/samples/agreement_pairs.jsonl.

    python tools/zoo/agreement_pairs.py

Frames and words are our own. The two sentences of a pair differ in one word; for every pair whose
subject is singular there is one with the plural, so that always preferring one form is right half
of the time. Where another noun stands between, it has the subject's number in half of the pairs and
the other number in the rest (Marvin & Linzen 2018 have both), so that agreeing with the nearest
noun is right half of the time as well; the halves of two constructions are reported
apart ("_same", "_other"). Frames are the clusters: their pairs share all but nouns.
"""

import json
from itertools import cycle, islice
from pathlib import Path

OUT = Path(__file__).resolve().parents[2] / "src/scrutiny/data/samples/agreement_pairs.jsonl"

PEOPLE = [
    ("man", "men"), ("woman", "women"), ("boy", "boys"), ("girl", "girls"), ("king", "kings"),
    ("friend", "friends"), ("doctor", "doctors"), ("guest", "guests"), ("soldier", "soldiers"),
    ("brother", "brothers"), ("sister", "sisters"), ("officer", "officers"),
    ("servant", "servants"), ("student", "students"), ("child", "children"),
    ("gentleman", "gentlemen"),
]  # fmt: skip
THINGS = [
    ("house", "houses"), ("book", "books"), ("letter", "letters"), ("tree", "trees"),
    ("horse", "horses"), ("ship", "ships"), ("room", "rooms"), ("picture", "pictures"),
    ("table", "tables"), ("stone", "stones"), ("boat", "boats"), ("door", "doors"),
    ("window", "windows"), ("flower", "flowers"), ("hand", "hands"), ("face", "faces"),
]  # fmt: skip
MALE = [("man", "men"), ("boy", "boys"), ("king", "kings"), ("son", "sons"),
        ("brother", "brothers"), ("gentleman", "gentlemen")]  # fmt: skip
FEMALE = [("woman", "women"), ("girl", "girls"), ("sister", "sisters"), ("lady", "ladies"),
          ("daughter", "daughters"), ("queen", "queens")]  # fmt: skip

# {n}: the noun that is agreed with; {m}: a noun between; {x}: the word that differs.
FRAMES = [
    ("subject_verb", "The {n} {x} very old.", PEOPLE, (), ("is", "are")),
    ("subject_verb", "The {n} {x} not there.", THINGS, (), ("was", "were")),
    ("subject_verb", "In the morning the {n} {x} gone.", PEOPLE, (), ("was", "were")),
    ("subject_verb", "My {n} {x} always been good to me.", PEOPLE, (), ("has", "have")),
    ("subject_verb", "Your {n} {x} in the garden.", THINGS, (), ("is", "are")),
    ("subject_verb", "The young {n} {x} never seen the sea.", PEOPLE, (), ("has", "have")),
    ("prepositional", "The {n} near the {m} {x} very old.", THINGS, THINGS, ("is", "are")),
    ("prepositional", "The {n} with the {m} {x} happy.", PEOPLE, PEOPLE, ("was", "were")),
    ("prepositional", "The {n} behind the {m} {x} white.", THINGS, THINGS, ("was", "were")),
    ("prepositional", "The {n} of the {m} {x} come home.", PEOPLE, PEOPLE, ("has", "have")),
    ("prepositional", "The {n} beside the {m} {x} small.", THINGS, THINGS, ("is", "are")),
    ("relative", "The {n} that the {m} saw {x} beautiful.", THINGS, PEOPLE, ("was", "were")),
    ("relative", "The {n} who loved the {m} {x} happy.", PEOPLE, PEOPLE, ("is", "are")),
    ("relative", "The {n} that the {m} loved {x} very old.", THINGS, PEOPLE, ("is", "are")),
    ("relative", "The {n} who met the {m} {x} come home.", PEOPLE, PEOPLE, ("has", "have")),
    ("relative", "The {n} that the {m} knew {x} dead.", PEOPLE, PEOPLE, ("was", "were")),
    ("determiner_noun", "He looked at {x} {n} for a long time.", THINGS, (), ("this", "these")),
    ("determiner_noun", "I have never seen {x} {n} before.", PEOPLE, (), ("that", "those")),
    ("determiner_noun", "She told me about {x} old {n}.", THINGS, (), ("that", "those")),
    ("determiner_noun", "What do you think of {x} {n} now?", PEOPLE, (), ("this", "these")),
    ("determiner_noun", "They came with {x} young {n} to the town.", PEOPLE, (), ("this", "these")),
    ("reflexive", "The {n} saw {x} in the glass.", MALE, (), ("himself", "themselves")),
    ("reflexive", "The {n} saw {x} in the glass.", FEMALE, (), ("herself", "themselves")),
    ("reflexive", "The {n} could not help {x} at all.", MALE, (), ("himself", "themselves")),
    ("reflexive", "The {n} could not help {x} at all.", FEMALE, (), ("herself", "themselves")),
    ("reflexive", "The {n} near the {m} hurt {x}.", MALE, MALE, ("himself", "themselves")),
    ("existential", "There {x} no {n} in the house.", PEOPLE, (), ("was", "were")),
    ("existential", "There {x} no other {n} on the road.", PEOPLE, (), ("is", "are")),
    ("existential", "I know that there {x} no {n} here.", THINGS, (), ("is", "are")),
    ("existential", "{x} there no {n} in that place?", THINGS, (), ("Was", "Were")),
]  # fmt: skip
APART = ("prepositional", "relative")  # constructions whose halves are reported apart
LEMMAS = 6  # of each frame, even: 30 frames x 6 lemmas x 2 numbers = 360 pairs


def pairs():
    for number, (construction, frame, nouns, others, forms) in enumerate(FRAMES, start=1):
        start = 3 * number  # so that frames do not all use the same nouns
        chosen = list(islice(cycle(nouns), start, start + LEMMAS))
        beside = list(islice(cycle(others or nouns), start + 3, start + 3 + LEMMAS))
        for lemma, (noun, other) in enumerate(zip(chosen, beside, strict=True), start=1):
            for plural, name in enumerate(("singular", "plural")):
                is_same = lemma % 2 == 0
                words = {"n": noun[plural], "m": other[plural if is_same else 1 - plural]}
                half = ("_same" if is_same else "_other") if construction in APART else ""
                yield {
                    "id": f"{construction}-{number:02d}-{lemma}-{name}",
                    "construction": construction + half,
                    "frame": f"{construction}-{number:02d}",
                    "number": name,
                    "good": frame.format(**words, x=forms[plural]),
                    "bad": frame.format(**words, x=forms[1 - plural]),
                }


def main():
    lines = [json.dumps(pair) for pair in pairs()]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
