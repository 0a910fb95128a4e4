"""The site of the docs: its navigation is the index, a notebook is a page, nothing is fetched."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def conf():
    spec = importlib.util.spec_from_file_location("conf", ROOT / "docs" / "conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_bold_line_of_an_index_is_a_group(conf):
    text = (
        "# Site\n\n**Start**\n\n- [Over](../README.md) [a](a.md)\n- [b](a.md#x) [c](../n/b.ipynb)"
    )
    source = [f"{text}\n\n**More**\n\n- [a](a.md), [d](sub/d.md), [out](https://x.org/y.md)"]
    conf._navigation(None, "docs/index", source)
    groups = [block.split("\n") for block in source[0].split("```") if "toctree" in block]
    assert groups == [
        ["{toctree}", ":hidden:", ":caption: Start", "", "Over </README>", "/docs/a", "/n/b", ""],
        ["{toctree}", ":hidden:", ":caption: More", "", "/docs/sub/d", ""],
    ]


def test_pages_without_a_list_are_as_they_are(conf):
    source = ["# A\n\n- [b](b.md)"]
    conf._navigation(None, "docs/a", source)
    assert source == ["# A\n\n- [b](b.md)"]
    conf._navigation(None, conf.LINKED[0], source)
    assert source[0].startswith("---\norphan: true\n---\n# A")


def test_a_notebook_is_its_texts_code_and_outputs(conf):
    table = {"data": {"text/plain": ["<T>"], "text/html": ["<b>1</b>"]}}
    code = {"cell_type": "code", "source": ["f()\n", "x"]}
    cells = [
        {"cell_type": "markdown", "source": ["# A"]},
        code | {"outputs": [{"text": ["one"]}, table]},
    ]
    assert [*conf._cells({"cells": cells})] == [
        "# A",
        "```python\nf()\nx\n```",
        "```text\none\n```",
        "````{raw} html\n<b>1</b>\n````",
    ]


@pytest.mark.parametrize(
    "loads",
    [
        '<script async src="https://cdn.org/a.js">',
        "<img alt='a' src='//cdn.org/a.png'>",
        '<link rel="stylesheet" href="https://fonts.org/a.css" />',
        "@import 'https://fonts.org/a.css'",
        "a { background: url(https://x.org/a.png) }",
    ],
)
def test_what_is_fetched_from_elsewhere_ends_the_build(conf, loads, tmp_path):
    class App:
        outdir = tmp_path

    fine = '<a href="https://x.org">x</a> <img src="../a.png"> url("data:image/svg+xml;//x")'
    (tmp_path / "a.html").write_text(fine)
    conf._finished(App, None)
    assert "docs/index.html" in (tmp_path / "index.html").read_text()
    (tmp_path / "b.html").write_text(loads)
    with pytest.raises(conf.SphinxError, match=r"b\.html loads from elsewhere"):
        conf._finished(App, None)


def built(folder):
    """Exit code of a strict build of these pages with our settings, and what it warned of."""
    words = ["-c", ROOT / "docs", "-d", folder / "trees", "-q", "-W", "--keep-going", folder]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *map(str, words), str(folder / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_build_ends_at_dead_links_and_unnamed_pages(tmp_path):
    (tmp_path / "docs").mkdir()
    index, page = tmp_path / "docs" / "index.md", tmp_path / "docs" / "page.md"
    page.write_text("# Page\n\n## Has it changed: `watch`?\n\n[code](../run.py)\n")
    (tmp_path / "run.py").write_text("pass\n")
    index.write_text("# Site\n\n- [a](page.md) and [its part](page.md#has-it-changed-watch)\n")
    assert built(tmp_path) == (0, "")
    assert 'href="docs/index.html"' in (tmp_path / "site" / "index.html").read_text()
    index.write_text("# Site\n\n- [a](page.md#gone) [b](other.md) [c](gone.toml)\n")
    code, warned = built(tmp_path)
    assert code == 1
    said = ("'gone'", "docs/other", "gone.toml", "page.md: WARNING: document isn't included in any")
    assert [one for one in said if one not in warned] == []
