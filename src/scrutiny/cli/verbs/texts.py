"""``scrutiny data`` and ``perturb``: inspection of data, and texts with changes applied."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import click

from scrutiny.cli.early_checks import OutputFile
from scrutiny.cli.failures import say, tell
from scrutiny.cli.options import (
    TRANSFORMATIONS,
    bad_rows,
    completed,
    named_recipes,
    named_values,
    task_of_data,
)
from scrutiny.cli.output import hanging, printed_line, prints_on_stderr
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.parameters import known
from scrutiny.core.boundary.printable import percent, printable
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.languages import counted


@click.group("data")
def data() -> None:
    """Inspect data: its contents, and what two datasets share."""


@data.command("show")
@click.argument("source")
@task_of_data
@click.option("--limit", default=None, metavar="N|A:B")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@bad_rows
def _show(source: str, task: str, limit: str | None, on_bad_row: Any, *, as_json: bool) -> int:
    """Print rows, bad rows, labels, lengths, duplicates, and the data string to use."""
    from scrutiny.core.boundary.json_text import plain
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.summary import summarize

    data = load_dataset(source, task=task or None, limit=limit, on_bad_row=on_bad_row)
    summary = summarize(data)
    if as_json:
        click.echo(json_line(plain(summary)))
        return 0
    for line in _summary_lines(summary):
        click.echo(line)
    return 0


def _summary_lines(summary: Any) -> list[str]:
    """Lines of a summary, none wider than 80 columns."""
    lines = [
        f"{summary.n:,} items of {summary.task} in {summary.source}",
        f"  fingerprint   {summary.fingerprint}",
        f"  bad rows      {len(summary.bad_rows)}",
    ]
    lines += [f"    {row.source}: {row.reason}" for row in summary.bad_rows[:5]]
    if summary.chance is not None:
        lines.append(f"  no skill      {summary.chance:.3f}")
    labels = summary.labels[:10]
    lines += [f"  label         {c.label}: {c.n:,} ({percent(c.share)})" for c in labels]
    for field in summary.fields:
        w = field.words
        spread = f"median {w.median}, 5-95 % {w.p5}-{w.p95}, most {w.most}"
        lines.append(f"  words         {field.name}: {spread}")
    conflicts = f", {summary.conflicts} with another label" if summary.is_labeled else ""
    lines.append(f"  duplicates    {summary.duplicates} by letters and numbers{conflicts}")
    lines += _wrapped("languages", counted(summary.languages))
    for kind, counts in (("units", summary.units), ("groups", summary.groups)):
        if counts:
            lines += _wrapped(kind, ", ".join(f"{k}: {v}" for k, v in counts.items()))
    lines += [] if summary.is_labeled else _members(summary.members)
    for note in summary.notes:
        lines += _wrapped("note", note)
    for e in summary.examples:
        lines += _example(e)
    lines.append(f"  data string   {summary.data_string}")
    kept = [line if "data string" in line else printed_line(line) for line in lines]
    return [" ".join(printable(line).split("\n")) for line in kept]


def _example(example: Example) -> list[str]:
    """Lines of an example: one, or at most three for each of several fields."""
    if len(example.fields) == 1:
        return [f"  example       {example.id}: {example.text}"]
    lines = []
    for name, text in example.fields.items():
        lines += _wrapped("example", f"{example.id}: {name}: {text}", max_lines=3)
    return lines


def _members(groups: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Lines of how many items each value of each group has; names of single items are left out."""
    lines = []
    for name, counts in groups.items():
        if len(counts) == 1 or max(counts.values(), default=0) > 1:
            shown = ", ".join(f"{value}: {n:,}" for value, n in counts.items())
            lines += _wrapped(f"by {name}", shown)
    return lines


def _wrapped(title: str, text: str, *, max_lines: int | None = None) -> list[str]:
    """Lines of a text after its title."""
    start = f"  {title:<13} "
    return hanging(text, start, indent=" " * 16, max_lines=max_lines, placeholder=" …")


@data.command("overlap")
@click.argument("first")
@click.argument("second")
@click.option("--near", type=click.FloatRange(0.5, 1.0), default=0.8, show_default=True)
@click.option("--exact-only", is_flag=True, help="Ignore near duplicates.")
@click.option("--show", "shown", type=int, default=3, show_default=True, help="Pairs to print.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def _overlap_command(
    first: str, second: str, near: float, shown: int, *, exact_only: bool, as_json: bool
) -> int:
    """Print how many texts of FIRST occur in SECOND: letters only, exact and near."""
    from scrutiny.core.boundary.json_text import plain
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.overlap import overlap

    one, other = load_dataset(first), load_dataset(second)
    texts = [[" ".join(e.fields.values()) for e in data.examples] for data in (one, other)]
    found = overlap(texts[0], texts[1], near=None if exact_only else near)
    if as_json:
        click.echo(json_line(plain(found)))
        return 0
    click.secho(
        f"{found.n_overlapping:,} of {found.n_a:,} texts ({percent(found.share)}) stand in the "
        f"second set of {found.n_b:,}.",
        bold=True,
    )
    click.echo(f"  exact {found.exact:,}, contained {found.contained:,}, near {found.near or 0:,}")
    for pair in found.pairs[:shown]:
        click.echo(printed_line(f"  {pair.kind}: {texts[0][pair.a]}"))
    return 0


