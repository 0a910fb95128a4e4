"""Write data/zipf.txt.xz from wordfreq's English list.

    python tools/lexicons/build_zipf.py .../wordfreq/data/large_en.msgpack.gz

The input is a gzipped msgpack list of bins; bin i holds the words of i centibels (-i/100 powers of
ten). zipf = 9 - i / 100. Kept: the 40,000 most frequent entries made of letters, apostrophes and
hyphens. Needs msgpack (a dependency of wordfreq).
"""

import gzip
import lzma
import re
import sys
from pathlib import Path

import msgpack

KEEP = 40_000
OUT = Path(__file__).parents[2] / "src/scrutiny/text/data/zipf.txt.xz"
WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")


def main() -> None:
    header, *bins = msgpack.unpackb(gzip.decompress(Path(sys.argv[1]).read_bytes()))
    assert header["format"] == "cB", header
    lines, left = [], KEEP
    for centibels, entries in enumerate(bins):
        kept = sorted(w for w in entries if WORD.fullmatch(w))[:left]
        left -= len(kept)
        if kept:
            lines.append(f"{900 - centibels} {' '.join(kept)}")
    text = "\n".join(lines) + "\n"
    OUT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{KEEP - left} words down to {lines[-1].split()[0]}, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
