"""Write data/misspellings.txt.xz from codespell's dictionary.

    python tools/lexicons/build_misspellings.py .../codespell_lib/data/dictionary.txt

The input has lines ``wrong->right`` or ``wrong->right, right2,``. Kept: one-word corrections among
the words that zipf.txt.xz knows at 3.3 or more; misspellings that are no words of lemminflect or of
`is_known_word`; at most twelve per word (those nearest by edit distance, then first by alphabet).
Output lines: ``right wrong wrong ...``, sorted.
"""

import lzma
import re
import sys
from pathlib import Path

from lemminflect import getAllLemmas
from rapidfuzz.distance import OSA

from scrutiny.text.lexicon import zipf
from scrutiny.text.wordnet import is_known_word

OUT = Path(__file__).parents[2] / "src/scrutiny/text/data/misspellings.txt.xz"
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# Misspellings that tests and papers use and that the dictionary lacks.
OWN = {"definitely": ["difinately", "definately"], "a lot": []}
MOST = 12


def is_known(word: str) -> bool:
    return is_known_word(word) or bool(getAllLemmas(word))


def read_pairs(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {right: set(wrong) for right, wrong in OWN.items() if wrong}
    for line in path.read_text(encoding="utf-8").splitlines():
        wrong, _, rights = line.partition("->")
        candidates = [r.strip() for r in rights.split(",") if r.strip()]
        for right in candidates:
            if WORD.fullmatch(wrong) and WORD.fullmatch(right) and zipf(right) >= 3.3:
                found.setdefault(right, set()).add(wrong)
    return found


def main() -> None:
    lines = []
    for right, wrongs in sorted(read_pairs(Path(sys.argv[1])).items()):
        ranked = sorted((OSA.distance(right, w), w) for w in wrongs if not is_known(w))
        own = [w for w in OWN.get(right, []) if w in wrongs]
        kept = own + [w for d, w in ranked if d <= 3 and w not in own][: MOST - len(own)]
        if kept:
            lines.append(" ".join([right, *sorted(kept)]))
    text = "\n".join(lines) + "\n"
    OUT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(len(lines), "words,", text.count(" "), "misspellings,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
