"""Sentences with dependencies and parts of speech, made of few words."""

from itertools import product

_SUBJECTS = ("dog", "child", "teacher", "neighbor", "doctor")
_VERBS = ("sees", "finds", "likes", "follows")
_OBJECTS = ("ball", "house", "letter")
_ADVERBS = ("today", "slowly")


def rows(subject, verb, noun, adverb):
    """Words of a sentence: form, UPOS, XPOS, head, relation."""
    return [
        ("The", "DET", "DT", 2, "det"),
        (subject, "NOUN", "NN", 3, "nsubj"),
        (verb, "VERB", "VBZ", 0, "root"),
        ("a", "DET", "DT", 5, "det"),
        (noun, "NOUN", "NN", 3, "obj"),
        (adverb, "ADV", "RB", 3, "advmod"),
        (".", "PUNCT", ".", 3, "punct"),
    ]


def write_sentences(path):
    """Write 120 sentences as CoNLL-U; returns the data string."""
    blocks = []
    for number, words in enumerate(product(_SUBJECTS, _VERBS, _OBJECTS, _ADVERBS), 1):
        lines = [f"# sent_id = s-{number}"]
        for place, (form, upos, xpos, head, relation) in enumerate(rows(*words), 1):
            last = "SpaceAfter=No" if place == 6 else "_"
            cells = (place, form, "_", upos, xpos, "_", head, relation, "_", last)
            lines.append("\t".join(map(str, cells)))
        blocks.append("\n".join(lines))
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return f"conllu:{path}"
