"""The command line: one file for each verb, imported when it is called."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click

from scrutiny.cli.environment import LazyGroup
from scrutiny.cli.failures import PROGRAM, ReaderLeftError, exit_code_of
from scrutiny.cli.running.streams import open_standard_streams
from scrutiny.cli.running.watching import is_watched, watched

#: Variable in which a shell asks for completions.
COMPLETING: Final = "_SCRUTINY_COMPLETE"
#: Verb and the sentence that ``--help`` shows; the module has the verb's name.
VERBS: Final = {
    "audit": "Run the diagnostics of a profile on a model, and report the risks.",
    "run": "Run a plan, or one diagnostic.",
    "list": "List the available diagnostics, transformations, tasks, readers ...",
    "show": "Explain one name: what it measures, what it needs, its limitations.",
    "check": "Check a plan and estimate its cost; only a few items are asked.",
    "report": "Print or write the report of a run.",
    "freeze": "Write the changed texts of a run as a suite for other models.",
    "compare": "Compare two runs, logs or models: which inputs changed, and is it worse?",
    "gate": "Judge a run by a rule: exit code 0 pass, 1 fail, 4 undecided.",
    "import": "Read logs of lm-eval, inspect, promptfoo or deepeval into a run folder.",
    "train": "Train models with several seeds: encoders, word models, parsers, small BERTs.",
    "perturb": "Apply transformations to texts, and write the changed texts.",
    "data": "Inspect data: show, overlap.",
    "models": "Install, check, list and quantize models.",
    "cache": "Show the answer cache, or clear it.",
    "doctor": "Show what is installed, or check an endpoint before it is paid.",
    "new": "Create a plug-in package that passes its conformance test.",
}


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
    room="verbs",
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
