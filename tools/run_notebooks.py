"""Run the notebooks of examples/ cell by cell, and keep what they show.

::

    python tools/run_notebooks.py            run all, and write their outputs
    python tools/run_notebooks.py --check    run all, and compare with what is kept (exit code 1)

No kernel is started: a notebook is a list of cells, run here one after the other in one namespace
and an empty folder. Of each cell its prints are kept, and what its last line shows, as text and
as HTML.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def outputs_of(cells: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Outputs of each of these code cells; what a cell raises ends the notebook."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        yield [*_outputs("".join(cell["source"]), f"<cell {number}>", names, number)]


def _outputs(
    source: str, name: str, names: dict[str, Any], number: int
) -> Iterator[dict[str, Any]]:
    # functions of a cell have a source, as they have in a notebook
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        shown = (
            None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), names)
        )
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if shown is not None:
        data = {"text/plain": _lines(repr(shown))}
        if hasattr(shown, "_repr_html_"):
            data["text/html"] = _lines(shown._repr_html_())
        yield {
            "data": data,
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def ran(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of a run in an empty folder."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    back = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
            for number, (cell, shown) in enumerate(zip(cells, outputs_of(cells), strict=True), 1):
                cell |= {"execution_count": number, "outputs": shown}
        finally:
            os.chdir(back)
    return notebook


def main(*, check: bool) -> int:
    differing = 0
    for path in NOTEBOOKS:
        text = json.dumps(ran(path), indent=1, ensure_ascii=False) + "\n"
        if not check:
            path.write_text(text, encoding="utf-8")
        elif text != path.read_text(encoding="utf-8"):
            print(f"{path.relative_to(ROOT)} shows something else now")
            differing += 1
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
