"""``scrutiny split``: data in training, development and test parts, easy or hard ones."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from scrutiny.cli.options import Folder, bad_rows, task_of_data

#: Ways by name, as `scrutiny.data.splits.ways.WAYS` has them: lists of options load nothing.
_WAYS = (
    "standard",
    "random",
    "length",
    "random-lengths",
    "released-wasserstein",
    "word-wasserstein",
    "total-variation",
    "jensen-shannon",
    "sliced-wasserstein",
)


@click.command("split")
@click.argument("source", metavar="FILE")
@task_of_data
@click.option(
    "--by",
    type=click.Choice(_WAYS),
    default="random",
    show_default=True,
    metavar="WAY",
    help=f"One of {', '.join(_WAYS)}.",
)
@click.option("--out", required=True, type=Folder(path_type=Path), help="Folder of the parts.")
@click.option(
    "--dev", default=0.1, show_default=True, metavar="N", help="Share below 1, or number of items."
)
@click.option("--test", default=0.1, show_default=True, metavar="N", help="The same.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--stratify", "is_stratified", is_flag=True, help="random: labels in their shares in each part."
)
@click.option(
    "--group-by", default="", metavar="NAME", help="random: text or column kept together."
)
@click.option("--column", default="", metavar="NAME", help="standard: column that states the part.")
@click.option(
    "--vectors",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="sliced-wasserstein: vectors of the items (.npy).",
)
@click.option(
    "--min-df",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="released-wasserstein: texts that a word has to stand in.",
)
@click.option(
    "--study",
    "systems",
    default="",
    metavar="A,B",
    help="Trainers: also the standard split, --times others, and a plan that trains on each.",
)
@click.option("--times", type=click.IntRange(1), default=20, show_default=True, help="For --study.")
@bad_rows
@click.option("--json", "as_json", is_flag=True, help="The record as one JSON object on stdout.")
def command(source: str, out: Path, **flags: Any) -> int:
    r"""Split data into parts, and say how far the test part lies from the rest.

    The test part stands beside 1,000 random ones of as many texts and words; what else shifted
    (labels, lengths) and copies across the parts are counted.

    \b
    scrutiny split "tsv:reviews.tsv" --by total-variation --out splits/hard
    scrutiny split "tsv:snli.tsv" --group-by premise --stratify --out splits/1
    scrutiny split "tsv:reviews.tsv" --study linear,recurrent --out study
    """
    from scrutiny.core.boundary.json_text import json_line
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.splits.split import SplitWanted, split_dataset
    from scrutiny.data.splits.written import write_split

    stated = {one.name: flags[one.name] for one in fields(SplitWanted) if one.name in flags}
    stated["vectors"] = _read_vectors(flags["vectors"])
    standard = None
    if flags["systems"]:  # a column states the standard split, and the others have none
        kept = {name: stated[name] for name in ("dev", "test", "seed")}
        standard = SplitWanted(by="standard", column=stated.pop("column"), **kept)
    wanted = SplitWanted(**stated)
    _must_fit_study(wanted.by, is_study=bool(flags["systems"]), as_json=flags["as_json"])
    data = load_dataset(source, task=flags["task"] or None, on_bad_row=flags["on_bad_row"])
    if flags["systems"]:
        return _study(data, (standard, wanted), flags["systems"], flags["times"], out)
    split = split_dataset(data, wanted)
    strings = write_split(split, data, out)
    if flags["as_json"]:
        click.echo(json_line({**split.record(), "data": strings}))
        return 0
    for line in _lines(split, strings):
        click.echo(line)
    return 0


def _study(data: Any, wanted: tuple[Any, Any], systems: str, times: int, out: Path) -> int:
    """Write a study's splits, of how the standard one and others are wanted, and its plan."""
    from scrutiny.core.errors import DataError
    from scrutiny.core.registry import registry
    from scrutiny.data.splits.split import split_dataset
    from scrutiny.data.splits.study import split_name, study_plan
    from scrutiny.data.splits.written import remove_split, write_split
    from scrutiny.store.files import write_text

    trainers = [registry().entry("trainer", one.strip()) for one in systems.split(",")]
    names = [one.registration.name.partition("@")[0] for one in trainers]
    standard, drawn = wanted
    splits = [split_dataset(data, standard, n_random=0)]
    seen = {splits[0].parts["test"]}
    for number in range(1, times + 1):
        one = split_dataset(data, replace(drawn, seed=drawn.seed + number), n_random=0)
        if one.parts["test"] not in seen:  # the same test part again is no further split
            seen.add(one.parts["test"])
            splits.append(one)
    kept = len(splits) - 1
    if not kept:
        raise DataError(
            f"All {times} splits by {drawn.by} have the test part of the standard split: there is "
            "nothing to study."
        )
    strings = [
        write_split(one, data, out / split_name(number)) for number, one in enumerate(splits)
    ]
    for folder in out.glob(split_name("*")):  # of an earlier study of more splits
        if folder.name not in map(split_name, range(len(splits))):
            remove_split(folder)
    plan = out / "study.toml"
    write_text(plan, study_plan(strings, names, seed=drawn.seed))
    click.echo(f"{kept} splits by {drawn.by} and the standard one are in {out}")
    if kept < times:
        click.echo(f"{times - kept} more had the test part of another, and are left out")
    click.echo(f"scrutiny run {plan} --out {out / 'run'}")
    return 0


