"""A task of one file, as somebody's package brings it: a text, an aspect in it, a label."""

from scrutiny.plugin import LABEL, TEXT, Classification, text_role


class Aspects(Classification):
    """A text, an aspect of it, and what is said of the aspect."""

    name = "aspects"
    roles = (TEXT, text_role("aspect", "column of the aspect", is_anchor=True), LABEL)
    identifying_columns = ("text", "aspect")


REGISTRATIONS = (("task", "aspects@1", "aspects:Aspects"),)


def ask(pairs: list[tuple[str, str]]) -> list[str]:
    """Answers of a model that reads the words behind the aspect."""
    found = []
    for text, aspect in pairs:
        behind = text.lower().partition(aspect)[2]
        found.append("negative" if "awful" in behind[:20] else "positive")
    return found
