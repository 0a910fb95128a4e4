"""What ``scrutiny compare`` is given: two runs, two logs, or two models with data."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from scrutiny.core.errors import DataError, PlanError

if TYPE_CHECKING:
    from scrutiny.cli.running.request import Request
    from scrutiny.core.plan import Plan
    from scrutiny.run.comparing.flips import Noise
    from scrutiny.run.comparing.kept import SharedInvariances
    from scrutiny.run.comparing.shared import Wanted
    from scrutiny.store.run_folder import RunFolder

Kind = Literal["run", "log", "model"]


@dataclass(frozen=True, slots=True)
class Opened:
    """Two run folders, and what is known of the models beyond them.

    ``again`` is another run of the first model, ``noise`` what it is when asked again, ``shared``
    what both share beyond their answers.
    """

    first: "RunFolder"
    second: "RunFolder"
    again: "RunFolder | None"
    noise: "Mapping[str, Noise]"
    shared: "SharedInvariances | None" = None


@contextmanager
def opened(flags: Mapping[str, Any]) -> Iterator[Opened]:
    """Both sides as run folders: read, imported or run.

    Raises
    ------
    PlanError
        If models come without data, or a model beside something that cannot be asked again.
    """
    texts = [flags["first"], flags["second"]]
    kinds = [kind_of(text) for text in texts]
    wanted = wanted_of(flags)
    if kinds != ["model", "model"] and wanted.is_any:
        known = texts[0] if kinds[0] != "model" else texts[1]
        raise PlanError(
            f"{known!r} holds answers and cannot be asked about changed texts: --invariances and "
            "--representations need two live models, with --data."
        )
    if "model" in kinds:
        _of_one_model(flags["measures"])
    if "model" not in kinds:
        with TemporaryDirectory(prefix="scrutiny-compare-") as kept:
            yield _read(texts, flags, Path(kept) if flags["out"] is None else Path(flags["out"]))
        return
    if kinds != ["model", "model"]:
        yield _mixed(texts, flags, live=kinds.index("model"))
        return
    if not flags["data"]:
        raise PlanError(
            "Two models are compared on data: add --data builtin:reviews, or --data "
            '"csv:dev.csv#text=sentence,label=label".'
        )
    yield _asked(texts, flags, wanted)


def _of_one_model(measures: Sequence[str]) -> None:
    """Refuse diagnostics of two models: here each side is measured by itself.

    Raises
    ------
    PlanError
        If one of them measures a model beside a second one.
    """
    from scrutiny.core.registry import registry

    for name in measures:
        diagnostic = registry().load("diagnostic", name)
        if diagnostic.wants_reference:
            raise PlanError(
                f"--measure {name}: {diagnostic.id} measures a model beside a second one, and here "
                "each side is measured by itself. Leave it out: kappa, error consistency, CAPA and "
                "divergences of both sides are among the lines anyway, --invariances and "
                "--representations ask for the rest; or measure both in one run: "
                f"scrutiny run {name} --model B --reference A --data STRING."
            )


def wanted_of(flags: Mapping[str, Any]) -> "Wanted":
    """What is to be compared beyond answers.

    Raises
    ------
    PlanError
        If ``--invariances`` names nothing between its commas.
    """
    from scrutiny.cli.running.plans import split_recipes
    from scrutiny.run.comparing.shared import MARGIN, Wanted

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
    from scrutiny.run.importing.reading import tool_of

    path = Path(text).expanduser()
    if (path / "manifest.json").is_file():
        return "run"
    if tool_of(text) is not None:
        return "log"
    return "run" if path.exists() or ":" not in text else "model"


def _folder(text: str, out: Path, flags: Mapping[str, Any]) -> "RunFolder":
    """Run folder of a run, or of a log that is imported now."""
    from scrutiny.run.importing.manifest import ImportOptions
    from scrutiny.run.importing.reading import import_logs, tool_of
    from scrutiny.store.run_folder import RunFolder

    tool = None if kind_of(text) == "run" else tool_of(text)
    if tool is None:
        return RunFolder.open(text)
    options = ImportOptions(on_bad_row=flags["on_bad_row"], seed=flags["seed"] or 0)
    if flags["draws"]:
        options = replace(options, resampling=replace(options.resampling, draws=flags["draws"]))
    return import_logs(tool, [text], out, options=options)


def _read(texts: list[str], flags: Mapping[str, Any], out: Path) -> Opened:
    """Two runs or logs."""
    again = flags["again"]
    return Opened(
        _folder(texts[0], out / "first", flags),
        _folder(texts[1], out / "second", flags),
        None if again is None else _folder(again, out / "again", flags),
        {},
    )


def _asked(texts: list[str], flags: Mapping[str, Any], wanted: "Wanted") -> Opened:
    """Both models measured on the data; a single first model is asked again for its noise."""
    from scrutiny.cli.running.request import Request, run_request
    from scrutiny.run.comparing.live import noise_when_asked_again
    from scrutiny.run.planning.resolve import resolve

    request = Request.of(flags)
    plans = [_plan_of(text, flags) for text in texts]
    # first, so that what cannot be asked is said before anything is
    shared = _shared(plans[0], texts, flags, request, wanted) if wanted.is_any else None
    folders = [
        run_request(plan, _into(name, flags), request, name=f"compare-{name}")
        for name, plan in zip(("first", "second"), plans, strict=True)
    ]
    resolved = resolve(plans[0], options=request.options)
    name = plans[0].models[0].name
    noise = {
        one.name: noise_when_asked_again(resolved, family=name, data=one.name)
        for one in plans[0].data
    }
    return Opened(folders[0], folders[1], None, noise, shared)


def _plan_of(text: str, flags: Mapping[str, Any]) -> "Plan":
    """Plan of everything that is measured of one model."""
    from scrutiny.cli.running.plans import plan_from_flags

    several = [
        plan_from_flags({**flags, "what": what, "models": (text,), "params": (), "where": ()})
        for what in flags["measures"] or ("performance",)
    ]
    return replace(several[0], measure=tuple(m for plan in several for m in plan.measure))


def _into(name: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Flags whose run folder is a part of that of the whole command."""
    return {**flags, "out": None if flags["out"] is None else Path(flags["out"]) / name}


