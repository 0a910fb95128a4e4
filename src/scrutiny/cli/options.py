"""Options shared by several verbs."""

import re
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from scrutiny.core.boundary.printable import repeated
from scrutiny.core.errors import PlanError
from scrutiny.core.model import LoadOptions

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V")
#: Resamples: as many as a plan may ask for.
DRAWS: Final = click.IntRange(100, 1_000_000)
#: For pages that must not hold data.
NO_TEXTS: Final[Any] = {"is_flag": True, "help": "Show no texts of the data, only numbers."}
EXPLAIN: Final[Any] = {
    "is_flag": True,
    "help": "Ask the models again: which words the answers to the first cases hang on (occlusion).",
}
#: What a text costs where a model is paid for.
PRICE: Final[Any] = {
    "type": click.FloatRange(0.0, 1e6),
    "default": 0.0,
    "metavar": "N",
    "help": "Price of one text, in your currency, for a paid model.",
}


def _as_one_list(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str:
    """Lists of a flag that is given several times, as one."""
    return ",".join(given)


#: Transformations: one list, or the flag once for each.
TRANSFORMATIONS: Final[Any] = {"multiple": True, "metavar": "A,B", "callback": _as_one_list}
#: How progress is shown.
DISPLAY: Final[Any] = {
    "type": click.Choice(["auto", "rich", "plain", "none"]),
    "default": "auto",
    "help": "Progress on stderr; plain if it is not a terminal.",
}
_COUNT: Final = re.compile(r"0*[1-9][0-9]{0,8}")
#: Beginning of a data string with a scheme; a single letter is a drive.
_SCHEME: Final = re.compile(r"[a-z][a-z0-9-]+:")
_DEVICE: Final = re.compile(r"auto|cpu|mps|(cuda|xpu)(:[0-9]{1,3})?")


class Folder(click.Path):
    """Path of a folder; an empty name is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Path of a name.

        Raises
        ------
        click.BadParameter
            If the name is empty.
        """
        if isinstance(value, str) and not value.strip():
            self.fail("the name is empty; name a folder, or leave the option out.", param, ctx)
        return super().convert(value, param, ctx)


class Versioned(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """Choice that may have a version behind it: ``ship``, ``ship@1``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The choice with its version, which is not checked here.

        Raises
        ------
        click.BadParameter
            If there is no such choice.
        """
        name, at, version = str(value).partition("@")
        return f"{super().convert(name, param, ctx)}{at}{version}"


def several(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Decorator that adds options, in the order of the help text."""

    def add(function: F) -> F:
        return reduce(lambda made, option: option(made), reversed(options), function)

    return add


def _looked_up(context: click.Context, option: click.Parameter, given: Any) -> Any:
    """Model strings as given; refuses those that name no model."""
    from scrutiny.models.strings.model_families import must_lead_somewhere

    for text in given:
        must_lead_somewhere(text)
    return given


#: Add ``--reported``.
reported = click.option(
    "--reported",
    multiple=True,
    metavar="STRING",
    help="Evaluation data, whose rows are refused for training.",
)
#: Add ``--dev-share``.
dev_share = click.option(
    "--dev-share", type=float, help="Share of the rows for dev data if there is no --dev; 0.1."
)


#: Add ``--device``, ``--batch`` and ``-M``.
model_options = several(
    click.option("--device", default="auto", help="auto, cpu, cuda:0, mps.", metavar="D"),
    click.option(
        "--batch", default="auto", help="Texts in a batch: auto, or a number.", metavar="N"
    ),
    click.option(
        "-M",
        "model_settings",
        multiple=True,
        metavar="K=V",
        help="Option of the model's adapter, e.g. dtype=bfloat16.",
    ),
)


#: Add ``--model`` and ``--reference``, checked as soon as they are read: a mistyped name is
#: answered before what runs a plan is imported.
asked_models = several(
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="STRING",
        help="Model string; repeatable.",
        callback=_looked_up,
    ),
    click.option(
        "--reference",
        default="",
        metavar="STRING",
        help="Reference model, for diagnostics that compare two models.",
    ),
)


def _suite_strings(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Data strings of suites: a path is one of scheme ``suite``."""
    return tuple(text if _SCHEME.match(text) else f"suite:{text}" for text in given)


def completed(*kinds: str) -> Callable[..., list[CompletionItem]]:
    """Completion of an argument or a flag in a shell: names of these kinds, else files.

    In a list (``typos,contraction+ocr``) it is the last name that is completed.

    Parameters
    ----------
    *kinds
        Kinds of the registry ("diagnostic"); none: all.
    """

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
        from scrutiny.core.registry import KINDS, registry

        last = re.split(r"[,+]", begun)[-1]
        front = begun[: len(begun) - len(last)]
        names = (name for kind in kinds or KINDS for name in registry().names(kind))
        fitting = dict.fromkeys(n.partition("@")[0] for n in names if n.startswith(last))
        return [CompletionItem(front + n) for n in fitting] or [CompletionItem(begun, type="file")]

    return complete


#: Add ``--task``.
task_of_data = click.option(
    "--task",
    default="",
    metavar="NAME",
    shell_complete=completed("task"),
    help="Task of the data, if the columns do not tell.",
)
#: Add ``--on-bad-row``.
bad_rows = click.option(
    "--on-bad-row",
    type=click.Choice(["skip", "fail"]),
    default="skip",
    show_default=True,
    help="Count and list rows that cannot be read, or stop at the first one.",
)
#: Add ``--data``, ``--suite`` and ``--task``.
asked_data = several(
    click.option(
        "--data", "data", multiple=True, metavar="STRING", help="Data string; repeatable."
    ),
    click.option(
        "--suite",
        "suites",
        multiple=True,
        metavar="PATH",
        help="Cases with what is expected of them, a file or builtin:NAME; repeatable.",
        callback=_suite_strings,
    ),
    task_of_data,
)


#: Add the options of every verb that runs a plan.
running_options = several(
    model_options,
    click.option("--seed", type=int, help="Seed of all randomness; default: the plan's, or 0."),
    click.option(
        "--where",
        multiple=True,
        metavar="SLICE",
        help='Also report on this slice, e.g. "length > 20", negated; repeatable.',
    ),
    click.option(
        "--training",
        default="",
        metavar="STRING",
        help="Training data of the model, for slices that need it.",
    ),
    click.option(
        "--limit",
        default=None,
        help="Number of items (100) or a range (100:200).",
        metavar="N|A:B",
    ),
    click.option("--out", type=Folder(path_type=Path), help="Run folder."),
    click.option("--workers", type=click.IntRange(1), default=1, show_default=True),
    click.option(
        "--executor",
        type=click.Choice(["auto", "serial", "processes", "ray"]),
        default="auto",
        show_default=True,
    ),
    click.option("--display", **DISPLAY),
    click.option("--price", **PRICE),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Estimate items, texts, time and money; times a few items, writes nothing.",
    ),
    click.option("--no-cache", is_flag=True, help="Do not use cached answers."),
    bad_rows,
    click.option("--no-texts", **NO_TEXTS),
    click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout."),
)


def load_options(device: str, batch: str, model_settings: tuple[str, ...]) -> LoadOptions:
    """Options of models from the flags.

    Raises
    ------
    PlanError
        For an unknown device, a batch that is no number, or a setting without ``=``.
    """
    if not _DEVICE.fullmatch(device):
        raise PlanError(f"--device {device!r} is none of auto, cpu, cuda, cuda:0, mps, xpu.")
    if batch != "auto" and not _COUNT.fullmatch(batch):
        raise PlanError(f"--batch {batch!r} is neither 'auto' nor a positive number.")
    chosen = batch if batch == "auto" else int(batch)
    return LoadOptions(device, chosen, named_values("-M", model_settings))


def named_values(flag: str, texts: Iterable[str]) -> dict[str, str]:
    """Values of ``FLAG name=value`` by name.

    Raises
    ------
    PlanError
        If there is no name, or no ``=``, or a name occurs twice.
    """
    return once_each(flag, [pair_of(flag, text) for text in texts])


def pair_of(flag: str, text: str) -> tuple[str, str]:
    """Name and value of ``FLAG name=value``.

    Raises
    ------
    PlanError
        If there is no name, or no ``=``.
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise PlanError(f"{flag} {text!r} cannot be read: it is written {flag} name=value.")
    return name, value


def once_each(flag: str, pairs: Iterable[tuple[str, V]]) -> dict[str, V]:
    """Values of a flag by name.

    Raises
    ------
    PlanError
        If a name occurs twice.
    """
    stated = list(pairs)
    twice = repeated(name for name, _ in stated)
    if twice is not None:
        raise PlanError(f"{flag} {twice} occurs twice; leave one out.")
    return dict(stated)


def whole_numbers(flag: str, text: str) -> tuple[int, ...]:
    """Different whole numbers separated by commas.

    Raises
    ------
    PlanError
        If they cannot be read, or one occurs twice.

    Examples
    --------
    >>> whole_numbers("seeds", "1, 2,3")
    (1, 2, 3)
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts) or len(set(parts)) < len(parts):
        raise PlanError(f"--{flag} {text!r} cannot be read: different whole numbers, as in 1,2,3.")
    return tuple(map(int, parts))


def split_option(text: str) -> list[str]:
    """Values of an option, such as recipes, separated by commas outside brackets.

    Examples
    --------
    >>> split_option("typos(share=0.2,most=3),ocr+typos")
    ['typos(share=0.2,most=3)', 'ocr+typos']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def named_recipes(text: str) -> list[str]:
    """Value of the option ``--with``: recipes, separated by commas.

    Raises
    ------
    PlanError
        If there is none between the commas.
    """
    recipes = split_option(text)
    if not recipes:
        raise PlanError(
            f"--with {text!r} names no transformation: write --with typos,contraction+ocr. "
            "`scrutiny list transformations` prints them all."
        )
    return recipes
