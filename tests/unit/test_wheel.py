"""What `pip install` brings: the package with its data, and the terms of everything in it."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Texts of the wheel's files about itself, and the names of all."""
    hatchling = pytest.importorskip("hatchling.builders.wheel")
    out = str(tmp_path_factory.mktemp("dist"))
    (path,) = hatchling.WheelBuilder(str(ROOT)).build(directory=out, versions=["standard"])
    with ZipFile(path) as archive:
        about = {
            name.partition(".dist-info/")[2]: archive.read(name).decode()
            for name in archive.namelist()
            if ".dist-info/" in name
        }
        return about, archive.namelist()


def test_it_holds_the_files_of_the_package_and_no_other(wheel):
    files = (path for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc")
    own = {path.relative_to(SOURCE).as_posix() for path in files}
    assert {name for name in wheel[1] if ".dist-info/" not in name} == own
    assert {"scrutiny/py.typed", "scrutiny/text/data/wordnet.txt.xz"} <= own


def test_every_notice_is_among_its_licenses(wheel):
    notices = {path.relative_to(ROOT).as_posix() for path in SOURCE.rglob("NOTICE*")}
    licenses = {name.partition("/")[2] for name in wheel[0] if name.startswith("licenses/")}
    assert licenses == {"LICENSE", *notices}
    assert len(notices) > 4


def test_it_says_how_it_is_called_and_needs_no_extra(wheel):
    assert "scrutiny = scrutiny.cli:main" in wheel[0]["entry_points.txt"]
    assert "[pytest11]\nscrutiny = scrutiny._pytest_plugin" in wheel[0]["entry_points.txt"]
    needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", wheel[0]["METADATA"], re.MULTILINE)
    assert {"numpy", "pydantic"} <= set(needed)
    assert not {"torch", "transformers", "pytest", "sphinx"} & set(needed)