def _must_fit_study(by: str, *, is_study: bool, as_json: bool) -> None:
    """Raise for options that have no meaning with a study, or without one.

    Raises
    ------
    PlanError
        If so.
    """
    from scrutiny.core.errors import PlanError
    from scrutiny.data.splits.ways import FIXED

    times = click.get_current_context().get_parameter_source("times")
    if not is_study and times is not None and times.name == "COMMANDLINE":
        raise PlanError("The option times is for --study, which states the systems to train.")
    if is_study and as_json:
        raise PlanError("The option json is for one split; a study writes a plan: study.toml.")
    if is_study and by in FIXED:
        raise PlanError(
            f"A split by {by} has the same test part whatever the seed, so that a study would "
            "count one split as many: study splits that chance has a part in, such as random."
        )


def _read_vectors(path: Path | None) -> Any:
    """Vectors of a file of numpy.

    Raises
    ------
    DataError
        If it holds none.
    """
    if path is None:
        return None
    import numpy as np

    from scrutiny.core.errors import DataError

    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise DataError(
            f"{path} holds no array of numbers that numpy saved: np.save(path, vectors)."
        ) from None
    if found.ndim != 2 or found.dtype.kind not in "fiu" or not np.isfinite(found).all():
        raise DataError(
            f"{path} has the shape {found.shape}; vectors are (item, dimension), finite."
        )
    return found


def _lines(split: Any, strings: dict[str, str]) -> list[str]:
    """Lines of a split, none wider than 80 columns but for names of files."""
    from scrutiny.cli.output import hanging, printed_line
    from scrutiny.core.boundary.printable import percent

    n = sum(one.n_items for one in split.records)
    lines = [f"{n:,} items split by {split.by}, seed {split.seed}"]
    lines += hanging(split.says, "  ", indent="  ") if split.says else []
    for one in split.records:
        labels = ", ".join(f"{name} {percent(share)}" for name, share in one.labels.items())
        said = f"{one.n_items:,} items of {one.mean_words:.1f} words{'; ' * bool(labels)}{labels}"
        lines += hanging(said, f"  {one.name:<6}", indent=" " * 8, max_lines=3, placeholder=" …")
    lines.append("How far the test part lies from the rest:")
    for far in split.distances:
        lines += hanging(_beside(far), "  ", indent="    ")
    if split.label_shift is not None:
        lines.append(
            f"  labels: {percent(split.label_shift)} of the test part's would have to be others"
        )
    found = ", ".join(f"{count:,} {kind}" for kind, count in split.copies.items())
    copies = f"Texts of the test part that stand in the training part: {found}"
    lines += hanging(copies, "", indent="  ")
    return [*map(printed_line, lines), *(f"{name}: {text}" for name, text in strings.items())]


def _beside(far: Any) -> str:
    """Sentence on a distance beside random splits."""
    from scrutiny.core.boundary.printable import percent

    said = f"{far.says} {far.reached:.3f}; "
    if far.overlap is None:
        return f"{said}no random split of as many words was found"
    alike = f"which share {percent(far.overlap)} of its test texts"
    if far.mean is None:
        return (
            f"{said}not compared with random splits of as many texts and words, {alike}: they are "
            "nearly this split"
        )
    return (
        f"{said}{far.n_random:,} random splits of as many texts and words, {alike}: "
        f"{far.mean:.3f}, at most {far.most:.3f}; it exceeds {far.exceeds:,} of them"
    )
