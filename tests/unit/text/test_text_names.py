"""The list of public names at the head of the package is true."""

import re
import subprocess
import sys
from importlib import import_module

import scrutiny.text

LINE = re.compile(r"^    ([a-z_]+)  +(.*)$")


def listed_names():
    """(module, name) for every function and constant in the docstring's table."""
    module = ""
    block = scrutiny.text.__doc__.split("::\n", 1)[1]
    for line in block.splitlines():
        head = LINE.match(line)
        if head is not None:
            module, line = head[1], head[2]
        for name in re.findall(
            r"(?<![.\w])([A-Za-z_]+)(?=\([a-z*.]|\(\) ->|: tuple|: frozenset)", line
        ):
            if name not in ("tag_at", "tag", "entities", "Mapping", "tuple", "list", "dict"):
                yield module, name


def test_every_listed_name_exists():
    names = list(listed_names())
    assert len(names) > 55
    missing = [f"{m}.{n}" for m, n in names if not hasattr(import_module(f"scrutiny.text.{m}"), n)]
    assert missing == []


def test_nothing_heavy_is_imported():
    modules = sorted({f"scrutiny.text.{module}" for module, _ in listed_names()})
    heavy = "{'numpy', 'spacy', 'lemminflect', 'torch'}"
    code = f"import sys, {', '.join(modules)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
