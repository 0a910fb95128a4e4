"""The public face for authors: everything a plug-in is made of, and pages that use nothing else."""

import re
from pathlib import Path

import pytest

import scrutiny.plugin
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.registry import CLASSES
from scrutiny.core.statistic import Statistic

ROOT = Path(__file__).parents[2]
WRITTEN = [
    ROOT / "docs" / "plugins.md",
    *sorted((ROOT / "src" / "scrutiny" / "cli" / "templates").rglob("*.tmpl")),
    *sorted((ROOT / "tests" / "plugin_package" / "src").rglob("*.py")),
]


def test_every_name_is_there_and_says_what_it_is():
    assert scrutiny.plugin.__all__ == sorted(set(scrutiny.plugin.__all__), key=_order)
    for name in scrutiny.plugin.__all__:
        thing = getattr(scrutiny.plugin, name)
        assert thing.__doc__ or name == "Effect", name


def _order(name):
    return not name.isupper(), not name[0].isupper(), name


def test_every_kind_has_its_base_class():
    offered = [getattr(scrutiny.plugin, name) for name in scrutiny.plugin.__all__]
    bases = {
        base.kind
        for base in offered
        if isinstance(base, type) and issubclass(base, PlugIn) and "kind" in vars(base)
    }
    assert bases == CLASSES
    statistics = [one for one in offered if isinstance(one, type) and issubclass(one, Statistic)]
    assert {"Additive", "Weighted", "RefitStatistic"} <= {one.__name__ for one in statistics}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_who_shows_how_to_write_one_imports_nothing_else(path):
    text = path.read_text(encoding="utf-8")
    imported = re.findall(r"^from (scrutiny[\w.]*) import|^import (scrutiny[\w.]*)", text, re.M)
    public = {"scrutiny", "scrutiny.plugin", "scrutiny.testing"}
    assert {one or other for one, other in imported} <= public
    assert not re.search(r"`scrutiny\.(core|data|models|parts|perturb|reliability)\.", text)


def test_what_the_overview_names_is_there():
    overview = scrutiny.plugin.__doc__.partition("::")[2].partition("Names here")[0]
    named = re.findall(r"\b[A-Z][A-Za-z]+[a-z]\b|\b[a-z]+_[a-z_]+\b", overview)
    assert set(named) <= set(scrutiny.plugin.__all__)
