"""What ``scrutiny compare`` is given: two runs, two logs, or two models with data."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from scrutiny.core.errors import PlanError

if TYPE_CHECKING:
    from scrutiny.run.comparing_flips import Noise
    from scrutiny.store.run_folder import RunFolder

Kind = Literal["run", "log", "model"]


@dataclass(frozen=True, slots=True)
class Opened:
    """Two run folders, and what is known of the first model against itself."""

    first: "RunFolder"
    second: "RunFolder"
    again: "RunFolder | None"
    noise: "Noise"


@contextmanager
def opened(flags: Mapping[str, Any]) -> Iterator[Opened]:
    """Both sides as run folders: read, imported or run.

    Raises
    ------
    PlanError
        If one is a model and the other is not, or models come without data.
    """
    from scrutiny.run.comparing_flips import UNKNOWN

    texts = [flags["first"], flags["second"]]
    kinds = [kind_of(text) for text in texts]
    if "model" not in kinds:
        with TemporaryDirectory(prefix="scrutiny-compare-") as kept:
            out = Path(kept) if flags["out"] is None else Path(flags["out"])
            again = flags["again"]
            yield Opened(
                _folder(texts[0], out / "first", flags),
                _folder(texts[1], out / "second", flags),
                None if again is None else _folder(again, out / "again", flags),
                UNKNOWN,
            )
        return
    if kinds != ["model", "model"]:
        known = texts[1 - kinds.index("model")]
        raise PlanError(
            f"{texts[kinds.index('model')]!r} is a model and {known!r} is none: give two models "
            "with --data, two runs, or two logs."
        )
    if not flags["data"]:
        raise PlanError(
            "Two models are compared on data: add --data builtin:reviews, or --data "
            '"csv:dev.csv#text=sentence,label=label".'
        )
    yield _asked(texts, flags)


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


def _asked(texts: list[str], flags: Mapping[str, Any]) -> Opened:
    """Both models measured on the data; a single first model is asked again for its noise."""
    from scrutiny.cli.plans import plan_from_flags
    from scrutiny.cli.running import Request, run_request
    from scrutiny.run.comparing_live import noise_when_asked_again
    from scrutiny.run.resolve import resolve

    request = Request.of(flags)
    folders, plans = [], []
    for name, text in zip(("first", "second"), texts, strict=True):
        several = [
            plan_from_flags({**flags, "what": what, "models": (text,), "params": ()})
            for what in flags["measures"] or ("performance",)
        ]
        plans.append(replace(several[0], measure=tuple(m for p in several for m in p.measure)))
        out = None if flags["out"] is None else Path(flags["out"]) / name
        given = {**flags, "out": out}
        folders.append(run_request(plans[-1], given, request, name=f"compare-{name}"))
    resolved = resolve(plans[0], options=request.options)
    noise = noise_when_asked_again(
        resolved, family=plans[0].models[0].name, data=plans[0].data[0].name
    )
    return Opened(folders[0], folders[1], None, noise)
