"""Wordings of a prompt: what a model is asked besides the item, declared and named.

A wording changes a model's own prompt in what it states, and leaves the rest. Examples carry it as
one more field (`worded`), so that an answer is kept under the text *and* the wording of it. In a
file, each is one ``[[wording]]`` of TOML with the members of `Wording` as keys.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from pydantic import TypeAdapter, ValidationError

from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.record import grouped
from scrutiny.models.prompting.prompts import Prompt, template_parts

#: Capability of models whose prompt can be worded otherwise.
WORDINGS: Final = "wordings"
#: Name of the wordings that ship with scrutiny; of another version, other ones would.
BUILTIN: Final = "wordings@1"
#: Name of a model's own prompt among wordings.
OWN_WORDING: Final = "own"
#: Field of an example that holds the wording; no template can name it.
_FIELD: Final = "(wording)"
#: What a template of a wording can name besides fields: all fields, and the words of the labels.
_FIELDS, _OPTIONS = "{fields}", "{options}"
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording: what it changes of a model's own prompt.

    Parameters
    ----------
    name
        In the report.
    template
        Another template, with fields in braces, ``{fields}`` for all of them in lines of their own,
        and ``{options}`` for the words of the labels.
    before
        What stands in front of the template.
    around
        What each text stands in, with ``{}`` for it.
    line_end
        What a line end of the template becomes.
    system
        Another system prompt, for models that are asked as a chat is.
    choices
        Other words for labels, by label.
    options
        How the words of the labels are listed: as they come, ``reversed``, in ``lines``, or with
        ``letters``, one of which is then the answer. Of a prompt that lists none, nothing changes.
    shots
        Solved examples in front: fields by name, and ``label``. Their order counts.
    separator
        What stands behind each of them.
    is_edit
        Whether it means nothing: such wordings are the random change beside the others.
    needs_options
        Whether its template is for prompts that list the words of the labels.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    template: str = ""
    before: str = ""
    around: str = ""
    line_end: str = ""
    system: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    options: Literal["", "reversed", "lines", "letters"] = ""
    shots: tuple[Mapping[str, str], ...] = ()
    separator: str = "\n\n"
    is_edit: bool = False
    needs_options: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip() or self.name == OWN_WORDING:
            raise PlanError(f"a wording needs a name, and {OWN_WORDING!r} is the model's own.")
        if self.around and self.around.count("{}") != 1:
            raise PlanError(f"wording {self.name!r}: around needs {{}} once, where the text goes.")
        changes = (getattr(self, one.name) for one in fields(self) if one.name not in _OF_NOTHING)
        if not any(changes):
            raise PlanError(f"wording {self.name!r} changes nothing of a prompt.")

    def key(self) -> str:
        """Canonical JSON of what it changes: equal wordings have equal answers."""
        every = asdict(self)
        return canonical_json({k: v for k, v in every.items() if k not in ("name", "is_edit")})


#: Members that change no prompt by themselves.
_OF_NOTHING: Final = frozenset({"name", "separator", "is_edit", "needs_options"})
#: Never change one: write those of version 2.
_WORDINGS_1: Final = (
    Wording("space in front", before=" ", is_edit=True),
    Wording("line in front", before="\n", is_edit=True),
    Wording("wider line ends", line_end="\n\n", is_edit=True),
    Wording("quoted text", around='"{}"'),
    Wording("tagged text", around="<text>{}</text>"),
    Wording("please", before="Please read this carefully.\n\n"),
    Wording("task named", before="The following is a text to classify.\n\n"),
    Wording("expert", system="You are an expert annotator."),
    Wording("options reversed", options="reversed"),
    Wording("options in lines", options="lines"),
    Wording("options by letter", options="letters"),
    Wording(
        "as a question",
        template="Which of these fits best: {options}?\n\n{fields}\n\nGive only the answer.",
        needs_options=True,
    ),
)


@runtime_checkable
class TakesWordings(Protocol):
    """Model whose prompt can be worded otherwise."""

    def wordings(self, stated: Sequence[Wording]) -> list[Wording]:
        """Those wordings in which its prompt is another one than its own.

        Raises
        ------
        ModelError
            If the wording does not fit its labels or fields.
        """


def worded(example: Example, wording: Wording) -> Example:
    """Return the example with a wording, as a model with this capability reads it."""
    return replace(example, fields={**example.fields, _FIELD: wording.key()})


def by_wording(examples: Sequence[Example]) -> Mapping[str, list[int]]:
    """Places of the examples of each wording, by its key; empty for a model's own prompt."""
    return grouped((one.fields.get(_FIELD, ""), place) for place, one in enumerate(examples))


def wording_of(key: str) -> Wording:
    """Wording of the key that an example carries."""
    stated = parse_json(key)
    return Wording(**{**stated, "name": "keyed", "shots": tuple(stated["shots"])})


