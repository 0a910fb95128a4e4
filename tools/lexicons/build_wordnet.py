"""Write data/wordnet.txt.xz from Princeton's WordNet 3.0 database files.

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb /tmp/wn
    python tools/lexicons/build_wordnet.py /tmp/wn/usr/share/wordnet

Input: data.POS, index.POS (wndb(5WN)), cntlist.rev (tag counts by sense key). Output, as text:

    line 1      number of index lines
    index       lemma n:1,5 v:.0,.1       sorted; synsets by number, frequent sense first.
                ".2" counts from the first synset whose first word is the lemma. A lemma with one
                sense, whose first word it is, has no line.
    synsets     word word POSLEX|pointers      sorted by first word; number = line, from 0
                word: lemma, then =count if it was tagged in this sense
                pointers: kind, then .s.t (source and target word, absent for whole synsets), then
                the number. Derivations that go both ways (+) are stored once, from the lower
                number and as a difference; others are written with "-".

POS is one of n v a s r, LEX the two digits of the lexicographer file. Glosses, frames and
meronyms are left out; hyponyms are the inverse of hypernyms.
"""

import lzma
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

OUT = Path(__file__).parents[2] / "src/scrutiny/text/data/wordnet.txt.xz"
FILES = (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv"))
KINDS = {"!": "!", "@": "@", "@i": "^", "&": "&", "+": "+", "\\": "\\"}
SS_TYPE = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}


@dataclass
class Synset:
    key: tuple[str, str]  # (pos, offset)
    kind: str
    lexfile: str
    lemmas: list[str]
    pointers: list[list[str]]  # symbol, offset, pos, words


def read_lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith("  ")]


def read_counts(path: Path) -> dict[tuple[str, int, int], int]:
    """Tag counts by (lower-case lemma, part of speech as in sense keys, sense number)."""
    counts = {}
    for line in path.read_text().splitlines():
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        counts[lemma, int(rest[0]), int(number)] = int(count)
    return counts


def parse_synset(pos: str, line: str) -> Synset:
    fields = line.split(" | ")[0].split()
    size = int(fields[3], 16)
    lemmas = [word.partition("(")[0] for word in fields[4 : 4 + 2 * size : 2]]
    rest = fields[5 + 2 * size : 5 + 2 * size + 4 * int(fields[4 + 2 * size])]
    pointers = [rest[i : i + 4] for i in range(0, len(rest), 4)]
    return Synset((pos, fields[0]), fields[2], fields[1], lemmas, pointers)


def read_senses(root: Path, number_of: dict) -> dict[str, dict[str, list[int]]]:
    senses: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for pos, name in FILES:
        for line in read_lines(root / f"index.{name}"):
            fields = line.split()
            senses[fields[0]][pos] = [number_of[pos, o] for o in fields[-int(fields[2]) :]]
    return senses


def index_lines(senses: dict, synsets: list[Synset]) -> list[str]:
    base: dict[str, int] = {}
    for number, synset in enumerate(synsets):
        base.setdefault(synset.lemmas[0].lower(), number)

    def write(lemma: str, number: int) -> str:
        own = synsets[number].lemmas[0].lower() == lemma
        return f".{number - base[lemma]}" if own else str(number)

    lines = []
    for lemma in sorted(senses):
        groups = {p: [write(lemma, n) for n in numbers] for p, numbers in senses[lemma].items()}
        if list(groups.values()) != [[".0"]]:
            lines.append(f"{lemma} " + " ".join(f"{p}:{','.join(ns)}" for p, ns in groups.items()))
    return lines


def write_pointer(number: int, pointer: list[str], number_of: dict, pairs: set) -> str | None:
    symbol, offset, pos, words = pointer
    if symbol not in KINDS:
        return None
    target = number_of[pos, offset]
    source_word, target_word = int(words[:2], 16), int(words[2:], 16)
    kind, shown = KINDS[symbol], target
    if symbol == "+":
        is_mutual = (target, target_word, number, source_word) in pairs and target != number
        if is_mutual and target < number:
            return None
        kind, shown = ("+", target - number) if is_mutual else ("-", target)
    ends = f".{source_word}.{target_word}." if words != "0000" else ""
    return f"{kind}{ends}{shown}"


def derivation_pairs(synsets: list[Synset], number_of: dict) -> set[tuple[int, int, int, int]]:
    return {
        (number, int(words[:2], 16), number_of[pos, offset], int(words[2:], 16))
        for number, synset in enumerate(synsets)
        for symbol, offset, pos, words in synset.pointers
        if symbol == "+"
    }


def main() -> None:
    root = Path(sys.argv[1])
    counts = read_counts(root / "cntlist.rev")
    synsets = [parse_synset(p, line) for p, f in FILES for line in read_lines(root / f"data.{f}")]
    synsets.sort(key=lambda s: (s.lemmas[0].lower(), "nvar".index(s.key[0]), s.key[1]))
    number_of = {synset.key: number for number, synset in enumerate(synsets)}
    senses = read_senses(root, number_of)
    index = index_lines(senses, synsets)
    lines = [str(len(index)), *index]
    pairs = derivation_pairs(synsets, number_of)
    for number, synset in enumerate(synsets):
        words = []
        for lemma in synset.lemmas:
            lower = lemma.lower()
            sense = senses[lower][synset.key[0]].index(number) + 1
            count = counts.get((lower, SS_TYPE[synset.kind], sense), 0)
            words.append(f"{lemma}={count}" if count else lemma)
        found = [write_pointer(number, p, number_of, pairs) for p in synset.pointers]
        pointers = " ".join(p for p in found if p)
        lines.append(f"{' '.join(words)} {synset.kind}{synset.lexfile}|{pointers}")
    raw = ("\n".join(lines) + "\n").encode()
    filters = [
        {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0, "lp": 0}
    ]
    OUT.write_bytes(lzma.compress(raw, filters=filters))
    print(f"{len(senses)} lemmas, {len(synsets)} synsets, {len(index)} index lines")
    print(f"{len(raw)} -> {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