@data.command("fill")
@click.argument("frames", nargs=-1, required=True, metavar="FILE|FRAME...")
@click.option(
    "--model", metavar="STRING", help="Masked language model for frames: zoo:... or hf:..."
)
@click.option("-n", "most", type=click.IntRange(1, 500), default=30, show_default=True)
@click.option("--name", default="words", show_default=True, help="Name of the lexicon.")
def _fill(frames: tuple[str, ...], model: str | None, most: int, name: str) -> int:
    r"""Let a masked language model fill the lexicons of templates.

    The lexicons of FILE that state a masked_lm get their words, in the file: who asks the suite
    needs no model. Of frames, a lexicon is printed. Read the words before you keep them: a likely
    one may be of another kind.

    \b
    scrutiny data fill tests.suite.toml
    scrutiny data fill "The soup was ___." --model zoo:bert-4x128/seed-1
    """
    from scrutiny.perturb.resources.loading import load_resource
    from scrutiny.perturb.resources.mask_filler import words_for_all

    path = Path(frames[0])
    if len(frames) == 1 and path.suffix == ".toml":
        if model is not None:
            raise PlanError(f"--model is for frames: each lexicon of {path} states its masked_lm.")
        return _fill_file(path)
    if model is None:
        raise PlanError("Frames need --model, a masked language model: zoo:... or hf:....")
    found = words_for_all(load_resource("masked_lm", model), frames, n=most)
    click.echo(f"{name} = [{', '.join(json_line(guess.word) for guess in found)}]")
    return 0


def _fill_file(path: Path) -> int:
    """Write the words of models into a file of templates, and print them."""
    from scrutiny.data.readers.files import lines
    from scrutiny.data.source import DataSource
    from scrutiny.perturb.resources.filled_lexicons import filled_file
    from scrutiny.store.files import save_text

    text, found = filled_file("".join(lines(DataSource("suite", str(path)))), str(path))
    save_text(path, text)
    for name, words in found.items():
        for line in hanging(", ".join(words), f"{printable(name)} ({len(words)})  ", indent="  "):
            click.echo(line)
    click.echo(f"written into {path}: read them, and take out by without = [words] what is amiss")
    return 0


@data.command("names")
@click.argument("train")
@click.argument("test")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder.")
@click.option("--seed", type=int, default=0, show_default=True)
def _names(train: str, test: str, output: Path, seed: int) -> int:
    r"""Write training and test data whose names lost their form, coverage or contexts.

    Train a tagger on each, and compare the F1 of names that its training has with that of others.
    names.jsonl is a suite for a tagger that was trained on the data as it is.

    \b
    scrutiny data names conll:train.conll conll:test.conll -o names
    scrutiny audit --model ... --suite names/names.jsonl
    """
    from random import Random

    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.name_regularity import (
        CHANGES,
        NamedCorpus,
        conll_text,
        counts_of,
        named_sentence,
        names_suite,
    )
    from scrutiny.data.readers.suites import suite_lines
    from scrutiny.store.files import save_text

    sets = [load_dataset(one) for one in (train, test)]
    corpus = NamedCorpus(*([*map(named_sentence, one.examples)] for one in sets))
    changed = {name: change(corpus, Random(seed)) for name, change in CHANGES.items()}
    output.mkdir(parents=True, exist_ok=True)
    heads = ("training of", "sentences", "contexts", "mentions", "names", "coverage")
    click.secho(f"{heads[0]:<20}" + "".join(f"{head:>10}" for head in heads[1:]), bold=True)
    for name, one in {"as it is": corpus, **changed}.items():
        *counts, coverage = counts_of(one)
        shown = "".join(f"{n:>10,}" for n in counts)
        click.echo(f"{name:<20}{shown}{percent(coverage):>10}")
        for half, sentences in zip(("train", "test"), one, strict=True):
            if one is not corpus:
                place = output / f"{name.replace(' ', '_')}.{half}.conll"
                save_text(place, conll_text(sentences))
    suite = suite_lines(sets[1].task, names_suite(sets[1].examples, changed))
    save_text(output / "names.jsonl", "".join(f"{line}\n" for line in suite))
    tell(f"Wrote {output}: two files for each change, and the suite names.jsonl.")
    return 0


