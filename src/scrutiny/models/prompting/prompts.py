"""Prompt of a language model: a template, the words that stand for labels, and a wish for one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.messages import Message, earlier_messages
from scrutiny.core.task import Task
from scrutiny.models.strings.model_strings import ModelSource, split_captures

#: Where a masked language model fills in a label's words.
MASK: Final = "mask"
_ESCAPES: Final = {r"\n": "\n", r"\t": "\t", r"\\": "\\"}
_ESCAPE: Final = re.compile(r"\\[nt\\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with the continuations that stand for labels.

    Parameters
    ----------
    parts
        Literal stretches of the template and names of fields in turn, a literal first and last.
    choices
        Label and continuation of each.

    Examples
    --------
    >>> prompt = Prompt(("", "text", " It was ", "mask", "."), (("pos", "good"), ("neg", "bad")))
    >>> prompt.around(Example(id="0", fields={"text": "Fine."}))
    ('Fine. It was ', '.')
    >>> prompt.has_mask, prompt.labels
    (True, ('pos', 'neg'))
    """

    parts: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order in which they were stated."""
        return tuple(label for label, _ in self.choices)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the template, in order."""
        return self.parts[1::2]

    @property
    def has_mask(self) -> bool:
        """Whether words are filled in a mask instead of added at the end."""
        return MASK in self.names

    def around(self, example: Example) -> tuple[str, str]:
        """Filled text before the model's words, and after them."""
        sides = ["", ""]
        side = 0
        for index, part in enumerate(self.parts):
            if index % 2 and part == MASK:
                side = 1
            else:
                sides[side] += example.fields[part] if index % 2 else part
        return sides[0], sides[1]

    def messages(self, example: Example, *, system: str = "") -> list[Message]:
        """All that is said to a model: earlier messages of the item, then the filled template.

        A system message of the item stands in the place of the usual one.

        Examples
        --------
        >>> prompt = Prompt(("", "prompt", ""), ())
        >>> prompt.messages(Example("0", {"prompt": "Hi"}), system="Be brief.")
        [Message(role='system', content='Be brief.'), Message(role='user', content='Hi')]
        """
        before = earlier_messages(example.fields)
        if system and not any(one.role == "system" for one in before):
            before = [Message("system", system), *before]
        return [*before, Message("user", self.around(example)[0])]

    def alone(self, example: Example) -> str:
        """Filled template, where nothing is said before it.

        Raises
        ------
        ModelError
            If something is: who goes on with one text cannot be told who said what.
        """
        if earlier_messages(example.fields):
            raise ModelError(
                f"Item {example.id!r} is a conversation of several messages, and this model is "
                "given one text: ask one that takes a chat (api=chat, a body with {messages}, a "
                "tokenizer with a template for chats)."
            )
        return self.around(example)[0]

    def starts(self, example: Example, *, gap: int = 0) -> list[tuple[str, int]]:
        """Start of each field in the filled text, for a mask of this length.

        Examples
        --------
        >>> prompt = Prompt(("On ", "text", ": ", "mask", "; ", "text_pair", ""), ())
        >>> prompt.starts(Example("0", {"text": "film", "text_pair": "art"}), gap=6)
        [('text', 3), ('text_pair', 17)]
        """
        found, place = [], 0
        for index, part in enumerate(self.parts):
            if index % 2 and part == MASK:
                place += gap
            elif index % 2:
                found.append((part, place))
                place += len(example.fields[part])
            else:
                place += len(part)
        return found

    def plain(self) -> list[Any]:
        """Plain JSON of all of it, for a digest."""
        return [list(self.parts), [list(choice) for choice in self.choices]]


def read_prompt(source: ModelSource, fields: Sequence[str]) -> Prompt:
    """Prompt of the options ``template`` and ``choices``.

    Parameters
    ----------
    source
        With ``template``, a text with ``{field}`` (and ``{mask}``) or ``@`` and the name of a file
        that holds it, and with ``choices``, ``label=continuation`` with commas or bars between.
    fields
        Of the task.

    Raises
    ------
    ModelError
        If one of them is missing or cannot be read.
    """
    template = source.options.get("template")
    if not template:
        raise ModelError(
            f"{source.text!r} needs the text that the model goes on with: "
            f'-M template="Review: {{{fields[0]}}}\\nSentiment:", or template=@FILE.'
        )
    parts = template_parts(template, fields, source=source.text, has_mask=True)
    return Prompt(parts, read_choices(source.options.get("choices", ""), source=source.text))


def template_parts(
    template: str, fields: Sequence[str], *, source: str, has_mask: bool = False
) -> tuple[str, ...]:
    """Literal stretches of a template and names of fields in turn, a literal first and last.

    Raises
    ------
    ModelError
        If its file cannot be read, or if it does not name every field of the task.
    """
    parts = tuple(split_captures(_text_of(template, source)))
    named, mask = parts[1::2], (MASK,) if has_mask else ()
    unknown = [name for name in named if name not in (*fields, *mask)]
    lacking = [name for name in fields if name not in named]
    if unknown or lacking or named.count(MASK) > 1:
        once = f", for a masked language model {{{MASK}}} once" if has_mask else ""
        raise ModelError(
            f"{source!r}: the template must name every field of the task in braces "
            f"({', '.join('{' + name + '}' for name in fields)}){once}, and nothing else; it "
            f"names: {', '.join('{' + name + '}' for name in named) or 'nothing'}."
        )
    return parts


def _text_of(template: str, source: str) -> str:
    """Template as it was given, or as its file has it, without the line ends at its end."""
    if not template.startswith("@"):
        return _ESCAPE.sub(lambda match: _ESCAPES[match[0]], template)
    path = Path(template[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8").rstrip("\n")
    except (OSError, ValueError) as error:
        raise ModelError(f"{source!r}: {str(path)!r} cannot be read: {error}.") from error


def read_choices(stated: str, *, source: str) -> tuple[tuple[str, str], ...]:
    """Labels with their continuations, from ``label=words`` with commas or bars between.

    Raises
    ------
    ModelError
        If there are fewer than two, a label or continuation twice, or one without words.
    """
    found = []
    for part in filter(None, re.split(r"[|]" if "|" in stated else ",", stated)):
        label, _, words = part.partition("=")
        found.append((label.strip(), _ESCAPE.sub(lambda match: _ESCAPES[match[0]], words)))
    labels = [label for label, _ in found]
    words = [continuation for _, continuation in found]
    if (
        len(found) < 2
        or len(set(labels)) < len(labels)
        or len(set(words)) < len(words)
        or "" in labels
        or not all(map(str.strip, words))
    ):
        raise ModelError(
            f"{source!r}: choices={stated!r} cannot be read. Give each label once, with the "
            'words that stand for it: choices="positive= good,negative= bad" (or with bars '
            "between them). A space in front of the words counts."
        )
    return tuple(found)


def asking_parts(
    template: str, task: Task, words: Sequence[str], *, source: str
) -> tuple[str, ...]:
    """Template as parts; the usual one names the fields, and the words of labels if there are any.

    Raises
    ------
    ModelError
        If the template cannot be read, or does not name every field of the task.
    """
    if not template:
        template = "\n".join("{" + name + "}" for name in task.fields)
        if words:
            said = ", ".join(one.strip() for one in words)
            template += f"\n\nAnswer with one of these and nothing else: {said}."
    return template_parts(template, task.fields, source=source)
