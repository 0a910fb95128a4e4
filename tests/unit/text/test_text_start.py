"""Texts start light: no module of theirs imports anything heavy at its top."""

import pkgutil
import subprocess
import sys

import scrutiny.text


def test_nothing_heavy_is_imported():
    modules = [
        f"scrutiny.text.{module.name}" for module in pkgutil.iter_modules(scrutiny.text.__path__)
    ]
    assert len(modules) > 10
    heavy = "{'numpy', 'spacy', 'lemminflect', 'torch'}"
    code = f"import sys, {', '.join(modules)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
