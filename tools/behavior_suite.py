"""Write the behavioral suite for sentiment: src/scrutiny/data/samples/behavior.suite.jsonl.

    python tools/behavior_suite.py

Words and frames (behavior_suite.toml) are our own. Every word stands once in every test, so that
cases differ in what is tested; a word and its opposite share the rest of their texts, so that only
the word says which label is right. Most changed texts are made of the same plain statements, which
the first test asks by themselves: what goes wrong there is a word that the model does not know.
"""

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "src/scrutiny/data/samples/behavior.suite.jsonl"
LABELS = ("positive", "negative")
#: What agrees with a thing, by its verb.
FORMS = {
    "is": {"is": "is", "was": "was", "has": "has", "it": "it", "It": "It", "them": "it"},
    "are": {"is": "are", "was": "were", "has": "have", "it": "they", "It": "They", "them": "them"},
}
PRONOUNS = {"she": {"she": "she", "her": "her"}, "he": {"she": "he", "her": "his"}}
#: Capability, name, expectation and base of each test, by what the ids of its cases begin with. The
#: label is that of the word: an intensifier may take .1 from it, its opposite must take as much.
TESTS = {
    "word": ("vocabulary", "polar words", "gold", ""),
    "place": ("vocabulary", "other places and days", "same", "word"),
    "very": ("vocabulary", "intensifiers", "moves(label={},least=-0.1)", "word"),
    "negated": ("negation", "negated words", "gold", ""),
    "aside": ("negation", "negation beside the point", "same", "word"),
    "not": ("negation", "inserted not", "moves(label={},most=-0.1)", "word"),
    "before": ("change over time", "before and now", "gold", ""),
    "now": ("change over time", "now and before", "same", "before"),
    "then": ("change over time", "then it changed", "moves(label={},most=-0.1)", "word"),
    "person": ("people", "other people", "same", "base"),
}


def rows(given):
    """Rows test by test; last what only stands beside the cases of the last one."""
    found = {kind: [] for kind in (*TESTS, "base")}
    turn = 0
    for name, domain in given["domains"].items():
        for number, (thing, verb, *words) in enumerate(domain["words"]):
            agreeing = {**FORMS[verb], "thing": thing, "Thing": thing[0].upper() + thing[1:]}
            for place, word in enumerate(words):
                fields = {**agreeing, "w": word, "opposite": words[1 - place]}
                made = plain(given, domain, number, turn, fields)
                if "negated" in domain:
                    made |= changed(
                        domain, number, fields, made["word"], flipped=place == number % 2
                    )
                    made |= told(given["names"], domain["people"][number % 5], turn, fields)
                for kind, text in made.items():
                    found[kind].append(row(kind, f"{name}-{word}", text, place))
            turn += 1
    return [one for kind in found.values() for one in kind]


def plain(given, domain, number, turn, fields):
    """A statement, the same of elsewhere, with an intensifier, and negated."""
    frame = domain["vocabulary"][number % 5]
    slot = next(name for name in given["fill"] if f"{{{name}}}" in frame)
    fill, strong = given["fill"][slot], domain.get("intensifiers", given["intensifiers"])
    word, here, there = fields["w"], fill[turn % len(fill)], fill[(turn + 2) % len(fill)]
    said = {
        "word": (word, here),
        "place": (word, there),
        "very": (f"{strong[number % len(strong)]} {word}", here),
        "not": (f"not {word}", here),
    }
    if "negated" not in domain:
        del said["not"]  # strong words: not every meal that is not exquisite is a bad one
    return {
        kind: frame.format(**fields | {"w": one, slot: where})
        for kind, (one, where) in said.items()
    }


def changed(domain, number, fields, statement, *, flipped):
    """Negations in the statement's place or beside it, and what was or became the opposite."""
    aside = domain["aside"][(number + number // 5) % 5]
    then = domain["then"][(number + number // 5) % 5]
    word, opposite = fields["w"], fields["opposite"]
    before, now = (one.format(**fields, p=opposite, n=word) for one in domain["time"][number % 5])
    return {
        "negated": domain["negated"][number % 5].format(**fields),
        "aside": f"{statement} {aside}" if flipped else f"{aside} {statement}",
        "before": now if flipped else before,
        "now": before if flipped else now,
        "then": f"{statement} {then.format(**fields, n=opposite)}",
    }


def told(names, frame, turn, fields):
    """A statement of somebody, and of somebody else: every second one of another gender."""
    genders = ("she", "he") if turn // 2 % 2 else ("he", "she")
    one, other = genders[0], genders[turn % 2]
    return {
        kind: frame.format(
            **fields, **PRONOUNS[whose], name=names[whose][place % len(names[whose])]
        )
        for kind, whose, place in (("base", one, turn), ("person", other, turn + 4))
    }


def row(kind, key, text, place):
    """Row of a text about a word whose label stands at this place."""
    capability, test, expect, base = TESTS.get(kind, ("",) * 4)
    label = LABELS[1 - place if kind == "negated" else place]
    cells = {
        "id": f"{kind}-{key}",
        "text": text,
        "label": "" if "moves" in expect else label,
        "capability": capability,
        "test": test,
        "expect": expect.format(label),
        "of": base and f"{base}-{key}",
    }
    return {name: cell for name, cell in cells.items() if cell}


def data():
    """Words and frames."""
    return tomllib.loads((HERE / "behavior_suite.toml").read_text(encoding="utf-8"))


def lines():
    """Lines of the file."""
    head = {"suite": 1, "task": "text-classification"}
    return [json.dumps(one, ensure_ascii=False) for one in (head, *rows(data()))]


def main():
    OUT.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
