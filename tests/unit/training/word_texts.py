"""Sentences of two kinds for small classifiers, as a file of a test's own."""

from itertools import product

_SUBJECTS = ("the film", "this story", "the whole cast", "its music", "the last act", "the camera")
_GOOD = ("good", "fine", "lovely", "moving")
_BAD = ("bad", "dull", "weak", "tired")


def write_rows(path, *, labels=("neg", "pos")):
    """144 sentences with a label each; which word decides it is plain."""
    rows = ["sentence\tlabel"]
    for subject, (label, words) in product(
        _SUBJECTS, zip(labels, (_BAD, _GOOD, ("long", "short")), strict=False)
    ):
        for word, frame in product(words, ("{} was {} .", "{} is really {} again", "{}: {}!")):
            rows.append(f"{frame.format(subject, word)}\t{label}")
    path.write_text("\n".join(rows) + "\n")
    return f"tsv:{path}#text=sentence,label=label"
