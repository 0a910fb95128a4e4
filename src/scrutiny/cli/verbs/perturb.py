"""``scrutiny perturb``: transformations applied to texts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from scrutiny.cli.failures import say, tell
from scrutiny.cli.options import bad_rows, completed, once_each, pair_of, task_of_data
from scrutiny.cli.running.output_paths import OutputFile
from scrutiny.cli.running.streams import prints_on_stderr
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.limits import known


@click.command("perturb")
@click.option("--data", required=True, metavar="STRING", help="Data string.")
@click.option(
    "--with",
    "recipes",
    required=True,
    metavar="A,B",
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
def command(output: Path | None, **flags: Any) -> int:
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
        say(_left_alone(recipe, languages))
    total = sum(counts.values())
    said = ", ".join(f"{n:,} {status}" for status, n in sorted(counts.items()))
    tell(f"{total:,} variants: {said or 'none'}")


def _left_alone(recipe: str, languages: Counter[str]) -> str:
    """Sentence about texts whose language a recipe does not know, and what to state if it does."""
    from scrutiny.core.languages import counted, in_words
    from scrutiny.perturb.engine.recipe import parse_recipe

    known = in_words(parse_recipe(recipe).languages)
    return (
        f"{recipe} knows {known}, and left the texts in other languages alone: "
        f"{counted(languages)}. If they are in one that it knows, say so: #language=CODE."
    )


def _lines(flags: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """One object for each variant, in the order of the items, with the item's language."""
    from scrutiny.cli.options import named_recipes
    from scrutiny.core.registry import registry
    from scrutiny.data.doubts import left_out
    from scrutiny.data.reading import open_data, parse_limit
    from scrutiny.perturb.control.matched import Controls
    from scrutiny.perturb.engine.apply import Setting
    from scrutiny.perturb.engine.batch import perturb_draws

    parse_limit(flags["limit"])  # refused before anything is opened
    reading = open_data(flags["data"], task=flags["task"] or None, on_bad_row=flags["on_bad_row"])
    setting = Setting(
        flags["seed"],
        resources=_resources(flags["resources"]) or None,
        constraints=tuple(registry().load("constraint", c)() for c in flags["constraints"]),
        facts=reading.task.facts,
    )
    recipes = named_recipes(flags["recipes"])
    examples = reading.limited(flags["limit"])
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
    from scrutiny.core.answers.stored import to_json
    from scrutiny.text.edits.apply import apply_edits

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


def _resources(given: Sequence[str]) -> dict[str, str]:
    """Specifications of ``--resource name=specification`` by name."""
    from scrutiny.perturb.resources.loading import RESOURCES

    found = once_each("--resource", [pair_of("--resource", text) for text in given])
    known("resource", found, RESOURCES)
    return found