def reworded(prompt: Prompt, wording: Wording, names: Sequence[str]) -> Prompt:
    """Prompt in a wording; the same where the wording says nothing of such a prompt.

    Parameters
    ----------
    prompt
        A model's own.
    wording
        What is changed of it.
    names
        Fields of the task.

    Raises
    ------
    ModelError
        If a template does not name every field, or a label is none of the prompt's.
    """
    choices = _choices(prompt, wording)
    usual = ", ".join(words.strip() for _, words in prompt.choices)
    has_listed = bool(prompt.choices) and any(usual in part for part in prompt.parts[::2])
    if wording.needs_options and not has_listed:
        return prompt
    if wording.options == "letters" and (has_listed or _OPTIONS in wording.template):
        choices = tuple((label, _LETTERS[i]) for i, (label, _) in enumerate(choices[:26]))
    listed = _listed(_choices(prompt, wording), wording.options)
    parts = prompt.parts
    if wording.template:
        inserted = "\n".join("{" + name + "}" for name in names)
        template = wording.template.replace(_FIELDS, inserted).replace(_OPTIONS, listed)
        source = f"wording {wording.name}"
        parts = template_parts(template, names, source=source, has_mask=prompt.has_mask)
    elif has_listed:
        parts = _literals(parts, lambda part: part.replace(usual, listed))
    if wording.line_end:
        parts = _literals(parts, lambda part: part.replace("\n", wording.line_end))
    if wording.around:
        parts = _quoted(parts, names, *wording.around.split("{}"))
    shots = "".join(
        _solved(Prompt(parts, choices), shot, wording) + wording.separator for shot in wording.shots
    )
    return Prompt((wording.before + shots + parts[0], *parts[1:]), choices)


def _choices(prompt: Prompt, wording: Wording) -> tuple[tuple[str, str], ...]:
    """Words of the labels; other words begin as the former ones do, with a space or without."""
    unknown = next((label for label in wording.choices if label not in prompt.labels), None)
    if unknown is not None:
        raise ModelError(
            f"The wording {wording.name!r} has words for the label {unknown!r}; the labels are "
            f"{', '.join(prompt.labels)}."
        )
    found = []
    for label, words in prompt.choices:
        space = words[: len(words) - len(words.lstrip())]
        other = wording.choices.get(label)
        found.append((label, words if other is None else space + other.lstrip()))
    return tuple(found)


def _listed(choices: Sequence[tuple[str, str]], how: str) -> str:
    """Words of the labels, as a prompt lists them."""
    words = [one.strip() for _, one in choices]
    if how == "letters":
        return ", ".join(f"{letter}) {one}" for letter, one in zip(_LETTERS, words, strict=False))
    if how == "lines":
        return "\n" + "\n".join(f"- {one}" for one in words) + "\n"
    return ", ".join(words[::-1] if how == "reversed" else words)


def _literals(parts: Sequence[str], change: Any) -> tuple[str, ...]:
    """Parts of a template with its literal stretches changed."""
    return tuple(part if place % 2 else change(part) for place, part in enumerate(parts))


def _quoted(parts: Sequence[str], names: Sequence[str], left: str, right: str) -> tuple[str, ...]:
    """Parts of a template with every field between two texts."""
    found = list(parts)
    for place in range(1, len(parts), 2):
        if parts[place] in names:
            found[place - 1] += left
            found[place + 1] = right + found[place + 1]
    return tuple(found)


def _solved(prompt: Prompt, shot: Mapping[str, str], wording: Wording) -> str:
    """A solved example in the prompt's own form."""
    label = shot.get("label", "")
    lacking = [name for name in prompt.names if name not in shot and name != "mask"]
    if label not in prompt.labels or lacking:
        raise ModelError(
            f"The wording {wording.name!r} has a shot with the label {label!r}"
            f"{' and without ' * bool(lacking)}{', '.join(lacking)}: each needs every field of the "
            f"template, and as label one of {', '.join(prompt.labels)}."
        )
    front, behind = prompt.around(Example(id="shot", fields=shot))
    words = dict(prompt.choices)[label]
    is_joined = prompt.has_mask or words[0].isspace() or front[-1:].isspace()
    return front + ("" if is_joined else "\n") + words + behind


def read_wordings(stated: str) -> tuple[Wording, ...]:
    """Wordings by name (``builtin``), or of a TOML file.

    Raises
    ------
    PlanError
        If the file cannot be read, holds none, two of one name, or a member that there is not.
    """
    if stated in ("builtin", BUILTIN):
        return _WORDINGS_1
    shape = 'It holds [[wording]] tables with a name each, such as name = "polite", before = "…".'
    try:
        found = tomllib.loads(Path(stated).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PlanError(
            f"{stated!r} cannot be read as wordings: {error}. Name a TOML file, or builtin. {shape}"
        ) from error
    tables = found.get("wording")
    if set(found) != {"wording"} or not isinstance(tables, list) or not tables:
        beside = ", ".join(sorted(found)) or "nothing"
        raise PlanError(f"{stated!r} holds {beside}, and no wordings alone. {shape}")
    try:
        made = TypeAdapter(tuple[Wording, ...]).validate_python(tables)
    except ValidationError as error:
        first = error.errors()[0]
        place, *inside = first["loc"]
        what = first["msg"].removeprefix("Value error, ")
        if first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            what = f"there is no such member. There are: {', '.join(_MEMBERS)}"
        which = f"wording {int(place) + 1}{': ' * bool(inside)}{'.'.join(map(str, inside))}"
        raise PlanError(f"{stated!r}, {which}: {what}.") from error
    except PlanError as error:
        raise PlanError(f"{stated!r}: {error}") from error
    names = [one.name for one in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PlanError(f"{stated!r}: two wordings are called {twice!r}; each needs its own name.")
    return made


_MEMBERS: Final = tuple(one.name for one in fields(Wording))
