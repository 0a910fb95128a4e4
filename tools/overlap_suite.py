"""Write the suites of pairs whose words overlap: overlap and same_words in the samples.

    python tools/overlap_suite.py

After HANS (McCoy, Pavlick & Linzen 2019): thirty constructions, whose second sentence has no word
that the first has not, in three kinds (any words of it, words in a row, a whole constituent), half
of them entailed. For paraphrases: ten constructions of two sentences of the same words. Words and
frames (overlap_suite.toml) are our own. A *filling* is three people, their numbers and what they
do; no two cases of a test have the same one.
"""

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "src/scrutiny/data/samples"
N_FILLINGS = 30
#: What each suite is about, and the label that its pairs have, or have not.
SUITES = {"overlap": ("overlap", "entailment"), "same_words": ("word order", "paraphrase")}
NEGATIVE = ("not entailed", "no paraphrase")


def data():
    """Words and frames."""
    return tomllib.loads((HERE / "overlap_suite.toml").read_text(encoding="utf-8"))


def rows(given, suite):
    """Rows of a suite, construction by construction."""
    for test, constructions in given[suite].items():
        for place, (construction, frames) in enumerate(constructions.items()):
            for number in range(N_FILLINGS):
                yield row(given, suite, test, construction, frames, number, place)


def row(given, suite, test, construction, frames, number, place):
    """Row of the construction at a place of its test; its frames take turns."""
    fields = filling(given, number, place, len(frames))
    pair = frames[number % len(frames)].split(" | ")
    text, other = (sentence(frame.format(**fields)) for frame in pair)
    capability, label = SUITES[suite]
    return {
        "id": f"{test}/{construction}/{number}".replace(",", "").replace(" ", "-"),
        "text": text,
        "text_pair": other,
        "capability": capability,
        "test": test,
        "construction": construction,
        "expect": f"is_not(label={label})" if test.endswith(NEGATIVE) else f"is(label={label})",
    }


def filling(given, number, place, n_frames):
    """What the fields of frames stand for; words of a list go on with each turn of the frames."""
    people = given["people"]
    turn = number // n_frames
    nouns = [people[(number + step) % len(people)] for step in (0, 7 + place, 18 - place)]
    are_many = (number // 2 % 2, number // 3 % 2, number // 5 % 2)
    actions, alone = given["to_others"], given["alone"]
    found = {
        "v": actions[(number + 3 * place) % len(actions)],
        "w": actions[(number + 3 * place + 8) % len(actions)],
        "i": alone[(number * 3 + place + 1) % len(alone)],
        "bare": plural(nouns[0]),
    }
    for name, noun, many in zip("abc", nouns, are_many, strict=True):
        own = plural(noun) if many else noun
        found |= {
            name: f"the {own}",
            f"{name}_were": "were" if many else "was",
            f"{name}_s": f"the {noun}",
            f"{name}_noun": own,
        }
    found |= {name: words[turn % len(words)] for name, words in given["words"].items()}
    found["apart"], found["apart_moved"] = found["apart"].split("|")
    return found | {"made_alone": found["made"].split()[0]}


def plural(noun):
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def sentence(text):
    """The text with a capital at its beginning, and a joint that stands there alone."""
    return text[0].upper() + text[1:]


def lines(suite):
    """Lines of a suite's file."""
    head = {"suite": 1, "task": "text-pair-classification"}
    return [json.dumps(one, ensure_ascii=False) for one in (head, *rows(data(), suite))]


def main():
    for suite in SUITES:
        out = SAMPLES / f"{suite}.suite.jsonl"
        out.write_text("\n".join(lines(suite)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