def _shared(
    plan: "Plan", texts: list[str], flags: Mapping[str, Any], request: "Request", wanted: "Wanted"
) -> "SharedInvariances":
    """What both models share: a run of both, with each as the other's reference."""
    from scrutiny.cli.running.plans import named_models
    from scrutiny.cli.running.request import run_request
    from scrutiny.run.comparing.shared import read_shared, shared_plan

    beside = shared_plan(replace(plan, models=named_models(texts)), wanted)
    folder = run_request(beside, _into("shared", flags), request, name="compare-shared")
    return read_shared(folder, wanted)


def _mixed(texts: list[str], flags: Mapping[str, Any], *, live: int) -> Opened:
    """A run, and a live model that is asked what the run asked."""
    from scrutiny.cli.running.plans import named_data, named_models
    from scrutiny.cli.running.request import Request, run_request
    from scrutiny.core.registry import registry
    from scrutiny.run.comparing.live import noise_of_promise, noise_when_asked_again
    from scrutiny.run.comparing.rerun import plan_of_run
    from scrutiny.run.planning.resolve import resolve
    from scrutiny.store.run_folder import RunFolder

    known = _run_beside(texts[1 - live], texts[live])
    plan = plan_of_run(
        known,
        named_models([texts[live]])[0],
        data=named_data(flags) if flags["data"] else (),
        only=[registry().resolve("diagnostic", name) for name in flags["measures"]],
    )
    plan = _as_asked_for(plan, flags)
    request, name = Request.of(flags), ("first", "second")[live]
    try:
        asked = run_request(plan, _into(name, flags), request, name=f"compare-{name}")
    except DataError as error:
        raise PlanError(
            f"The data of {known.path} does not read as it did: {error} If it has moved, say where "
            "it lies now with --data."
        ) from error
    if live == 0:
        resolved, model = resolve(plan, options=request.options), plan.models[0].name
        noise = {
            one.name: noise_when_asked_again(resolved, family=model, data=one.name)
            for one in plan.data
        }
    else:
        noise = noise_of_promise(known)
    folders = (asked, known) if live == 0 else (known, asked)
    again = None if flags["again"] is None else RunFolder.open(flags["again"])
    return Opened(*folders, again, noise)


def _as_asked_for(plan: "Plan", flags: Mapping[str, Any]) -> "Plan":
    """Plan of a run with what the flags say on top."""
    limit, draws, seed = flags["limit"], flags["draws"], flags["seed"]
    if limit is not None:
        plan = replace(plan, data=tuple(replace(one, limit=limit) for one in plan.data))
    if draws:
        plan = replace(plan, resampling=replace(plan.resampling, draws=draws))
    return plan if seed is None else replace(plan, seed=seed)


def _run_beside(text: str, model: str) -> "RunFolder":
    """Run folder that stands beside a live model.

    Raises
    ------
    PlanError
        If it is a log, whose questions cannot be asked again, or nothing at all.
    """
    from scrutiny.store.run_folder import RunFolder

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
