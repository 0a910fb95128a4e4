"""How many sentences a CPU-second each transformation changes, beside nlpaug and TextAttack.

    python benchmarks/perturb_speed.py --nlpaug VENV/bin/python --textattack VENV/bin/python

The texts are the first 1,000 training sentences of SST-2 (``SCRUTINY_DATA``), or shipped
reviews. Each of ours includes
the variant with its edits and the rewritten text; 30 % of the words are changed, as by nlpaug.
(TextAttack's own augmenters change 10 % by default.) The sides take turns in a few rounds, so that
they meet the machine in the same state; the best of each side's passes counts, in CPU seconds of
one process, and every side has as many passes.
Peers run in environments of their own (options, or ``SCRUTINY_NLPAUG_PYTHON`` and
``SCRUTINY_TEXTATTACK_PYTHON``); without one, its column says so.
"""

import argparse
import json
import os
import subprocess
from pathlib import Path
from time import process_time

from inputs import texts

from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.text.edits import apply_to_text

HERE = Path(__file__).parent
PASSES = 3  # of each side in each round
PEERS = ("nlpaug", "textattack")
# what stands beside a peer's augmenter, and by how much it should be faster: (nlpaug, TextAttack)
COMPARED = {
    "keyboard": ("keyboard(share=0.3)", (2, 50)),
    "ocr": ("ocr(share=0.3)", (2, 50)),
    "typos": ("typos", (2, 50)),
    "typos replace": ("typos(mode=replace)", (2, 50)),
    "typos swap": ("typos(mode=swap)", (2, 50)),
    "typos insert": ("typos(mode=insert)", (2, 50)),
    "typos delete": ("typos(mode=delete)", (2, 50)),
    "spelling": ("spelling_error", (2, 50)),
    "synonyms": ("synonym_wordnet(share=0.3)", (5, 50)),
    "antonyms": ("antonym_swap(share=0.3)", (None, None)),
}


def own_rate(name, texts):
    """Rate of one run, and the share of the texts that changed."""
    recipe = parse_recipe(name)
    examples = [Example(f"i{i}", {"text": text}, gold="x") for i, text in enumerate(texts)]
    perturb(examples[0], recipe, seed=0)  # loads what it needs
    changed = 0
    begin = process_time()
    for example in examples:
        variant = perturb(example, recipe, seed=0)
        if variant.status == "ok":
            changed += apply_to_text(example.text, variant.edits) != example.text
    return len(texts) / (process_time() - begin), changed / len(texts)


def better(one, other):
    """The better of two rates; a reason only where there is no rate."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: better(rate, other[name]) for name, rate in one.items()}
    return max(one, other) if isinstance(one, type(other)) and one != other else other


def peer_rates(peer, python, texts):
    """Rates by augmenter, or one line that says why there are none."""
    if not python:
        return f"not run: no environment given (--{peer} PYTHON)"
    command = [python, str(HERE / "perturb_peers.py"), peer, str(PASSES)]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if any(map(str.isalpha, line))]
        return f"not run: {said[-1].strip() if said else 'it ended without a word'}"
    return json.loads(done.stdout)


def light_transformations():
    """Names of all registered transformations that need no model."""
    for name in registry().names("transformation"):
        needs = registry().load("transformation", name).resources
        if all(RESOURCES[n].default for n in needs):
            yield name


def shown(own, rates, name, goal):
    """Cell of a peer's column."""
    if isinstance(rates, str):
        return rates
    found = rates.get(name)
    if found is None:
        return "–"
    if isinstance(found, str):
        return found
    ratio = own / found
    verdict = "" if goal is None else (" ok" if ratio >= goal else f" BELOW {goal}x")
    return f"{found:,.0f}/s, {ratio:.1f}x{verdict}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for peer in PEERS:
        default = os.environ.get(f"SCRUTINY_{peer.upper()}_PYTHON", "")
        parser.add_argument(f"--{peer}", default=default, help="its Python")
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="also those that no peer has")
    options = parser.parse_args()
    sentences = texts(options.texts)
    extra = list(light_transformations()) if options.all else []
    recipes = [*(recipe for recipe, _ in COMPARED.values()), *extra]
    rates, own_rates = {}, {}
    for _ in range(options.rounds):
        for peer in PEERS:
            found = peer_rates(peer, getattr(options, peer), sentences)
            rates[peer] = better(rates.get(peer, found), found)
        for recipe in recipes:
            made = [own_rate(recipe, sentences) for _ in range(PASSES)]
            own_rates[recipe] = max(own_rates.get(recipe, (0, 0)), *made)
    characters = sum(map(len, sentences)) / len(sentences)
    print(f"{len(sentences)} sentences, {characters:.0f} characters on average")
    for name, (recipe, goals) in COMPARED.items():
        own, changed = own_rates[recipe]
        cells = [
            f"{peer} {shown(own, rates[peer], name, goal)}"
            for peer, goal in zip(PEERS, goals, strict=True)
        ]
        print(f"{recipe:28} {own:9,.0f}/s {changed:6.1%} changed | " + " | ".join(cells))
    for name in extra:
        own, changed = own_rates[name]
        print(f"{name:28} {own:9,.0f}/s {changed:6.1%} changed")


if __name__ == "__main__":
    main()
