"""``scrutiny new``: a plug-in package that passes its conformance test."""

import re
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Final

import click

from scrutiny.cli.failures import say
from scrutiny.cli.options import Folder
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError

#: Kinds that have a template, and what the template does.
TEMPLATES: Final = {
    "adapter": "counts the words of lists",
    "attribute": "tells texts of long words",
    "diagnostic": "asks the model for every text in capitals, and claims that few answers change",
    "reader": "reads lines of a label and a text",
    "task": "asks what a text says of a topic",
    "transformation": "doubles vowels",
}
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@click.command("new")
@click.argument("kind")
@click.argument("name")
@click.option(
    "-o",
    "--output",
    type=Folder(path_type=Path),
    help="Folder; default: ./scrutiny-NAME.",
)
def command(kind: str, name: str, output: Path | None) -> int:
    r"""Write a package with a diagnostic, a task, a reader, an adapter ... that works.

    Kinds: adapter, attribute, diagnostic, reader, task, transformation. A diagnostic comes with its
    metric, claim, part of the report, page of documentation and tests.

    \b
    scrutiny new diagnostic word_length
    cd scrutiny-word-length && pip install -e . && pytest
    """
    from scrutiny.store.files import save_text

    folder = output or Path(f"scrutiny-{name.replace('_', '-')}")
    texts = dict(files(kind, name))  # what a kind brings takes the place of what all share
    if folder.is_dir() and any(folder.iterdir()):
        raise PlanError(f"{str(folder)!r} is not empty, and nothing is replaced: choose -o DIR.")
    for path, text in texts.items():
        save_text(folder / path, text)
    done = f"{folder}: {_with_article(kind)} that {TEMPLATES[kind]}"
    say(f"{done}. Next: cd {folder}; pip install -e .; pytest")
    return 0


def files(kind: str, name: str) -> Iterator[tuple[Path, str]]:
    """Files of a plug-in package, path and text of each; nothing is written yet.

    Raises
    ------
    UnknownNameError
        If there is no template of this kind.
    PlanError
        If the name cannot be one of a module.
    """
    known("template", [kind], TEMPLATES)
    if not _NAME.fullmatch(name) or iskeyword(name):
        raise PlanError(
            f"{name!r} cannot be the name of a module: it is in lower case, begins with a letter, "
            "and joins words by underscores, as word_length."
        )
    values = {
        "kind": kind,
        "a_kind": _with_article(kind),
        "name": name,
        "package": f"scrutiny_{name}",
        "distribution": f"scrutiny-{name.replace('_', '-')}",
        "class_name": "".join(word.capitalize() for word in name.split("_")),
        "words": name.replace("_", " "),
        "anchor": name.replace("_", "-"),
    }
    here = Path(__file__).parents[1] / "templates"
    for root in (here / "shared", here / kind):
        for path in sorted(root.rglob("*.tmpl")):
            place = str(path.relative_to(root)).removesuffix(".tmpl")
            filled = Template(path.read_text(encoding="utf-8")).substitute(values)
            place = place.replace("PACKAGE", values["package"]).replace("MODULE", name)
            yield Path(place), filled


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
