"""Messages of ``builtin:messages`` and of ``builtin:spam``: read, made distinct, split in two.

    python tools/spam_messages.py      writes src/scrutiny/data/samples/messages.tsv; two seconds

The SMS Spam Collection (CC BY 4.0) is found under SCRUTINY_DATA. Of messages with the same letters,
and of those that share four fifths of their pairs of words, the first stays; numbers and symbols do
not count. A hash of its letters
puts each message in its place: the first 2,000 are the sample, nobody trains on them. All others
are for training, but those that share half of their pairs of words, or a whole sentence of 32
letters or more, with one of the sample, and those in which one of the sample stands.
Telephone numbers and addresses of people are masked as the collection masks others; numbers of
services in spam stay. Nothing else is changed.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scrutiny.data.hashes import letters_hash
from scrutiny.data.near_duplicates import find_near
from scrutiny.data.overlap import SHORTEST, overlap
from scrutiny.text.letters import letters, marks
from scrutiny.text.tokens import sentences

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
SAMPLE = ROOT / "src" / "scrutiny" / "data" / "samples" / "messages.tsv"
SAMPLED = 2_000
SAME, ALIKE = 0.8, 0.5  # Jaccard index of the pairs of neighboring words

_NUMBER, _ADDRESS = re.compile(r"(?<!\d)\d{7,}(?!\d)"), re.compile(r"\S+@\S+\.\w+")


class Message(NamedTuple):
    """A message and what people called it: ham or spam."""

    label: str
    text: str


def read(path: Path) -> list[Message]:
    """Messages of the collection, in its order, people's numbers and addresses masked."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    return [masked(Message(*line.split("\t", 1))) for line in lines if line]


def masked(message: Message) -> Message:
    """The same message; numbers and addresses in ham are hidden as the collection hides others."""
    if message.label == "spam":
        return message
    return Message("ham", _ADDRESS.sub("&lt;EMAIL&gt;", _NUMBER.sub("&lt;#&gt;", message.text)))


def distinct(messages: Sequence[Message]) -> list[Message]:
    """Messages without those that repeat an earlier one, by letters or nearly."""
    first: dict[str, Message] = {}
    for message in messages:
        first.setdefault(letters(message.text) or message.text, message)
    return _without_near(list(first.values()))


def _without_near(messages: list[Message]) -> list[Message]:
    """Halves are cleaned by themselves, then the second of what is near to the first."""
    if len(messages) < 2:
        return messages
    half = len(messages) // 2
    return apart(_without_near(messages[:half]), _without_near(messages[half:]), SAME, keep=True)


def apart(
    first: list[Message], second: list[Message], least: float, *, keep: bool = False
) -> list[Message]:
    """The second messages that are not near to any of the first; behind those, if they are kept."""
    texts = [[bare(m) for m in messages] for messages in (second, first)]
    near = find_near(*texts, least=least, decisive=marks)
    others = [m for i, m in enumerate(second) if i not in near]
    return [*first, *others] if keep else others


def split(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """The sample, and what may be trained on."""
    placed = sorted(messages, key=lambda m: (letters_hash(m.text), m.text))
    sample, others = placed[:SAMPLED], placed[SAMPLED:]
    known = {int(h) for m in sample for h in _long_hashes(m.text)}
    others = [m for m in others if known.isdisjoint(all_hashes(m.text))]
    found = overlap([bare(m) for m in sample], [bare(m) for m in others], near=None).pairs
    holding = {pair.b for pair in found}
    return sample, apart(sample, [m for i, m in enumerate(others) if i not in holding], ALIKE)


def bare(message: Message) -> str:
    """Text without numbers and symbols, which did not count when the sample was drawn."""
    text = unicodedata.normalize("NFC", message.text)
    return "".join(c if c.isalpha() else " " for c in text)


def all_hashes(text: str) -> set[int]:
    """Hashes of a message, its lines and its sentences, by letters alone."""
    lines = text.splitlines()
    pieces = [line[start:end] for line in lines for start, end in sentences(line)]
    return {letters_hash(p) for p in (text, *lines, *pieces)} - {0}


def _long_hashes(text: str) -> list[int]:
    """Hashes of a message and of its longer sentences."""
    pieces = [text[start:end] for start, end in sentences(text)]
    return [letters_hash(p) for p in [text, *(p for p in pieces if len(letters(p)) >= SHORTEST)]]


def both(data: Path = DATA) -> tuple[list[Message], list[Message], dict[str, object]]:
    """Sample, training messages, and what was left out."""
    path = data / "sms_spam" / "SMSSpamCollection"
    everything = read(path)
    kept = distinct(everything)
    sample, training = split(kept)
    return (
        sample,
        training,
        {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "messages": len(everything),
            "repeated": len(everything) - len(kept),
            "like_one_of_the_sample": len(kept) - len(sample) - len(training),
        },
    )


def main() -> None:
    sample, training, left_out = both()
    rows = [f"m{i:04}\t{m.text}\t{m.label}\n" for i, m in enumerate(sample, start=1)]
    SAMPLE.write_text("id\ttext\tlabel\n" + "".join(rows), encoding="utf-8", newline="\n")
    for name, messages in {"sample": sample, "training": training}.items():
        print(name, len(messages), "spam", sum(m.label == "spam" for m in messages))
    print(left_out)


if __name__ == "__main__":
    main()
