"""Write the reference pages of docs/ from the code: ``make docs``; ``--check`` only compares.

Pages: the command line (from ``--help``), transformations, diagnostics, statistics and the rest of
the registry (from what each object says of itself). Beside them, the sentences of `scrutiny list`.
"""

import argparse
import inspect
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from scrutiny.cli import VERBS, group
from scrutiny.cli.verbs.names import FACTS, SENTENCES, facts, facts_to_list
from scrutiny.core.facts import answers_in_words
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import KINDS, registry
from scrutiny.registrations import REGISTRATIONS
from scrutiny.reliability.metrics import metric_of, usual_metrics

ROOT = Path(__file__).parents[1] / "docs"
DOCS = ROOT / "reference"
AGENTS = """Commands print their result on stdout and everything else on stderr. With `--json` they
print one object a line. Exit codes: 0 done or passed; 1 a gate fails, a regression is shown, or a
check finds a fault; 2 a mistake in the command, with what is allowed; 3 not finished, the same
command continues; 4 undecided, neither is shown. Never read 4, *can't tell*, *not tested* or
*refused* as a pass. Quote a number with its interval, its items and its scope.
"""
GENERATED = "<!-- Made by `make docs` from the code; edit the docstring, not this page. -->"


def pages() -> dict[Path, str]:
    """Text of every generated file."""
    found = {
        "cli.md": "\n".join(cli_page()),
        "transformations.md": "\n".join(transformations_page()),
        "diagnostics.md": "\n".join(docs_page("diagnostic", "Diagnostics")),
        "constraints.md": "\n".join(docs_page("constraint", "Constraints")),
        "attacks.md": "\n".join(docs_page("attack", "Attacks")),
        "goals.md": "\n".join(docs_page("goal", "Goals of searches")),
        "search-methods.md": "\n".join(docs_page("search_method", "Methods of searches")),
        "tasks.md": "\n".join(docs_page("task", "Tasks")),
        "attributes.md": "\n".join(attributes_page()),
        "statistics.md": "\n".join(statistics_page()),
        "parts.md": "\n".join(parts_page()),
    }
    stored = {SENTENCES: sentences(), FACTS: listed(), ROOT / "llms.txt": "\n".join(for_agents())}
    return {DOCS / name: text for name, text in found.items()} | stored


def for_agents() -> Iterator[str]:
    """Index of the docs for coding agents (llmstxt.org): `index.md`, the verbs, and the schemas."""
    blocks = (ROOT / "index.md").read_text(encoding="utf-8").split("\n\n")
    title, about, *rest = [block for block in blocks if not block.startswith("```")]
    yield title
    yield f"\n> {' '.join(about.splitlines())}\n"
    yield AGENTS
    yield "## Verbs\n"
    yield from (f"- [scrutiny {verb}](reference/cli.md): {said}" for verb, said in VERBS.items())
    yield "\n## JSON schemas of what `--json` prints\n"
    for path in sorted(ROOT.glob("*.schema.json")):
        yield f"- [{path.name}]({path.name}): {json.loads(path.read_text('utf-8'))['title']}"
    for block in rest:
        head = re.fullmatch(r"\*\*(.+)\*\*", block)
        yield f"\n## {head[1]}\n" if head else re.sub(r"\n +", " ", block)


def listed() -> str:
    """Facts of each built-in diagnostic and transformation, likewise."""
    own: dict[str, dict[str, Any]] = {"diagnostic": {}, "transformation": {}}
    for kind, name, *_ in sorted(one for one in REGISTRATIONS if one.kind in own):
        own[kind][name] = facts_to_list(kind, registry().load(kind, name))
    return json.dumps(own, ensure_ascii=False, indent=1)


def sentences() -> str:
    """What each built-in name says of itself, by kind, so that `list` need not import it."""
    own: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for kind, name, *_ in sorted(REGISTRATIONS):
        own[kind][name] = sentence_of(registry().load(kind, name))
    return json.dumps(own, ensure_ascii=False, indent=1)


