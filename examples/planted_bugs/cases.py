"""The cases that all tools are given: text messages, and threads whose first message decides."""

import csv
from pathlib import Path

from scrutiny.data.dataset import load_dataset
from scrutiny.models.builtin.builtin_network import BuiltinNetwork

SHORT, THREADS, LINES = 60, 12, 40  # of each label; messages that a thread has
#: How a request asks about a message, in every tool.
HEAD, QUESTION = "Message:\n", "\n\nIs it ham or spam? Answer with one word."
TEMPLATE = HEAD + "{text}" + QUESTION
LABELS = ("ham", "spam")


def make_cases():
    """Id, text and label of each case: 120 messages, then 24 threads of 41 messages.

    A thread is spam if any message of it is. In those that are, it is the first one: whoever sees
    the end alone takes them for ham. Messages that fill threads are ones that are clearly ham.
    """
    dataset = load_dataset("builtin:messages")
    by_label = {label: [] for label in LABELS}
    for item in dataset.examples:
        text = " ".join(item.fields["text"].split())
        if len(text) > 25 and text not in by_label[item.gold]:
            by_label[item.gold].append(text)
    ham, spam = by_label["ham"], by_label["spam"]
    short = [pair for pair in zip(ham[:SHORT], spam[:SHORT], strict=True)]
    cases = [(text, label) for pair in short for label, text in zip(LABELS, pair, strict=True)]
    network = BuiltinNetwork("spam", 1)
    sure = [t for t in ham[SHORT:] if network.predict_proba([t])[0, 1] < 0.1]
    sure_spam = [t for t in spam[SHORT:] if network.predict_proba([t])[0, 1] > 0.9]
    for place in range(THREADS):
        for label in LABELS:
            start = (2 * place + (label == "spam")) * LINES
            lines = sure[start : start + LINES]
            first = sure_spam[place] if label == "spam" else sure[-1 - place]
            cases.append(("\n".join([first, *lines]), label))
    return [(f"c{n:03}", text, label) for n, (text, label) in enumerate(cases, 1)]


def write_cases(path: Path, cases):
    """Write cases as CSV with columns id, text and label."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label"])
        writer.writerows(cases)


def thrice(cases):
    """Each case three times, under ids of its own: repeats that a file counts as items."""
    return [(f"{i}-{k}", text, label) for k in (1, 2, 3) for i, text, label in cases]


def exchanged(cases):
    """The two label words exchanged."""
    other = dict(zip(LABELS, LABELS[::-1], strict=True))
    return [(i, text, other[label]) for i, text, label in cases]