@click.command("perturb")
@click.option("--data", required=True, metavar="STRING", help="Data string.")
@click.option(
    "--with",
    "recipes",
    required=True,
    **TRANSFORMATIONS,
    shell_complete=completed("transformation"),
    help="Transformations; a+b applies both in sequence.",
)
@click.option("-o", "--output", type=OutputFile(), help="JSONL file; default: stdout.")
@task_of_data
@click.option("--draws", type=click.IntRange(1, 10_000), default=1, show_default=True)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("constraint"),
    help="Repeatable.",
)
@click.option("--resource", "resources", multiple=True, metavar="NAME=SPEC", help="Repeatable.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--limit", default=None, metavar="N|A:B", help="Items.")
@click.option("--control", is_flag=True, help="Also write a matched random change for each.")
@bad_rows
def perturb(output: Path | None, **flags: Any) -> int:
    r"""Write variants of texts, one JSON object a line, with their edits.

    \b
    scrutiny perturb --data builtin:reviews --with typos,contraction+ocr \
        -o out.jsonl
    """
    from scrutiny.store.files import save_stream

    with prints_on_stderr() as stdout:
        if output is None:
            _write(flags, stdout)
        else:
            save_stream(output, lambda stream: _write(flags, stream))
    return 0


def _write(flags: dict[str, Any], stream: IO[str]) -> None:
    """Write all lines, and report the outcomes on stderr."""
    counts: dict[str, int] = {}
    unspoken: dict[str, Counter[str]] = {}
    for line, language in _lines(flags):
        counts[line["status"]] = counts.get(line["status"], 0) + 1
        if line["reason"] == "language":
            unspoken.setdefault(line["recipe"], Counter())[language] += 1
        stream.write(json_line(line) + "\n")
    stream.flush()
    for recipe, languages in unspoken.items():
        # sentence about texts whose language a recipe does not know, and what to state if it
        # does
        from scrutiny.core.languages import counted, in_words
        from scrutiny.perturb.engine.recipe import parse_recipe

        known = in_words(parse_recipe(recipe).languages)
        left_alone = (
            f"{recipe} knows {known}, and left the texts in other languages alone: "
            f"{counted(languages)}. If they are in one that it knows, say so: #language=CODE."
        )
        say(left_alone)
    total = sum(counts.values())
    said = ", ".join(f"{n:,} {status}" for status, n in sorted(counts.items()))
    tell(f"{total:,} variants: {said or 'none'}")


def _lines(flags: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """One object for each variant, in the order of the items, with the item's language."""
    from scrutiny.core.registry import registry
    from scrutiny.data.doubts import left_out
    from scrutiny.data.opening import open_data
    from scrutiny.data.reading import parse_limit
    from scrutiny.perturb.engine.apply import Setting
    from scrutiny.perturb.engine.batch import perturb_draws
    from scrutiny.perturb.engine.controls import Controls
    from scrutiny.perturb.engine.recipe import parse_recipe
    from scrutiny.perturb.resources.loading import RESOURCES
    from scrutiny.perturb.resources.other_items import with_items

    parse_limit(flags["limit"])  # refused before anything is opened
    reading = open_data(flags["data"], task=flags["task"] or None, on_bad_row=flags["on_bad_row"])
    resources = named_values("--resource", flags["resources"])
    known("resource", resources, RESOURCES)
    recipes = [parse_recipe(recipe) for recipe in named_recipes(flags["recipes"])]
    task = reading.task
    has_more = any(role.kind in ("texts", "messages") for role in task.roles)
    for recipe in recipes:  # labels are known when all is read
        recipe.must_suit(task.facts, (), () if has_more else task.open_fields)
    examples: Iterable[Any] = reading.limited(flags["limit"])
    given: Mapping[str, Any] = resources
    if any("items" in recipe.resources for recipe in recipes):
        examples = held = list(examples)  # the others of each
        given = with_items(resources, held)
    setting = Setting(
        flags["seed"],
        resources=given or None,
        constraints=tuple(registry().load("constraint", c)() for c in flags["constraints"]),
        facts=task.facts,
    )
    settings = [setting._replace(draw=draw) for draw in range(flags["draws"])]
    for example, documents, draws in perturb_draws(examples, recipes, settings):
        controls = Controls(example, documents)
        for variant in (variant for variants in draws for variant in variants):
            yield _line(example, variant), example.language
            if flags["control"]:
                control = controls.of(variant, seed=flags["seed"])
                yield _line(example, control), example.language
    found = (reading.languages.note, reading.languages.warning)
    for sentence in (*left_out(reading.bad_rows), *reading.doubts.said(), *filter(None, found)):
        say(sentence)


def _line(example: Any, variant: Any) -> dict[str, Any]:
    """JSON object of a variant."""
    from scrutiny.core.answers.answer import to_json
    from scrutiny.text.edits import apply_edits

    changed = apply_edits(example, variant.edits) if variant.status == "ok" else example
    return {
        "id": example.id,
        **{name: changed.fields[name] for name in example.fields},
        "gold": to_json(variant.gold),
        "recipe": variant.recipe,
        "role": variant.role,
        "draw": variant.draw,
        "status": variant.status,
        "reason": variant.reason,
        "edits": [[e.field, e.start, e.end, e.text] for e in variant.edits],
        "source": example.source,
    }
