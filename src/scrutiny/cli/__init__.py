"""The command line: verbs, each imported when it is called."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any, Final

import click

from scrutiny.cli.failures import PROGRAM, ReaderLeftError, exit_code_of, is_watched, watched
from scrutiny.cli.output import open_standard_streams
from scrutiny.core.boundary.given import refuse_odd_values

#: Variable in which a shell asks for completions.
COMPLETING: Final = "_SCRUTINY_COMPLETE"
#: Verb and the sentence that ``--help`` shows.
VERBS: Final = {
    "audit": "Run the diagnostics of a profile on a model, and report the risks.",
    "run": "Run a plan, or one diagnostic.",
    "list": "List the available diagnostics, transformations, tasks, readers ...",
    "show": "Explain one name: what it measures, what it needs, its limitations.",
    "check": "Check a plan and estimate its cost; only a few items are asked.",
    "report": "Print or write the report of a run.",
    "freeze": "Write the changed texts of a run as a suite for other models.",
    "compare": "Compare two runs, logs or models: which inputs changed, and is it worse?",
    "review": "Review a table of published results: which are more than chance?",
    "judge": "Test a judge: noise, biases, agreement with people, corrected scores.",
    "gate": "Judge a run by a rule: exit code 0 pass, 1 fail, 4 undecided.",
    "verify": "Check signed numbers, also those in a file, against their runs.",
    "import": "Read logs of lm-eval, inspect and others, or tables, into a run folder.",
    "train": "Train models with several seeds: encoders, word models, parsers, small BERTs.",
    "perturb": "Apply transformations to texts, and write the changed texts.",
    "data": "Inspect data: show, overlap.",
    "split": "Split data: random, by length, or as far apart as can be; with its record.",
    "models": "Install, check, list and quantize models.",
    "cache": "Show the answer cache, or clear it.",
    "doctor": "Check an endpoint or a file of results; or print what is installed.",
    "watch": "Ask an endpoint again what a baseline asked: has it changed?",
    "new": "Create a plug-in package that passes its conformance test.",
}
#: Verbs of each module of `scrutiny.cli.verbs`, under their names there; others are a module.
_TOGETHER: Final = {
    "asking": ("audit", "run", "check", "compare"),
    "finished_runs": ("report", "freeze", "gate", "verify"),
    "machine": ("cache", "doctor"),
    "names": ("show",),
    "texts": ("perturb", "data"),
}
#: Where each verb is; it is imported when it is called.
PLACES: Final = {
    **{
        v: f"scrutiny.cli.verbs.{v}:command"
        for v in ("train", "models", "new", "judge", "review", "split", "watch")
    },
    **{"list": "scrutiny.cli.verbs.names:list_names"},
    **{"import": "scrutiny.cli.verbs.import_:command"},
    **{v: f"scrutiny.cli.verbs.{place}:{v}" for place, own in _TOGETHER.items() for v in own},
}
#: What `click` marks a paragraph with that is not to be filled; in a raw docstring it is two signs.
_AS_TYPED = "\\b\n"


class LazyGroup(click.Group):
    """A group that imports a command when it is called; ``--help`` imports none.

    Parameters
    ----------
    table
        Sentence of each command.
    places
        Module and name of each command.
    title
        Heading of the table.
    front
        What stands before a command's name in its environment variables.
    """

    def __init__(
        self,
        *given: Any,
        table: Mapping[str, str],
        places: Mapping[str, str],
        title: str,
        front: str,
        **more: Any,
    ) -> None:
        super().__init__(*given, **more)
        self.table, self._places, self._title, self._front = table, places, title, front

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in table order."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported on demand."""
        if cmd_name not in self.table:
            return None
        return _prepared(resolve_name(self._places[cmd_name]), self._front + cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing any."""
        with formatter.section(self._title):
            formatter.write_dl(list(self.table.items()))


def _prepared(command: click.Command, name: str) -> click.Command:
    """Command whose flag ``--on-bad-row`` is also ``SCRUTINY_<VERB>_ON_BAD_ROW``.

    Parameters
    ----------
    command
        A verb or a group of verbs; changed in place, the same however often.
    name
        Its name, words of a group and a verb with a space between them.
    """
    command.help = (command.help or "").replace(_AS_TYPED, "\b\n")
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_eager:
            parameter.envvar = variable_of(name, parameter)
            if isinstance(parameter.type, click.types.FloatParamType):
                parameter.callback = _finite
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _prepared(inner, f"{name} {inner.name}")
    return command


def _finite(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Value of a flag, unless it is NaN or infinite: ranges let NaN pass."""
    refuse_odd_values(value, where=max(parameter.opts, key=len))
    return value


def variable_of(name: str, option: click.Option) -> str:
    """Environment variable of an option of a verb: made of its longest flag.

    Examples
    --------
    >>> variable_of("data show", click.Option(["--on-bad-row"]))
    'SCRUTINY_DATA_SHOW_ON_BAD_ROW'
    """
    flag = max(option.opts, key=len).lstrip("-")
    return f"SCRUTINY_{name}_{flag}".upper().replace(" ", "_").replace("-", "_")


class Verbs(LazyGroup):
    """The verbs; their output may be piped to a reader that closes early."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Context of a command; its help text may be piped to a reader that closes early."""
        with _broken_pipes_passed():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb, whose output may be piped to a reader that closes early."""
        with _broken_pipes_passed():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The requested verb, or an error with similar names."""
        from difflib import get_close_matches

        if args and args[0] not in VERBS and not args[0].startswith("-"):
            near = get_close_matches(args[0], VERBS, n=2, cutoff=0.6)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"There is no verb {args[0]!r}.{hint} Verbs are {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Verbs,
    table=VERBS,
    places=PLACES,
    title="Verbs",
    front="",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Every flag is also an environment variable: `run --seed 3` is SCRUTINY_RUN_SEED=3.",
)
@click.version_option(package_name="scrutiny", message="%(version)s")
def group() -> None:
    """Diagnose language models, and say how far each diagnosis can be trusted."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0 done, 1 gate failed, 2 usage or plan error, 3 incomplete (re-issue the command), 4 gate
    undecided, 130 interrupted.
    """
    open_standard_streams()
    # Threads of a small network wait for one another thousands of times a second. Asleep, they
    # leave the cores to others: beside other work, waiting awake took ten times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    atexit.register(gc.freeze)  # looking for garbage in what is thrown away is a tenth of a second
    if COMPLETING in os.environ:  # a shell asks what may stand next: click answers, and leaves
        group.main(args=None if arguments is None else [*arguments], prog_name=PROGRAM)
    if arguments is None and is_watched(sys.argv[1:]):
        sys.exit(watched(lambda: exit_code_of(group, None)))
    sys.exit(exit_code_of(group, arguments))


@contextmanager
def _broken_pipes_passed() -> Iterator[None]:
    """Let a broken pipe pass click, which would take it for an error.

    Raises
    ------
    ReaderLeftError
        In its place.
    """
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderLeftError from error
