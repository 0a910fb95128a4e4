"""The two sides of ``scrutiny compare``: runs, logs, or models that are asked about data."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from scrutiny.cli.running.plans import (
    named_models,
    plan_beside,
    plan_from_flags,
    split_recipes,
)
from scrutiny.cli.running.request import Request, run_request
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.plan import Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.run.comparing.flips import Noise
from scrutiny.run.comparing.live import noise_of_promise, noise_when_asked_again
from scrutiny.run.comparing.shared import (
    MARGIN,
    SharedInvariances,
    Wanted,
    read_shared,
    shared_plan,
)
from scrutiny.run.importing.manifest import ImportOptions
from scrutiny.run.importing.reading import import_logs, tool_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder

Kind = Literal["run", "log", "model"]


@dataclass(frozen=True, slots=True)
class Opened:
    """Two run folders, and what is known of the models beyond them.

    ``again`` is another run of the first model, ``noise`` what it is when asked again, ``shared``
    what both share beyond their answers.
    """

    first: RunFolder
    second: RunFolder
    again: RunFolder | None
    noise: Mapping[str, Noise]
    shared: SharedInvariances | None = None


@contextmanager
def opened(flags: Mapping[str, Any]) -> Iterator[Opened]:
    """Both sides as run folders: read, imported or run.

    Raises
    ------
    PlanError
        If models come without data, or a model beside something that cannot be asked again.
    """
    texts = [flags["first"], flags["second"]]
    known = [text for text in texts if kind_of(text) != "model"]
    wanted = wanted_of(flags)
    if known and wanted.is_any:
        raise PlanError(
            f"{known[0]!r} holds answers and cannot be asked about changed texts: --invariances "
            "and --representations need two live models, with --data."
        )
    if len(known) < 2:
        yield _asked(texts, flags, wanted)
        return
    with TemporaryDirectory(prefix="scrutiny-compare-") as kept:
        out = Path(kept if flags["out"] is None else flags["out"])
        again = None if flags["again"] is None else _folder(flags["again"], out / "again", flags)
        first, second = (
            _folder(text, out / name, flags)
            for text, name in zip(texts, ("first", "second"), strict=True)
        )
        yield Opened(first, second, again, {})


def wanted_of(flags: Mapping[str, Any]) -> Wanted:
    """What is to be compared beyond answers.

    Raises
    ------
    PlanError
        If ``--invariances`` names nothing between its commas.
    """
    text = flags["invariances"]
    names = tuple(split_recipes(text or ""))
    if text is not None and not names:
        raise PlanError(
            f"--invariances {text!r} names no change: write --invariances synonym,typo, or a "
            "recipe that `scrutiny list transformations` prints."
        )
    margins = (flags["invariance_margin"], flags["margin"], MARGIN)
    margin = next(one for one in margins if one is not None)
    return Wanted(names, margin, flags["representations"])


def kind_of(text: str) -> Kind:
    """What an argument is: a run folder, a log of another tool, or a model.

    Examples
    --------
    >>> kind_of("builtin:sentiment"), kind_of("runs/nowhere")
    ('model', 'run')
    """
    path = Path(text).expanduser()
    if (path / "manifest.json").is_file():
        return "run"
    if tool_of(text) is not None:
        return "log"
    return "run" if path.exists() or ":" not in text else "model"


def _folder(text: str, out: Path, flags: Mapping[str, Any]) -> RunFolder:
    """Run folder of a run, or of a log that is imported now."""
    tool = None if kind_of(text) == "run" else tool_of(text)
    if tool is None:
        return RunFolder.open(text)
    draws = {"draws": flags["draws"]} if flags["draws"] else {}
    options = ImportOptions(
        on_bad_row=flags["on_bad_row"], seed=flags["seed"] or 0, resampling=Resampling(**draws)
    )
    return import_logs(tool, [text], out, options=options)


def _asked(texts: list[str], flags: Mapping[str, Any], wanted: Wanted) -> Opened:
    """Live models measured, each by itself: both on data, or one as a run beside it was."""
    names = [*_of_one_model(flags["measures"])]
    known = [None if kind_of(text) == "model" else _run_beside(text, texts) for text in texts]
    beside = known[0] or known[1]
    plans = {
        k: _plan_of(text, flags, beside, names) for k, text in enumerate(texts) if known[k] is None
    }
    # first, so that what cannot be asked is said before anything is
    shared = _shared(plans[0], texts, flags, wanted) if wanted.is_any else None
    first, second = (
        known[k] or _measured(plans[k], flags, name, beside)
        for k, name in enumerate(("first", "second"))
    )
    if 0 in plans:
        resolved = resolve(plans[0], options=Request.of(flags).options)
        model = plans[0].models[0].name
        noise = {
            one.name: noise_when_asked_again(resolved, family=model, data=one.name)
            for one in plans[0].data
        }
    else:
        noise = noise_of_promise(first)
    again = RunFolder.open(flags["again"]) if beside and flags["again"] else None
    return Opened(first, second, again, noise, shared)


def _run_beside(text: str, texts: list[str]) -> RunFolder:
    """Run folder that stands beside a live model.

    Raises
    ------
    PlanError
        If it is a log, whose questions cannot be asked again, or nothing at all.
    """
    model = next(one for one in texts if one != text)
    if kind_of(text) == "log":
        raise PlanError(
            f"{model!r} is a model and {text!r} is a log of another tool, whose questions cannot "
            "be asked again: evaluate the model with that tool, too, and give two logs; or give "
            "two models with --data. Beside a run folder a model is asked what the run asked."
        )
    if not Path(text).is_dir():
        raise PlanError(
            f"{model!r} is a model and {text!r} is none: give two models with --data, two runs, "
            "or two logs."
        )
    return RunFolder.open(text)


def _of_one_model(names: Sequence[str]) -> Iterator[str]:
    """Versioned names of diagnostics that measure a model by itself.

    Raises
    ------
    PlanError
        If one of them measures a model beside a second one.
    """
    for name in names:
        if registry().load("diagnostic", name).wants_reference:
            raise PlanError(
                f"--measure {name} measures a model beside a second one, and here each side is "
                "measured by itself. Leave it out: kappa, error consistency, CAPA and divergences "
                "of both sides are told anyway, --invariances and --representations ask for the "
                "rest; or measure both in one run: "
                f"scrutiny run {name} --model B --reference A --data STRING."
            )
        yield registry().resolve("diagnostic", name)


def _plan_of(
    text: str, flags: Mapping[str, Any], beside: RunFolder | None, names: Collection[str]
) -> Plan:
    """Plan of everything that is measured of one model: what a run beside it was asked, too.

    Raises
    ------
    PlanError
        If two models come without data.
    """
    if beside is not None:
        return plan_beside(beside, named_models([text])[0], flags, only=names)
    if not flags["data"]:
        raise PlanError(
            "Two models are compared on data: add --data builtin:reviews, or --data "
            '"csv:dev.csv#text=sentence,label=label".'
        )
    several = [
        plan_from_flags({**flags, "what": what, "models": (text,), "params": (), "where": ()})
        for what in flags["measures"] or ("performance",)
    ]
    return replace(several[0], measure=tuple(m for plan in several for m in plan.measure))


def _shared(
    plan: Plan, texts: list[str], flags: Mapping[str, Any], wanted: Wanted
) -> SharedInvariances:
    """What both models share: a run of both, with each as the other's reference."""
    both = shared_plan(replace(plan, models=named_models(texts)), wanted)
    return read_shared(_measured(both, flags, "shared"))


def _measured(
    plan: Plan, flags: Mapping[str, Any], name: str, beside: RunFolder | None = None
) -> RunFolder:
    """Finished run of a plan, in a folder within that of the whole command.

    Raises
    ------
    PlanError
        If the data of a run that stands beside it does not read as it did.
    """
    out = None if flags["out"] is None else Path(flags["out"]) / name
    try:
        return run_request(plan, {**flags, "out": out}, Request.of(flags), name=f"compare-{name}")
    except DataError as error:
        if beside is None:
            raise
        raise PlanError(
            f"The data of {beside.path} does not read as it did: {error} If it has moved, say "
            "where it lies now with --data."
        ) from error