def cli_page() -> Iterator[str]:
    yield f"# The command line\n\n{GENERATED}\n"
    for verb in ("", *VERBS):
        for path in ([verb] if verb else [], *sub_verbs(verb)):
            yield f"## scrutiny {' '.join(path)}".rstrip() + "\n"
            yield f"```text\n{help_of(path)}```\n"


def sub_verbs(verb: str) -> list[list[str]]:
    """Paths of the verbs of a group; a group that imports them when they are called says which."""
    context = click.Context(group)
    command = group.get_command(context, verb) if verb else None
    names = command.list_commands(context) if isinstance(command, click.Group) else []
    return [[verb, name] for name in names]


def help_of(path: list[str]) -> str:
    runner = CliRunner(env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    result = runner.invoke(group, [*path, "--help"], prog_name="scrutiny", terminal_width=80)
    return result.output


def transformations_page() -> Iterator[str]:
    names = registry()
    yield f"# Transformations\n\n{GENERATED}\n"
    yield "| name | what it does | gold answer | needs |\n| --- | --- | --- | --- |"
    for name in names.names("transformation"):
        thing = names.load("transformation", name)
        effect = "; ".join(
            f"{answers_in_words(answer)}: {says}" for answer, says in thing.effect.items()
        )
        needs = ", ".join(thing.resources) or "nothing"
        yield f"| [{name}](#{name.replace('@', '')}) | {sentence_of(thing)} | {effect} | {needs} |"
    yield ""
    yield from sections("transformation")


def docs_page(kind: str, title: str) -> Iterator[str]:
    yield f"# {title}\n\n{GENERATED}\n"
    yield from sections(kind)


def sections(kind: str) -> Iterator[str]:
    names = registry()
    for name in names.names(kind):
        thing = names.load(kind, name)
        yield f"## {name}\n"
        yield (inspect.getdoc(thing) or "") + "\n"
        for title, value in facts(thing):
            yield f"- {title}: {value}"
        yield ""


def attributes_page() -> Iterator[str]:
    names = registry()
    yield f"# Attributes\n\n{GENERATED}\n"
    yield "What [slices](../slices.md) are made of.\n"
    yield "| name | true of inputs, or what it is | gives | English alone | needs training data |"
    yield "| --- | --- | --- | --- | --- |"
    for name in names.names("attribute"):
        a = names.load("attribute", name)
        said = "yes" if a.is_english else "", "yes" if a.of_training else ""
        yield f"| {name} | {a.says} | {a.gives} | {' | '.join(said)} |"
    yield "\n## Of parts\n\nWhat [scores fall apart by](../parts.md).\n"
    yield "| name | parts by | what it is | needs training data |\n| --- | --- | --- | --- |"
    for name in names.names("part_attribute"):
        one = names.load("part_attribute", name)
        what = one.at_length().partition("\n\n")[0].replace("\n", " ")
        yield f"| {name} | {one.says} | {what} | {'yes' if one.of_training else ''} |"
    yield ""


def parts_page() -> Iterator[str]:
    yield f"# Parts of the report\n\n{GENERATED}\n"
    yield "In the order of the page; a run shows those that it has what it takes for.\n"
    yield "| name | what it shows | needs |\n| --- | --- | --- |"
    for line in (line for line in REGISTRATIONS if line.kind == "part"):
        said = registry().load("part", line.name).sentence()
        yield f"| {line.name} | {said} | {line.needs and f'`{line.needs}`'} |"
    yield ""


def statistics_page() -> Iterator[str]:
    yield f"# Statistics\n\n{GENERATED}\n"
    yield "| name | says | needs | interval on | higher is |\n| --- | --- | --- | --- | --- |"
    for name in usual_metrics():
        s = metric_of(name)
        yield f"| {name} | {s.says} | {', '.join(s.needs)} | {s.scale} | {s.higher_is} |"
    yield ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if a page is out of date")
    arguments = parser.parse_args()
    os.environ["COLUMNS"] = "80"
    stale = []
    DOCS.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        text = text.rstrip() + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
    print(f"{len(stale)} pages {'are out of date' if arguments.check else 'written'}: {stale}")
    return int(bool(stale) and arguments.check)


if __name__ == "__main__":
    sys.exit(main())
