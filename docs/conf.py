"""The site of the docs (``make site``), of the Markdown files that are read in the repository.

Navigation is not written here: the lists of `docs/index.md` and `design/000-index.md` are it, each
bold line a group. Whatever Sphinx warns of (a page that no list names, a link or an anchor that
leads nowhere) ends the build.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils.nodes import document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

project = "scrutiny"
root_doc = "docs/index"
extensions = ["myst_parser", "sphinx_copybutton"]
LINKED = [  # pages that others link and no list names
    "examples/results/README",
    "packages/scrutiny-zoo/ATTRIBUTION",
    "src/scrutiny/text/data/NOTICE",
    "tests/QUARANTINES",
    "tests/integration/rare_input",
    "tools/reading_instructions",
]
# The repository is the source, so that links from one page to any file work in both.
include_patterns = [
    "*.md",
    "docs/**.md",
    "design/*.md",
    "packages/*/README.md",
    "examples/notebooks/*.ipynb",
    *(f"{page}.md" for page in LINKED),
]
exclude_patterns = [".*", "build", "dist", "runs", "benchmarks", "packages/*/src"]
html_theme = "furo"
html_title = "scrutiny"
html_show_sphinx = html_show_copyright = False
html_copy_source = html_use_index = False
myst_heading_anchors = 6
# Shown commands are copied without their prompts and without what they print.
copybutton_prompt_text = "$ "
#: What a browser would fetch from another host: links are followed by people alone.
LOADS = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^"'> ]+"""
    r"""|(?:@import|url\()\s*["']?(?:https?:)?//[^"')]+"""
)
INDEXES = ("docs/index", "design/000-index")


class Notebook(MystParser):
    """Page of a notebook of which the outputs are kept: no kernel, nothing runs."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: document) -> None:
        """Parse the cells as Markdown."""
        super().parse("\n\n".join(_cells(json.loads(inputstring))), document)


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """Texts as they are, code in a block, and below it what it shows."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", ())})
            if "text/html" in data:
                yield f"````{{raw}} html\n{''.join(data['text/html'])}\n````"
            else:
                yield f"```text\n{''.join(data['text/plain'])}\n```"


def _navigation(app: Sphinx, name: str, source: list[str]) -> None:
    """Hidden tables of contents from the lists of an index, one for each bold line."""
    if name in LINKED:
        source[0] = f"---\norphan: true\n---\n{source[0]}"
    if name not in INDEXES:
        return
    caption, named = "", set()
    for block in source[0].split("\n\n"):
        heading = re.fullmatch(r"\*\*(.+)\*\*", block)
        caption = heading[1] if heading else caption
        links = re.findall(r"\[([^]]+)\]\(([^)#:]+)\.(?:md|ipynb)\)", block)
        pages = {os.path.normpath(f"/{Path(name).parent}/{link}"): text for text, link in links}
        # the title of the README is that of the site
        own = [f"{text} <{page}>" if page == "/README" else page for page, text in pages.items()]
        new = [page for page in own if page not in named]
        named.update(new)
        if new:
            named_so = [f":caption: {caption}"] * bool(caption)
            lines = ["```{toctree}", ":hidden:", *named_so, "", *new, "```"]
            source[0] += "\n\n" + "\n".join(lines)


def _finished(app: Sphinx, failed: Exception | None) -> None:
    """The site's own address leads to the index; no page asks another host for anything."""
    Path(app.outdir, "index.html").write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0; url={root_doc}.html">'
        f'<title>{project}</title><a href="{root_doc}.html">{project}</a>\n',
        encoding="utf-8",
    )
    for path in sorted((*Path(app.outdir).rglob("*.html"), *Path(app.outdir).rglob("*.css"))):
        if loads := LOADS.findall(path.read_text(encoding="utf-8")):
            raise SphinxError(f"{path.name} loads from elsewhere: {loads[0]}")


def setup(app: Sphinx) -> None:
    """Register what stands above."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(Notebook)
    app.connect("source-read", _navigation)
    app.connect("build-finished", _finished)
